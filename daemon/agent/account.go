package agent

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"autopilot/daemon/regular"
	"autopilot/events"
	"autopilot/projections/regex"
	"autopilot/projections/rule"
)

// accountDomain keeps what is hashed here apart from every other hash.
const accountDomain = "autopilot account v1"

// Site is where a command works.
type Site struct {
	Dir        string // the work tree
	Repository string // the same for all work trees of one; empty is none
}

// Account is who a run of a profile works as for its provider: all runs of one
// account share its limits. Env is that of the run; what the profile sets wins.
//
// The id is the same wherever key or login folder are the same, and tells
// neither. The label is for people, as "claude (ANTHROPIC_API_KEY)" or "claude
// (~/.claude)". A configuration may name the account itself.
func Account(p Profile, env []string, site Site) (id, label string) {
	env = merge(env, pairs(p.change.Env))
	switch {
	case p.change.Account != "":
		return accountID("named", p.change.Account), p.change.Account
	case p.program.name == "":
		return CommandAccount(Command{Command: p.change.Command}, env, site)
	}
	return p.program.account(env)
}

func (p program) account(env []string) (id, label string) {
	for _, key := range p.login.keys {
		if names := setVariables(env, key); len(names) > 0 {
			return accountOfKeys(p.name, names, env)
		}
	}
	home, folder := p.login.folder(env, "")
	if len(p.login.files) > 0 {
		folder = filepath.Dir(filepath.Join(folder, p.login.files[0]))
	}
	return accountID(p.name, "login", folder), p.name + " (" + shortHome(folder, home) + ")"
}

// CommandAccount is the account of any other command: that of the agent programs
// that it calls, itself or in a script of its own; else that of the keys of known
// logins that it names; else that of its repository. So two unrelated commands of one
// name never share a limit.
func CommandAccount(c Command, env []string, site Site) (id, label string) {
	name := filepath.Base(c.FirstWord())
	if c.FirstWord() == "" {
		name = "command"
	}
	u := uses{env: env, dir: site.Dir}
	u.command(c.Command)
	for range maxScripts {
		if len(u.scripts) == 0 {
			break
		}
		u.script(u.scripts[0])
		u.scripts = u.scripts[1:]
	}
	if len(u.programs) > 0 {
		return accountOfPrograms(u.programs, env)
	}
	if len(u.keys) > 0 {
		slices.Sort(u.keys)
		return accountOfKeys(name, slices.Compact(u.keys), env)
	}
	parts := append([]string{"command", c.Text}, c.Argv...)
	return accountID(name, append(parts, "repository", site.Repository)...), name
}

// accountOfPrograms is the account of the only program, or of all of them together.
func accountOfPrograms(names, env []string) (id, label string) {
	var ids, labels []string
	for _, name := range names {
		p, _ := findProgram(name)
		i, l := p.account(env)
		ids, labels = append(ids, i), append(labels, l)
	}
	if len(ids) == 1 {
		return ids[0], labels[0]
	}
	return accountID("programs", ids...), strings.Join(labels, ", ")
}

const (
	maxScripts = 8         // that are read of one command
	maxScript  = 256 << 10 // bytes of one
)

// uses is what a command calls, and what it names.
type uses struct {
	env, scripts   []string // the scripts are yet to be read
	dir            string
	programs, keys []string
}

// keyNames are variables of logins, as a text names them.
var keyNames = regex.New(`\b[A-Z][A-Z0-9_]*\b`)

// command reads what a command or script calls, and the keys that it names.
func (u *uses) command(c rule.Command) {
	for _, word := range c.Words() {
		file, err := LookPath(word, Lookup(u.env, "PATH"), u.dir)
		if err != nil {
			u.calls(filepath.Base(word))
			continue
		}
		if real, err := filepath.EvalSymlinks(file); err == nil && !u.calls(filepath.Base(word)) && !u.installed(real) {
			u.scripts = append(u.scripts, real)
		}
	}
	for _, word := range slices.Concat([]string{c.Text}, c.Argv) {
		u.names(word)
		if file := filepath.Join(u.dir, word); len(c.Argv) > 0 && u.dir != "" && !filepath.IsAbs(word) {
			u.scripts = append(u.scripts, file) // as of an interpreter
		}
	}
	for _, word := range strings.Fields(c.Text) {
		if file := filepath.Join(u.dir, word); u.dir != "" && !filepath.IsAbs(word) && len(c.Text) < maxScript/64 {
			u.scripts = append(u.scripts, file)
		}
	}
}

// calls notes a program that is known by that name.
func (u *uses) calls(name string) bool {
	if !IsShipped(name) {
		return false
	}
	if !slices.Contains(u.programs, name) {
		u.programs = append(u.programs, name)
	}
	return true
}

// installed notes the program whose file that is.
func (u *uses) installed(file string) bool {
	for _, p := range events.AgentPrograms() {
		for folder := range strings.FieldsSeq(p.Install) {
			if strings.Contains(file, "/"+folder+"/") {
				return u.calls(p.Name)
			}
		}
	}
	return false
}

// names notes the keys of known logins that a text names and that have a value.
func (u *uses) names(t string) {
	for _, name := range keyNames.FindAllString(t, -1) {
		known := strings.HasSuffix(name, "_API_KEY") || slices.ContainsFunc(programs(), func(p program) bool { return slices.Contains(p.login.keys, name) })
		if known && Lookup(u.env, name) != "" {
			u.keys = append(u.keys, name)
		}
	}
}

// script reads a file if that is text: what it calls as a shell script, and the
// programs that it names as words of their own.
func (u *uses) script(file string) {
	b, err := regular.Read(file, maxScript)
	if err != nil || bytes.IndexByte(b, 0) >= 0 {
		return
	}
	known := len(u.programs)
	u.command(rule.Command{Text: string(b)})
	if len(u.programs) > known {
		return
	}
	for _, name := range shippedNames() {
		if regexp.MustCompile(`["']` + regexp.QuoteMeta(name) + `["']`).Match(b) {
			u.calls(name)
		}
	}
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
