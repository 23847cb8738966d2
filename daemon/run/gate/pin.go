package gate

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/exec/confine"
	"autopilot/projections/rule"
)

// PinRequest is what a run fixes for its gates.
type PinRequest struct {
	Workspace string            // its real path
	Home      string            // HOME of the gates of this workspace, the daemon's own
	Cache     string            // caches of the gates of this workspace, see package cache
	Base      string            // what compilers have made for all workspaces: gates read it
	Temp      string            // name of a folder below the client's folder for temporary files
	ClientEnv []string          // NAME=VALUE, as the client had them when it asked for the run
	Commands  []rule.Command    // of all gates
	Extra     map[string]string // gate.env: wins over everything
}

// Pinned is what the gates of one run work with, from its start to its end. Its
// JSON holds values of variables and files, which can be secrets: it belongs
// into a file of mode 0600. EnvSummary and ToolSummary hold none.
type Pinned struct {
	Workspace string   `json:"workspace"`
	Home      string   `json:"home"`
	Cache     string   `json:"cache,omitzero"`
	Base      string   `json:"base,omitzero"`
	Temp      string   `json:"temp,omitzero"` // empty if the user has set another one
	Env       []string `json:"env"`           // NAME=VALUE, sorted: all that a gate gets
	Copies    []Copy   `json:"copies"`
	Configs   []File   `json:"configs,omitzero"` // of toolchains, outside HOME
	Scripts   []File   `json:"scripts,omitzero"` // that gates name and the recorded tree lacks
	Roles     []File   `json:"roles,omitzero"`   // programs and scripts of agents that look at the work
	Dirs      []Dir    `json:"dirs"`             // PATH, in order
	Tools     []Tool   `json:"tools,omitzero"`   // one for each command word, sorted

	Layers  []confine.Layer `json:"-"` // of a variant of the workspace
	Settled bool            `json:"-"` // HOME was prepared by a set-up, and stays as that left it
}

// Pin makes the gates' HOME and caches, copies the user's configuration into it
// and remembers every tool that the commands name. It is called at the start of
// a run. A command that cannot be found is no error: Unverifiable says it.
func Pin(r PinRequest) (Pinned, error) {
	return pin(r, passwdHome)
}

func pin(r PinRequest, lookup func() (string, error)) (Pinned, error) {
	client := parseEnv(r.ClientEnv)
	home, err := userHome(client, lookup)
	if err != nil {
		return Pinned{}, err
	}
	env := gateEnv(client, home, r)
	temp := env["TMPDIR"]
	env["GOENV"] = filepath.Join(r.Home, filepath.FromSlash(goEnvName))
	if err := addExtra(env, r.Extra); err != nil {
		return Pinned{}, err
	}
	p := Pinned{Workspace: r.Workspace, Home: r.Home, Cache: r.Cache, Base: r.Base, Env: env.list()}
	if r.Temp != "" && env["TMPDIR"] == temp {
		p.Temp = temp
	}
	if p.Copies, err = readCopies(client, home); err != nil {
		return Pinned{}, err
	}
	if isDir(filepath.Join(home, ".m2")) {
		p.Copies = append(p.Copies, Copy{Name: ".m2/repository", Link: filepath.Join(r.Cache, "m2")})
	}
	if err := p.prepare(r.Cache); err != nil {
		return Pinned{}, err
	}
	if p.Configs, err = readFiles(toolConfigs(env)); err != nil {
		return Pinned{}, err
	}
	if p.Dirs, err = readDirs(pinnedPath(env["PATH"])); err != nil {
		return Pinned{}, err
	}
	p.Tools, err = p.findTools(r.Commands)
	return p, err
}

func addExtra(env environ, extra map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if name == "" || strings.ContainsAny(name, "=\x00") || strings.Contains(extra[name], "\x00") {
			return fmt.Errorf("gate.env: variable %q cannot be set", name)
		}
		env[name] = extra[name]
	}
	return nil
}

// prepare makes the directories and lays the copies.
func (p Pinned) prepare(cache string) error {
	dirs := []string{cache}
	for _, kv := range p.Env {
		name, dir, _ := strings.Cut(kv, "=")
		if cacheDirs[name] != "" && strings.HasPrefix(dir, cache+string(filepath.Separator)) {
			dirs = append(dirs, dir)
		}
	}
	for _, dir := range dirs {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("make directory of the gates: %w", err)
		}
	}
	return layCopies(p.Home, p.Copies)
}

func (p Pinned) value(name string) string { return parseEnv(p.Env)[name] }

// Path are the pinned directories of PATH, in order.
func (p Pinned) Path() []string {
	dirs := make([]string, len(p.Dirs))
	for i, d := range p.Dirs {
		dirs[i] = d.Path
	}
	return dirs
}

// NamedSum is a name and the SHA-256 of its value.
type NamedSum struct {
	Name string `json:"name"`
	Sum  string `json:"sum"`
}

// EnvSummary are the names of the gates' variables with the sums of their
// values, sorted by name.
func (p Pinned) EnvSummary() []NamedSum {
	sums := make([]NamedSum, 0, len(p.Env))
	for _, kv := range p.Env {
		name, value, _ := strings.Cut(kv, "=")
		sums = append(sums, NamedSum{name, hash([]byte(value))})
	}
	return sums
}

// EnvSum is the SHA-256 of the whole environment.
func (p Pinned) EnvSum() string { return hash([]byte(strings.Join(p.Env, "\x00"))) }

// ToolSummary is the evidence of what the gates are run with.
type ToolSummary struct {
	Path    []string   `json:"path"`
	Tools   []Tool     `json:"tools"`
	Configs []NamedSum `json:"configs"` // files of configuration; the sum of an absent one is empty
}

// ToolSummary says where PATH leads, what each command word is, and which
// configuration there is.
func (p Pinned) ToolSummary() ToolSummary {
	s := ToolSummary{Path: p.Path(), Tools: p.Tools}
	for _, c := range p.Copies {
		s.Configs = append(s.Configs, NamedSum{"HOME/" + c.Name, c.Sum()})
	}
	for _, f := range slices.Concat(p.Configs, p.Scripts) {
		s.Configs = append(s.Configs, NamedSum{f.Path, f.Sum})
	}
	return s
}

// Summary is what a run shows of its gates' environment.
type Summary struct {
	Env   []NamedSum  `json:"env"`
	Tools ToolSummary `json:"tools"`
}

// Summary holds names and sums and no value.
func (p Pinned) Summary() Summary { return Summary{p.EnvSummary(), p.ToolSummary()} }
