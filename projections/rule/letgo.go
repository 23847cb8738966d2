package rule

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// GoneWith says of a test or unit, or of the name of a runner, that its tests may be gone
// or skipped, as files that prove the work were changed by permission. A test belongs to
// a file by its path, its module, its package or its name. A runner of which only numbers
// are known may count fewer if it runs files of that language; that it runs none is never
// let go.
func GoneWith(changed []string) func(id string) bool {
	return func(id string) bool {
		return slices.ContainsFunc(changed, func(file string) bool { return isIn(id, file) || runs(id, file) })
	}
}

func isIn(id, file string) bool {
	stem := strings.TrimSuffix(file, path.Ext(file))
	dir := path.Dir(file)
	switch {
	case names(id, file), names(id, strings.ReplaceAll(stem, "/", ".")), names(id, path.Base(stem)):
		return true
	case path.Ext(file) == ".go":
		return dir == "." || names(id, dir)
	}
	return false
}

// names reports whether a name stands in an id, and not as part of a longer word.
func names(id, name string) bool {
	for from := 0; ; {
		i := strings.Index(id[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(id[:i])
		after, _ := utf8.DecodeRuneInString(id[i+len(name):])
		if !isWord(before) && !isWord(after) {
			return true
		}
		from = i + 1
	}
}

func isWord(r rune) bool {
	return r != utf8.RuneError && (r == '_' || r == '-' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// scripts are the endings of files of JavaScript and TypeScript.
const scripts = ".js .jsx .mjs .cjs .ts .tsx .mts .cts"

// runnerFiles are the endings of the files that runners run; empty for those of any
// language.
var runnerFiles = map[string]string{
	"go": ".go", "gotestsum": ".go",
	"pytest": ".py", "unittest": ".py",
	"jest": scripts, "vitest": scripts, "node": scripts, "mocha": scripts, "bun": scripts, "deno": scripts, "playwright": scripts,
	"cargo": ".rs", "nextest": ".rs",
	"gradle": ".java .kt .groovy .scala", "surefire": ".java .kt .groovy .scala", "maven": ".java .kt .groovy .scala",
	"rspec": ".rb", "minitest": ".rb", "phpunit": ".php", "dotnet": ".cs .fs .vb", "swift": ".swift",
	"tap": "", "prove": "", "ctest": "", "junit": "", "totals": "",
}

// runs reports whether a runner runs a file.
func runs(runner, file string) bool {
	endings, known := runnerFiles[runner]
	return known && (endings == "" || slices.Contains(strings.Fields(endings), path.Ext(file)))
}

// fileless are runners that name tests and no files.
var fileless = []string{"node", "tap", "mocha", "bun"}

// letsFilelessGo reports whether a test that passed before may be gone, though its id says
// nothing of the file that it was in.
func (c *comparison) letsFilelessGo() bool {
	return len(c.was.Runners) == 1 && slices.Contains(fileless, c.was.Runners[0]) && c.letGo(c.was.Runners[0])
}
