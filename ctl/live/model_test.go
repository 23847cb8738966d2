package live

import (
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	texts "autopilot/ctl/golden"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

var update = flag.Bool("update", false, "write the golden screens anew")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// steering is what no screen may let through.
const steering = "\x1b[2J\u202e\a"

func at(d time.Duration) *time.Time {
	t := noon.Add(d)
	return &t
}

func runs() []wire.RunView {
	gates := []wire.GateView{
		{Name: "protected", Kind: "protected", Verdict: "pass", Reason: "unchanged", Says: "pinned files unchanged"},
		{Name: "test", Kind: "command", Verdict: "fail", Reason: "exit", Says: "exit 1", Exit: 1, Failing: 2, Before: 3, DurationMS: 4210, Command: "go test ./..."},
		{Name: "lint", Kind: "command", Verdict: "pass", Reason: "exit", Says: "exit 0", DurationMS: 810, Command: "golangci-lint run"},
	}
	live := wire.RunView{
		ID: "01A", Handle: "k3xq", State: "running", Stage: "agent", Exit: -1, Task: "make the suite pass" + steering + " and tell me",
		Workspace: "/home/u/p", Agent: "claude", Phase: "work", Iteration: 3, Iterations: 10, Started: noon.Add(-time.Hour),
		ActiveMS: 252_000, LimitMS: 4 * 3600_000, EndsBy: at(3 * time.Hour), LastOutput: at(-9 * time.Minute), Gates: gates, Files: 5, Seq: 14,
	}
	waits := live
	waits.ID, waits.Handle, waits.State, waits.Reason, waits.NextWake, waits.LastOutput = "01B", "w8ts", "waiting", "noop", at(5*time.Minute), nil
	halted := live
	halted.ID, halted.Handle, halted.State, halted.Reason, halted.Exit, halted.Halted = "01C", "ha1t", "halted", "sameness", 10, at(-2*time.Hour)
	halted.Workspace, halted.Task = "/home/u/other", "port the parser"
	stopped := halted
	stopped.ID, stopped.Handle, stopped.Reason, stopped.Exit = "01D", "st0p", "stopped", 11
	done := live
	done.ID, done.Handle, done.State, done.Exit, done.Ended, done.Stage = "01E", "d0ne", "done", 0, at(-6*time.Hour), ""
	return []wire.RunView{live, waits, halted, stopped, done}
}

func why() wire.WhyView {
	return wire.WhyView{
		Run: runs()[0], Rule: "running", Because: "running: the agent works on iteration 3 of 10",
		Failing: []string{"p.TestAdd" + steering}, Claims: []string{`the agent says "done": all fine`},
		LastError: "--- FAIL: TestAdd\n\tadd_test.go:9\n", ErrorFrom: "gate test",
		Rows: []wire.WhyRow{{Iteration: 1, Verdict: "fail", Tree: "aa11bb22cc33", FailingUnknown: true}},
		Next: []wire.NextCommand{{Command: "apctl stop k3xq", Why: "stop after this iteration"}},
	}
}

func open(style render.Style, messages ...any) Model {
	style.Now = noon
	m := New(style, "/home/u/p/sub", "/home/u/p", "")
	for _, msg := range append([]any{
		Resize{80, 24},
		List{Reply: wire.ListReply{Runs: runs()}, At: noon},
		Why{View: why()},
		Log{Run: "01A", Lines: []string{"==> iteration 3, agent <==", "compiling", "ok"}},
	}, messages...) {
		m, _ = m.Update(msg)
	}
	return m
}

func keys(names ...string) []any {
	var out []any
	for _, n := range names {
		k := Key{Name: n}
		if len([]rune(n)) == 1 {
			k.Text = n
		}
		out = append(out, k)
	}
	return out
}

func TestScreens(t *testing.T) {
	t.Parallel()
	screens := map[string][]any{
		"runs":     nil,
		"down":     keys("down", "down"),
		"why":      keys("enter"),
		"log":      keys("l"),
		"keys":     keys("?"),
		"problems": keys("!"),
		"search":   keys("/", "p", "o", "r", "t"),
		"nothing":  keys("/", "z", "z", "enter"),
		"stop":     keys("s"),
		"stale":    {Lost{}, Tick{Now: noon.Add(time.Minute)}},
		"back":     {Lost{}, List{Reply: wire.ListReply{Runs: runs()}, At: noon}},
	}
	for name, messages := range screens {
		for _, size := range []Resize{{80, 24}, {200, 50}, {40, 10}} {
			for look, style := range map[string]render.Style{"plain": {}, "ascii": {ASCII: true}, "colour": {Colour: true}} {
				if look != "plain" && (size.Width != 80 || name != "runs") {
					continue
				}
				lines := open(style, append([]any{size}, messages...)...).View()
				check(t, name, lines, size)
				golden(t, fmt.Sprintf("%s.%s.%dx%d", name, look, size.Width, size.Height), strings.Join(lines, "\n")+"\n")
			}
		}
	}
}

// check holds that a screen fits and steers nothing.
func check(t testing.TB, what string, lines []string, size Resize) {
	t.Helper()
	if len(lines) > size.Height {
		t.Errorf("%s at %v: %d lines", what, size, len(lines))
	}
	for _, l := range lines {
		if (render.Style{}).Clip(l, size.Width) != l {
			t.Errorf("%s at %v: too wide: %q", what, size, l)
		}
		bare := l
		for _, code := range []string{"0", "1", "2", "31", "32", "33"} {
			bare = strings.ReplaceAll(bare, "\x1b["+code+"m", "")
		}
		if render.Clean(bare) != bare || strings.ContainsAny(bare, "\n\t") {
			t.Errorf("%s at %v: lets controls through: %q", what, size, l)
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	texts.Compare(t, *update, name, got)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		messages []any
		want     Want
		selected string
		footer   string
	}{
		{"the first run of this directory that goes on is selected", nil, Want{}, "01A", "= apctl status k3xq"},
		{"down and up move", keys("down", "j", "up"), Want{}, "01B", "= apctl status w8ts"},
		{"moving ends at the end", keys("end", "down"), Want{}, "01D", "= apctl status st0p"},
		{"s asks", keys("s"), Want{}, "01A", "stop k3xq after this iteration? y/n"},
		{"y stops", keys("s", "y"), Want{Stop: "01A"}, "01A", ""},
		{"any other key does not", keys("s", "s"), Want{}, "01A", "not stopped"},
		{"q does not leave while s asks", keys("s", "q"), Want{}, "01A", "not stopped"},
		{"what does not run cannot be stopped", keys("end", "s", "y"), Want{}, "01D", "apctl status st0p"},
		{"q leaves", keys("q"), Want{Leave: true}, "01A", ""},
		{"Ctrl-C leaves", keys("ctrl+c"), Want{Leave: true, Interrupted: true}, "01A", ""},
		{"Ctrl-C leaves from a search", keys("/", "ctrl+c"), Want{Leave: true, Interrupted: true}, "01A", ""},
		{"Ctrl-Z suspends", keys("ctrl+z"), Want{Suspend: true}, "01A", ""},
		{"keys of a search reach no binding", keys("/", "q", "s", "y", "!", "?", "l"), Want{}, "01A", "search: qsy!?l"},
		{"a search selects among what it finds", keys("/", "p", "o", "r", "t"), Want{}, "01C", "search: port"},
		{"enter keeps it", keys("/", "p", "o", "r", "t", "enter"), Want{}, "01C", "esc drops it"},
		{"esc drops it", keys("/", "p", "o", "r", "t", "esc"), Want{}, "01C", "= apctl status ha1t"},
		{"a search that finds nothing keeps its run", keys("down", "/", "p", "o", "r", "t", "x", "esc"), Want{}, "01B", "= apctl status w8ts"},
		{"and once it is left", keys("down", "/", "p", "o", "x", "enter", "esc"), Want{}, "01B", "= apctl status w8ts"},
		{"it finds again what it left out", keys("down", "/", "p", "o", "x", "backspace", "backspace", "backspace"), Want{}, "01B", "search: "},
		{"backspace takes a character", keys("/", "é", "x", "backspace"), Want{}, "01A", "search: é"},
		{"a paste into a search is text", append(keys("/"), Paste{"par\x1b[2Js\ner"}), Want{}, "01C", "search: pars er"},
		{"a paste elsewhere is nothing", []any{Paste{"qy"}}, Want{}, "01A", "= apctl status k3xq"},
		{"! shows what needs a person", keys("!"), Want{}, "01C", "= apctl"},
		{"esc goes back", keys("?", "esc"), Want{}, "01A", "= apctl status k3xq"},
		{"enter opens why", keys("enter"), Want{}, "01A", "= apctl why k3xq"},
		{"l opens the log", keys("l"), Want{}, "01A", "= apctl logs -f k3xq"},
		{"an unknown key is nothing", keys("f12", "x", ""), Want{}, "01A", "= apctl status k3xq"},
		{"an unknown message is nothing", []any{42, nil}, Want{}, "01A", "= apctl status k3xq"},
	}
	for _, tt := range tests {
		m, want := open(render.Style{}), Want{}
		for _, msg := range tt.messages {
			m, want = m.Update(msg)
		}
		id, _ := m.Selected()
		lines := m.View()
		if want != tt.want || id != tt.selected || !strings.Contains(lines[len(lines)-1], tt.footer) {
			t.Errorf("%s: wants %+v, selects %s, footer %q", tt.name, want, id, lines[len(lines)-1])
		}
	}
}

func TestAStopIsForTheRunThatWasAskedAbout(t *testing.T) {
	t.Parallel()
	m := open(render.Style{}, keys("s")...)
	m, _ = m.Update(List{Reply: wire.ListReply{Runs: runs()[1:]}, At: noon})
	if _, want := m.Update(Key{Name: "y"}); want.Stop != "01A" {
		t.Errorf("wants %+v", want)
	}
}

func TestASelectionStaysWhenTheListIsSortedAnew(t *testing.T) {
	t.Parallel()
	m := open(render.Style{}, keys("down")...)
	next := runs()
	next[1].State, next[1].Exit, next[1].Ended = "done", 0, at(0)
	m, _ = m.Update(List{Reply: wire.ListReply{Runs: next}, At: noon})
	if id, _ := m.Selected(); id != "01B" {
		t.Error(id)
	}
	m, _ = m.Update(List{Reply: wire.ListReply{Runs: next[2:]}, At: noon})
	if id, _ := m.Selected(); id == "01B" || id == "" {
		t.Errorf("selects %q, which is gone", id)
	}
}

func TestTheRunThatIsNamedIsSelectedFromTheStart(t *testing.T) {
	t.Parallel()
	m, _ := New(render.Style{}, "/", "", "01E").Update(List{Reply: wire.ListReply{Runs: runs()}, At: noon})
	if id, seq := m.Selected(); id != "01E" || seq != 14 {
		t.Error(id, seq)
	}
}

func TestStaleDataDoesNotAge(t *testing.T) {
	t.Parallel()
	lines := open(render.Style{}, Lost{}, Tick{Now: noon.Add(time.Hour)}).View()
	if !strings.Contains(lines[0], "no daemon, as of 12:00:00") || !strings.Contains(lines[1], "quiet 9m") || !strings.Contains(lines[1], "4m12s") {
		t.Errorf("%q\n%q", lines[0], lines[1])
	}
}

func TestALogScrollsAndSticksToItsEnd(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range 100 {
		lines = append(lines, fmt.Sprint("line ", i))
	}
	m := open(render.Style{}, append(keys("l"), Log{Run: "01A", Lines: lines})...)
	see := func(want string) {
		t.Helper()
		if all := strings.Join(m.View(), "\n"); !strings.Contains(all, want+"\n") {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	see("line 99")
	m, _ = m.Update(Key{Name: "pgup"})
	see("line 79")
	for range 9 {
		m, _ = m.Update(Key{Name: "pgup"})
	}
	see("line 0")
	m, _ = m.Update(Key{Name: "end"})
	see("line 99")
}

func TestNothingThatIsSentBreaksAScreen(t *testing.T) {
	t.Parallel()
	text := rapid.SampledFrom([]string{"", "a", "漢字", steering, "a\nb\tc", "\x9b2J", strings.Repeat("long ", 60), "e\u0301"})
	name := rapid.SampledFrom([]string{"up", "down", "home", "end", "pgup", "pgdown", "enter", "esc", "/", "?", "!", "l", "s", "y", "w", "x", "backspace"})
	rapid.Check(t, func(r *rapid.T) {
		m := open(render.Style{Colour: rapid.Bool().Draw(r, "colour"), ASCII: rapid.Bool().Draw(r, "ascii")})
		size := Resize{80, 24}
		for range rapid.IntRange(1, 20).Draw(r, "n") {
			var msg any
			switch rapid.IntRange(0, 7).Draw(r, "kind") {
			case 0:
				size = Resize{rapid.IntRange(1, 130).Draw(r, "w"), rapid.IntRange(1, 60).Draw(r, "h")}
				msg = size
			case 1:
				list := runs()[:rapid.IntRange(0, 5).Draw(r, "runs")]
				for i := range list {
					list[i].Task, list[i].Handle, list[i].Workspace = text.Draw(r, "task"), text.Draw(r, "handle"), text.Draw(r, "ws")
				}
				msg = List{Reply: wire.ListReply{Runs: list}, At: noon}
			case 2:
				w := why()
				w.Because, w.LastError, w.Question = text.Draw(r, "because"), text.Draw(r, "error"), text.Draw(r, "question")
				msg = Why{View: w}
			case 3:
				msg = Paste{text.Draw(r, "paste")}
			case 4:
				msg = Notice{text.Draw(r, "told")}
			case 5:
				msg = Lost{}
			default:
				n := name.Draw(r, "key")
				msg = Key{Name: n, Text: n}
			}
			m, _ = m.Update(msg)
			check(plainT{t, r}, "after "+fmt.Sprintf("%T", msg), m.View(), size)
		}
	})
}

// plainT reports to rapid, so that it can shrink.
type plainT struct {
	testing.TB
	r *rapid.T
}

func (p plainT) Errorf(format string, args ...any) { p.r.Fatalf(format, args...) }
func (p plainT) Helper()                           {}
