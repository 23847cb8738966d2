package render

import (
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

func project() wire.ProjectView {
	return wire.ProjectView{
		Root: "/home/u/p" + steering, Config: "/home/u/p/.autopilot/config.yaml", Dirs: []string{"api", "web"},
		Found: []wire.ProjectFound{
			{File: "api/go.mod", Says: "Go module example.com/api" + steering},
			{File: "web/package.json", Says: "test script: " + strings.Repeat("vitest run --coverage ", 8)},
		},
		Gates: []wire.ProjectGate{
			{Name: "test", Role: events.RoleGoal, Command: "cd api && go test ./...", From: "api/go.mod"},
			{Name: "test-web", Role: events.RoleGoal, Command: "cd web && pnpm test", From: "web/package.json", Missing: []string{"pnpm"}},
			{Name: "vet", Role: events.RoleInvariant, Command: "cd api && go vet ./...", From: "api/go.mod"},
		},
		Agents: []wire.AgentView{
			{Name: "claude", Version: "2.1.3 (Claude Code)", Login: "account", LoginFrom: "~/.claude/.credentials.json"},
			{Name: "codex", Version: "codex-cli 0.42.0 of a very long name", Login: "none"},
			{Name: "mine"},
		},
	}
}

func redTest() wire.GateTryFrame {
	f := wire.GateTryFrame{Ended: true, Excerpt: "--- FAIL: TestAdd" + steering + "\n\tadd_test.go:9: got 3\nFAIL\nFAIL example/p\nexit\n"}
	f.Gate = wire.GateView{Name: "test", Role: "goal", Verdict: "fail", Reason: "exit", Says: "exit 1", Exit: 1, Failing: 14, DurationMS: 4210}
	for _, n := range strings.Fields("A B C D E F G H I J K L") {
		f.Failing = append(f.Failing, "example/p Test"+n+steering)
	}
	return f
}

func vetted(verdict events.Verdict) wire.GateTryFrame {
	return wire.GateTryFrame{Ended: true, Gate: wire.GateView{Name: "vet", Role: "invariant", Verdict: string(verdict), Reason: "exit", Says: "exit 0", DurationMS: 810}}
}

func doctorView() wire.DoctorView {
	return wire.DoctorView{Findings: []wire.DoctorFinding{
		{Topic: "daemon", Level: "error", What: "the daemon does not start: " + steering + strings.Repeat("a cause that takes many words ", 5), Fix: "read settings, then mend the file that it names, or move it away for as long as it takes"},
		{Topic: "agents", Level: "warning", What: "codex is not logged in", Fix: "start codex once by hand and log in"},
		{Topic: "cgroup", Level: "note", What: "no cgroup v2"},
		{Topic: "clock", Level: "unknown", What: "whether the clock is kept by NTP is not known"},
		{Topic: "git", Level: "ok", What: "git 2.47"},
	}}
}

func TestTextsOfSettingUp(t *testing.T) {
	t.Parallel()
	green := wire.InitView{Project: project(), Config: project().Config, Tried: []wire.GateTryFrame{vetted(events.Fail)}, Next: []string{"apctl config check"}}
	green.Tried = append(green.Tried, wire.GateTryFrame{Gate: wire.GateView{Name: "test", Role: "goal", Verdict: "pass"}})
	for name, text := range map[string]func(Style) string{
		"init-project": func(s Style) string { return s.Project(project(), "claude", "api/inner") + s.MayRun() },
		"init-nothing": func(s Style) string {
			return s.Project(wire.ProjectView{Root: "/p"}, "", "") + s.InitWrote(wire.InitView{Config: "/p/.autopilot/config.yaml"}) + s.InitEnd(wire.InitView{Trusted: true, Next: []string{"apctl config check"}})
		},
		"init-tried": func(s Style) string {
			return s.Trying(wire.GateView{Name: "test", Command: strings.Repeat("go test ", 20)}, 83_000_000_000) + "\n" +
				s.Tried(redTest()) + s.Tried(vetted(events.Pass)) + s.Tried(vetted(events.Unverifiable)) +
				s.TryMade(wire.GateTryFrame{Made: []string{"cover.out" + steering}, Changed: []string{"go.sum"}})
		},
		"init-warned": func(s Style) string {
			p := wire.ProjectView{Root: "/p", Near: "web", More: 3, Gates: project().Gates[:1], Others: project().Gates[1:2]}
			f := vetted(events.Pass)
			f.Rewrote, f.Unignored = []string{"a.go" + steering}, []string{"out/r.xml", "b c"}
			return s.Project(p, "", "") + s.Tried(f) + s.InitEnd(wire.InitView{Project: p, Trusted: true, Tried: []wire.GateTryFrame{f}})
		},
		"hidden-exits": func(s Style) string {
			return s.HiddenExits([]wire.HiddenExit{{Gate: "t", What: "a pipe", Instead: "x"}, {Gate: "t", Where: "ci.sh" + steering, What: "-"}})
		},
		"init-end": func(s Style) string { return s.InitWrote(green) + s.InitEnd(green) },
		"doctor":   func(s Style) string { return s.Doctor(doctorView()) + s.Doctor(wire.DoctorView{}) },
	} {
		for style, s := range styles {
			got := text(s)
			golden(t, name+"."+style, got)
			if strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\u202e") {
				t.Errorf("%s lets controls through: %q", name, got)
			}
			for line := range strings.Lines(got) {
				if n := columns(Clean(strings.TrimSuffix(line, "\n"))); n > 80 {
					t.Errorf("%s.%s has a line of %d columns: %s", name, style, n, line)
				}
			}
		}
	}
}

func TestFindingsFit80ColumnsWhereNoTerminalSaysOtherwise(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(Style{}.Doctor(doctorView())) {
		if n := columns(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
}
