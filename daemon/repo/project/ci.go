package project

import (
	"path"
	"strings"

	"autopilot/events"
)

// ciLine is a command that continuous integration runs.
type ciLine struct{ file, command string }

// Bounds on what is read of CI files.
const (
	maxWorkflows = 16
	maxCI        = 256
)

// ciLines are the commands of GitHub workflows and of a GitLab file. They are
// read by line: what an anchor or a template makes of them is not known, and a
// hint needs no more.
func (t tree) ciLines() []ciLine {
	var out []ciLine
	dir := ".github/workflows"
	n := 0
	for _, name := range t.list(dir) {
		if ext := path.Ext(name); n < maxWorkflows && (ext == ".yml" || ext == ".yaml") {
			n++
			file := path.Join(dir, name)
			b, _ := t.read(file)
			for _, c := range runLines(b) {
				out = append(out, ciLine{file, c})
			}
		}
	}
	if b, ok := t.read(".gitlab-ci.yml"); ok {
		for _, c := range scriptLines(b) {
			out = append(out, ciLine{".gitlab-ci.yml", c})
		}
	}
	return out[:min(len(out), maxCI)]
}

// runLines are the commands behind run: of a GitHub workflow.
func runLines(b []byte) []string {
	var out []string
	block := -1 // indent of the key whose block this is
	for _, line := range lines(b) {
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if text == "" || text[0] == '#' {
			continue
		}
		if block >= 0 && indent > block {
			out = append(out, text)
			continue
		}
		block = -1
		key := strings.TrimPrefix(text, "- ")
		value, ok := strings.CutPrefix(key, "run:")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		if value == "" || value[0] == '|' || value[0] == '>' {
			block = indent + len(text) - len(key)
			continue
		}
		out = append(out, unquote(value))
	}
	return out
}

// scriptLines are the commands behind script: of a GitLab file.
func scriptLines(b []byte) []string {
	var out []string
	block := -1
	for _, line := range lines(b) {
		text := strings.TrimSpace(line)
		indent := len(line) - len(strings.TrimLeft(line, " "))
		if text == "" || text[0] == '#' {
			continue
		}
		if item, ok := strings.CutPrefix(text, "- "); ok && block >= 0 && indent >= block {
			out = append(out, unquote(strings.TrimSpace(item)))
			continue
		}
		block = -1
		if value, ok := strings.CutPrefix(text, "script:"); ok {
			block = indent
			if value = strings.TrimSpace(value); value != "" {
				out = append(out, unquote(value))
			}
		}
	}
	return out
}

func unquote(s string) string {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1]
	}
	return s
}

// runs says whether CI runs that very command.
func runs(ci []ciLine, command string) bool {
	for _, l := range ci {
		if l.command == command || strings.HasPrefix(l.command, command+" ") {
			return true
		}
	}
	return false
}

// hint says how CI runs a test command that is proposed, if it does otherwise.
func (f *Found) hint(ci []ciLine) {
	for _, g := range f.Gates {
		start := strings.Fields(g.Command)
		for _, l := range ci {
			words := strings.Fields(l.command)
			if len(words) >= 2 && len(start) >= 2 && words[0] == start[0] && words[1] == start[1] && l.command != g.Command && plain(l.command) {
				f.Facts = append(f.Facts, Fact{l.file, "CI runs " + l.command})
				break
			}
		}
	}
}

// testers begin commands that run tests in projects that are not known here.
var testers = []string{
	"bundle exec rspec", "bundle exec rake test", "rake test", "rspec", "mix test", "dotnet test", "vendor/bin/phpunit", "phpunit",
	"composer test", "swift test", "zig build test", "sbt test", "lein test", "stack test", "cabal test", "deno test", "ctest",
	"bazel test", "just test", "task test", "flutter test", "dart test", "prove", "bats", "tox", "nox", "pytest", "go test",
	"cargo test", "npm test", "make test", "make check",
}

// fromCI proposes what CI runs, when no file says how tests are run.
func (f *Found) fromCI(ci []ciLine) {
	for _, tester := range testers {
		for _, l := range ci {
			if (l.command == tester || strings.HasPrefix(l.command, tester+" ")) && plain(l.command) {
				f.Facts = append(f.Facts, Fact{l.file, "CI runs " + l.command})
				f.Gates = append([]Gate{{"test", events.RoleGoal, l.command, l.file}}, f.Gates...)
				return
			}
		}
	}
}

// plain says that a command means the same outside of CI: no expression of it,
// no continued line, and of a length that a person reads.
func plain(command string) bool {
	return len(command) <= 200 && !strings.Contains(command, "${{") && !strings.HasSuffix(command, `\`) && !strings.ContainsRune(command, 0)
}
