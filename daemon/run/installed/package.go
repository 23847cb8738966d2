package installed

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
)

func compare(a, b string) int { return cmp.Compare(a, b) }

// madeNames are files and folders that tools make anew: bytecode, caches, generated
// clients, and notes of package managers on what they installed.
var madeNames = map[string]bool{
	"__pycache__": true, ".cache": true, ".vite": true, ".vite-temp": true, ".prisma": true, ".turbo": true, ".git": true,
	".package-lock.json": true, ".yarn-integrity": true, ".yarn-state.yml": true, ".modules.yaml": true, ".pnpm-workspace-state.json": true,
	".pnpm-workspace-state-v1.json": true, ".cargo-ok": true, "RECORD": true, "INSTALLER": true, "REQUESTED": true, "direct_url.json": true,
}

// made says that a path is none that a package came with.
func made(path, name string) bool {
	return madeNames[name] || strings.HasSuffix(path, "/.pnpm/lock.yaml") || strings.HasSuffix(name, ".pyc") || strings.HasPrefix(name, "__editable__") ||
		name == "build" && strings.Contains(path, "/node_modules/")
}

// leavesOut says of a file or folder of a root that it belongs to no package.
func (r Root) leavesOut(path string, e fs.DirEntry) bool {
	switch rel := strings.Split(strings.TrimPrefix(path, r.Dir+"/"), "/"); {
	case r.Kind == Module:
		return false // all files came with it, and go.sum counts each
	case r.Kind == Gems && len(rel) == 1:
		return gemDepth(rel) == 0
	case r.Depth > 0 && !e.IsDir() && len(rel) <= r.depth(rel):
		return true // a note of the package manager
	default:
		return made(path, e.Name())
	}
}

// gemDepth is how far below the home of gems the packages of a part of it lie. What has
// none is loaded by no program: downloads, documentation, notes on builds.
func gemDepth(rel []string) int {
	switch rel[0] {
	case "gems", "specifications", "bin", "plugins":
		return 2
	case "bundler":
		return 3
	case "extensions": // of a platform and of a version of Ruby
		return 4
	}
	return 0
}

// holders are folders whose entries are packages, with how many folders deep.
var holders = map[string]int{
	"node_modules": 1, "site-packages": 1, "dist-packages": 1, "bin": 1, "Scripts": 1, ".bin": 1,
}

// packageOf is the folder, or the file, that a path stands or falls with: below the
// innermost folder that holds packages; else the first below the root, or two below
// vendor, as of Composer and Go.
func packageOf(root Root, path string) string {
	rel := strings.Split(strings.TrimPrefix(path, root.Dir+"/"), "/")
	if depth := root.depth(rel); depth > 0 {
		return filepath.Join(root.Dir, filepath.Join(rel[:min(depth, len(rel))]...))
	}
	if root.Kind != Packages {
		return root.Dir
	}
	parts := append([]string{root.name()}, rel...)
	at, depth := 0, 1
	if parts[0] == "vendor" {
		depth = 2
	}
	for i := len(parts) - 2; i >= 0; i-- {
		if deep, ok := holders[parts[i]]; ok && (i == 0 || parts[i] != "bin" || parts[0] != "node_modules" && i == 1) {
			at, depth = i, deep
			if strings.HasPrefix(parts[i+1], "@") || parts[i+1] == ".pnpm" {
				depth = 2
			}
			break
		}
	}
	end := min(at+depth, len(parts)-1)
	return filepath.Join(root.Dir, filepath.Join(parts[1:end+1]...))
}

// depth is how far below the root the package of a file lies, where the root says it.
func (r Root) depth(rel []string) int {
	if r.Kind == Gems {
		return gemDepth(rel)
	}
	n := r.Depth
	for i := 0; i < n && i < len(rel); i++ {
		if strings.HasPrefix(rel[i], "@") { // a scope, with the names in it
			n++
		}
	}
	return n
}

// name is what the root is called.
func (r Root) name() string { return cmp.Or(r.As, filepath.Base(r.Dir)) }

// sources are the endings of files that programs load. Data and logs are not among them:
// gates and other programs write those.
var sources = map[string]bool{
	".bash": true, ".c": true, ".cc": true, ".cjs": true, ".class": true, ".clj": true, ".cpp": true, ".cs": true, ".css": true, ".cts": true,
	".dart": true, ".dll": true, ".dylib": true, ".erl": true, ".ex": true, ".exs": true, ".go": true, ".gradle": true, ".groovy": true, ".h": true,
	".hpp": true, ".hs": true, ".jar": true, ".java": true, ".js": true, ".jsx": true, ".kt": true, ".kts": true, ".lua": true, ".mjs": true,
	".mk": true, ".ml": true, ".mts": true, ".node": true, ".php": true, ".pl": true, ".pm": true, ".pth": true, ".py": true, ".pyi": true,
	".r": true, ".rb": true, ".rlib": true, ".rs": true, ".scala": true, ".sh": true, ".so": true, ".svelte": true, ".swift": true, ".toml": true,
	".ts": true, ".tsx": true, ".vue": true, ".wasm": true, ".zig": true,
}

// loaded says that a file beyond a link is compared.
func loaded(name string, mode fs.FileMode) bool {
	return sources[strings.ToLower(filepath.Ext(name))] || mode.IsRegular() && mode.Perm()&0o111 != 0 ||
		strings.HasSuffix(strings.ToLower(name), "makefile") || name == "package.json"
}

// grows says that a folder is no package, though files lie in it: others add to it.
func grows(pack string) bool {
	return filepath.Base(pack) == ".bin" || filepath.Base(filepath.Dir(pack)) == ".bin"
}

// startsWithPython says that every Python of that environment runs the file when it
// starts, and no package that is installed brought it.
func startsWithPython(path string) bool {
	name, dir := filepath.Base(path), filepath.Dir(path)
	if base := filepath.Base(dir); base != "site-packages" && base != "dist-packages" {
		return false
	}
	return (name == "sitecustomize.py" || name == "usercustomize.py" || strings.HasSuffix(name, ".pth")) && !recorded(dir, name)
}

// recorded says that some installed distribution lists a file of its folder.
func recorded(dir, name string) bool {
	found, _ := filepath.Glob(filepath.Join(dir, "*.dist-info", "RECORD")) // the pattern is well formed
	for _, record := range found {
		if text, err := os.ReadFile(record); err == nil && (bytes.HasPrefix(text, []byte(name+",")) || bytes.Contains(text, []byte("\n"+name+","))) {
			return true
		}
	}
	return false
}

// note keeps what a package says of itself.
func (l List) note(root Root, path string) {
	dir, name := filepath.Split(path)
	dir = strings.TrimSuffix(dir, "/")
	switch {
	case name == "package.json" && (root.name() == "node_modules" || strings.Contains(dir, "/node_modules/")):
		if v := versionOf(path); v != "" {
			l.Versions[dir] = v
		}
	case name == "METADATA" && strings.HasSuffix(dir, ".dist-info"):
		of := distributionOf(dir)
		l.Versions[of] = filepath.Base(dir)
		if text, err := os.ReadFile(filepath.Join(dir, "direct_url.json")); err == nil && bytes.Contains(text, []byte(`"file:`)) {
			for _, pack := range topsOf(dir) {
				l.Local[pack] = true
			}
		}
	}
}

// versionOf reads the version of a package of Node.
func versionOf(path string) string {
	var is struct {
		Version string `json:"version"`
	}
	text, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(text, &is) != nil {
		return ""
	}
	return is.Version
}

// distributionOf names a distribution without its version: the folder that it is in,
// and its name.
func distributionOf(distInfo string) string {
	name, _, _ := strings.Cut(filepath.Base(distInfo), "-")
	return filepath.Join(filepath.Dir(distInfo), strings.ToLower(name)+".dist")
}

// topsOf are the packages of a distribution, by its own record, and its folder.
func topsOf(distInfo string) []string {
	tops := []string{distInfo}
	text, err := os.ReadFile(filepath.Join(distInfo, "RECORD"))
	if err != nil {
		return tops
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		top, _, _ := strings.Cut(line, "/")
		top, _, _ = strings.Cut(top, ",")
		if top != "" && top != ".." && !seen[top] && top != "__pycache__" {
			seen[top] = true
			tops = append(tops, filepath.Join(filepath.Dir(distInfo), top))
		}
	}
	return tops
}

// renewals marks the changes of packages that say another version than before.
func (c *comparing) renewals() {
	renewed := map[string]bool{}
	for of, was := range c.list.Versions {
		if dir, ok := strings.CutSuffix(of, ".dist"); ok {
			for _, distInfo := range distInfos(dir) {
				if filepath.Base(distInfo) == was {
					continue
				}
				for _, top := range topsOf(distInfo) {
					renewed[top] = true
				}
			}
		} else if is := versionOf(filepath.Join(of, "package.json")); is != "" && is != was {
			renewed[of] = true
		}
	}
	for i, ch := range c.changes {
		c.changes[i].Renewed = renewed[ch.Package]
	}
}

// distInfos are those of a distribution that is there under any version.
func distInfos(dir string) (found []string) {
	entries, err := os.ReadDir(filepath.Dir(dir))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".dist-info") && strings.HasPrefix(strings.ToLower(e.Name()), filepath.Base(dir)+"-") {
			found = append(found, filepath.Join(filepath.Dir(dir), e.Name()))
		}
	}
	return found
}
