package atdd

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"autopilot/projections/regex"
)

// Shell is a file for bash that defines the functions of atdd-kit's library by
// their names, each as one call of program. Sourced in place of that library.
func Shell(program string) string {
	var b strings.Builder
	b.WriteString(shellMark + "done by apctl.\n# Source this file in its place.\n")
	for _, f := range Functions() {
		fmt.Fprintf(&b, "%s() { %s compat atdd rails %s \"$@\"; }\n", f.shell(), quote(program), f.Name)
	}
	return ended(b.String())
}

// ShellObserved is a file for bash with the functions of original, atdd-kit's own
// library. They are called as before, with the same standard input and under the
// same options of the shell, and what they answer is answered; then program is told,
// in silence, and whatever becomes of that changes nothing.
func ShellObserved(program, original string) string {
	var b strings.Builder
	fmt.Fprintf(&b, shellMark+`watched by apctl.
# Source this file in its place: they answer as before, and apctl records what it would have answered.
test -r %[1]s || { echo "apctl watches a library of atdd-kit that is gone: put atdd-kit's own in the place of this file" >&2; return 1; }
. %[1]s || :
_apctl_saw() { %[2]s compat atdd saw "$@" </dev/null >/dev/null 2>&1 || :; }
_apctl_watch() {
  declare -f "$1" >/dev/null || return 0
  eval "_atdd_kit_$(declare -f "$1")"
  eval "$1() { _atdd_kit_$1 \"\$@\"; local rc=\$?; _apctl_saw \"\$rc\" $2 \"\$@\"; return \"\$rc\"; }"
}
`, quote(original), quote(program))
	for _, f := range Functions() {
		if f.file != noFile && !f.inner() {
			fmt.Fprintf(&b, "_apctl_watch %s %s\n", f.shell(), f.Name)
		}
	}
	return ended(b.String())
}

const (
	shellMark = "# The functions of lib/autopilot_convergence.sh, "
	shellEnd  = "# The end of what apctl has written: "
)

// ended is a block with its last line, by which changes to it are seen.
func ended(block string) string { return block + shellEnd + blockSum(block) + "\n" }

func blockSum(block string) string {
	sum := sha256.Sum256([]byte(block))
	return hex.EncodeToString(sum[:6])
}

// Written is a file of bash in which Shell or ShellObserved was put.
type Written struct {
	Before, After string // what others have put around it
	Whole         bool   // nobody has changed it
}

// ReadShell finds what Shell or ShellObserved has made in a file. Line ends of
// Windows, as a checkout may make them, are no change. One that calls this program
// and has lost its first or last line is not whole, and never taken for atdd-kit's.
func ReadShell(src []byte) (w Written, is bool) {
	text := strings.TrimPrefix(string(src), "\ufeff")
	from := strings.Index(text, shellMark)
	if from < 0 {
		return w, strings.Contains(text, " compat atdd rails ") || strings.Contains(text, " compat atdd saw ")
	}
	w.Before = text[:from]
	to := strings.Index(text[from:], shellEnd)
	if to < 0 {
		return w, true
	}
	last, after, _ := strings.Cut(text[from+to:], "\n")
	w.After = after
	block := strings.ReplaceAll(text[from:from+to], "\r\n", "\n")
	w.Whole = strings.TrimSuffix(last, "\r") == shellEnd+blockSum(block)
	return w, true
}

// defines is a function of a bash file.
var defines = regex.New(`(?m)^(?:function\s+)?([A-Za-z][A-Za-z0-9_]*)\s*\(\)`)

// Unknown lists the functions of atdd-kit's library that are for others, without _
// before their names, and not among these; is says that it is that library.
func Unknown(src []byte) (names []string, is bool) {
	found := map[string]bool{}
	for _, m := range defines.FindAllSubmatch(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")), -1) {
		found[string(m[1])] = true
	}
	is = found["record_iteration"] && found["check_sameness"]
	for _, f := range Functions() {
		delete(found, f.shell())
	}
	return slices.Sorted(maps.Keys(found)), is
}

// shell is the name of a function in the shell.
func (f Function) shell() string { return shellName(f.Name) }

func shellName(name string) string { return strings.ReplaceAll(name, "-", "_") }

// inner says that a function is for the others of the library.
func (f Function) inner() bool { return strings.HasPrefix(f.Name, "_") }

// quote is a word for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
