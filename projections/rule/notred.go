package rule

import (
	"path"
	"strings"

	"autopilot/projections/regex"
)

// UnreadyCause says why a command failed before it tested anything.
type UnreadyCause string

// The causes. The name that goes with each is in the comment.
const (
	NotExecutable UnreadyCause = "not-executable" // the file
	NoProgram     UnreadyCause = "no-program"     // the command word
	NoTarget      UnreadyCause = "no-target"      // the target of make
	NoMakefile    UnreadyCause = "no-makefile"    // none
	NoManifest    UnreadyCause = "no-manifest"    // the file that a tool looked for
	NoScript      UnreadyCause = "no-script"      // the script that an interpreter was given
	NoModule      UnreadyCause = "no-module"      // a package that is no file of the project
)

// Unready is a failure that is no red test: the command did not get as far.
type Unready struct {
	Cause UnreadyCause
	Name  string
}

// unreadyLines are what shells and tools print, the one that names most first. What a
// script prints of programs that it calls may be what is to be built, and what a test prints of the code that is to be written, as a missing module of the project,
// is a red test and not among them.
var unreadyLines = []struct {
	cause UnreadyCause
	line  *regex.Lazy
	exit  int // needed for it; 0 is any but 0
}{
	{NotExecutable, regex.New(`(?m)(?:^|: )(\S+): Permission denied$`), 126},
	{NoTarget, regex.New("(?m)^g?make(?:\\[\\d+\\])?: \\*\\*\\* No rule to make target [`'‘]([^'’]+)['’]\\.  Stop\\.$"), 2},
	{NoMakefile, regex.New(`(?m)^g?make: \*\*\* No targets specified and no makefile found\.()`), 2},
	{NoManifest, regex.New(`(?m)ENOENT.*(package\.json)|No (package\.json) (?:was )?found`), 0},
	{NoManifest, regex.New(`(?m)^go: (go\.mod) file not found in current directory`), 0},
	{NoManifest, regex.New(`(?m)^pattern \./\.\.\.: directory prefix \. does not contain (?:main module|modules listed in go\.work)()`), 0},
	{NoManifest, regex.New("(?m)^error: could not find `(Cargo\\.toml)`"), 101},
	{NoScript, regex.New(`(?m)can't open file '([^']+)': \[Errno 2\]`), 2},
	{NoScript, regex.New(`(?m)(?:cannot open|can't open) '?([^\s':]+)'?(?:: No such file)?$`), 2},
	{NoModule, regex.New(`(?m)^[^\n:]*python[0-9.]*: No module named '?([\w.]+)'?$`), 1},
	{NoModule, regex.New(`Cannot find (?:module|package) '(@?[A-Za-z0-9_][^'\s]*)'`), 0},
	{NoProgram, regex.New(`(?m)^(?:/\S*/)?(?:sh|bash|dash|zsh|ksh)(?:: line \d+|: \d+)?: ([^\s:]+): (?:command not found|not found)$`), 127},
	{NoProgram, regex.New(`(?m)^g?make(?:\[\d+\])?: ([^\s:]+): No such file or directory$`), 2},
}

// makeError is how make tells what a shell of its own exited with.
var makeError = regex.New(`(?m)^g?make(?:\[\d+\])?: \*\*\* \[.*\] Error (126|127)$`)

// NotRed reads of a failed command that names no failing test whether it got as far
// as to test at all.
func NotRed(exit int, output string) (Unready, bool) {
	if m := makeError.FindStringSubmatch(output); m != nil && exit == 2 {
		if exit = 126; m[1] == "127" {
			exit = 127
		}
	}
	for _, u := range unreadyLines {
		m := u.line.FindStringSubmatch(output)
		if m == nil || u.exit != 0 && u.exit != exit && (u.exit != 2 || exit != 127) {
			continue
		}
		name := strings.Join(m[1:], "")
		if u.cause == NoManifest && name == "" {
			name = "go.mod"
		}
		if u.cause == NoModule && !packageName(name) {
			continue
		}
		return Unready{u.cause, name}, true
	}
	switch exit {
	case 126:
		return Unready{Cause: NotExecutable}, true
	case 127:
		return Unready{Cause: NoProgram}, true
	}
	return Unready{}, false
}

// packageName says that a module is no path of the project.
func packageName(name string) bool {
	return name != "" && !path.IsAbs(name) && !strings.HasPrefix(name, ".")
}

// InDirectory is a command for the root that does what another does in a directory.
func InDirectory(dir, command string) string {
	if rest, ok := strings.CutPrefix(command, "make"); ok && (rest == "" || rest[0] == ' ') && !strings.ContainsAny(rest, "&|;") {
		return "make -C " + dir + rest
	}
	return "cd " + dir + " && " + command
}
