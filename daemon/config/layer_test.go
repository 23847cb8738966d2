package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/agent"
	"autopilot/daemon/config"
	"autopilot/daemon/run/order"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

func layers(project, user string, env map[string]string) config.Layers {
	p, u := config.ParseProject("/p/.autopilot/config.yaml", []byte(project)), config.ParseUser("/u.yaml", []byte(user))
	return config.Layers{Environment: env, Project: &p, User: &u}
}

func TestTheStrongestLayerCounts(t *testing.T) {
	t.Parallel()
	typed := order.Order{Spec: stored.Spec{
		Gates:   []stored.Gate{{Name: "vet", Role: events.RoleGoal, Command: "mine"}, {Name: "more", Role: events.RoleInvariant, Command: "x"}},
		Protect: []string{"x"},
	}, ForMS: 1000}
	a, err := layers(project, user, map[string]string{"agent": "list", "limits.iterations": "7"}).Apply(typed, noon)
	if err != nil {
		t.Fatal(err)
	}
	want := order.Order{Spec: stored.Spec{
		Agent: stored.Agent{Profile: "list"},
		Gates: []stored.Gate{
			{Name: "test", Role: events.RoleGoal, Command: "go test ./..."},
			{Name: "vet", Role: events.RoleGoal, Command: "mine"},
			{Name: "report", Kind: events.GateArtifact, Role: events.RoleGoal, Files: []string{"docs/report.md"}},
			{Name: "more", Role: events.RoleInvariant, Command: "x"},
		},
		Setup: "npm ci", Checkout: events.CheckoutClean, Protect: []string{"x", "api/**"}, AllowTests: []string{},
		MaxIterations: 7, Sandbox: events.SandboxWorkspace, SandboxAllow: []string{"docker", "~/notes"},
	}, ForMS: 1000, UntilMS: time.Date(2026, 1, 3, 7, 0, 0, 0, noon.Location()).UnixMilli(), Inputs: map[string]string{}, Standing: []events.Name{"test", "report"}}
	if diff := cmp.Diff(want, a.Order); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"DATABASE_URL", "LICENCE", "SITE"}, a.Redact); diff != "" {
		t.Error("names of both files:", diff)
	}
	var used []string
	for _, v := range a.Used {
		used = append(used, v.Key+" "+v.Origin+" "+v.Where)
	}
	if diff := cmp.Diff([]string{
		"agent environment AUTOPILOT_AGENT",
		"agents.list.command project /p/.autopilot/config.yaml:6",
		"agents.list.prompt project /p/.autopilot/config.yaml:7",
		"gates.test project /p/.autopilot/config.yaml:9",
		"gates.report project /p/.autopilot/config.yaml:11",
		"setup project /p/.autopilot/config.yaml:12",
		"checkout project /p/.autopilot/config.yaml:13",
		"protect project /p/.autopilot/config.yaml:15",
		"allow_test_changes project /p/.autopilot/config.yaml:16",
		"sandbox project /p/.autopilot/config.yaml:19",
		"limits.iterations environment AUTOPILOT_MAX_ITERATIONS",
		"limits.until project /p/.autopilot/config.yaml:17",
		"redact.env project /p/.autopilot/config.yaml:18",
	}, used); diff != "" {
		t.Error(diff)
	}
}

func TestProfilesOfBothFilesAreLaidOverEachOther(t *testing.T) {
	t.Parallel()
	got := layers("agents:\n  claude: {model: opus}\n", user+"  # x\n", nil).Agents()
	want := agent.Overrides{"claude": {Origin: "project", Model: "opus", Args: []string{"-x"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAnOwnProfileSaysWhatItPrints(t *testing.T) {
	t.Parallel()
	got := layers("agents:\n  a: {command: x, stream: claude}\n", "agents:\n  a: {command: y, reports: [cost]}\n  b: {command: z, reports: [tokens]}\n", nil).Agents()
	want := agent.Overrides{
		"a": {Origin: "project", Command: rule.Command{Text: "x"}, Stream: "claude"},
		"b": {Origin: "user", Command: rule.Command{Text: "z"}, Reports: []string{"tokens"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestASettingOfTheUserCountsWhereTheProjectHasNone(t *testing.T) {
	t.Parallel()
	a, err := layers("gates: {t: x}\n", "agent: codex\nlimits: {for: 2d}\n", map[string]string{"model": "m"}).Apply(order.Order{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	s := a.Order.Spec
	if s.Agent.Profile != "codex" || s.Agent.Model != "m" || a.Order.ForMS != (48*time.Hour).Milliseconds() || s.Checkout != "" {
		t.Errorf("%+v", s)
	}
}

func TestWhatIsMissingOrOverIsSaidWithAWayOn(t *testing.T) {
	t.Parallel()
	gate := []stored.Gate{{Name: "t", Role: events.RoleGoal, Command: "x"}}
	for name, c := range map[string]struct {
		project, user string
		env           map[string]string
		spec          stored.Spec
		want, hint    string
	}{
		"past":         {project: "limits: {until: \"2001-01-01T00:00\"}\n", spec: stored.Spec{Gates: gate, Agent: stored.Agent{Command: "a"}}, want: `"2001-01-01T00:00" is in the past`, hint: "correct /p/.autopilot/config.yaml:1"},
		"bad variable": {env: map[string]string{"limits.for": "soon"}, spec: stored.Spec{Gates: gate}, want: `AUTOPILOT_FOR: "soon" is not a length of time`, hint: "write 90m, 8h or 2d"},
		"bad count":    {env: map[string]string{"limits.iterations": "0"}, want: "AUTOPILOT_MAX_ITERATIONS"},
		"bad until":    {env: map[string]string{"limits.until": "late"}, want: "AUTOPILOT_UNTIL"},
		"bad agent":    {env: map[string]string{"agent": "A b"}, want: "AUTOPILOT_AGENT"},
		"bad model":    {env: map[string]string{"model": " "}, want: "AUTOPILOT_MODEL"},
		"bad key":      {env: map[string]string{"gates.t": "x"}, want: "no variable holds this setting"},
	} {
		_, err := layers(c.project, c.user, c.env).Apply(order.Order{Spec: c.spec}, noon)
		e, ok := err.(*wire.Error) //nolint:errorlint // the promise is this very type
		if !ok || e.Code != wire.Usage || !strings.Contains(e.Message, c.want) || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s: %v (%+v), want %q", name, err, e, c.want)
		}
	}
}

func TestAProjectCanOnlyAskForMoreConfinement(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ user, project, typed, want string }{
		{"", "", "", string(config.DefaultSandbox())},
		{"sandbox: off\n", "", "", "off"},
		{"sandbox: guard\n", "sandbox: workspace\n", "", "workspace"},
		{"sandbox: off\n", "sandbox: readonly\n", "", "readonly"},
		{"sandbox: workspace\n", "sandbox: workspace\n", "", "workspace"},
		{"sandbox: guard\n", "sandbox: off\n", "", ""},
		{"sandbox: readonly\n", "sandbox: workspace\n", "", ""},
		{"sandbox: guard\n", "sandbox: off\n", "workspace", "workspace"},
		{"sandbox: readonly\n", "sandbox: readonly\n", "off", "off"}, // what a person types counts
	} {
		q := order.Order{Spec: stored.Spec{
			Gates: []stored.Gate{{Name: "t", Role: events.RoleGoal, Command: "x"}}, Agent: stored.Agent{Command: "a"},
			Sandbox: events.Sandbox(c.typed),
		}}
		a, err := layers(c.project, c.user, nil).Apply(q, noon)
		if c.want == "" {
			var e *wire.Error
			if !errors.As(err, &e) || e.Code != wire.Usage || !strings.Contains(e.Message, "which is less than your") {
				t.Errorf("%+v: %v", c, err)
			}
			continue
		}
		if err != nil || string(a.Order.Spec.Sandbox) != c.want {
			t.Errorf("%+v: %q, %v", c, a.Order.Spec.Sandbox, err)
		}
	}
	a, err := layers("sandbox: {allow: [dbus, docker]}\n", "sandbox: {allow: [docker]}\n", nil).Apply(order.Order{Spec: stored.Spec{
		Gates: []stored.Gate{{Name: "t", Role: events.RoleGoal, Command: "x"}}, Agent: stored.Agent{Command: "a"},
	}}, noon)
	if diff := cmp.Diff([]string{"docker", "dbus"}, a.Order.Spec.SandboxAllow); diff != "" || err != nil {
		t.Error(err, diff)
	}
}

func TestTheStricterRuleForGitCounts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ user, project, variable, typed, want, from string }{
		{"", "", "", "", "", "default"},
		{"git: {push: deny}\n", "", "", "", "deny", "user"},
		{"", "git: {push: deny}\n", "", "", "deny", "project"},
		{"git: {push: deny}\n", "git: {push: allow}\n", "", "", "deny", "user"},
		{"git: {push: allow}\n", "git: {push: deny}\n", "", "", "deny", "project"},
		{"git: {push: deny}\n", "git: {history: keep}\n", "", "", "deny", "user"},
		{"git: {push: deny}\n", "", "allow", "", "allow", "environment"},
		{"git: {push: deny}\n", "", "allow", "deny", "deny", "environment"},
		{"git: {push: deny}\n", "", "", "allow", "allow", "user"}, // what a person types counts
	} {
		env := map[string]string{}
		if c.variable != "" {
			env["git.push"] = c.variable
		}
		l := layers(c.project, c.user, env)
		a, err := l.Apply(order.Order{Spec: stored.Spec{
			Gates: []stored.Gate{{Name: "t", Role: events.RoleGoal, Command: "x"}}, Agent: stored.Agent{Command: "a"},
			Git: stored.GitRules{Push: c.typed},
		}}, noon)
		v, _ := l.Value("git.push")
		if err != nil || a.Order.Spec.Git.Push != c.want || v.Origin != c.from {
			t.Errorf("%+v: %q from %s, %v", c, a.Order.Spec.Git.Push, v.Origin, err)
		}
		used := slices.ContainsFunc(a.Used, func(v wire.ConfigValue) bool { return v.Key == "git.push" })
		if used != (c.typed == "" && c.from != "default") {
			t.Errorf("%+v: told as used: %v", c, used)
		}
	}
	bad := layers("", "", map[string]string{"git.history": "all"})
	if p := bad.Problems(); len(p) != 1 || p[0].Fix != "write keep or any" {
		t.Errorf("%+v", p)
	}
}

func TestEverySettingIsShownWithItsOrigin(t *testing.T) {
	t.Parallel()
	l := layers(project, user, map[string]string{"limits.for": "1h"})
	if p := l.Problems(); len(p) > 0 {
		t.Fatal(p)
	}
	shown := map[string]wire.ConfigValue{}
	for _, v := range l.Values() {
		shown[v.Key] = v
	}
	for key, want := range map[string]string{
		"agent":                     "claude project /p/.autopilot/config.yaml:1",
		"agents.claude.env":         "{K: (hidden)} project /p/.autopilot/config.yaml:3",
		"agents.claude.args":        `[--effort, "40"] project /p/.autopilot/config.yaml:3`,
		"holdout.dir":               " default ",
		"gates.vet":                 "{run: go vet ./..., role: invariant} project /p/.autopilot/config.yaml:10",
		"worktree":                  "false project /p/.autopilot/config.yaml:14",
		"land.how":                  "merge default ",
		"land.into":                 " default ",
		"worktree_base":             "head default ",
		"worktree_root":             " default ",
		"worktree_seed":             "[.env, .env.local, .claude/settings.local.json, .autopilot/config.yaml, .autopilot/workflows, .autopilot/prompts] default ",
		"limits.for":                "1h environment AUTOPILOT_FOR",
		"limits.idle":               "12m default ",
		"limits.iteration_timeout":  "2h default ",
		"limits.gate_timeout":       "30m default ",
		"limits.until":              `"07:00" project /p/.autopilot/config.yaml:17`,
		"gate.env":                  "{A: (hidden)} user /u.yaml:5",
		"notify.rules":              "[{on: [done], webhook: (hidden)}] user /u.yaml:14",
		"idle":                      "0s user /u.yaml:3",
		"notify.quiet_pass":         " default ",
		"redact.env":                "[DATABASE_URL] project /p/.autopilot/config.yaml:18",
		"agents.mine.command":       "./my-agent.sh project /p/.autopilot/config.yaml:4",
		"sandbox":                   "workspace project /p/.autopilot/config.yaml:19",
		"allow_test_changes":        "[] project /p/.autopilot/config.yaml:16",
		"model":                     " default ",
		"checkout":                  "clean project /p/.autopilot/config.yaml:13",
		"resources.policy":          " default ",
		"resources.agents":          " default ",
		"resources.ram_per_agent":   "1GiB default ",
		"resources.project.agents":  " default ",
		"answers":                   "person default ",
		"team.replicas":             "3 default ",
		"priority":                  "normal default ",
		"git.push":                  "allow default ",
		"git.history":               "any default ",
		"after_reboot":              "ask user /u.yaml:12",
		"agents.list.command":       "[./a, b c] project /p/.autopilot/config.yaml:6",
		"gates.report":              "{artifact: [docs/report.md]} project /p/.autopilot/config.yaml:11",
		"durability":                "process user /u.yaml:1",
		"limits.iterations":         "10 project /p/.autopilot/config.yaml:17",
		"agents.claude.model":       "opus project /p/.autopilot/config.yaml:3",
		"quota":                     "64MiB user /u.yaml:2",
		"setup":                     "npm ci project /p/.autopilot/config.yaml:12",
		"protect":                   "[api/**] project /p/.autopilot/config.yaml:15",
		"gates.test":                "go test ./... project /p/.autopilot/config.yaml:9",
		"language":                  "ja user /u.yaml:20",
		"notify.quiet":              `"22:00-07:00" user /u.yaml:17`,
		"agents.mine.prompt":        "stdin project /p/.autopilot/config.yaml:4",
		"agents.list.prompt":        "file project /p/.autopilot/config.yaml:7",
		"agents.claude.permissions": "full project /p/.autopilot/config.yaml:3",
	} {
		v, ok := shown[key]
		if got := v.Value + " " + v.Origin + " " + v.Where; !ok || got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
		delete(shown, key)
	}
	for key, v := range shown {
		unset := v.Value == "" && v.Origin == "default"
		if unset && (strings.HasPrefix(key, "limits.") || strings.HasPrefix(key, "bus.") || strings.HasPrefix(key, "team.") || key == "prices") {
			continue // their own test sets them
		}
		t.Errorf("%s is shown too", key)
	}
}

func TestAProfileThatCannotBeUsedIsAProblemAtItsPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		project, user, file, want string
		line                      int
	}{
		{"setup: x\nagent: clude\n", "", "/p/.autopilot/config.yaml", "clude", 2},
		{"", "agent: mine\n", "/u.yaml", "mine", 1},
		{"agents:\n  claude: {command: x}\n", "", "/p/.autopilot/config.yaml", "agent claude is shipped", 2},
		{"agent: mine\n", "agents: {mine: {command: x}}\n", "", "", 0},
	} {
		p := layers(c.project, c.user, nil).Problems()
		if c.want == "" {
			if len(p) > 0 {
				t.Errorf("%q: %+v", c.project, p)
			}
			continue
		}
		if len(p) != 1 || p[0].File != c.file || p[0].Line != c.line || !strings.Contains(p[0].Message, c.want) {
			t.Errorf("%q, %q: %+v", c.project, c.user, p)
		}
	}
}

// Seeds 2.7: path and create; A53.
func TestHowWorkTreesAreMadeIsOfTheProjectThenOfTheUser(t *testing.T) {
	t.Parallel()
	seed := []string{".env", ".env.local", ".claude/settings.local.json", ".autopilot/config.yaml", ".autopilot/workflows", ".autopilot/prompts"}
	for name, c := range map[string]struct {
		project, user string
		want          wire.WorktreeSettings
	}{
		"nothing is set": {"", "", wire.WorktreeSettings{Base: "head", Seed: seed}},
		"the user's": {
			"agent: claude\n", "worktree: true\nworktree_base: origin\nworktree_root: ~/trees\nworktree_seed: [.env]\n",
			wire.WorktreeSettings{Wanted: true, Base: "origin", Root: "~/trees", Seed: []string{".env"}},
		},
		"the project's": {
			"worktree: false\nworktree_base: head\nworktree_seed: []\n", "worktree: true\nworktree_base: origin\nworktree_seed: [.env]\n",
			wire.WorktreeSettings{Base: "head", Seed: []string{}},
		},
	} {
		if d := cmp.Diff(c.want, layers(c.project, c.user, nil).Worktree()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	if d := cmp.Diff(wire.WorktreeSettings{Base: "head", Seed: seed}, (config.Layers{}).Worktree()); d != "" {
		t.Error(d)
	}
}
