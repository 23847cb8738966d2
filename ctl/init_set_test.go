package ctl

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"autopilot/daemon/config"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/events/wire"
)

// settable are values of each setting as people type them. A key before a value is set
// first, as the setting is nothing without it.
var settable = map[string][]string{
	"agent": {"claude", "codex"}, "agents.NAME.command": {"./agent.sh --fast", `["a b", "-c"]`}, "agents.NAME.prompt": {"stdin", "file"},
	"agents.NAME.stream": {"claude", "text"}, "agents.NAME.reports": {"[tokens]", "[tokens, cost]"}, "agents.NAME.account": {"work", "a b"}, "agents.NAME.model": {"opus", "yes", "1.5"},
	"agents.NAME.permissions": {"full"}, "agents.NAME.args": {`["--x", "a: b"]`, "[]"}, "agents.NAME.env": {"{A: b}", `{A: "1"}`},
	"roles.NAME": {"claude", "[claude, codex]"}, "gates.NAME": {"go test ./...", "echo '# no' | x: y", "{run: go vet ./..., role: invariant}", `{artifact: ["docs/*.md"]}`, "true && x", "true"},
	"holdout.dir": {"../held", "/held"}, "holdout.gates.NAME": {"go test ./held/..."}, "inputs.NAME": {"text", "a: b # c"},
	"setup": {"npm ci", "- x", "# x"}, "checkout": {"clean", "in-place"}, "answers": {"person", "session"}, "worktree": {"true", "false"},
	"worktree_base": {"head", "origin"}, "worktree_root": {"~/trees", "/trees"}, "worktree_seed": {`[".env", "config/*.yml"]`, "[]"}, "priority": {"low", "high"},
	"protect": {`["api/**", "docs/**"]`}, "allow_test_changes": {`["*_test.go"]`}, "sandbox": {"off", "{mode: guard, allow: [docker]}"},
	"limits.iterations": {"3", "50"}, "limits.for": {"8h", "2d"}, "limits.until": {"07:00", "2030-01-02T07:00"}, "limits.usd": {"5", "0.50"},
	"limits.tokens": {"200000", "1.5M"}, "limits.turns": {"12"}, "limits.day.usd": {"9"}, "limits.day.tokens": {"2M"}, "limits.day.turns": {"7"}, "limits.day.hours": {"8", "90m"},
	"limits.project.usd": {"9"}, "limits.project.tokens": {"2M"}, "limits.project.turns": {"7"}, "limits.project.hours": {"1.5"},
	"prices": {"{m: {input: 3, output: 15}}"}, "redact.env": {"[DATABASE_URL]"}, "gate.env": {"{TZ: UTC}"},
	"resources.policy": {"signals", "off"}, "resources.agents": {"4"}, "resources.ram_per_agent": {"512MiB"}, "resources.project.agents": {"2"},
	"after_reboot": {"ask", "resume"}, "notify.rules": {"[{on: [done], bell: true}]"}, "notify.quiet": {"22:00-07:00"}, "notify.quiet_pass": {"[halted]"},
	"language": {"en", "ja"}, "bus.listen": {"127.0.0.1:4222"}, "bus.tls.cert": {"/c.pem", "~/c.pem"}, "bus.tls.key": {"/k.pem"},
	"bus.identities.NAME.key": {identityKey}, "bus.identities.NAME.may": {"operate", "read"},
	"team.url": {"nats://a:4222"}, "team.credentials": {"~/team.creds"}, "team.ca": {"/ca.pem"}, "team.replicas": {"1", "3"},
	"git.push": {"deny", "allow"}, "git.history": {"keep", "any"}, "limits.idle": {"20m", "off"}, "limits.iteration_timeout": {"3h", "off"}, "limits.gate_timeout": {"45m"},
	"land.gates.NAME": {"make suite"}, "land.how": {"squash", "rebase"}, "land.into": {"[main]", `["release/1", main]`},
	"durability": {"power", "process"}, "quota": {"64MiB", "4GiB"}, "idle": {"2h", "0s"},
}

const identityKey = "UDGTFY3BT3EXH4GT5XWFL2I4WGGZ4V3C42VM3QQ6OPKTHR52C5QNMSP2"

// needed are what a setting needs beside it.
var needed = map[string][2]string{
	"holdout.gates.NAME": {"holdout.dir", "../held"}, "bus.tls.cert": {"bus.tls", "{cert: /a.pem, key: /b.pem}"}, "bus.tls.key": {"bus.tls", "{cert: /a.pem, key: /b.pem}"},
	"notify.quiet_pass":       {"notify.quiet", "22:00-07:00"},
	"bus.identities.NAME.may": {"bus.identities.NAME.key", identityKey},
	"team.credentials":        {"team.url", "nats://a:4222"}, "team.ca": {"team.url", "nats://a:4222"}, "team.replicas": {"team.url", "nats://a:4222"},
}

func TestEverySettingThatAFileHoldsCanBeTried(t *testing.T) {
	t.Parallel()
	for _, s := range config.Settings() {
		if (s.Project || s.User) && len(settable[s.Key]) == 0 {
			t.Errorf("%s has no value to be tried with", s.Key)
		}
	}
}

// initFile is any file that init writes.
func initFile(t *rapid.T) wire.InitView {
	commands := rapid.SampledFrom([]string{"go test ./...", "cd 'a b' && npm test", "x: y # z", "make -C web test | tee log", "- a", "yes", "{a}", "\"q\""})
	gates := func(label string) (out []wire.ProjectGate) {
		for i := range rapid.IntRange(0, 3).Draw(t, label) {
			g := wire.ProjectGate{Name: events.Name(fmt.Sprintf("%s-%d", label, i)), Role: rapid.SampledFrom([]events.GateRole{events.RoleGoal, events.RoleInvariant}).Draw(t, "role"), Command: commands.Draw(t, "command"), From: "it's/go.mod # x"}
			if rapid.Bool().Draw(t, "missing") {
				g.Missing = []string{"cargo"}
			}
			if rapid.Bool().Draw(t, "hides") {
				g.Hidden = []wire.HiddenExit{{Gate: g.Name, What: "a pipe", Where: "script a: b of x", Instead: "x # y: {"}}
			}
			out = append(out, g)
		}
		return out
	}
	v := wire.InitView{Agent: rapid.SampledFrom([]string{"", "claude"}).Draw(t, "agent")}
	v.Project.Gates, v.Project.Others = gates("gate"), gates("other")
	v.Project.More = rapid.IntRange(0, 1).Draw(t, "more")
	v.Project.Setup = rapid.SampledFrom([]string{"", "npm ci", "(cd a && x) && y: z"}).Draw(t, "setup")
	for _, g := range v.Project.Gates {
		if rapid.Bool().Draw(t, "red") {
			v.Tried = append(v.Tried, wire.GateTryFrame{Gate: wire.GateView{Name: string(g.Name), Verdict: string(events.Fail)}, Unignored: []string{"a: b"}})
		}
	}
	return v
}

// edited applies an edit to the files of a person, where its key belongs.
func edited(dir, key, value string) (file string, err error) {
	e := config.Edit{Path: filepath.Join(dir, "project.yaml"), Key: key, Value: value}
	if config.BelongsToUser(key) {
		e.Path, e.User = filepath.Join(dir, "user.yaml"), true
	}
	return e.Path, e.Write()
}

func TestAnySettingCanBeSetInAnyFileThatInitWrote(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := configText(initFile(t))
		project, user := filepath.Join(dir, "project.yaml"), filepath.Join(dir, "user.yaml")
		if err := errors.Join(os.WriteFile(project, []byte(text), 0o600), os.WriteFile(user, []byte("# mine\nagent: claude # for all\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		if p := config.ParseProject(project, []byte(text)); p.Err() != nil {
			t.Fatalf("init wrote what cannot be read: %v\n%s", p.Err(), text)
		}
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			s := rapid.SampledFrom(slices.DeleteFunc(config.Settings(), func(s config.Setting) bool { return !s.Project && !s.User })).Draw(t, "setting")
			name := rapid.SampledFrom([]string{"gate-0", "gate-1", "mine", "other-0"}).Draw(t, "name")
			if strings.HasPrefix(s.Key, "bus.identities.") {
				name = "mine" // there is one key to try, and no two may have the same
			}
			if first, ok := needed[s.Key]; ok {
				if _, err := edited(dir, strings.ReplaceAll(first[0], "NAME", name), first[1]); err != nil && !taken(err) {
					t.Fatalf("%s: %v", first[0], err)
				}
			}
			key, value := strings.ReplaceAll(s.Key, "NAME", name), rapid.SampledFrom(settable[s.Key]).Draw(t, "value")
			file := project
			if config.BelongsToUser(key) {
				file = user
			}
			before, _ := os.ReadFile(file)
			_, err := edited(dir, key, value)
			after, _ := os.ReadFile(file)
			if taken(err) {
				if !bytes.Equal(before, after) {
					t.Fatalf("%s was refused and changed the file", key)
				}
				continue
			}
			if err != nil {
				t.Fatalf("%s = %s: %v\n%s", key, value, err, before)
			}
			checkEdit(t, file == user, before, after, key, value)
		}
	})
}

// taken reports whether a setting was refused because a gate or a held-out gate has
// its name.
func taken(err error) bool { return err != nil && strings.Contains(err.Error(), "the name is taken") }

// checkEdit looks that a file is valid, holds the value, and is else as it was.
func checkEdit(t *rapid.T, user bool, before, after []byte, key, value string) {
	problem := config.ParseProject("p", after).Err()
	if user {
		problem = config.ParseUser("u", after).Err()
	}
	if problem != nil {
		t.Fatalf("%s = %s made a file that cannot be used: %v\n%s", key, value, problem, after)
	}
	path := strings.Split(key, ".")
	got, ok := valuesOf(after).Lookup(path...)
	if !ok {
		t.Fatalf("%s is not there:\n%s", key, after)
	}
	if text, is := got.(string); is && text != value && text != strings.Trim(value, `"`) {
		t.Fatalf("%s is %q, want %q", key, text, value)
	}
	was, _ := valuesOf(before).Lookup()
	is, _ := valuesOf(after).Lookup()
	if old, now := less(was, path), less(is, path); !reflect.DeepEqual(old, now) {
		t.Fatalf("%s changed more than itself: %v, before %v", key, now, old)
	}
	at := 0
	lines := strings.Split(string(after), "\n")
	for line := range strings.SplitSeq(string(before), "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "#") {
			continue
		}
		i := slices.Index(lines[at:], line)
		if i < 0 {
			t.Fatalf("%s = %s: the comment %q is gone or moved:\n%s", key, value, line, after)
		}
		at += i + 1
	}
}

func valuesOf(src []byte) *strictyaml.Doc {
	doc, err := strictyaml.ParseOptional(src)
	if err != nil {
		panic(err)
	}
	return doc
}

// less is a mapping without what a path leads to, and without what is empty then.
func less(v any, path []string) any {
	m, ok := v.(strictyaml.Map[any])
	if !ok && v != nil {
		return v
	}
	out := strictyaml.Map[any]{}
	for _, e := range m {
		if e.Key == path[0] {
			if len(path) == 1 {
				continue
			}
			e.Value = less(e.Value, path[1:])
			if inner, is := e.Value.(strictyaml.Map[any]); is && len(inner) == 0 {
				continue
			}
		}
		out = append(out, e)
	}
	return out
}

func TestAWrongSettingIsRefusedAndNothingIsWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	project := filepath.Join(dir, "project.yaml")
	rapid.Check(t, func(t *rapid.T) {
		text := []byte(configText(initFile(t)))
		if err := os.WriteFile(project, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s := rapid.SampledFrom(config.Settings()).Draw(t, "setting")
		key := strings.ReplaceAll(s.Key, "NAME", "mine")
		value := rapid.SampledFrom([]string{"x\x00y", "[a", "{b: [}"}).Draw(t, "value")
		wrong := rapid.Bool().Draw(t, "wrong key")
		if wrong {
			root, rest, _ := strings.Cut(key, ".")
			key, value = strings.TrimSuffix(root+"x."+rest, "."), "1"
		}
		_, err := edited(dir, key, value)
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != wire.Usage {
			t.Fatalf("%s = %q: %v", key, value, err)
		}
		if wrong && !strings.Contains(e.Hint, "did you mean") {
			t.Fatalf("%s: no nearest key: %s", key, e.Hint)
		}
		if now, _ := os.ReadFile(project); !bytes.Equal(now, text) {
			t.Fatalf("%s was written:\n%s", key, now)
		}
		if _, err := os.Stat(filepath.Join(dir, "user.yaml")); err == nil {
			t.Fatalf("%s: the user's file was made", key)
		}
	})
}
