package project

import (
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/projections/regex"
)

// Bounds of the search for packages: directories that are looked at, packages that are
// kept, and levels below the root.
const (
	maxDirs     = 64
	maxVisited  = 1024
	maxPackages = 128
	maxLevel    = 3
)

// manifests are the files that make a package of a directory.
var manifests = []string{
	"go.mod", "package.json", "Cargo.toml", "pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "pytest.ini", "Pipfile", "requirements.txt",
	"pom.xml", "build.gradle", "build.gradle.kts", "composer.json", "Gemfile", "GNUmakefile", "makefile", "Makefile",
}

func (t tree) isPackage() bool { return t.first(manifests...) != "" || t.dotnet() != "" }

// packages are the directories below the root that have a manifest: first those that
// the root names as its own, then all that a bounded search finds.
func packages(fsys fs.FS) []string {
	var out []string
	add := func(dir string) {
		if len(out) < maxPackages && !slices.Contains(out, dir) && (tree{fsys, dir}).isPackage() {
			out = append(out, dir)
		}
	}
	for _, dir := range members(tree{fsys, "."}) {
		add(dir)
	}
	visited := 0
	level := []string{"."}
	for range maxLevel {
		var next []string
		for _, dir := range level {
			for _, name := range (tree{fsys, dir}).dirs() {
				if visited++; visited > maxVisited {
					return out
				}
				next = append(next, path.Join(dir, name))
				add(path.Join(dir, name))
			}
		}
		level = next
	}
	return out
}

// passedOver are directories that hold what others wrote, or what is built.
var passedOver = []string{"node_modules", "vendor", "third_party", "target", "dist", "build", "out", "testdata", "fixtures", "examples", "docs", "venv", "site-packages"}

// dirs are the names of the directories in this one that may be packages.
func (t tree) dirs() []string {
	entries, err := fs.ReadDir(t.fsys, t.dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() && !strings.HasPrefix(name, ".") && !slices.Contains(passedOver, name) && len(out) < maxDirs {
			out = append(out, name)
		}
	}
	return out
}

// members are the directories that the manifests of a root name as its packages.
func members(t tree) []string {
	var out []string
	for _, list := range [][]string{nodeMembers(t), goMembers(t), tomlMembers(t, "Cargo.toml", "workspace"), tomlMembers(t, "pyproject.toml", "tool.uv.workspace"), mavenMembers(t), gradleMembers(t)} {
		var some []string
		for _, glob := range list {
			if not, ok := strings.CutPrefix(glob, "!"); ok {
				some = slices.DeleteFunc(some, func(dir string) bool { return matches(not, dir) })
				continue
			}
			some = append(some, t.expand(glob)...)
		}
		out = append(out, some...)
	}
	return out
}

func matches(glob, dir string) bool {
	glob = strings.Trim(strings.TrimPrefix(glob, "./"), "/")
	ok, err := path.Match(strings.ReplaceAll(glob, "**", "*"), dir)
	return err == nil && ok || strings.HasSuffix(glob, "/**") && strings.HasPrefix(dir, strings.TrimSuffix(glob, "**"))
}

// expand lists the directories that a glob of a manifest means. Two stars are one or two
// levels.
func (t tree) expand(glob string) []string {
	glob = strings.Trim(strings.TrimPrefix(glob, "./"), "/")
	if !fs.ValidPath(glob) || glob == "." {
		return nil
	}
	if before, after, ok := strings.Cut(glob, "**"); ok {
		one := t.expand(before + "*" + after)
		return append(one, t.expand(before+"*/*"+after)...)
	}
	dirs := []string{t.dir}
	for part := range strings.SplitSeq(glob, "/") {
		var next []string
		for _, dir := range dirs {
			if !strings.ContainsAny(part, "*?[") {
				next = append(next, path.Join(dir, part))
				continue
			}
			for _, name := range (tree{t.fsys, dir}).dirs() {
				if ok, err := path.Match(part, name); err == nil && ok {
					next = append(next, path.Join(dir, name))
				}
			}
		}
		dirs = next[:min(len(next), maxPackages)]
	}
	return dirs
}

func nodeMembers(t tree) []string {
	var out []string
	read := func(file, key string) {
		b, ok := t.read(file)
		var m map[string]jsontext.Value
		if !ok || json.Unmarshal(b, &m, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) != nil {
			return
		}
		var list []string
		var group struct {
			Packages []string `json:"packages"`
		}
		if json.Unmarshal(m[key], &list) != nil && json.Unmarshal(m[key], &group) == nil {
			list = group.Packages
		}
		out = append(out, list...)
	}
	read("package.json", "workspaces")
	read("lerna.json", "packages")
	b, _ := t.read("pnpm-workspace.yaml")
	in := false
	for _, line := range lines(b) {
		item, isItem := strings.CutPrefix(strings.TrimSpace(line), "- ")
		switch {
		case strings.HasPrefix(line, "packages:"):
			in = true
		case in && isItem:
			item, _, _ = strings.Cut(item, " #")
			out = append(out, unquote(strings.TrimSpace(item)))
		case strings.TrimSpace(line) != "" && !strings.HasPrefix(strings.TrimSpace(line), "#"):
			in = false
		}
	}
	return out
}

func goMembers(t tree) []string {
	b, _ := t.read("go.work")
	return goUses(b)
}

var quotedText = regex.New(`"([^"]*)"|'([^']*)'`)

// tomlMembers are the texts of members in a table, less those of exclude.
func tomlMembers(t tree, file, table string) []string {
	b, _ := t.read(file)
	var out, not []string
	to := (*[]string)(nil)
	for _, line := range sections(b)[table] {
		key, value, assigns := strings.Cut(line, "=")
		if assigns && !strings.HasPrefix(line, `"`) && !strings.HasPrefix(line, "'") {
			to = map[string]*[]string{"members": &out, "exclude": &not}[strings.TrimSpace(key)]
			line = value
		}
		if to == nil {
			continue
		}
		for _, m := range quotedText.FindAllStringSubmatch(line, -1) {
			*to = append(*to, m[1]+m[2])
		}
		if strings.Contains(line, "]") {
			to = nil
		}
	}
	for _, n := range not {
		out = append(out, "!"+n)
	}
	return out
}

var mavenModule = regex.New(`<module>\s*([^<\s]+)\s*</module>`)

func mavenMembers(t tree) []string {
	b, _ := t.read("pom.xml")
	var out []string
	for _, m := range mavenModule.FindAllSubmatch(b, -1) {
		out = append(out, string(m[1]))
	}
	return out
}

var gradleInclude = regex.New(`(?m)^\s*include[\s(]([^)\n]*(?:,\s*\n[^)\n]*)*)`)

func gradleMembers(t tree) []string {
	b, _ := t.read(t.first("settings.gradle.kts", "settings.gradle"))
	var out []string
	for _, m := range gradleInclude.FindAllSubmatch(bytes.ReplaceAll(b, []byte("\r"), nil), -1) {
		for _, name := range quotedText.FindAllSubmatch(m[1], -1) {
			out = append(out, strings.ReplaceAll(strings.Trim(string(name[1])+string(name[2]), ":"), ":", "/"))
		}
	}
	return out
}
