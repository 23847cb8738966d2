package atdd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
)

func (p place) saw(said int, function string, args ...string) (wire.AtddCall, bool) {
	return Saw(context.Background(), Call{Function: function, Args: args, In: strings.NewReader(""), Environ: os.Environ(), Dir: p.dir}, said)
}

// TestACallIsComparedWithWhatWouldHaveBeenAnswered: the code that atdd-kit's own
// function gave, the one here, and what is said of the difference.
func TestACallIsComparedWithWhatWouldHaveBeenAnswered(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.write("autopilot-log.jsonl", goodRow)
	p.write("twice", `{"iteration":1,"step":"s","verdict":"PASS","verdict":"FAIL","fingerprint":"a"}`+"\n")
	p.write("note", strings.Repeat(`{"note":"\"verdict\":\"FAIL\"","verdict":"PASS"}`+"\n", 2))
	p.write("blank.pin", blank+"\n")
	for _, c := range []struct {
		name, call string
		said, here int
		class      string
	}{
		{"Q25 a window that never fires", "check-stuck autopilot-log.jsonl 1", 0, 2, wire.AtddRefused},
		{"A2 a member twice", "check-sameness twice", 0, 3, wire.AtddHalt},
		{"Q28 text in another member", "check-sameness note", 3, 0, wire.AtddAllowed},
		{"A15 both halt", "check-log-integrity autopilot-log.jsonl 4", 1, 1, ""},
		{"both halt, otherwise", "check-log-integrity autopilot-log.jsonl x", 1, 2, ""},
		{"both go on", "check-log-integrity autopilot-log.jsonl 1", 0, 0, ""},
		{"Q24 a pin of nothing", "pin-anchor blank.pin", 0, 2, wire.AtddRefused},
		{"Q24 it is compared", "check-pin blank.pin " + blank, 0, 2, wire.AtddRefused},
		{"A24 what is in the log is said of the log", "record-iteration autopilot-log.jsonl 1 s good a", 0, 2, ""},
		{"and elsewhere of the call", "record-iteration other.jsonl 1 s good a", 0, 2, wire.AtddRefused},
		{"what neither has written", "record-halt other.jsonl s tired", 1, 1, ""},
		{"A30 a test without proof", "check-red-evidence a1 b2 none", 0, 1, wire.AtddHalt},
		{"without its arguments", "record-halt other.jsonl", 0, 2, wire.AtddRefused},
	} {
		f := strings.Fields(c.call)
		v, ok := p.saw(c.said, f[0], f[1:]...)
		class := ""
		for _, x := range otherwise(v) {
			class = x.Class
		}
		if !ok || v.Here != c.here || class != c.class || v.Here != 0 && c.said == 0 && v.Why == "" {
			t.Errorf("%s: %+v, class %q, want %d and %q", c.name, v, class, c.here, c.class)
		}
	}
	for _, call := range []string{"check-max-iterations 8 8", "fingerprint", "check-sameness", "no-such x"} {
		f := strings.Fields(call)
		if v, ok := p.saw(0, f[0], f[1:]...); ok {
			t.Errorf("%s is about no file: %+v", call, v)
		}
	}
	if left := p.text("autopilot-log.jsonl"); left != goodRow {
		t.Errorf("it was written to: %s", left)
	}
}

const blank = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// TestCallsAreShownOnceAndForgottenWithTheirDirectory.
func TestCallsAreShownOnceAndForgottenWithTheirDirectory(t *testing.T) {
	t.Parallel()
	p, state := newPlace(t), t.TempDir()
	keep := func(dir string) {
		t.Helper()
		v := wire.AtddCall{Function: "check_stuck", Args: []string{strings.Repeat("x", 9)}, File: filepath.Join(dir, "autopilot-log.jsonl"), Here: 2, Why: "the window is 1"}
		if err := Keep(state, v); err != nil {
			t.Fatal(err)
		}
	}
	gone := filepath.Join(p.dir, "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	old := CallsFile(state, gone)
	keep(gone)
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	w := p.watch(true)
	w.Calls(CallsFile(state, p.dir))
	look := func(want ...string) {
		t.Helper()
		if d := cmp.Diff(want, watched(t, w)); d != "" {
			t.Error(d)
		}
	}
	look()
	keep(p.dir)
	if _, err := os.Stat(old); !os.IsNotExist(err) {
		t.Errorf("calls about a directory that is gone are kept: %v", err)
	}
	look("autopilot-log.jsonl:1 check-stuck")
	keep(p.dir)
	keep(p.dir)
	look("autopilot-log.jsonl:2 check-stuck", "autopilot-log.jsonl:3 check-stuck")
	look()
	if v := w.View(); v.Calls != 3 || v.Refused != 3 || !w.Found() {
		t.Errorf("%+v", v)
	}
	again := p.watch(false)
	again.Calls(CallsFile(state, p.dir))
	again.Before([]wire.AtddRow{{Kind: "call", Line: 2}})
	if got := fmt.Sprint(watched(t, again)); got != "[autopilot-log.jsonl:3 check-stuck]" {
		t.Errorf("what was recorded is said again: %s", got)
	}
	if err := os.WriteFile(CallsFile(state, p.dir), []byte(strings.Repeat("half a line", 999)), 0o600); err != nil {
		t.Fatal(err)
	}
	look() // it was begun anew, and nothing of it is whole yet
}
