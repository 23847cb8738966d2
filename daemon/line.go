package daemon

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/daemon/store/durable"
	"autopilot/events/wire"
)

// lineSpan is what a status line looks back on when no daemon answers.
const lineSpan = 24 * time.Hour

// ageLine lets what the daemon before has left for status lines grow old: from now
// on things change again.
func (d *Daemon) ageLine() {
	path := d.cfg.Places.LineFile()
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var v wire.LineView
	if err == nil && json.Unmarshal(b, &v) == nil && v.Daemon != wire.LineIdle {
		return
	}
	v.Daemon = wire.LineOff
	if b, err = json.Marshal(v); err == nil && !v.At.IsZero() {
		err = durable.Replace(path, b)
	} else {
		err = errors.Join(err, os.Remove(path)) // it is none
	}
	if err != nil {
		d.cfg.Log.Warn("put the last status line away", "error", err)
	}
}

// leaveLine leaves for status lines how things stand at a clean end, when nobody
// is answered any more. With effects alive they may change without a daemon: then
// what was known last stays, and grows old.
func (d *Daemon) leaveLine(ctx context.Context) {
	v, err := d.api.StatusLine(ctx, auth.Request{}, wire.LineRequest{Since: time.Now().Add(-lineSpan)})
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
