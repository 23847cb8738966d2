package realtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
)

// world is the one folder in which all of it happens.
type world struct {
	ctx    context.Context
	root   string
	save   string
	runner *effect.Runner
}

func newWorld(ctx context.Context, save string) (_ *world, err error) {
	for _, name := range []string{"npm", "git", "go"} {
		if _, err := exec.LookPath(name); err != nil {
			return nil, err
		}
	}
	w := &world{ctx: ctx, save: save}
	if w.root, err = os.MkdirTemp("", "agents-real-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(w.root))
		}
	}()
	if err := os.Mkdir(filepath.Join(w.root, "r"), 0o700); err != nil {
		return nil, err
	}
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", filepath.Join(w.root, "bin")+"/",
		"autopilot/cmd/apctl", "autopilot/cmd/autopilotd", "autopilot/cmd/apshim")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build our programs: %w\n%s", err, out)
	}
	w.runner, err = effect.New(effect.Config{Root: filepath.Join(w.root, "effects"), Shim: w.program("apshim")})
	return w, err
}

// program is one of ours.
func (w *world) program(name string) string { return filepath.Join(w.root, "bin", name) }

// end removes everything, and fails if a process was left.
func (w *world) end() error {
	var left []error
	for id, list := range proc.Marked(func(string) bool { return true }, 0) {
		if !w.owns(id) {
			continue
		}
		for _, p := range list {
			left = append(left, fmt.Errorf("process %d of %s was left", p.PID, id))
			_ = proc.Signal(p, syscall.SIGKILL)
		}
	}
	return errors.Join(append(left, os.RemoveAll(w.root))...)
}

// owns says whether an effect is of this world: of a case, or of its daemon.
func (w *world) owns(id string) bool {
	for _, below := range []string{"effects", "*/state/effects"} {
		if found, _ := filepath.Glob(filepath.Join(w.root, below, id)); len(found) > 0 { // an id has no bad pattern
			return true
		}
	}
	return false
}

// play installs a program and plays its cases.
func (w *world) play(p program, only choice, t *table) {
	fmt.Fprintf(os.Stderr, "agents-real: install %s\n", p.pkg)
	in, err := w.install(p)
	if err != nil {
		t.add(row{program: p.name, name: "install", want: "installed", faults: []string{firstLine(err)}})
		return
	}
	for _, c := range p.cases() {
		if w.ctx.Err() == nil && only.has(p.name, c.name) {
			fmt.Fprintf(os.Stderr, "agents-real: %s %s\n", p.name, c.name)
			t.add(w.row(in, c))
		}
	}
	// The largest has half a gigabyte.
	_ = os.RemoveAll(in.dir) // at the end once more
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	return line
}

// installed is a program as npm has installed it.
type installed struct {
	program
	dir, version string
}

var versionText = regexp.MustCompile(`\d+\.\d+\.\d+(?:[.+-]?\w)*`)

func (w *world) install(p program) (installed, error) {
	in := installed{program: p, dir: filepath.Join(w.root, "npm-"+p.name)}
	if err := os.Mkdir(in.dir, 0o700); err != nil {
		return in, err
	}
	npm := exec.CommandContext(w.ctx, "npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", in.dir, p.pkg)
	npm.Dir = in.dir
	if out, err := npm.CombinedOutput(); err != nil {
		return in, fmt.Errorf("npm install %s: %s", p.pkg, cmp.Or(strings.TrimSpace(string(out)), err.Error()))
	}
	home := filepath.Join(w.root, "home-"+p.name)
	if err := os.Mkdir(home, 0o700); err != nil {
		return in, err
	}
	ask := exec.CommandContext(w.ctx, filepath.Join(in.bin(), p.name), "--version")
	ask.Env, ask.Dir = []string{"PATH=" + in.path(), "HOME=" + home, "TMPDIR=" + home}, home
	out, err := ask.CombinedOutput() // pi says it on its standard error
	if err != nil {
		return in, fmt.Errorf("%s --version: %w", p.name, err)
	}
	in.version = versionText.FindString(string(out))
	return in, nil
}

func (in installed) bin() string { return filepath.Join(in.dir, "node_modules", ".bin") }

func (in installed) path() string { return in.bin() + string(os.PathListSeparator) + os.Getenv("PATH") }
