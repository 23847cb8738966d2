package gate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"autopilot/daemon/fileid"
	"autopilot/daemon/installed"
)

// Outside is the name of the control that compares what gates load from beyond the
// recorded tree.
const Outside = "outside"

// Loads is what a recorded tree says of what its gates load.
type Loads struct {
	Dirs             []string // with recorded files
	GoSums           [][]byte // the go.sum files
	Go, Node, Python bool     // what files there are of
}

// OutsideRoots are the folders of packages that gates load from: those in the work tree
// beside recorded files, and those of the toolchains that are used. Modules of Go are the
// ones that the go.sum files name. Caches of the daemon's own are not among them, see
// package cache.
func (p Pinned) OutsideRoots(of Loads) []installed.Root {
	var roots []installed.Root
	add := func(kind installed.Kind, paths ...string) {
		for _, path := range paths {
			real := realPath(path)
			if !filepath.IsAbs(path) || real == "/" || !isDir(real) || !p.canChange(real) || p.Cache != "" && strings.HasPrefix(real, p.Cache+"/") {
				continue
			}
			roots = append(roots, installed.Root{Dir: real, Kind: kind})
		}
	}
	for _, dir := range of.Dirs {
		for _, name := range []string{"node_modules", "vendor", "bower_components"} {
			add(installed.Packages, filepath.Join(p.Workspace, dir, name))
		}
		for _, name := range []string{".venv", "venv", "env", ".env"} {
			add(installed.Packages, environment(filepath.Join(p.Workspace, dir, name))...)
		}
	}
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		add(installed.Packages, environment(p.value(name))...)
	}
	p.addToolchains(of, add)
	add(installed.Whole, p.modules(of.GoSums)...)
	slices.SortFunc(roots, func(a, b installed.Root) int { return strings.Compare(a.Dir, b.Dir) })
	return slices.CompactFunc(roots, func(a, b installed.Root) bool {
		return a.Dir == b.Dir || strings.HasPrefix(b.Dir, a.Dir+"/") && a.Kind == installed.Packages
	})
}

// canChange says that the user, and so an agent, can change what is in a folder.
func (p Pinned) canChange(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && (unix.Access(dir, unix.W_OK) == nil || fileid.Owned(info))
}

// environment are the folders of a virtual environment that programs of it load.
func environment(dir string) []string {
	if dir == "" {
		return nil
	}
	if _, err := os.Lstat(filepath.Join(dir, "pyvenv.cfg")); err != nil && !isDir(filepath.Join(dir, "conda-meta")) {
		return nil
	}
	found, _ := filepath.Glob(filepath.Join(dir, "lib", "python3*", "site-packages")) // the pattern is well formed
	return append(found, filepath.Join(dir, "bin"))
}

// addToolchains adds the libraries of the programs that the pinned PATH leads to.
func (p Pinned) addToolchains(of Loads, add func(installed.Kind, ...string)) {
	prefix := func(used bool, program string) string {
		path := realPath(p.look(program)) // the link in a virtual environment leads to its base
		if !used || path == "" || p.inWorkspace(path) {
			return ""
		}
		return filepath.Dir(filepath.Dir(path))
	}
	if root := prefix(of.Go, "go"); root != "" && isDir(filepath.Join(root, "src", "runtime")) {
		add(installed.Tools, filepath.Join(root, "src"), filepath.Join(root, "bin"), filepath.Join(root, "pkg", "tool"))
	}
	if root := prefix(of.Node, "node"); root != "" {
		add(installed.Packages, filepath.Join(root, "lib", "node_modules"))
	}
	pythons := []string{prefix(of.Python, "python3"), prefix(of.Python, "python")}
	for name, pattern := range map[string]string{"PYENV_ROOT": "versions/*", "ASDF_DATA_DIR": "installs/python/*"} {
		if dir := p.value(name); of.Python && dir != "" { // a program there only looks for another one
			found, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is well formed
			pythons = append(pythons, found...)
		}
	}
	for _, root := range pythons {
		if root == "" {
			continue
		}
		for _, pattern := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "local/lib/python3*/dist-packages"} {
			found, _ := filepath.Glob(filepath.Join(root, pattern)) // the pattern is well formed
			add(installed.Packages, found...)
		}
		found, _ := filepath.Glob(filepath.Join(root, "lib", "python3*")) // the pattern is well formed
		add(installed.Tools, found...)
	}
	for _, kv := range []struct{ name, below string }{
		{"GEM_HOME", ""},
		{"BUNDLE_PATH", ""},
		{"CARGO_HOME", "registry/src"},
		{"CARGO_HOME", "git/checkouts"},
		{"COMPOSER_HOME", "vendor"},
		{"DENO_DIR", "npm"},
		{"MAVEN_HOME", "lib"},
		{"M2_HOME", "lib"},
		{"GRADLE_HOME", "lib"},
	} {
		if dir := p.value(kv.name); dir != "" {
			add(installed.Packages, filepath.Join(dir, kv.below))
		}
	}
	add(installed.Packages, filepath.SplitList(p.value("GEM_PATH"))...)
}

// modules are the folders of the module cache that go.sum files name.
func (p Pinned) modules(goSums [][]byte) []string {
	cache := p.value("GOMODCACHE")
	if cache == "" {
		first, _, _ := strings.Cut(p.value("GOPATH"), string(os.PathListSeparator))
		if first == "" {
			return nil
		}
		cache = filepath.Join(first, "pkg", "mod")
	}
	var out []string
	for _, text := range goSums {
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) != 3 || strings.HasSuffix(f[1], "/go.mod") || !filepath.IsLocal(f[0]) {
				continue
			}
			out = append(out, filepath.Join(cache, escaped(f[0])+"@"+escaped(f[1])))
		}
	}
	return out
}

// escaped is a path or a version as the module cache names it.
//
// Source: golang.org/x/mod/module: a capital is an exclamation mark and its small letter.
func escaped(name string) string {
	var b strings.Builder
	for _, r := range name {
		if unicode.IsUpper(r) {
			b.WriteByte('!')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
