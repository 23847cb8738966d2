package atdd

import (
	"fmt"
	"strings"
)

// Shell is a file for bash that defines the functions of atdd-kit's library by
// their names, each as one call of program. Sourced in place of that library.
func Shell(program string) string {
	var b strings.Builder
	b.WriteString("# The functions of lib/autopilot_convergence.sh, done by apctl.\n# Source this file in its place.\n")
	for _, f := range Functions() {
		fmt.Fprintf(&b, "%s() { %s compat atdd rails %s \"$@\"; }\n", strings.ReplaceAll(f.Name, "-", "_"), quote(program), f.Name)
	}
	return b.String()
}

// quote is a word for a shell.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
