package budget

import (
	"os"
	"strings"
	"time"

	"autopilot/events/wire"
)

// zone is the time zone of days: that of this host, read anew, as a laptop
// travels.
func zone() *time.Location {
	if name, ok := os.LookupEnv("TZ"); ok {
		if z, err := time.LoadLocation(strings.TrimPrefix(name, ":")); err == nil {
			return z
		}
		return time.Local
	}
	if b, err := os.ReadFile("/etc/localtime"); err == nil {
		if z, err := time.LoadLocationFromTZData("Local", b); err == nil {
			return z
		}
	}
	return time.Local
}

// ZoneNamed is the zone of a client, else that of this host.
func ZoneNamed(name string) (*time.Location, error) {
	if name == "" {
		return zone(), nil
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil, wire.Errorf(wire.Usage, "no time zone %q is known", name)
	}
	return z, nil
}
