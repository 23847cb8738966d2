package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"autopilot/events/wire"
)

var (
	noon   = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	styles = map[string]Style{
		"plain":  {Now: noon, Width: 80},
		"colour": {Now: noon, Width: 80, Colour: true},
		"ascii":  {Now: noon, Width: 80, ASCII: true},
	}
)

func at(d time.Duration) *time.Time {
	t := noon.Add(d)
	return &t
}

// steering is what no text may let through.
const steering = "\x1b[2J\u202e"

func live() wire.RunView {
	return wire.RunView{
		ID: "01JGFJJZ00000000000000K3XQ", Handle: "k3xq", State: "running", Stage: "agent", Exit: -1,
		Task:      "make the suite pass" + steering + "\nand tell nobody about it, however long this sentence grows",
		Workspace: "/home/u/p", Workflow: "converge", Agent: "./my-agent.sh", Phase: "work", Iteration: 3, Iterations: 10,
		Started: noon.Add(-time.Hour), ActiveMS: 252_000, LimitMS: 4 * 3600_000, EndsBy: at(3 * time.Hour),
		LastOutput: at(-9 * time.Second), Files: 5, Tree: "3f2a9c1b7788aa55", Seq: 14,
		Gates: []wire.GateView{
			{Name: "protected", Kind: "protected", Role: "invariant", Verdict: "pass", Reason: "unchanged", Says: "pinned files unchanged"},
			{Name: "test", Kind: "command", Role: "goal", Command: "go test ./...", Verdict: "fail", Reason: "exit", Says: "exit 1", Exit: 1, Failing: 2, Before: 3, DurationMS: 4210},
			{Name: "lint", Kind: "command", Role: "invariant", Command: "golangci-lint run"},
		},
	}
}

func same() wire.WhyView {
	v := live()
	v.State, v.Reason, v.Exit, v.Stage, v.Halted = "halted", "sameness", 10, "", at(-time.Minute)
	return wire.WhyView{
		Run: v, Rule: "sameness", Because: "iterations 2 and 3 failed in the same way: the same gates, exit codes, failing tests and tree",
		Seq: 14,
		Rows: []wire.WhyRow{
			{Iteration: 1, Verdict: "fail", Tree: "aa11bb22cc33dd", Files: 2, FailingUnknown: true, Fingerprint: "9ab1c2d3e4f5a6", Claim: "progress"},
			{Iteration: 2, Verdict: "fail", Tree: "3f2a9c1b7788aa", Files: 5, Failing: 2, Fingerprint: "51e0ffab12cd34", Claim: "done"},
			{Iteration: 3, Verdict: "fail", Tree: "3f2a9c1b7788aa", Files: 5, Failing: 2, Fingerprint: "51e0ffab12cd34", EqualTo: 2},
		},
		Failing: []string{"example/p TestAdd" + steering, "example/p TestSub"}, More: 4,
		Claims:    []string{"iteration 2 said done; gate test failed, exit 1"},
		LastError: "--- FAIL: TestAdd" + steering + "\n    add_test.go:9: got 3\r\n\nFAIL\n", ErrorFrom: "gate test",
		Next: []wire.NextCommand{
			{Command: "apctl resume k3xq -m NOTE", Why: "go on with another approach"}, {Command: "apctl diff k3xq", Why: "what it changed"},
		},
	}
}

func done() wire.WhyView {
	v := live()
	v.State, v.Exit, v.Stage, v.Ended = "done", 0, "", at(-time.Minute)
	return wire.WhyView{
		Run: v, Rule: "done", Because: "every gate passes on one tree", Seq: 31,
		Evidence: &wire.Evidence{
			Tree: "3f2a9c1b7788aa55", Checkout: "in place", Pinned: 12, Allowed: []string{"a_test.go"}, Created: []string{"cover.out"},
			Gates: []wire.GateView{
				{Name: "protected", Kind: "protected", Verdict: "pass", Reason: "unchanged", Says: "pinned files unchanged"},
				{Name: "test", Kind: "command", Verdict: "pass", Reason: "exit", Says: "exit 0", DurationMS: 4210, Command: "go test ./..."},
				{Name: "lint", Kind: "command", Verdict: "pass", Reason: "exit", Says: "exit 0", DurationMS: 810, Command: "golangci-lint run"},
			},
		},
		Next: []wire.NextCommand{{Command: "apctl diff k3xq", Why: "what it changed"}},
	}
}

// tried is a run that a person has helped before.
func tried() wire.WhyView {
	w := same()
	w.Settled = &wire.WhySettled{Seq: 14, Type: "run.halted.v1", At: noon.Add(-time.Minute), By: "daemon:01HOST"}
	w.Rows[0].Tokens, w.Rows[1].MicroUSD, w.Rows[1].CostFrom, w.Rows[2].MicroUSD, w.Rows[2].CostFrom = 12_300, 420_000, "reported", 90_000, "computed"
	w.Left = []wire.WhyLeft{
		{Kind: "iterations", Limit: 10, Used: 3, Left: 7},
		{Kind: "hours", Limit: 4 * 3600_000, Used: 252_000, Left: 4*3600_000 - 252_000},
		{Kind: "until", Limit: 8 * 3600_000, Left: 3600_000},
		{Kind: "cost", Limit: 5_000_000, Used: 5_100_000, Unknown: true},
		{Kind: "tokens", Limit: 1_000_000, Used: 200_000, Left: 800_000},
		{Kind: "turns", Limit: 40, Used: 9, Left: 31},
	}
	w.TriedMore = 3
	w.Tried = []wire.WhyTried{
		{Seq: 5, At: noon.Add(-50 * time.Minute), Kind: "attempt", Iteration: 1, Line: "iteration 1, attempt 1: the agent was lost"},
		{Seq: 8, At: noon.Add(-40 * time.Minute), Kind: "waited", Line: "waited 1h30m0s: the provider's limit is reached"},
		{
			Seq: 9, At: noon.Add(-30 * time.Minute), Kind: "resumed", Line: "resumed after stuck (iterations 1 and 3)", By: "person:1000@01HOST/pts-1",
			Note: "the bug is in parse.go" + steering + "\nand nowhere else, so please look there first of all and leave the others alone",
		},
	}
	return w
}

// many has more iterations than anybody reads.
func many() wire.WhyView {
	w := same()
	row := w.Rows[0]
	w.Rows = nil
	for k := 1; k <= 10_000; k++ {
		row.Iteration, row.Compared = k, k == 5000 || k == 10_000
		if row.EqualTo = 0; k == 10_000 {
			row.EqualTo = 5000
		}
		w.Rows = append(w.Rows, row)
	}
	return w
}

// reportOf sorts runs as the daemon does.
func reportOf(runs ...wire.RunView) wire.ReportView {
	v := wire.ReportView{Since: noon.Add(-24 * time.Hour), At: noon}
	for _, name := range []string{wire.PartNeedsYou, wire.PartDone, wire.PartHalted, wire.PartWaiting, wire.PartRunning, wire.PartEnded} {
		p := wire.ReportPart{Name: name}
		for _, r := range runs {
			if partOf(r) == name {
				p.Runs = append(p.Runs, reported(r))
			}
		}
		v.Parts = append(v.Parts, p)
	}
	return v
}

func partOf(v wire.RunView) string {
	switch {
	case v.Reason == "needs-person":
		return wire.PartNeedsYou
	case v.State == "done" || v.State == "halted" || v.State == "waiting" || v.State == "running":
		return v.State
	}
	return wire.PartEnded
}

func reported(v wire.RunView) wire.ReportRun {
	r := wire.ReportRun{Run: v, At: noon.Add(-time.Minute), What: v.State + ": what became of it, in a sentence that is long enough for two lines" + steering}
	switch {
	case v.State == "done":
		r.Next.Command = "apctl diff " + v.Handle
	case v.Reason == "stopped":
		r.Next.Command = "apctl resume " + v.Handle
	default:
		r.Next.Command = "apctl why " + v.Handle
	}
	r.Usage = wire.UsageSum{MicroUSD: 420_000, Agents: 3, Tokens: 12_300, ActiveMS: 252_000, NoCost: 1}
	return r
}

func inbox() wire.InboxView {
	return wire.InboxView{Items: []wire.InboxItem{
		{Kind: "trust", At: noon.Add(-26 * time.Hour), What: "/home/u/p/.autopilot/config.yaml is not trusted, so its project cannot start a run", Next: wire.NextCommand{Command: "cd /home/u/p && apctl trust"}},
		{Kind: "question", At: noon.Add(-time.Hour), Run: "k3xq", Task: "make <b>it</b>" + steering + " pass", What: "halted: the agent has a question after iteration 2", Question: "Which?\n1\n2\n3" + steering + "\n4\n5\n6\n7\n", Next: wire.NextCommand{Command: "apctl resume k3xq -m 'ANSWER'"}},
		{Kind: "halted", At: noon.Add(-time.Minute), Run: "ab12", Task: "other", Workspace: "/home/u/a-project-of-a-long-name", What: "halted as stuck: iterations 1 and 3 failed in the same way on the same tree", Next: wire.NextCommand{Command: "apctl why ab12"}},
	}}
}

func lines() []wire.LineView {
	sign := noon.Add(-9 * time.Minute)
	busy := wire.LineView{
		Daemon: "on", At: noon, Counts: wire.Counts{Live: 3, Running: 2, Waiting: 1, Halted: 2, Needs: 1, Done: 4, Failed: 1},
		Usage: wire.UsageSum{MicroUSD: 1_230_000, Tokens: 45_000, Agents: 2},
		Run:   &wire.LineRun{Handle: "k3xq", State: "running", Stage: "agent" + steering, Phase: "work", Iteration: 3, Iterations: 10, LastSign: &sign},
	}
	off := busy
	off.Run, off.Daemon, off.At = nil, "off", noon.Add(-3*time.Minute)
	halted := busy
	halted.Run = &wire.LineRun{Handle: strings.Repeat("x", 90), State: "halted", Reason: "stuck", Iteration: 3, Iterations: 10}
	ahead := off
	ahead.At = noon.Add(time.Hour) // the clock went back since
	idle := off
	idle.Daemon, idle.Counts.Live, idle.Counts.Running, idle.Counts.Waiting = "idle", 0, 0, 0
	return []wire.LineView{busy, off, halted, ahead, idle, {Daemon: "idle", At: noon}, {Daemon: "on", At: noon}, {Daemon: "off"}, {Daemon: "silent"}}
}

func asking() wire.WhyView {
	v := live()
	v.State, v.Reason, v.Exit, v.Stage = "halted", "needs-person", 13, ""
	return wire.WhyView{
		Run: v, Rule: "needs-person", Because: "the agent asks", Question: "Which database?\n- sqlite" + steering + "\n- postgres\n",
		Next: []wire.NextCommand{{Command: "apctl resume k3xq -m ANSWER", Why: "answer it"}},
	}
}

func TestTexts(t *testing.T) {
	t.Parallel()
	waits := live()
	waits.State, waits.Reason, waits.NextWake, waits.Stopping = "waiting", "noop", at(5*time.Minute), "iteration"
	quiet := live()
	quiet.Life = &wire.LifeView{At: noon, Kind: "cpu"}
	limited := live()
	limited.State, limited.Reason, limited.NextWake = "waiting", "rate-limited", at(90*time.Minute)
	limited.Waiting = &wire.WaitView{Cause: "rate-limited", Until: *limited.NextWake, Place: 3}
	queued := limited
	queued.Reason, queued.Waiting = "resources", &wire.WaitView{Cause: "resources", Until: *limited.NextWake, Place: 3, Used: 2, Limit: 2}
	full := live()
	full.State, full.Reason = "waiting", "disk"
	ended := live()
	ended.State, ended.Exit, ended.Handle = "done", 0, "d0ne"
	atDawn := noon.Add(-6 * time.Hour)
	ended.Ended = &atDawn
	stopped := same().Run
	stopped.Reason, stopped.Handle = "stopped", "st0p"
	texts := map[string]func(Style) string{
		"status": func(s Style) string { return s.Status(live()) },
		"full":   func(s Style) string { return s.Status(full) + s.Home(reportOf(full)) },
		"live": func(s Style) string {
			return s.Live(live()) + "\n" + s.Live(quiet) + "\n" + s.Live(waits) + "\n" + s.Live(limited) + "\n" + s.Live(queued) + "\n" + s.Live(full) + "\n"
		},
		"list": func(s Style) string {
			return s.List(wire.ListReply{Runs: []wire.RunView{live(), waits, limited, full, ended}, More: 7})
		},
		"home": func(s Style) string {
			return s.Home(reportOf(live(), asking().Run, same().Run, ended, stopped))
		},
		"why-same": func(s Style) string { return s.Why(same()) },
		"why-done": func(s Style) string { return s.Why(done()) },
		"report": func(s Style) string {
			v := reportOf(live(), asking().Run, same().Run, ended, stopped, waits)
			v.Blocks = inbox().Items[:1]
			v.Parts[1].More, v.Parts[2].Before = 7, 1
			v.Total = wire.UsageSum{MicroUSD: 5_000_000, Agents: 9, Tokens: 1_234_567, ActiveMS: 7_200_000, NoCost: 2, Computed: 3, NoTokens: 1}
			narrow := s
			narrow.Width = 40
			return s.Report(v) + "\n" + narrow.Report(v)
		},
		"report-empty": func(s Style) string { return s.Report(wire.ReportView{Since: noon.Add(-time.Hour), At: noon}) },
		"inbox": func(s Style) string {
			narrow := s
			narrow.Width = 40
			return s.Inbox(inbox()) + "\n" + narrow.Inbox(inbox()) + "\n" + s.Inbox(wire.InboxView{}) + s.Inbox(wire.InboxView{Items: inbox().Items[2:], More: 12})
		},
		"line": func(s Style) string {
			var b strings.Builder
			for _, v := range lines() {
				b.WriteString(s.StatusLine(v))
				t, bad := s.Template("{{{run}}} {state} {iteration}/{limit} {quiet}s l{live} h{halted} w{waiting} n{needs} d{done} f{failed} ${cost} {tokens} {daemon} {age}", v)
				b.WriteString(t + bad)
			}
			return b.String()
		},
		"why-tried":  func(s Style) string { return s.Why(tried()) },
		"why-narrow": func(s Style) string { s.Width = 40; return s.Why(tried()) },
		"why-many":   func(s Style) string { return s.Why(many()) },
		"why-asking": func(s Style) string { return s.Why(asking()) },
		"end-same":   func(s Style) string { return s.End(same()) },
		"end-done":   func(s Style) string { return s.End(done()) },
		"began":      func(s Style) string { return s.Began(live()) },
		"error": func(s Style) string {
			return s.Error(NoTask()) + s.Error(NoDaemon("/s", "/r/d.sock", "/s/daemon.log")) +
				s.Error(&wire.Error{Code: wire.Usage, Hint: "apctl config check", Message: "/home/u/.config/autopilot/config.yaml: line 5, column 13: notify.rules.2.on.0: unknown kind \"needs_persons\"\n  > 5 |     - {on: [needs_persons], bell: true, and: what, is: longer, than: the, line}"})
		},
		"preview": func(s Style) string { return s.Preview(preview()) },
		"daemon":  func(s Style) string { return s.Daemon(daemon()) },
		"listen":  listening,
		"verify": func(s Style) string {
			v := wire.VerifyReply{Aggregates: 2, Events: 31, Sealed: 31, Texts: 12, Rebuilt: 1, Bundles: 2}
			text := s.Verify(v)
			for _, team := range []wire.TeamProof{
				{Aggregates: 3, Events: 40, Cut: 1},
				{Aggregates: 3, Events: 40, Problems: []wire.Problem{{Aggregate: "claim.a", Seq: 4, What: "events 2 to 3 are missing, and the servers have not dropped them"}}},
				{Unread: "no server leads"},
			} {
				v.Team = &team
				text += s.Verify(v)
			}
			return text
		},
		"halted": func(s Style) string { return s.Status(same().Run) },
		"narrow": func(s Style) string {
			s.Width = 40
			return s.List(wire.ListReply{Runs: []wire.RunView{live(), waits, limited, full, ended}}) + s.Home(reportOf(live(), asking().Run, full)) +
				s.End(same())
		},
		"waits":    func(s Style) string { return s.Waits(waits) + s.Waits(full) + s.GoesOn(waits) },
		"detached": func(s Style) string { return s.Interrupted(live()) },
		"done-clean": func(s Style) string {
			w := done()
			w.Evidence.Checkout = "clean"
			w.Run.Branch = "autopilot/k3xq"
			w.Evidence.Gates = append(w.Evidence.Gates, wire.GateView{Name: "report", Kind: "artifact", Verdict: "pass", Reason: "written", Says: "every file is written", Files: []string{"docs/*.md"}})
			return s.Why(w)
		},
		"events-said": func(s Style) string {
			f := event(`"actor":"local:1000@01HOST/42","data":{}`)
			f.Line = "iteration 1: test fail (exit 1)" + steering
			return s.Event(f)
		},
		"replay": func(s Style) string {
			f := wire.ReplayFrame{Seq: 8, At: s.Now.Add(-time.Hour), Line: "iteration 1: agent exited 0 after 3s, 1 file changed since the start; it says \"done\"" + steering}
			old := f
			old.At = s.Now.Add(-48 * time.Hour)
			return s.ReplayLine(f) + s.ReplayLine(old) + s.WatchLine(wire.WatchFrame{At: f.At, Line: f.Line}) +
				s.ReplayAt(wire.ReplayFrame{Seq: 8, At: f.At, Line: f.Line, Why: &wire.WhyView{Run: live()}})
		},
		"home-empty": func(s Style) string { return s.Nothing() },
		"trust-ask": func(s Style) string {
			v := wire.TrustView{File: "/p/.autopilot/config.yaml", Hash: "ab12cd34", Diff: "diff /dev/null c\n--- /dev/null\n+++ c\n@@ -0,0 +1,2 @@\n+gates:\n+  test: true\n"}
			changed := v
			changed.Before = "cd34ab12"
			return s.TrustAsk(v) + "\n" + s.TrustAsk(changed) + "\n"
		},
		"runs": func(s Style) string {
			runs := []wire.RunView{live(), waits, full, same().Run, ended}
			return strings.Join(s.Runs(runs, 78), "\n") + "\n" + strings.Join(s.Runs(runs, 38), "\n") + "\n"
		},
		"panel": func(s Style) string {
			return strings.Join(s.Panel(same(), 80), "\n") + "\n\n" + strings.Join(s.Panel(wire.WhyView{Run: waits}, 40), "\n") + "\n"
		},
		"events": func(s Style) string {
			return s.Event(event(`"data":{"tree":"3f2a9c1b7788aa553f2a9c1b7788aa553f2a9c1b","exit":-1,"results":[{"gate":"test"}]}`))
		},
		"stop": func(s Style) string { return s.Stopped([]wire.RunView{waits}) },
		"workflows": func(s Style) string {
			v := workflowsSample()
			return s.Workflows(v) + "\n" + s.Workflow(v.Workflows[0]) + "\n" + s.Workflow(v.Workflows[1]) + "\n" + s.WorkflowWritten(v.Workflows[0])
		},
		"workflow-lint": func(s Style) string {
			return s.Lint(wire.LintView{Checked: []string{"mine"}, Problems: []wire.ConfigProblem{
				{File: "/p/.autopilot/workflows/mine.yaml", Line: 3, Column: 1, Message: "unknown key \"limit\"" + steering, Fix: "did you mean \"limits\"?", Excerpt: "> 3 | limit: 3\n    | ^"},
				{File: "/p/.autopilot/prompts/mine.md", Message: "cannot be read: it is a directory", Fix: "correct it, or move it away"},
			}}) + s.Lint(wire.LintView{Checked: []string{"mine"}}) + s.Lint(wire.LintView{})
		},
		"suggestion": func(s Style) string {
			return s.Suggestion(wire.SuggestionView{
				Do: "run", Workflow: "converge", Route: "full", RouteBy: "default", Size: "small", Words: 5, Ask: true, Express: true, Else: []string{"atdd"},
				Because: []wire.SuggestReason{{Rule: "size", Saw: "ralph" + steering}, {Rule: "route", Saw: "full"}, {Rule: "express", Saw: "readme"}},
			}) + "\n" + s.Suggestion(wire.SuggestionView{Do: "plan", Size: "small", Words: 4, Because: []wire.SuggestReason{{Rule: "vague", Saw: "build me"}}})
		},
		"config":       func(s Style) string { return s.Config(settings(), false) },
		"config-check": func(s Style) string { return s.ConfigCheck(settings()) },
	}
	for name, text := range texts {
		for style, s := range styles {
			got := text(s)
			golden(t, name+"."+style, got)
			if strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\u202e") {
				t.Errorf("%s lets controls through: %q", name, got)
			}
			if style == "ascii" {
				for _, r := range got {
					if r > 0x7e {
						t.Errorf("%s holds %q", name, r)
					}
				}
			}
			if style == "colour" && Clean(got) != text(styles["plain"]) {
				t.Errorf("%s says more in colour than without", name)
			}
		}
	}
}

func TestALongErrorShowsItsHeadAndItsTail(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	w := same()
	w.LastError = b.String()
	got := Style{}.End(w)
	for _, want := range []string{"  | line 3\n  | [ 28 lines more: apctl why k3xq ]\n  | line 32\n", "  | line 0\n", "  | line 39\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
}

func TestAStatusLineIsOneLineOf80Columns(t *testing.T) {
	t.Parallel()
	for _, colour := range []bool{false, true} {
		for _, v := range lines() {
			s := Style{Now: noon, Colour: colour}
			long, bad := s.Template(strings.Repeat("{run} {phase} ", 20)+"\n"+steering, v)
			for _, got := range []string{s.StatusLine(v), long} {
				if n := columns(strings.TrimSuffix(Clean(got), "\n")); n > 80 || strings.Count(got, "\n") != 1 || bad != "" {
					t.Errorf("%d columns, %q: %q", n, bad, got)
				}
			}
		}
	}
}

func TestATemplateNamesWhatIsWrongInIt(t *testing.T) {
	t.Parallel()
	for template, want := range map[string]string{"{lve}": "lve", "{live": "{", "live}": "}", "{": "{", "{}": "", "{{live}}": "", "{live}{x}": "x"} {
		_, bad := Style{}.Template(template, wire.LineView{})
		if template == "{}" {
			if e := BadField(bad, nil); !strings.Contains(e.Message, `""`) {
				t.Errorf("{}: %v", e)
			}
			continue
		}
		if bad != want {
			t.Errorf("%s: %q, want %q", template, bad, want)
		}
	}
}

func TestTheLiveLineFitsEveryWidth(t *testing.T) {
	t.Parallel()
	for _, colour := range []bool{false, true} {
		last := 0
		for width := 2; width < 160; width++ {
			got := Style{Now: noon, Width: width, Colour: colour}.Live(live())
			n := columns(Clean(got))
			if n >= width {
				t.Errorf("%d columns, %d cells: %q", width, n, got)
			}
			if n < last {
				t.Errorf("%d columns show less than fewer: %q", width, got)
			}
			last = n
		}
	}
}

func TestAnEventThatCannotBeReadIsSaidToBe(t *testing.T) {
	t.Parallel()
	if got := (Style{}).Event(wire.EventFrame{Event: []byte("no")}); !strings.HasPrefix(got, "an event that cannot be read") {
		t.Error(got)
	}
}

func event(data string) wire.EventFrame {
	return wire.EventFrame{Event: []byte(fmt.Sprintf(`{"seq":4,"type":"gates.judged.v1","time":"2026-01-02T11:00:00.123Z",%s}`, data))}
}

// settings are those of a directory whose project's file has a mistake.
func settings() wire.ConfigView {
	return wire.ConfigView{
		Root: "/home/u/p", Project: "/home/u/p/.autopilot/config.yaml", UserPath: "/home/u/.config/autopilot/config.yaml",
		Values: []wire.ConfigValue{
			{Key: "agent", Value: "claude", Origin: "environment", Where: "AUTOPILOT_AGENT", Help: "profile that runs use"},
			{Key: "gates.test", Value: "go test ./..." + steering, Origin: "project", Where: "/home/u/p/.autopilot/config.yaml:3"},
			{Key: "idle", Value: "30m", Origin: "default"},
		},
		Problems: []wire.ConfigProblem{{
			File: "/home/u/p/.autopilot/config.yaml", Line: 2, Column: 1, Message: "unknown key \"gate\"" + steering,
			Fix: "did you mean \"gates\"?", Excerpt: "  1 | agent: claude\n> 2 | gate:" + steering + "\n    | ^",
		}},
	}
}

func preview() wire.Preview {
	return wire.Preview{
		Prompt: "# Task\nmake it pass" + steering + "\n", Argv: []string{"/bin/sh", "-c", "./a.sh 'x'"}, AgentEnv: []string{"HOME", "PATH"},
		GateEnv: []string{"CI", "HOME", "PATH"}, Path: []string{"/usr/bin", "/bin"}, Pinned: 1, Workspace: "/home/u/p", Iterations: 10,
		Workflow: "converge", Gates: []wire.GateSpec{{Name: "test", Role: "goal", Command: "go test ./..."}},
		Settings: []wire.ConfigValue{
			{Key: "gates.test", Value: "go test ./...", Origin: "project", Where: "/home/u/p/.autopilot/config.yaml:3"},
			{Key: "limits.for", Value: "8h", Origin: "environment", Where: "AUTOPILOT_FOR"},
		},
	}
}

func daemon() wire.DaemonView {
	return wire.DaemonView{
		Version: "1.0.0", PID: 42, Started: noon.Add(-30 * time.Hour), State: "/s", Socket: "/r/d.sock", Log: "/s/daemon.log", Live: 1, Runs: 9,
		Effects: 2, Events: 310, StoreBytes: 123456, StoreQuota: 1 << 30, Durability: "power", IdleEnds: at(30 * time.Minute),
	}
}

func TestAReportSaysWhatTheDaemonRefused(t *testing.T) {
	t.Parallel()
	v := wire.ReportView{Parts: []wire.ReportPart{{Name: wire.PartHalted, Runs: []wire.ReportRun{{Run: wire.RunView{Handle: "k3xq"}, Refused: 1}}}}}
	if got := (Style{Width: 100}).Report(v); !strings.Contains(got, "\n        the daemon refused 1 request of its agents and gates\n") {
		t.Error(got)
	}
	v.Parts[0].Runs[0].Refused = 0
	if got := (Style{Width: 100}).Report(v); strings.Contains(got, "refused") {
		t.Error(got)
	}
}
