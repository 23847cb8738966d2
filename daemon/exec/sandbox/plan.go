package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/confine"
	"autopilot/events"
)

// Host is what is the same for all effects of a daemon.
type Host struct {
	State   string // directories of the daemon
	Runtime string
	Config  string // file with the settings of the user
	Home    string // of the user
	Temp    string // folder for temporary files of all users
	UID     int
	// Secrets are files by which the daemon acts elsewhere: no effect reads them.
	Secrets []string
	// Programs are the daemon's own: no effect may change them.
	Programs []string
	Getenv   func(string) string // of the daemon
}

// Request is one effect.
type Request struct {
	Mode  events.Sandbox
	Allow []string // paths and words, see Words
	Env   []string // of the effect
	Work  string   // the work tree
	Agent string   // name of the profile; empty allows the folders of all
	Show  []string // what the effect needs of the daemon's directories
	Write []string // what it may write beside what its mode lets it
	Keep  string   // of what it needs, what it may not change; empty is nothing
	Gate  bool     // it is a gate: a read-only run lets it write in the work tree
	// Sealed is for a gate that runs what nobody may learn of: it writes Write and its
	// layers alone, and folders for temporary files are its own.
	Sealed bool
}

// planner is the making of one plan.
type planner struct {
	Host
	Request
	env  map[string]string
	held []string // folders of held-out files
	firm []string // what no effect may bring to another place, or put another in the place of
	plan confine.Plan
}

// Plan says what an effect may touch. It is nil for the mode off.
func (h Host) Plan(q Request) *confine.Plan {
	if q.Mode == events.SandboxOff || q.Mode == "" {
		return nil
	}
	p := &planner{Host: h, Request: q, env: map[string]string{}}
	for _, entry := range q.Env {
		name, value, _ := strings.Cut(entry, "=")
		p.env[name] = value
	}
	p.held = h.Held()
	p.daemon()
	p.sockets()
	if q.Sealed {
		p.seal()
	}
	if q.Mode != events.SandboxGuard {
		p.writes()
	}
	if q.Mode == events.SandboxReadOnly && !q.Gate {
		p.plan.ReadOnly = append(p.plan.ReadOnly, q.Work) // it may lie in a folder for temporary files
	}
	if q.Keep != "" {
		p.plan.ReadOnly = append(p.plan.ReadOnly, q.Keep)
	}
	for _, list := range p.plan.Lists() {
		*list = settle(*list)
	}
	p.plan.Fixed = p.fixed()
	covered := slices.Concat(p.plan.Hide, p.plan.Empty)
	p.plan.Show = slices.DeleteFunc(p.plan.Show, func(path string) bool {
		return !slices.ContainsFunc(covered, func(dir string) bool { return Within(dir, path) })
	})
	return &p.plan
}

// daemon hides the daemon and keeps its programs and settings as they are.
func (p *planner) daemon() {
	p.plan.Hide = append(p.plan.Hide, p.State, filepath.Dir(p.Runtime)) // other daemons of the user too
	p.plan.Hide = append(p.plan.Hide, p.Secrets...)
	p.hold()
	p.plan.Show = slices.Concat(p.plan.Show, p.Show, p.Programs)
	if p.covers(p.State, p.Work) || p.covers(filepath.Dir(p.Runtime), p.Work) {
		p.plan.Show = append(p.plan.Show, p.Work)
	}
	p.firm = slices.Concat([]string{p.State, filepath.Dir(p.Runtime)}, p.Secrets, p.held)
	// A missing one could be made from inside, and would count from then on.
	settings := filepath.Dir(p.Config)
	if p.Config != "" && (isDir(settings) || os.MkdirAll(settings, 0o700) == nil) {
		p.plan.ReadOnly = append(p.plan.ReadOnly, settings, p.Config) // it may be a link
		p.firm = append(p.firm, settings, p.Config)
	}
	for _, program := range p.Programs {
		if !p.covers(p.Work, program) { // there it is what is worked on
			p.plan.ReadOnly = append(p.plan.ReadOnly, program)
			p.firm = append(p.firm, program)
		}
	}
	// An effect that leaves its control group could not be ended with it.
	p.plan.ReadOnly = append(p.plan.ReadOnly, "/sys/fs/cgroup")
}

// fixed are the directories above what the effect must not change, or see, that it could
// rename: another one in their place would be read by the daemon.
func (p *planner) fixed() []string {
	var out []string
	for _, path := range settle(p.firm) {
		for dir := filepath.Dir(path); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
			if !slices.Contains(out, dir) && !slices.Contains(p.plan.ReadOnly, dir) && unix.Access(filepath.Dir(dir), unix.W_OK) == nil && isDir(dir) {
				out = append(out, dir)
			}
		}
	}
	slices.Sort(out)
	return out
}

// covers says the same of what links lead to.
func (p *planner) covers(dir, path string) bool { return Within(real(dir), real(path)) }

// Within says that path is dir or lies below it, as they are written.
func Within(dir, path string) bool {
	return dir == path || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// sockets hides those by which a program could have something done outside.
func (p *planner) sockets() {
	p.runtimeDirs()
	for _, door := range doors {
		paths := door.paths(p)
		if slices.Contains(p.Allow, door.word) {
			p.plan.Show = append(p.plan.Show, paths...)
			continue
		}
		for _, path := range paths {
			if !p.allowed(path) && !p.needed(path) {
				p.plan.Hide = append(p.plan.Hide, path)
			}
		}
	}
	for _, path := range p.allowedPaths() {
		if !p.ours(path) && !p.covers(path, p.State) && !p.covers(path, p.Runtime) {
			p.plan.Show = append(p.plan.Show, path)
		}
	}
	if !slices.Contains(p.Allow, display) {
		// Empty, as a display of the effect's own makes its socket there.
		p.plan.Empty = append(p.plan.Empty, filepath.Join(p.Temp, ".X11-unix"))
	}
}

// runtimeDirs empties the folder in which the programs of a login keep their
// sockets. Where it is no such folder, only known sockets in it are hidden.
func (p *planner) runtimeDirs() {
	for _, dir := range []string{p.value("XDG_RUNTIME_DIR"), "/run/user/" + strconv.Itoa(p.UID)} {
		if !filepath.IsAbs(dir) || p.allowed(dir) {
			continue
		}
		info, err := os.Stat(dir)
		if err == nil && info.Mode().Perm() == 0o700 && !p.needed(dir) {
			p.plan.Empty = append(p.plan.Empty, dir)
			continue
		}
		for _, name := range []string{"bus", "systemd", "docker.sock", "podman", "gnupg", "keyring", "wayland-0"} {
			p.plan.Hide = append(p.plan.Hide, filepath.Join(dir, name))
		}
	}
}

// needed says that a folder holds what no effect can be without, whatever a
// variable makes of it.
func (p *planner) needed(dir string) bool {
	return slices.ContainsFunc([]string{p.Home, p.Work, p.Temp, "/usr", p.value("TMPDIR")}, func(path string) bool {
		return filepath.IsAbs(path) && p.covers(dir, path)
	})
}

// allowedPaths are the entries of Allow that are paths.
func (p *planner) allowedPaths() []string {
	var out []string
	for _, entry := range p.Allow {
		if path, ok := Path(entry, p.Home); ok {
			out = append(out, path)
		}
	}
	return out
}

// allowed says that the configuration lets the effect at a path.
func (p *planner) allowed(path string) bool {
	return slices.ContainsFunc(p.allowedPaths(), func(dir string) bool { return p.covers(dir, path) })
}

// ours says that a path is the daemon's, or held out: nothing allows that.
func (p *planner) ours(path string) bool {
	return p.covers(p.State, path) || p.covers(filepath.Dir(p.Runtime), path) ||
		slices.ContainsFunc(p.held, func(dir string) bool { return p.covers(dir, path) })
}

// value is a variable of the effect, else of the daemon.
func (p *planner) value(name string) string {
	if v := p.env[name]; v != "" {
		return v
	}
	return p.Getenv(name)
}

// Path is the path that an entry of sandbox.allow names.
func Path(entry, home string) (string, bool) {
	if rest, ok := strings.CutPrefix(entry, "~/"); ok {
		return filepath.Join(home, rest), true
	}
	return filepath.Clean(entry), filepath.IsAbs(entry)
}

// settle makes paths free of links, in order, each once. One may not be there
// yet, as the box of an effect that is about to be made.
func settle(paths []string) []string {
	var out []string
	for _, path := range paths {
		if path = real(path); filepath.IsAbs(path) && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	slices.Sort(out)
	return out
}

// real is the path without links, as far as it exists.
func real(path string) string {
	rest := ""
	for dir := filepath.Clean(path); ; dir = filepath.Dir(dir) {
		if r, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(r, rest)
		}
		if dir == filepath.Dir(dir) {
			return filepath.Clean(path)
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
