package atdd

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Shell is a file for bash that defines the functions of atdd-kit's library by
// their names, each as one call of program. Sourced in place of that library.
func Shell(program string) string {
	var b strings.Builder
	b.WriteString(shellMark + "# Source this file in its place.\n")
	for _, f := range Functions() {
		fmt.Fprintf(&b, "%s() { %s compat atdd rails %s \"$@\"; }\n", strings.ReplaceAll(f.Name, "-", "_"), quote(program), f.Name)
	}
	return b.String()
}

// shellMark begins such a file.
const shellMark = "# The functions of lib/autopilot_convergence.sh, done by apctl.\n"

// IsShell says that a file is one that Shell has made.
func IsShell(src []byte) bool { return bytes.HasPrefix(src, []byte(shellMark)) }

// defines is a function of a bash file.
var defines = regexp.MustCompile(`(?m)^(?:function\s+)?([A-Za-z][A-Za-z0-9_]*)\s*\(\)`)

// Unknown lists the functions of atdd-kit's library that are for others, without _
// before their names, and not among these; is says that it is that library.
func Unknown(src []byte) (names []string, is bool) {
	found := map[string]bool{}
	for _, m := range defines.FindAllSubmatch(src, -1) {
		found[string(m[1])] = true
	}
	is = found["record_iteration"] && found["check_sameness"]
	for _, f := range Functions() {
		delete(found, strings.ReplaceAll(f.Name, "-", "_"))
	}
	return slices.Sorted(maps.Keys(found)), is
}

// quote is a word for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
