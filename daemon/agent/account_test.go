package agent_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"autopilot/daemon/agent"
	"autopilot/projections/rule"
)

func TestAnAccountIsThatOfItsKeyOrLogin(t *testing.T) {
	t.Parallel()
	o := agent.Overrides{
		"codex": {Env: map[string]string{"CODEX_HOME": "/slots/2"}},
		"mine":  {Command: rule.Command{Text: "./bin/mine -x"}},
		"list":  {Command: rule.Command{Argv: []string{"mine"}}},
		"other": {Command: rule.Command{Text: "$AGENT"}},
		"keyed": {Command: rule.Command{Text: "mine --key $MY_API_KEY"}},
		"wraps": {Command: rule.Command{Text: "timeout 60 claude -p"}},
		"named": {Command: rule.Command{Text: "claude -p"}, Account: "work"},
	}
	of := func(name string, env ...string) (string, string) {
		p, err := o.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return agent.Account(p, env, agent.Site{})
	}
	key, _ := of("claude", "ANTHROPIC_API_KEY=sk-ant-secret", "HOME=/home/a")
	home, _ := of("claude", "HOME=/home/a")
	for name, c := range map[string]struct {
		agent, env string // words of env by a space
		label      string
		same       string // an id that it has
		not        string // one that it has not
	}{
		"a key":                    {"claude", "ANTHROPIC_API_KEY=sk-ant-secret", "claude (ANTHROPIC_API_KEY)", key, home},
		"a key, whose home":        {"claude", "HOME=/home/b ANTHROPIC_API_KEY=sk-ant-secret", "claude (ANTHROPIC_API_KEY)", key, home},
		"another key":              {"claude", "ANTHROPIC_API_KEY=sk-ant-other", "claude (ANTHROPIC_API_KEY)", "", key},
		"the last value counts":    {"claude", "ANTHROPIC_API_KEY=x ANTHROPIC_API_KEY=sk-ant-secret", "claude (ANTHROPIC_API_KEY)", key, ""},
		"an empty key is none":     {"claude", "HOME=/home/a ANTHROPIC_API_KEY=", "claude (~/.claude)", home, key},
		"a login":                  {"claude", "HOME=/home/a", "claude (~/.claude)", home, key},
		"a login that is named":    {"claude", "HOME=/home/b CLAUDE_CONFIG_DIR=/home/a/.claude", "claude (/home/a/.claude)", home, ""},
		"a login, elsewhere":       {"claude", "HOME=/home/a CLAUDE_CONFIG_DIR=/home/a/slot", "claude (~/slot)", "", home},
		"the profile's variables":  {"codex", "HOME=/home/a CODEX_HOME=/slots/1", "codex (/slots/2)", "", ""},
		"a key of another program": {"codex", "HOME=/home/a ANTHROPIC_API_KEY=sk-ant-secret", "codex (/slots/2)", "", key},
		"one of many keys":         {"opencode", "HOME=/h B_API_KEY=1 A_API_KEY=2", "opencode (A_API_KEY, B_API_KEY)", "", ""},
		"a folder below another":   {"opencode", "HOME=/h", "opencode (~/.local/share/opencode)", "", ""},
		"an own command":           {"mine", "HOME=/h", "mine", "", ""},
		"an own command, and keys": {"mine", "MY_API_KEY=1 GH_TOKEN=2", "mine", "", ""},
		"a list, and keys":         {"list", "MY_API_KEY=1 GH_TOKEN=2", "mine", "", ""},
		"one that names its key":   {"keyed", "MY_API_KEY=1 GH_TOKEN=2", "mine (MY_API_KEY)", "", ""},
		"a known program":          {"wraps", "HOME=/home/a", "claude (~/.claude)", home, key},
		"an account by hand":       {"named", "HOME=/home/b", "work", "", home},
		"a word known only then":   {"other", "", "command", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			id, label := of(c.agent, strings.Fields(c.env)...)
			if label != c.label || c.same != "" && id != c.same || id == c.not {
				t.Errorf("%s, %q; want %q, id %q, not %q", id, label, c.label, c.same, c.not)
			}
			if !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(id) {
				t.Errorf("id %q", id)
			}
			again, _ := of(c.agent, strings.Fields(c.env)...)
			if again != id {
				t.Errorf("%s, then %s", id, again)
			}
		})
	}
}

func TestACommandIsAnAccountByWhatItUses(t *testing.T) {
	t.Parallel()
	dirs := [2]string{t.TempDir(), t.TempDir()}
	write := func(name, text string) {
		for _, dir := range dirs {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
	write("plain.sh", "#!/bin/sh\nmake agent\n")
	write("other.sh", "#!/bin/sh\nmake other\n")
	write("claude.sh", "#!/bin/sh\nexec claude -p --model x\n")
	write("deep.sh", "#!/bin/sh\n./claude.sh\n")
	write("keyed.sh", "#!/bin/sh\ncurl -H \"key: $OPENAI_API_KEY\" https://example.com\n")
	write("agent.py", "import subprocess\nsubprocess.run(['claude', '-p'])\n")
	env := []string{"PATH=/bin:/usr/bin", "HOME=/home/a", "OPENAI_API_KEY=sk-1", "GH_TOKEN=x"}
	of := func(text string, repository int) (id, label string) {
		return agent.CommandAccount(agent.Command{Command: rule.Command{Text: text}}, env,
			agent.Site{Dir: dirs[repository], Repository: dirs[repository]})
	}
	claude, _ := of("claude", 0)
	for text, c := range map[string]struct {
		label  string
		shared bool // by two repositories
		claude bool
	}{
		"./plain.sh":       {"plain.sh", false, false},
		"sh ./plain.sh":    {"sh", false, false},
		"$AGENT":           {"command", false, false},
		"./claude.sh":      {"claude (~/.claude)", true, true},
		"./deep.sh":        {"claude (~/.claude)", true, true},
		"python3 agent.py": {"claude (~/.claude)", true, true},
		"./keyed.sh":       {"keyed.sh (OPENAI_API_KEY)", true, false},
	} {
		id, label := of(text, 0)
		other, _ := of(text, 1)
		if label != c.label || (id == other) != c.shared || (id == claude) != c.claude {
			t.Errorf("%s: %s %q, elsewhere %s; claude is %s", text, id, label, other, claude)
		}
	}
	if a, _ := of("./plain.sh", 0); a == first(of("./other.sh", 0)) {
		t.Error("two scripts of one repository are one account")
	}
}

func first(id, _ string) string { return id }
