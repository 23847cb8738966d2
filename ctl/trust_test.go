package ctl

import (
	"bytes"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/events/place"
	"autopilot/events/wire"
)

const trustHash = "ab12cd34ef56" // of a file in these tests

// typist is a terminal at which someone types.
type typist struct {
	io.Reader
	shown  bytes.Buffer
	closed bool
}

func (t *typist) Write(b []byte) (int, error) { return t.shown.Write(b) }

func (t *typist) Close() error {
	t.closed = true
	return nil
}

// typing gives the world a terminal at which a text is typed.
func (w *world) typing(text string) *typist {
	t := &typist{Reader: strings.NewReader(text)}
	w.terminal().Terminal = func() (io.ReadWriteCloser, error) { return t, nil }
	return t
}

func untrustedView() wire.TrustView {
	return wire.TrustView{File: "/p/.autopilot/config.yaml", Hash: trustHash, Diff: "+setup: npm ci\n+\x1b]0;owned\x07# \x1b[2Jx\n"}
}

func trustedView() wire.TrustView {
	at := noon.Add(-time.Hour)
	return wire.TrustView{File: "/p/.autopilot/config.yaml", Hash: trustHash, Trusted: true, At: &at, By: "person:1@h/pts/3", Assured: "tty"}
}

func trustDaemon() *fakeDaemon {
	return &fakeDaemon{replies: map[string]any{wire.TrustShow.Name: untrustedView(), wire.TrustGive.Name: trustedView()}}
}

func TestTheRightWordsAtTheTerminalTrust(t *testing.T) {
	t.Parallel()
	d := trustDaemon()
	w := newWorld(t, d, "trust")
	tty := w.typing("ab12cd\n")
	if code := w.run(t); code != wire.ExitDone {
		t.Fatalf("exit %d: %s", code, w.err.String())
	}
	if got := d.body(t, wire.TrustGive.Spec); !strings.Contains(got, `"hash":"`+trustHash+`"`) || !strings.Contains(got, `"typed":"ab12cd"`) {
		t.Errorf("asked for %s", got)
	}
	shown := tty.shown.String()
	for _, want := range []string{"setup: npm ci", "runs the commands in it as you", "Type \x1b[1mab12cd\x1b[0m", "characters that cannot be seen"} {
		if !strings.Contains(shown, want) {
			t.Errorf("%q is not shown:\n%s", want, shown)
		}
	}
	if strings.Contains(shown, "\x1b]") || strings.Contains(shown, "\x1b[2J") {
		t.Errorf("the file steers the terminal: %q", shown)
	}
	if !tty.closed || !strings.Contains(w.err.String(), "trusted") {
		t.Errorf("closed %v, said %q", tty.closed, w.err.String())
	}
}

func TestAnythingElseAtTheTerminalChangesNothing(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string]string{
		"Enter": "\n", "nothing": "", "yes": "yes\n", "too little": "ab12c\n", "too much": "ab12cd3\n",
		"a novel": strings.Repeat("ab12cd", 1000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := trustDaemon()
			w := newWorld(t, d, "trust")
			w.typing(typed)
			if code := w.run(t); code != wire.ExitPerson {
				t.Errorf("exit %d: %s", code, w.err.String())
			}
			if given := slices.ContainsFunc(d.calls, func(c asked) bool { return c.verb == wire.TrustGive.Name }); given {
				t.Errorf("the daemon was told to trust: %v", d.calls)
			}
		})
	}
}

func TestWithoutATerminalNobodyIsAsked(t *testing.T) {
	t.Parallel()
	for name, arrange := range map[string]func(*world){
		"no terminal at all":              func(*world) {},
		"a terminal that cannot be used":  func(w *world) { w.terminal() },
		"one that standard streams avoid": func(w *world) { w.typing("ab12cd\n"); w.InIsTTY, w.Err.Columns = false, nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := trustDaemon()
			w := newWorld(t, d, "trust")
			arrange(w)
			if code := w.run(t); code != wire.ExitPerson || !strings.Contains(w.err.String(), "terminal") || len(d.calls) != 1 {
				t.Errorf("exit %d after %v: %s", code, d.calls, w.err.String())
			}
		})
	}
}

func TestAnEffectIsNotAsked(t *testing.T) {
	t.Parallel()
	d := trustDaemon()
	w := newWorld(t, d, "trust")
	tty := w.typing("ab12cd\n")
	w.Environ = append(w.Environ, place.EnvEffect+"=01E")
	if code := w.run(t); code != wire.ExitDenied || tty.shown.Len() > 0 || len(d.calls) != 1 {
		t.Errorf("exit %d after %v: %s", code, d.calls, w.err.String())
	}
}

func TestTrustIsShownWithoutAQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		view wire.TrustView
		args []string
		code int
		want string
	}{
		"not trusted":          {untrustedView(), []string{"trust", "--show"}, wire.ExitPerson, "setup: npm ci"},
		"not trusted, as JSON": {untrustedView(), []string{"trust", "--json"}, wire.ExitPerson, `"schema":"autopilot.trust"`},
		"trusted":              {trustedView(), []string{"trust"}, wire.ExitDone, "since 11:00 by person 1 at pts/3"},
		"trusted, as JSON":     {trustedView(), []string{"trust", "--json"}, wire.ExitDone, `"trusted":true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, &fakeDaemon{replies: map[string]any{wire.TrustShow.Name: c.view}}, c.args...)
			tty := w.typing("ab12cd\n")
			w.Out.Columns = nil
			if code := w.run(t); code != c.code || !strings.Contains(w.out.String(), c.want) || tty.shown.Len() > 0 {
				t.Errorf("exit %d\n%s%s", code, w.out.String(), w.err.String())
			}
			if strings.Contains(w.out.String(), "\x1b") {
				t.Errorf("controls: %q", w.out.String())
			}
		})
	}
}

// waryDaemon starts no run.
func waryDaemon() *fakeDaemon {
	d := trustDaemon()
	d.replies[wire.ConfigShow.Name] = wire.ConfigView{}
	d.replies[wire.RunStart.Name] = wire.Errorf(wire.NeedsPerson, "/p/.autopilot/config.yaml is not trusted")
	return d
}

func TestARunAsksForTrustAndGoesOn(t *testing.T) {
	t.Parallel()
	d := waryDaemon()
	d.after = map[string]func(){wire.TrustGive.Name: func() { d.replies[wire.RunStart.Name] = liveView() }}
	w := newWorld(t, d, "run", "-d", "x", "--gate", "t=false", "--agent-cmd", "true")
	w.typing("ab12cd\n")
	if code := w.run(t); code != wire.ExitDone || !strings.Contains(w.out.String(), liveView().Handle) {
		t.Errorf("exit %d: %s%s", code, w.out.String(), w.err.String())
	}
}

func TestARunThatIsNotTrustedIsNotStarted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arrange func(*world, *fakeDaemon)
		code    int
		want    string
	}{
		"Enter at the terminal": {func(w *world, _ *fakeDaemon) { w.typing("\n") }, wire.ExitPerson, "nothing was typed"},
		"no terminal":           {func(*world, *fakeDaemon) {}, wire.ExitPerson, "is not trusted"},
		"a person for something else": {func(w *world, d *fakeDaemon) {
			w.typing("ab12cd\n")
			d.replies[wire.TrustShow.Name] = trustedView()
		}, wire.ExitPerson, "is not trusted"},
		"interrupted": {func(w *world, _ *fakeDaemon) {
			w.typing("")
			r, _ := io.Pipe()
			w.Terminal = func() (io.ReadWriteCloser, error) {
				go func() { w.signals <- os.Interrupt }()
				return &held{typist{Reader: r}, r}, nil
			}
		}, wire.ExitInterrupted, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := waryDaemon()
			w := newWorld(t, d, "run", "-d", "x", "--gate", "t=false", "--agent-cmd", "true")
			c.arrange(w, d)
			if code := w.run(t); code != c.code || !strings.Contains(w.err.String(), c.want) {
				t.Errorf("exit %d: %s", code, w.err.String())
			}
			if given := slices.ContainsFunc(d.calls, func(c asked) bool { return c.verb == wire.TrustGive.Name }); given {
				t.Errorf("the daemon was told to trust: %v", d.calls)
			}
		})
	}
}

// held is a terminal at which nothing is typed until it is closed.
type held struct {
	typist
	r *io.PipeReader
}

func (h *held) Close() error { return h.r.Close() }
