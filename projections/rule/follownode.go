package rule

import (
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/goccy/go-yaml"

	"autopilot/projections/regex"
)

// node follows a call of a package manager: scripts of package.json, in the
// packages that it names.
func (f *follower) node(w *shellWalk, c shellCall, n nodeRun) {
	for _, base := range f.folders(w, n.dirs) {
		at := f.nearest(base)
		if at == "" {
			continue
		}
		f.pkg(f.up(at), nil)
		files := []string{at}
		if n.all || len(n.workspaces) > 0 {
			files = f.workspaces(n)
		}
		for _, file := range files {
			f.scripts(file, n)
		}
		inner := *w
		inner.dirs = []string{base}
		for _, text := range n.text {
			inner.text(text)
		}
		if len(n.exec) > 0 && n.exec[0] != "" && !f.hasScript(at, n.exec[0]) {
			f.deeper(f.by, func() { f.run(&inner, shellCall{words: n.exec, read: c.read, cond: c.cond}) })
		}
	}
}

func (f *follower) hasScript(file, name string) bool {
	pkg, ok := readPackage(f.src.read(file))
	return ok && pkg.Scripts[name] != nil
}

// nearest is the package.json that counts in a folder: there, or above.
func (f *follower) nearest(dir string) string {
	for {
		if p := path.Join(dir, "package.json"); f.src.exists(p) {
			return p
		}
		if dir == "." || dir == "" {
			return ""
		}
		dir = path.Dir(dir)
	}
}

// up is the package.json at the top of the repository of a package, which has
// its overrides and workspaces.
func (f *follower) up(file string) string {
	if f.src.exists("package.json") {
		return "package.json"
	}
	return file
}

// scripts pins those of a package that are asked for, and follows them.
func (f *follower) scripts(file string, n nodeRun) {
	pkg, ok := readPackage(f.src.read(file))
	var names []string
	for _, s := range n.scripts {
		known := ok && (pkg.Scripts[s] != nil || strings.Contains(s, "*") || s == "")
		if known || n.here() && !slices.Contains(n.exec, s) {
			names = append(names, s)
		}
	}
	f.pkg(file, names)
}

// pkg pins what is reached of a package.json, and follows its scripts.
func (f *follower) pkg(file string, names []string) {
	key := "node\x00" + file + "\x00" + strings.Join(names, " ")
	if f.seen[key] {
		return
	}
	f.seen[key] = true
	part := Part{Kind: PartNode, All: slices.Contains(names, "")}
	for _, name := range names {
		if name != "" {
			part.Names = append(part.Names, name)
		}
		if name != "" && !strings.Contains(name, "*") {
			part.Names = append(part.Names, "pre"+name, "post"+name)
		}
	}
	data := f.src.read(file)
	why := Why{WhyScript, strings.Join(names, " ")}
	if len(names) == 0 {
		why = Why{Kind: WhyConfig}
	}
	parsed, ok := parsePart(PartNode, data)
	if !ok {
		f.part(file, part, why)
		return
	}
	r := parsed.reach(part)
	part.Names = keys(r.names)
	if len(names) == 0 {
		part.Names = nil
	}
	f.part(file, part, why)
	f.configured(path.Dir(file), data)
	if len(names) == 0 {
		return
	}
	pkg, _ := readPackage(data)
	f.deeper(Why{WhyRun, file}, func() {
		for _, it := range r.items {
			for _, name := range it.names {
				if body := pkg.script(name); body != "" {
					f.hidesLine("script "+name+" of "+file, body)
					f.goal(body, path.Dir(file), slices.Contains(names, name))
				}
			}
		}
	})
}

// workspaces are the packages that a call means.
func (f *follower) workspaces(n nodeRun) []string {
	globs := f.workspaceGlobs()
	var out []string
	for _, file := range f.src.Files {
		dir := path.Dir(file)
		if path.Base(file) != "package.json" || strings.Contains(file, "node_modules/") {
			continue
		}
		if dir != "." && len(globs) > 0 && !matchAny(globs, dir) {
			continue
		}
		if n.all {
			out = append(out, file)
			continue
		}
		pkg, _ := readPackage(f.src.read(file))
		for _, want := range n.workspaces {
			if want == "" || path.Join(".", want) == dir || want == pkg.Name || path.Base(want) == path.Base(pkg.Name) {
				out = append(out, file)
				break
			}
		}
	}
	return out
}

// workspaceGlobs are the folders of packages as the top of the repository says.
func (f *follower) workspaceGlobs() []string {
	var globs []string
	var yarn struct {
		Packages []string `json:"packages" yaml:"packages"`
	}
	if pkg, ok := readPackage(f.src.read("package.json")); ok && pkg.Members["workspaces"] != nil {
		if json.Unmarshal(pkg.Members["workspaces"], &globs) != nil && json.Unmarshal(pkg.Members["workspaces"], &yarn) == nil {
			globs = yarn.Packages
		}
	}
	if b := f.src.read("pnpm-workspace.yaml"); len(b) > 0 && yaml.Unmarshal(b, &yarn) == nil {
		globs = append(globs, yarn.Packages...)
	}
	out := slices.DeleteFunc(globs, func(g string) bool { return strings.HasPrefix(g, "!") })
	for i, g := range out {
		out[i] = "/" + strings.Trim(clean(g), "/")
	}
	return out
}

// runnerFiles are names of files with which the runner of a program's tests is
// configured, and that go first where several are there.
var nodeRivals = map[string][]string{
	"jest":   {"jest.config.js", "jest.config.ts", "jest.config.mjs", "jest.config.cjs", "jest.config.mts", "jest.config.cts", "jest.config.json"},
	"mocha":  {".mocharc.js", ".mocharc.cjs", ".mocharc.mjs", ".mocharc.yaml", ".mocharc.yml", ".mocharc.jsonc", ".mocharc.json"},
	"vitest": {"vitest.config.ts", "vitest.config.js", "vitest.config.mts", "vitest.config.mjs", "vitest.config.cts", "vitest.config.cjs"},
	"ava":    {"ava.config.js", "ava.config.cjs", "ava.config.mjs"},
	"nyc":    {".nycrc", ".nycrc.json", ".nycrc.yml", ".nycrc.yaml", "nyc.config.js", "nyc.config.cjs"},
}

var (
	localPath   = regex.New(`["'` + "`" + `](?:<rootDir>/|\./)([^"'` + "`" + `*]+)["'` + "`" + `]`)
	steeringKey = regex.New(`(?i)(setup|global|transform|require|reporter|environment|resolver|runner|preset|snapshot|sequencer|processor|file|import|loader)\w*["']?\s*:?\s*[\[{]?[^\]}]*$`)
)

// configured pins what the configuration of runners in a package loads.
func (f *follower) configured(dir string, data []byte) {
	pkg, ok := readPackage(data)
	if !ok {
		return
	}
	for runner, names := range nodeRivals {
		if pkg.Members[runner] != nil || len(existing([]string{dir}, names, f.src.exists)) > 0 {
			f.pins.Absent = append(f.pins.Absent, missingFiles(dir, names, f.src.exists)...)
		}
		if v := pkg.Members[runner]; v != nil {
			f.loads(path.Join(dir, "package.json"), dir, string(v))
		}
		for _, p := range existing([]string{dir}, names, f.src.exists) {
			f.loads(p, dir, string(f.src.read(p)))
		}
	}
}

// loads pins files that a configuration of a runner names as what it loads.
func (f *follower) loads(from, dir, text string) {
	for _, m := range localPath.FindAllStringSubmatchIndex(text, -1) {
		before := text[max(0, m[0]-160):m[0]]
		if !steeringKey.MatchString(before) {
			continue
		}
		name := text[m[2]:m[3]]
		for _, try := range []string{name, name + ".js", name + ".ts", name + ".mjs", name + ".cjs", name + ".json", name + ".tsx"} {
			for _, p := range join([]string{dir}, try) {
				if f.src.exists(p) && !productLike(p) {
					f.pin(p, Why{WhyConfig, from})
				}
			}
		}
	}
}

// productLike is a path that a runner's configuration names as what is tested.
func productLike(name string) bool { return path.Base(name) == "package.json" }

func missingFiles(dir string, names []string, exists func(string) bool) []string {
	var out []string
	for _, n := range names {
		if p := path.Join(dir, n); !exists(p) {
			out = append(out, p)
		}
	}
	return out
}
