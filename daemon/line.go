package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/bus"
	"autopilot/daemon/durable"
	"autopilot/events/wire"
)

// lineSpan is what a status line looks back on when no daemon answers.
const lineSpan = 24 * time.Hour

// dropLine removes what the daemon before has left for status lines: from now on
// things change again.
func (d *Daemon) dropLine() {
	if err := os.Remove(d.cfg.Places.LineFile()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		d.cfg.Log.Warn("remove the last status line", "error", err)
	}
}

// leaveLine leaves for status lines how things stand at a clean end, when nobody
// is answered any more. With effects alive they may change without a daemon: then
// what was known last stays, and grows old.
func (d *Daemon) leaveLine(ctx context.Context) {
	v, err := d.statusLine(ctx, bus.Request{}, wire.LineRequest{Since: time.Now().Add(-lineSpan)})
	if err != nil || v.Counts.Live > 0 {
		return
	}
	v.Daemon = wire.LineIdle
	b, err := json.Marshal(v)
	if err == nil {
		err = durable.Replace(d.cfg.Places.LineFile(), b)
	}
	if err != nil {
		d.cfg.Log.Warn("leave a status line", "error", err)
	}
}
