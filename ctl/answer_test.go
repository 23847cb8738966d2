package ctl

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"autopilot/events/wire"
)

// lines is a terminal that gives one line at a time, as a person types.
type lines struct {
	left  []string
	shown bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) { return l.shown.Write(b) }
func (*lines) Close() error                  { return nil }

func (l *lines) Read(b []byte) (int, error) {
	if len(l.left) == 0 {
		return 0, io.EOF
	}
	n := copy(b, l.left[0]+"\n")
	l.left = l.left[1:]
	return n, nil
}

func waitingView() wire.RunView {
	return wire.RunView{ID: "01J", Handle: "k3xq", Exit: -1, State: "waiting", Question: &wire.QuestionView{
		Number: 1, Gate: "agreed", Kind: "approval", Set: "abcdef0123456789", Text: "Approve the plan?",
	}}
}

// A slip at the confirmation costs no finding that was typed before it.
func TestAMistypedConfirmationLosesNothingThatWasTyped(t *testing.T) {
	t.Parallel()
	findings := []string{"no", "docs/plan.md:3", "name the table", ""}
	for name, tt := range map[string]struct {
		typed []string
		code  int
		says  string
	}{
		"right at once":           {[]string{"abcdef"}, wire.ExitDone, ""},
		"one slip":                {[]string{"abcdeg", "abcdef"}, wire.ExitDone, "that is not abcdef"},
		"two slips":               {[]string{"x", "y", "ABCDEF"}, wire.ExitDone, "Your texts are kept"},
		"three slips":             {[]string{"x", "y", "z", "abcdef"}, wire.ExitPerson, "apctl answer k3xq no -m 'docs/plan.md:3: name the table'"},
		"left open after a slip":  {[]string{"x", ""}, wire.ExitPerson, "apctl answer k3xq no -m 'docs/plan.md:3: name the table'"},
		"nothing is typed at all": {[]string{""}, wire.ExitPerson, "apctl answer k3xq no -m 'docs/plan.md:3: name the table'"},
	} {
		d := &fakeDaemon{replies: map[string]any{wire.RunQuestion.Name: waitingView(), wire.RunAnswer.Name: waitingView()}}
		w := newWorld(t, d, "answer", "k3xq")
		tty := &lines{left: append(append([]string(nil), findings...), tt.typed...)}
		w.terminal().Terminal = func() (io.ReadWriteCloser, error) { return tty, nil }
		if code := w.run(t); code != tt.code {
			t.Errorf("%s: exit %d\n%s\n%s", name, code, w.err.String(), tty.shown.String())
			continue
		}
		if text := tty.shown.String() + w.err.String(); !strings.Contains(text, tt.says) {
			t.Errorf("%s: it says\n%s", name, text)
		}
		if tt.code != wire.ExitDone {
			continue
		}
		if got := d.body(t, wire.RunAnswer.Spec); strings.Count(got, "name the table") != 1 || !strings.Contains(strings.ToLower(got), `"typed":"abcdef"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A PIN is judged by the daemon, so a wrong one is typed again there too.
func TestAMistypedPINLosesNothingThatWasTyped(t *testing.T) {
	t.Parallel()
	v := waitingView()
	v.Question.PIN = true
	d := &fakeDaemon{replies: map[string]any{wire.RunQuestion.Name: v, wire.RunAnswer.Name: wire.Errorf(wire.NeedsPerson, wire.WrongPIN+"; nothing has changed")}}
	w := newWorld(t, d, "answer", "k3xq")
	w.Notify = func(chan<- os.Signal) func() { return func() {} }
	tty := &lines{left: []string{"no", "a.go:1", "why?", "", "1111", "2222", ""}}
	w.terminal().Terminal = func() (io.ReadWriteCloser, error) { return tty, nil }
	code := w.run(t)
	if text := tty.shown.String() + w.err.String(); code != wire.ExitPerson || strings.Count(text, "the PIN is wrong") != 2 || !strings.Contains(text, "apctl answer k3xq no -m 'a.go:1: why?'") {
		t.Errorf("exit %d\n%s", code, text)
	}
}
