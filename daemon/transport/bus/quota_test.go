package bus

import (
	"testing"

	"autopilot/events/log"
)

// The quota that a user sets is the one of the event log, as it is shown: the server
// keeps room above it.
func TestTheLogHasTheQuotaThatWasSet(t *testing.T) {
	t.Parallel()
	const quota = 16 << 20
	b := openBus(t, func(c *Config) { c.Quota = quota }, nil)
	nc, err := b.Daemon()
	if err != nil {
		t.Fatal(err)
	}
	l, err := log.Open(t.Context(), nc, LogConfig(quota))
	if err != nil {
		t.Fatal(err)
	}
	if u, err := l.Usage(t.Context()); err != nil || u.Quota != quota || u.Reserve <= 0 || u.Reserve >= quota/8 {
		t.Errorf("%+v, %v", u, err)
	}
	if c := LogConfig(0); c.Quota != DefaultQuota {
		t.Errorf("the default: %+v", c)
	}
}
