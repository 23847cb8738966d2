package gate

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"

	"autopilot/daemon/run/fileid"
	"autopilot/daemon/run/installed"
)

// Outside is the name of the control that compares what gates load from beyond the
// recorded tree.
const Outside = "outside"

// Loads is what a recorded tree says of what its gates load.
type Loads struct {
	Dirs                         []string // with recorded files
	GoSums                       [][]byte // the go.sum files
	Go, Node, Python, Ruby, Rust bool     // what files there are of
}

// OutsideRoots are the folders of packages that gates load from: those in the work tree
// beside recorded files, and those of the toolchains that are used. Modules of Go are the
// ones that the go.sum files name. Caches of the daemon's own are not among them, see
// package cache.
func (p Pinned) OutsideRoots(of Loads) []installed.Root {
	o := &outside{Pinned: p, of: of}
	for _, dir := range of.Dirs {
		dir = filepath.Join(p.Workspace, dir)
		o.beside(dir)
		o.links = append(o.links, linksIn(dir)...)
	}
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		o.add(installed.Root{}, environment(p.value(name))...)
	}
	o.onPath()
	o.toolchains()
	o.packageHomes()
	o.searched()
	o.linked()
	for dir := range p.Modules(of.GoSums) {
		o.add(installed.Root{Kind: installed.Module}, dir)
	}
	slices.SortFunc(o.roots, func(a, b installed.Root) int {
		return cmp.Or(strings.Compare(a.Dir, b.Dir), int(a.Kind)-int(b.Kind))
	})
	return slices.CompactFunc(o.roots, func(a, b installed.Root) bool { return a.Dir == b.Dir })
}

// outside collects roots.
type outside struct {
	Pinned
	of    Loads
	roots []installed.Root
	links []string // that lie in the work tree
}

// add adds the folders among paths that somebody can change, as roots of a kind.
func (o *outside) add(like installed.Root, paths ...string) {
	for _, path := range paths {
		real := realPath(path)
		if !filepath.IsAbs(path) || real == "/" || !isDir(real) || !canChange(real) || o.Cache != "" && strings.HasPrefix(real, o.Cache+"/") {
			continue
		}
		root := like
		root.Dir = real
		if name := filepath.Base(path); name != filepath.Base(real) {
			root.As = name
		}
		o.roots = append(o.roots, root)
	}
}

// glob adds what patterns below a folder match.
func (o *outside) glob(like installed.Root, dir string, patterns ...string) {
	for _, pattern := range patterns {
		o.add(like, matches(dir, pattern)...)
	}
}

// matches are the paths below a folder that a pattern matches; the folder's own name
// is no pattern.
func matches(dir, pattern string) []string {
	found := []string{dir}
	for _, part := range strings.Split(pattern, "/") {
		var below []string
		for _, d := range found {
			if !strings.ContainsAny(part, "*[") {
				below = append(below, filepath.Join(d, part))
				continue
			}
			entries, _ := os.ReadDir(d) // one that cannot be read holds nothing
			for _, e := range entries {
				if ok, err := filepath.Match(part, e.Name()); ok && err == nil {
					below = append(below, filepath.Join(d, e.Name()))
				}
			}
		}
		found = below
	}
	return found
}

// beside adds the packages that lie in a folder with recorded files.
func (o *outside) beside(dir string) {
	o.glob(installed.Root{}, dir, "node_modules", "vendor", "bower_components")
	o.glob(installed.Root{Kind: installed.Gems}, dir, "vendor/bundle/ruby/*")
	for _, name := range []string{".venv", "venv", "env", ".env"} {
		o.add(installed.Root{}, environment(filepath.Join(dir, name))...)
	}
}

// canChange says that the user, and so an agent, can change what is in a folder.
func canChange(dir string) bool {
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
	return append(matches(dir, "lib/python3*/site-packages"), filepath.Join(dir, "bin"))
}

// onPath adds the environment and the global packages of Node that directories of PATH
// belong to, and the environments of programs that links there lead to, as those that
// pipx installs.
func (o *outside) onPath() {
	for _, d := range o.Dirs {
		prefix := filepath.Dir(d.Path)
		o.add(installed.Root{}, environment(prefix)...)
		if o.of.Node {
			o.glob(installed.Root{}, prefix, "lib/node_modules")
		}
	}
	for _, t := range o.Tools {
		if t.Real != "" {
			o.add(installed.Root{}, environment(filepath.Dir(filepath.Dir(t.Real)))...)
		}
	}
}

// packageHomes adds the packages that variables lead to.
func (o *outside) packageHomes() {
	for _, h := range []struct {
		name, below string
		like        installed.Root
	}{
		{"GEM_HOME", ".", installed.Root{Kind: installed.Gems}},
		{"BUNDLE_PATH", "ruby/*", installed.Root{Kind: installed.Gems}},
		{"CARGO_HOME", "registry/src", installed.Root{Depth: 2}},
		{"CARGO_HOME", "git/checkouts", installed.Root{Depth: 2}},
		{"COMPOSER_HOME", "vendor", installed.Root{}},
		{"DENO_DIR", "npm", installed.Root{Depth: 3}},
		{"PNPM_HOME", "global/*/node_modules", installed.Root{}},
		{"BUN_INSTALL", "install/global/node_modules", installed.Root{}},
		{"PYTHONUSERBASE", "lib/python3*/site-packages", installed.Root{}},
		{"MAVEN_HOME", "lib", installed.Root{Kind: installed.Whole}},
		{"M2_HOME", "lib", installed.Root{Kind: installed.Whole}},
		{"GRADLE_HOME", "lib", installed.Root{Kind: installed.Whole}},
	} {
		if dir := o.value(h.name); dir != "" {
			o.glob(h.like, dir, h.below)
		}
	}
	o.add(installed.Root{Kind: installed.Gems}, filepath.SplitList(o.value("GEM_PATH"))...)
}

// searched adds the folders that interpreters are told to look in first. What lies in the
// work tree is compared as such.
func (o *outside) searched() {
	for _, name := range []string{"PYTHONPATH", "NODE_PATH", "RUBYLIB", "PERL5LIB"} {
		for _, dir := range filepath.SplitList(o.value(name)) {
			if o.apart(dir) {
				like := installed.Root{Kind: installed.Whole, Most: mostSearched}
				if name == "NODE_PATH" { // it is looked in last
					like.Kind = installed.Packages
				}
				o.add(like, dir)
			}
		}
	}
}

// apart says that a path leads to something beside the work tree.
func (o *outside) apart(path string) bool {
	real := realPath(path)
	return !o.inWorkspace(real) && !strings.HasPrefix(o.Workspace, strings.TrimSuffix(real, "/")+"/")
}

// linked adds what links of the work tree and of its packages lead to outside of it, and
// the folders that path files of Python name.
func (o *outside) linked() {
	links := o.links
	for _, root := range o.roots {
		if base := filepath.Base(root.Dir); base == "node_modules" || root.As == "node_modules" {
			links = append(links, linksIn(root.Dir)...)
			for _, scope := range matches(root.Dir, "@*") {
				links = append(links, linksIn(scope)...)
			}
		} else if base == "site-packages" {
			links = append(links, pathFiles(root.Dir)...)
		}
	}
	for _, link := range links {
		info, err := os.Stat(link)
		if err == nil && !written[filepath.Base(link)] && (info.IsDir() || info.Mode().IsRegular()) && o.apart(link) && canChange(realPath(link)) {
			o.roots = append(o.roots, installed.Root{Dir: realPath(link), Kind: installed.Linked, Most: mostSearched})
		}
	}
}

// written are links to a place for what gates build and write.
var written = wordSet(`target build dist out output obj _build deps tmp temp log logs cache coverage htmlcov results reports data
	.next .nuxt .output .svelte-kit .tox .nox .gradle .dart_tool .build .cache .turbo .parcel-cache .mypy_cache .pytest_cache .ruff_cache`)

// linksIn are the links of a folder.
func linksIn(dir string) (links []string) {
	entries, _ := os.ReadDir(dir) // one that cannot be read has none
	for _, e := range entries {
		if e.Type()&os.ModeSymlink != 0 {
			links = append(links, filepath.Join(dir, e.Name()))
		}
	}
	return links
}

// pathFiles are the folders that path files of a folder name, as of packages that are
// installed to be edited.
func pathFiles(dir string) (named []string) {
	for _, file := range matches(dir, "*.pth") {
		text, _ := readSmall(file) // a broken one names nothing
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); filepath.IsAbs(line) {
				named = append(named, line)
			}
		}
	}
	return named
}

// mostSearched bounds the files of a folder that may be anything.
const mostSearched = 50_000

// GoModule is a module as go.sum names it.
type GoModule struct {
	Name string // path@version
	Sum  string // h1:...
}

// Modules are the modules that go.sum files name and that are in the module cache, by
// their folders there. The first file that names one counts.
func (p Pinned) Modules(goSums [][]byte) map[string]GoModule {
	cache := p.goValue("GOMODCACHE")
	if cache == "" {
		first, _, _ := strings.Cut(p.goValue("GOPATH"), string(os.PathListSeparator))
		if first == "" {
			return nil
		}
		cache = filepath.Join(first, "pkg", "mod")
	}
	out := map[string]GoModule{}
	for _, text := range goSums {
		for line := range strings.Lines(string(text)) {
			f := strings.Fields(line)
			if len(f) != 3 || strings.HasSuffix(f[1], "/go.mod") || !filepath.IsLocal(f[0]+"@"+f[1]) {
				continue
			}
			dir := realPath(filepath.Join(cache, escaped(f[0])+"@"+escaped(f[1])))
			if _, named := out[dir]; !named && isDir(dir) && canChange(dir) {
				out[dir] = GoModule{Name: f[0] + "@" + f[1], Sum: f[2]}
			}
		}
	}
	return out
}

// goValue is a variable of Go: of the environment, else of what "go env -w" wrote.
func (p Pinned) goValue(name string) string {
	if value := p.value(name); value != "" {
		return value
	}
	for _, c := range p.Copies {
		if c.Name == goEnvName {
			return parseEnv(strings.Split(strings.ReplaceAll(string(c.Data), "\r", ""), "\n"))[name]
		}
	}
	return ""
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
