package agent_test

import (
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
	}
	of := func(name string, env ...string) (string, string) {
		p, err := o.Find(name)
		if err != nil {
			t.Fatal(err)
		}
		return agent.Account(p, env)
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
		"an own command with keys": {"mine", "MY_API_KEY=1 GH_TOKEN=2", "mine (MY_API_KEY, GH_TOKEN)", "", ""},
		"a list":                   {"list", "MY_API_KEY=1 GH_TOKEN=2", "mine (MY_API_KEY, GH_TOKEN)", "", ""},
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

func TestTwoScriptsOfOneShellAreTwoAccounts(t *testing.T) {
	t.Parallel()
	account := func(text string, env ...string) string {
		id, _ := agent.CommandAccount(agent.Command{Command: rule.Command{Text: text}}, env)
		return id
	}
	if account("sh a.sh") == account("sh b.sh") {
		t.Error("a limit of one script would stop the other")
	}
	if account("sh a.sh", "X_API_KEY=12345678") != account("sh b.sh", "X_API_KEY=12345678") {
		t.Error("with one key they share its limits")
	}
}
