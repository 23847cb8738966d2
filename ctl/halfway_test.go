package ctl

import (
	"context"
	"io"
	"strings"
	"testing"

	"autopilot/events/wire"
)

// middle is a daemon that refuses the first start of a run in the middle of a rebase.
type middle struct{ *fakeDaemon }

func (m middle) Exchange(ctx context.Context, id string, v wire.Spec, req, reply any) error {
	if start, ok := req.(wire.StartRequest); ok && v.Name == wire.RunStart.Name && !start.Spec.Halfway {
		err := wire.Errorf(wire.NeedsPerson, "git is in the middle of something in /p: rebase").WithHint("begin in the middle of it with --halfway")
		err.Halfway = "rebase"
		return err
	}
	return m.fakeDaemon.Exchange(ctx, id, v, req, reply)
}

func TestARunInTheMiddleOfARebaseIsAskedAbout(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		typed []string // nil: nobody is there
		flags []string
		code  int
		says  string
	}{
		"yes begins":           {[]string{"yes"}, nil, wire.ExitDone, "The agent would work on half of it"},
		"anything else":        {[]string{"y"}, nil, wire.ExitPerson, "--halfway"},
		"nothing":              {[]string{""}, nil, wire.ExitPerson, "--halfway"},
		"nobody is there":      {nil, nil, wire.ExitPerson, "--halfway"},
		"the flag asks nobody": {nil, []string{"--halfway"}, wire.ExitDone, ""},
	} {
		d := &fakeDaemon{replies: map[string]any{wire.RunStart.Name: liveView()}}
		w := newWorld(t, middle{d}, append([]string{"run", "-d", "x", "--gate", "t=make", "--agent-cmd", "./a"}, tt.flags...)...)
		tty := &lines{left: tt.typed}
		if tt.typed != nil {
			w.terminal().Terminal = func() (io.ReadWriteCloser, error) { return tty, nil }
		}
		if code := w.run(t); code != tt.code || !strings.Contains(tty.shown.String()+w.err.String(), tt.says) {
			t.Errorf("%s: exit %d\n%s\n%s", name, code, tty.shown.String(), w.err.String())
		}
		if tt.code == wire.ExitDone && !strings.Contains(d.body(t, wire.RunStart.Spec), `"halfway":true`) {
			t.Errorf("%s: %s", name, d.body(t, wire.RunStart.Spec))
		}
	}
}
