package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// accountDomain keeps what is hashed here apart from every other hash.
const accountDomain = "autopilot account v1"

// Account is who a run of a profile works as for its provider: all runs of one
// account share its limits. Env is that of the run; what the profile sets wins.
//
// The id is the same wherever key or login folder are the same, and tells
// neither. The label is for people, as "claude (ANTHROPIC_API_KEY)" or "claude
// (~/.claude)".
func Account(p Profile, env []string) (id, label string) {
	env = merge(env, pairs(p.change.Env))
	g := p.program
	if g.name == "" {
		return CommandAccount(Command{Command: p.change.Command}, env)
	}
	for _, key := range g.login.keys {
		if names := setVariables(env, key); len(names) > 0 {
			return accountOfKeys(g.name, names, env)
		}
	}
	home, folder := g.login.folder(env, "")
	if len(g.login.files) > 0 {
		folder = filepath.Dir(filepath.Join(folder, g.login.files[0]))
	}
	return accountID(g.name, "login", folder), g.name + " (" + shortHome(folder, home) + ")"
}

// CommandAccount is the account of any other command: that of its program and
// of all variables that look like a key. Without a key it is that of the whole
// command alone, as two scripts of one shell have nothing in common.
func CommandAccount(c Command, env []string) (id, label string) {
	name := filepath.Base(c.FirstWord())
	if c.FirstWord() == "" {
		name = "command"
	}
	names := append(setVariables(env, "*_API_KEY"), setVariables(env, "*_TOKEN")...)
	if len(names) == 0 {
		return accountID(name, append([]string{"command", c.Text}, c.Argv...)...), name
	}
	return accountOfKeys(name, names, env)
}

func accountOfKeys(name string, keys, env []string) (id, label string) {
	var parts []string
	for _, k := range keys {
		parts = append(parts, k, Lookup(env, k))
	}
	return accountID(name, parts...), fmt.Sprintf("%s (%s)", name, strings.Join(keys, ", "))
}

// accountID hashes the parts with their lengths, so that none can be taken for
// two.
func accountID(name string, parts ...string) string {
	h := sha256.New()
	for _, part := range append([]string{accountDomain, name}, parts...) {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// shortHome writes a folder below home with a tilde.
func shortHome(folder, home string) string {
	if below, ok := strings.CutPrefix(folder, home+"/"); ok {
		return "~/" + below
	}
	return folder
}
