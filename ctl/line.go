package ctl

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

// lineWithin bounds how long a status bar is held up by a daemon that does not
// answer.
const lineWithin = 150 * time.Millisecond

// maxLine bounds what is read of what a line said last.
const maxLine = 16 << 10

// runLine shows one line for a status bar. It starts no daemon, waits for
// nobody, and is no error when there is nothing to say: a bar would show that.
func runLine(ctx context.Context, a *app, format string, colour bool) error {
	if _, bad := (render.Style{}).Template(format, wire.LineView{}); bad != "" {
		return render.BadField(bad, nearestField(bad))
	}
	v := a.line(ctx)
	return a.answer(wire.SchemaLine, v, func(s render.Style) string {
		s.Colour, s.Width = colour, 0
		if format == "" {
			return s.StatusLine(v)
		}
		t, _ := s.Template(format, v)
		return t
	})
}

// line asks the daemon. One that is not there, or does not answer, leaves what
// was known last.
func (a *app) line(ctx context.Context) wire.LineView {
	ctx, cancel := context.WithTimeout(ctx, lineWithin)
	defer cancel()
	v := wire.LineView{}
	d, err := a.connect(ctx, false)
	if err == nil {
		defer d.Close()
		err = client.Call(ctx, d, wire.StatusLine, wire.LineRequest{Workspace: a.Dir, Since: a.Now().Add(-aNight)}, &v)
	}
	if err == nil {
		a.keepLine(v)
		return v
	}
	v = a.lastLine()
	gone := unreachable(err)
	switch {
	case gone && v.Daemon == wire.LineIdle && v.Counts.Live == 0:
		return a.still(v)
	case gone:
		v.Daemon = wire.LineOff
	default:
		v.Daemon = wire.LineSilent
	}
	return v
}

// still is what a daemon left behind that ended with nothing live: so it is until
// another one begins. What was done is said for a night.
func (a *app) still(v wire.LineView) wire.LineView {
	if a.Now().Sub(v.At) > aNight {
		v.Counts.Done, v.Counts.Failed, v.Usage = 0, 0, wire.UsageSum{}
	}
	v.At = a.Now()
	return v
}

// keepLine remembers an answer. The run of a directory is none of another's, so
// it is left out. Nothing is lost where this fails.
func (a *app) keepLine(v wire.LineView) {
	v.Run = nil
	b, err := json.Marshal(v)
	path := a.linePath()
	if err != nil || path == "" {
		return
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return
	}
	_, err = tmp.Write(b)
	if err = errors.Join(err, tmp.Close()); err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
}

func (a *app) lastLine() (v wire.LineView) {
	b, err := a.readFile("the last status line", a.linePath(), maxLine)
	if err != nil || json.Unmarshal([]byte(b), &v) != nil {
		return wire.LineView{}
	}
	return v
}

// linePath is empty where no daemon has ever made a place for it.
func (a *app) linePath() string {
	p, err := a.FindPlaces()
	if err != nil || p.Runtime == "" {
		return ""
	}
	return p.LineFile()
}

// nearestField are the fields that a word may have meant.
func nearestField(word string) []string {
	all := &cobra.Command{Use: "fields"}
	for _, f := range render.LineFields() {
		all.AddCommand(&cobra.Command{Use: f, Run: func(*cobra.Command, []string) {}})
	}
	return nearest(all, word)
}
