package project

import (
	"path"
	"strings"
)

func readGo(t tree) (part, bool) {
	p := part{kind: "go"}
	work, hasWork := t.read("go.work")
	mod, hasMod := t.read("go.mod")
	pattern := "./..."
	switch {
	case hasWork:
		uses := goUses(work)
		p.from = "go.work"
		p.says(p.from, "Go workspace of "+strings.Join(uses, " "))
		for i, u := range uses {
			uses[i] = quote(u + "/...")
		}
		if len(uses) == 0 {
			return p, true
		}
		pattern = strings.Join(uses, " ")
	case hasMod:
		p.from = "go.mod"
		p.says(p.from, strings.TrimSpace("Go module "+goModule(mod)))
	default:
		return p, false
	}
	p.test = "go test " + pattern
	p.check("vet", "go vet "+pattern, p.from)
	if f := t.first(".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"); f != "" {
		p.says(f, "linted by golangci-lint")
		p.check("lint", "golangci-lint run", f)
	}
	return p, true
}

func goModule(b []byte) string {
	for _, line := range lines(b) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			name, _, _ = strings.Cut(name, "//")
			return strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	return ""
}

// maxUses bounds the modules of a workspace that are named in a command.
const maxUses = 16

// goUses are the modules of a go.work below it: ./a, or . for its own directory.
func goUses(b []byte) []string {
	var uses []string
	block := false
	for _, line := range lines(b) {
		line, _, _ = strings.Cut(line, "//")
		line = strings.TrimSpace(line)
		dir := ""
		switch {
		case block && line == ")":
			block = false
		case block:
			dir = line
		case strings.HasPrefix(line, "use") && strings.HasSuffix(line, "("):
			block = true
		case strings.HasPrefix(line, "use "):
			dir = strings.TrimSpace(line[len("use "):])
		}
		if dir = goUse(dir); dir != "" && len(uses) < maxUses {
			uses = append(uses, dir)
		}
	}
	return uses
}

// goUse is the pattern of one module, empty for one outside of the tree.
func goUse(dir string) string {
	dir = strings.Trim(dir, "\"`")
	if dir == "" {
		return ""
	}
	switch dir = path.Clean(dir); {
	case dir == ".":
		return dir
	case path.IsAbs(dir), dir == "..", strings.HasPrefix(dir, "../"):
		return ""
	}
	return "./" + dir
}
