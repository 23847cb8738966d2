package config_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/config"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
)

const project = `agent: claude
agents:
  claude: {model: opus, permissions: full, args: [--effort, "40"], env: {K: V}}
  mine: {command: ./my-agent.sh, prompt: stdin}
  list:
    command: [./a, b c]
    prompt: file
gates:
  test: go test ./...
  vet: {run: go vet ./..., role: invariant}
  report: {artifact: [docs/report.md]}
setup: npm ci
checkout: clean
worktree: false
protect: ["api/**"]
allow_test_changes: []
limits: {iterations: 10, for: 8h, until: "07:00"}
redact: {env: [DATABASE_URL]}
sandbox: workspace
`

const user = `durability: process
quota: 64MiB
idle: 0s
gate:
  env: {A: b}
agent: codex
agents:
  claude: {model: haiku, args: [-x]}
limits: {iterations: 3, for: 2d}
checkout: in-place
worktree: true
after_reboot: ask
notify:
  rules:
    - on: [done]
      webhook: https://example.com/secret
  quiet: "22:00-07:00"
redact: {env: [LICENCE, SITE]}
sandbox: {mode: guard, allow: [docker, ~/notes]}
language: ja
`

func TestTheProjectFileIsReadAsItIsDocumented(t *testing.T) {
	t.Parallel()
	f := config.ParseProject("p.yaml", []byte(project))
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	want := config.Project{
		Agent: "claude",
		Agents: strictyaml.Map[config.Agent]{
			{Key: "claude", Value: config.Agent{Model: "opus", Permissions: "full", Args: []string{"--effort", "40"}, Env: map[string]string{"K": "V"}}},
			{Key: "mine", Value: config.Agent{Command: config.Command{Text: "./my-agent.sh"}, Prompt: "stdin"}},
			{Key: "list", Value: config.Agent{Command: config.Command{Argv: []string{"./a", "b c"}}, Prompt: "file"}},
		},
		Gates: strictyaml.Map[config.Gate]{
			{Key: "test", Value: config.Gate{Run: "go test ./...", Role: events.RoleGoal}},
			{Key: "vet", Value: config.Gate{Run: "go vet ./...", Role: events.RoleInvariant}},
			{Key: "report", Value: config.Gate{Role: events.RoleGoal, Artifact: []string{"docs/report.md"}}},
		},
		Setup: "npm ci", Checkout: "clean", Protect: []string{"api/**"}, AllowTestChanges: []string{},
		Limits: config.Limits{Iterations: 10, For: config.Span(8 * time.Hour), Until: "07:00"},
		Redact: config.Redact{Env: []string{"DATABASE_URL"}}, Sandbox: config.Sandbox{Mode: events.SandboxWorkspace},
	}
	if diff := cmp.Diff(want, f.Project); diff != "" {
		t.Error(diff)
	}
}

func TestTheUserFileIsReadAsItIsDocumented(t *testing.T) {
	t.Parallel()
	f := config.ParseUser("u.yaml", []byte(user))
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	want := config.User{
		Language: events.Japanese, Durability: "process", Quota: "64MiB", Gate: config.UserGate{Env: map[string]string{"A": "b"}}, Agent: "codex",
		Agents: strictyaml.Map[config.Agent]{{Key: "claude", Value: config.Agent{Model: "haiku", Args: []string{"-x"}}}},
		Limits: config.Limits{Iterations: 3, For: config.Span(48 * time.Hour)}, Checkout: "in-place", Worktree: true, AfterReboot: "ask",
		Notify:  notify.Settings{Rules: []notify.Rule{{On: []string{"done"}, Webhook: "https://example.com/secret"}}, Quiet: "22:00-07:00"},
		Redact:  config.Redact{Env: []string{"LICENCE", "SITE"}},
		Sandbox: config.Sandbox{Mode: events.SandboxGuard, Allow: []string{"docker", "~/notes"}},
	}
	if diff := cmp.Diff(want, f.User); diff != "" {
		t.Error(diff)
	}
}

func TestAMistakeIsNamedWithPlaceAndFix(t *testing.T) {
	t.Parallel()
	inProject, inUser := true, false
	for _, c := range []struct {
		project   bool
		src, want string
	}{
		{inProject, "sandbox: gard\n", `1:1 sandbox: "gard" is not known`},
		{inUser, "sandbox: {mode: readonly, allow: [dockr]}\n", `sandbox.allow: "dockr" is neither a path nor known`},
		{inUser, "sandbox: {allow: [rel/path]}\n", `sandbox.allow: "rel/path" is neither a path nor known`},
		{inUser, "sandbox: true\n", "a mode, or a mapping such as {mode: guard, allow: [docker]}"},
		{inProject, "gate: {}\n", `1:1 unknown key "gate": did you mean "gates"? gate belongs in the user's file`},
		{inProject, "agent: claude\nnotify: {}\n", "2:1 notify belongs in the user's file: apctl config path   shows where that is"},
		{inProject, "durability: power\n", "1:1 durability belongs in the user's file"},
		{inProject, "redact: {env: [A, B=c]}\n", `redact.env.1: "B=c" is not a valid name of a variable: write the name alone, as DATABASE_URL`},
		{inUser, "redact: {env: ['']}\n", `redact.env.0: "" is not a valid name of a variable`},
		{inProject, "agent: Mr. X\n", `1:1 agent: "Mr. X" is not a valid name`},
		{inProject, "agents:\n  A b: {}\n", `2:3 agents.A b: "A b" is not a valid name: use letters a-z, digits, - and _`},
		{inProject, "agents:\n  a: {command: 1}\n", "2:16 agents.a.command: want text or a list, found a number: "},
		{inProject, "agents:\n  a: {command: []}\n", "2:7 agents.a.command: it is empty: write a command, or take the line out"},
		{inProject, "agents:\n  a: {command: x, prompt: arg}\n", `2:19 agents.a.prompt: "arg" is not known: write stdin or file`},
		{inProject, "agents:\n  a: {command: x, stream: claud}\n", `2:19 agents.a.stream: "claud" is not known: did you mean "claude"?`},
		{inProject, "agents:\n  a: {command: x, reports: [turns]}\n", `agents.a.reports.0: "turns" is not known: write tokens or cost`},
		{inProject, "agents:\n  a: {command: x, permissions: all}\n", `agents.a.permissions: "all" is not known: write full`},
		{inProject, "agents:\n  a: {command: x, env: {AUTOPILOT_X: y}}\n", "agents.a.env.AUTOPILOT_X: autopilot sets these variables itself"},
		{inProject, "agents:\n  a: {command: x, env: {\"a b\": y}}\n", `"a b" is not a valid name of a variable`},
		{inProject, "agents:\n  a: {command: \"x\\0\"}\n", "agents.a.command: it holds a NUL byte"},
		{inProject, "agents:\n  a: {command: x, account: \"x\\0\"}\n", "agents.a.account: it holds a NUL byte"},
		{inProject, "gates:\n  Test: x\n", `2:3 gates.Test: "Test" is not a valid name`},
		{inProject, "gates:\n  protected: x\n", "the name is taken by the gate for pinned files"},
		{inProject, "gates:\n  a: [x]\n", "2:6 gates.a: want a command, or a mapping such as {run: CMD, role: invariant}, found a list"},
		{inProject, "gates:\n  a: {role: goal}\n", "2:3 gates.a: the gate has no check of its own: write run: CMD or artifact: [GLOB], one of them"},
		{inProject, "gates:\n  a: {run: x, artifact: [y]}\n", "one of them"},
		{inProject, "gates:\n  a: {run: x, rule: goal}\n", `2:15 unknown key "rule": did you mean "role"?`},
		{inProject, "gates:\n  a: {run: x, role: invariants}\n", `gates.a.role: "invariants" is not known: did you mean "invariant"?`},
		{inProject, "gates:\n  a: x\n  a: y\n", "3:3 mapping key"},
		{inProject, "gates:\n", "1:8 gates: want a mapping (key: value), found nothing: write a value, or take the line out"},
		{inProject, "answers: chat\n", `1:1 answers: "chat" is not known`},
		{inUser, "answers: true\n", `answers: want text`},
		{inProject, "roles: {coder: []}\n", `roles.coder: the list is empty: name at least one profile`},
		{inUser, "roles: {coder: [haiku, haiku]}\n", `roles.coder: the profile "haiku" is given twice: remove it`},
		{inUser, "roles: {coder: [A b]}\n", `roles.coder: "A b" is not a valid name`},
		{inProject, "inputs: {A b: x}\n", `1:10 inputs.A b: "A b" is not a valid name: use letters a-z, digits, - and _`},
		{inProject, "inputs: {a: [x]}\n", `1:13 inputs.a: want text, found a list`},
		{inUser, "inputs: {a: x}\n", `1:1 inputs belongs in the project's file: apctl config path   shows where that is`},
		{inProject, "priority: hihg\n", `1:1 priority: "hihg" is not known: did you mean "high"?`},
		{inUser, "priority: 2\n", "1:11 priority: want text, found a number"},
		{inProject, "land: {how: squahs}\n", `1:8 land.how: "squahs" is not known: did you mean "squash"?`},
		{inProject, "land:\n  gates: {Suite: x}\n", `land.gates.Suite: "Suite" is not a valid name`},
		{inProject, "land:\n  gates: {suite: \"\"}\n", `land.gates.suite: the gate has no check of its own`},
		{inProject, "land:\n  gates: {protected: x}\n", `land.gates.protected: the name is taken by the gate for pinned files`},
		{inProject, "land: {gate: {suite: x}}\n", `did you mean "gates"?`},
		{inProject, "checkout: cleen\n", `1:1 checkout: "cleen" is not known: did you mean "clean"?`},
		{inProject, "worktree: yes\n", "1:11 worktree: want true or false, found text"},
		{inProject, "worktree_base: orign\n", `1:1 worktree_base: "orign" is not known: did you mean "origin"?`},
		{inUser, "worktree_root: trees\n", `1:1 worktree_root: "trees" is not an absolute path: write /DIR or ~/DIR`},
		{inProject, "worktree_root: /trees\n", "1:1 worktree_root belongs in the user's file"},
		{inProject, "worktree_seed: [.env, ../.env]\n", `worktree_seed.1: "../.env" is not a path below it: write it from the top of the work tree`},
		{inUser, "worktree_seed: [/etc/passwd]\n", `worktree_seed.0: "/etc/passwd" is not a path below it`},
		{inUser, "worktree_seed: ['']\n", `worktree_seed.0: "" is not a path below it`},
		{inUser, "worktree_seed: ['[']\n", `worktree_seed.0: "[" is not a glob`},
		{inUser, "worktree_seed: .env\n", "1:16 worktree_seed: want a list, found text"},
		{inProject, "resources: {agents: 4}\n", "1:13 resources.agents: it belongs in the user's file: take it out: a project can set resources.project.agents"},
		{inProject, "resources: {policy: off}\n", "1:13 resources.policy: it belongs in the user's file"},
		{inProject, "resources:\n  project: {agents: 0}\n", "2:13 resources.project.agents: 0 is out of range: write a number from 1 to 1000"},
		{inProject, "resources: {ram_per_agent: lots}\n", `1:13 resources.ram_per_agent: "lots" is not a size`},
		// S16: what was read as an object, and then as no bound at all.
		{inProject, "resources:\n  project:\n    agents: 4 (deep: 18)\n", "3:13 mapping value is not allowed"},
		{inProject, "resources:\n  project:\n    agents: {default: 4, deep: 18}\n", "3:13 resources.project.agents: want a whole number, found a mapping"},
		{inProject, "resources:\n  project:\n    agents: \"4 (deep: 18)\"\n", "3:13 resources.project.agents: want a whole number, found text"},
		{inProject, "agents-per-wave: 4\n", `1:1 unknown key "agents-per-wave"`},
		{inProject, "protect: ['[']\n", "protect.0: glob"},
		{inProject, "protect: api\n", "1:10 protect: want a list, found text"},
		{inProject, "limits: {iterations: 0}\n", "1:10 limits.iterations: 0 is too small: write 1 or more, or take the line out"},
		{inProject, "limits: {for: 0s}\n", `1:15 "0s" is not a length of time: write 90m, 8h or 2d`},
		{inProject, "limits: {for: 30}\n", "1:15 limits.for: want a length of time such as 90m, 8h or 2d, found a number"},
		{inProject, "limits: {idle: 20}\n", `1:16 "20" is not a time limit: write 20m, 90s, 2h or off`},
		{inProject, "limits: {iteration_timeout: -1h}\n", `"-1h" is not a time limit: write 20m, 90s, 2h or off`},
		{inProject, "limits: {idle: [20m]}\n", "limits.idle: want a length of time such as 20m or 2h, or off, found a list"},
		{inProject, "limits: {gate_timeout: off}\n", "1:10 limits.gate_timeout: without a limit a gate that hangs holds the run for ever: write 24h"},
		{inUser, "limits: {gate_timeout: 0}\n", "limits.gate_timeout: without a limit a gate that hangs holds the run for ever"},
		{inProject, "limits: {until: late}\n", `1:10 limits.until: "late" is not a time: write "07:00" or "2026-01-02T07:00"`},
		{inProject, "- a\n", "1:1 file: want a mapping (key: value), found a list"},
		{inUser, "idle: 1h\ndurability: \"maybe\"\n", `2:1 durability: "maybe" is not known: write power or process`},
		{inUser, "quota: 1\n", "1:8 quota: want text, found a number: write it as 64MiB or 4GiB"},
		{inUser, "quota: lots\n", `1:1 quota: "lots" is not a size: write it as 64MiB or 4GiB`},
		{inUser, "quota: 1MiB\n", "1:1 quota: 1MiB is too small: write 16MiB or more"},
		{inUser, "idle: -1h\n", "1:7 \"-1h\" is not a duration: write 30s, 10m or 2h"},
		{inUser, "qouta: 1GiB\n", `1:1 unknown key "qouta": did you mean "quota"?`},
		{inUser, "gates: {}\n", `1:1 unknown key "gates": did you mean "gate"? gates belongs in the project's file`},
		{inUser, "gate:\n  env: {AUTOPILOT_STATE: /x}\n", "autopilot sets these variables itself"},
		{inUser, "language: fr\n", `1:1 language: "fr" is not known: write en or ja`},
		{inUser, "resources: {policy: best}\n", `1:13 resources.policy: "best" is not known: write signals or tiers or off`},
		{inUser, "resources: {agents: -1}\n", `1:13 resources.agents: -1 is out of range: write a number from 1 to 1000, or leave it out`},
		{inUser, "resources: {ram_per_agent: much}\n", `1:13 resources.ram_per_agent: "much" is not a size: write it as 512MiB or 2GiB`},
		{inUser, "after_reboot: never\n", `1:1 after_reboot: "never" is not known: write resume or ask`},
		{inUser, "notify:\n  rules:\n    - on: [don]\n      bell: true\n", `3:12 notify.rules.0.on.0: unknown kind "don": did you mean "done"?`},
		{inUser, "notify:\n  quiet: 22\n", "2:10 notify.quiet: want text, found a number: put it in quotes"},
	} {
		file := config.ParseUser("f", []byte(c.src)).File
		if c.project {
			file = config.ParseProject("f", []byte(c.src)).File
		}
		if len(file.Problems) != 1 {
			t.Errorf("%q has %d problems: %+v", c.src, len(file.Problems), file.Problems)
			continue
		}
		p := file.Problems[0]
		if got := fmt.Sprintf("%d:%d %s: %s", p.Line, p.Column, p.Message, p.Fix); !strings.Contains(got, c.want) {
			t.Errorf("%q: got %q, want %q", c.src, got, c.want)
		}
		if !strings.Contains(p.Excerpt, "> ") {
			t.Errorf("%q: no excerpt", c.src)
		}
	}
}

func TestEveryMistakeIsNamedAndNothingIsTaken(t *testing.T) {
	t.Parallel()
	f := config.ParseProject("f", []byte("agent: claude\nagents:\n  a: {promt: x}\ngates:\n  b: 1\nlimits: {iterations: x}\nsetup: [1]\n"))
	var lines []int
	for _, p := range f.Problems {
		lines = append(lines, p.Line)
	}
	if diff := cmp.Diff([]int{3, 5, 6, 7}, lines); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(config.Project{}, f.Project); diff != "" {
		t.Error(diff)
	}
	if text := f.Err().Error(); !strings.Contains(text, "f: line 3, column 7: unknown key") || !strings.Contains(text, "and 3 more: apctl config check") {
		t.Error(text)
	}
}

func TestAFileMayHoldNothing(t *testing.T) {
	t.Parallel()
	for _, src := range []string{"", "\uFEFF", "# a\n\n# b\n", "\r\n", "{}\n", "---\n"} {
		if f := config.ParseProject("f", []byte(src)); f.Err() != nil {
			t.Errorf("%q: %v", src, f.Err())
		}
		if f := config.ParseUser("f", []byte(src)); f.Err() != nil || f.Quota != config.DefaultQuota {
			t.Errorf("%q: %v", src, f.Err())
		}
	}
}

func TestWhatIsNoFileIsRefusedAndNeverWaitedFor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(at("dir"), 0o700))
	must(mkfifo(at("pipe")))
	must(os.Symlink("/dev/zero", at("device")))
	must(os.Symlink("nowhere", at("nowhere-link")))
	must(os.WriteFile(at("large"), []byte(strings.Repeat("#", strictyaml.MaxBytes+1)), 0o600))
	must(os.WriteFile(at("good"), []byte("agent: codex\n"), 0o600))
	must(os.Symlink("good", at("link")))
	for name, want := range map[string]string{
		"dir": "it is a directory", "pipe": "it is not a regular file", "device": "it is not a regular file",
		"nowhere-link": "no such file", "large": "it has 1048577 bytes; the limit is 1048576",
	} {
		if err := config.ReadProject(at(name)).Err(); err == nil || !strings.Contains(err.Error(), at(name)+": cannot be read: "+want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
	for _, name := range []string{"good", "link"} {
		if f := config.ReadProject(at(name)); f.Err() != nil || f.Agent != "codex" {
			t.Errorf("%s: %v", name, f.Err())
		}
	}
	if f := config.ReadProject(at("missing")); f.Exists || f.Err() != nil {
		t.Errorf("missing: %v", f.Err())
	}
}

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.FixedZone("x", 3600))
