package ctl

import (
	"context"
	"io"
	"os"
	"strings"
	"time"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// Daemon is what commands ask of a daemon. Its errors are *wire.Error where
// the daemon answered, or could not.
type Daemon interface {
	client.Caller
	Put(ctx context.Context, text []byte) (events.Ref, error)
	Close() error
}

// Output is a place to write to. Columns is nil when it is no terminal; File is
// the absolute path of the regular file that it is, if it is one and that is
// known.
type Output struct {
	io.Writer
	Columns func() int
	File    string
}

// World is all that a command sees besides its flags.
type World struct {
	Args       []string
	Environ    []string
	Dir        string // of the caller, absolute
	Version    string
	In         io.Reader
	InIsTTY    bool
	Out, Err   Output
	Now        func() time.Time
	Zone       *time.Location
	Notify     func(chan<- os.Signal) (stop func()) // interrupts and terminations
	Connect    func(ctx context.Context, start bool) (Daemon, error)
	Program    func() (string, error) // path of this program, for others to call
	FindPlaces func() (place.Places, error)
	Examine    func(ctx context.Context, dir string) (wire.DoctorView, error) // without a daemon
	Holder     func(ctx context.Context, end bool) (wire.HolderView, error)   // of the state directory, without a daemon; end kills it
	Alive      func(pid int) bool                                             // whether a process runs
	Terminal   func() (io.ReadWriteCloser, error)                             // of this process, to ask a person
}

// getenv is the value of a variable of the caller, or empty.
func (w *World) getenv(name string) string {
	for i := len(w.Environ) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(w.Environ[i], "="); k == name {
			return v
		}
	}
	return ""
}

// interactive says whether a person sits at a terminal.
func (w *World) interactive() bool { return w.InIsTTY || w.Err.Columns != nil }

// refreshes says whether a line of o can be written over.
func (w *World) refreshes(o Output) bool {
	return o.Columns != nil && w.getenv("TERM") != "dumb"
}

func (w *World) style(o Output) render.Style {
	s := render.Style{Now: w.Now(), Zone: w.Zone, ASCII: w.ascii()}
	if o.Columns != nil {
		s.Width = o.Columns()
		s.Colour = w.getenv("NO_COLOR") == "" && w.getenv("TERM") != "dumb"
	}
	return s
}

// ascii says whether the caller asked for a locale without marks.
func (w *World) ascii() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := w.getenv(name); v != "" {
			return v == "C" || v == "POSIX"
		}
	}
	return w.getenv("TERM") == "dumb"
}
