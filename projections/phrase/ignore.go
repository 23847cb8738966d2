package phrase

import (
	"slices"
	"strings"
	"unicode"
)

// artefacts are folders that tools write whole.
var artefacts = []string{
	"target", "build", "dist", "out", "coverage", "htmlcov", "node_modules", "__pycache__", ".next", ".cache", ".pytest_cache", ".mypy_cache",
	".ruff_cache", ".hypothesis", ".tox", ".nox", ".gradle", ".nyc_output", "test-results", "playwright-report", "bin", "obj", "tmp", "log",
}

// IgnoreLines are the lines of a .gitignore at the root that let git ignore files,
// each once and in order. Of a folder that tools write whole it is the folder.
func IgnoreLines(paths []string) []string {
	var out []string
	for _, p := range paths {
		if line := ignoreLine(p); line != "" && !slices.Contains(out, line) {
			out = append(out, line)
		}
	}
	return out
}

// ignoreLine is empty for a path that no line can name.
func ignoreLine(path string) string {
	if path == "" || strings.ContainsFunc(path, unicode.IsControl) {
		return ""
	}
	parts := strings.Split(path, "/")
	for i, part := range parts[:len(parts)-1] {
		if slices.Contains(artefacts, part) {
			return ignoreWord("/"+strings.Join(parts[:i+1], "/")) + "/"
		}
	}
	return ignoreWord("/" + path)
}

// ignoreWord takes their meaning from the signs of a pattern.
func ignoreWord(path string) string {
	word := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
	trimmed := strings.TrimRight(word, " ")
	return trimmed + strings.Repeat(`\ `, len(word)-len(trimmed))
}
