package rule

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Mutes reports whether a command keeps what its parts print from being seen when they
// pass: it sends their output to a file, or through another program. That it prints
// nothing of its tests then says nothing of them.
func Mutes(c Command) bool {
	if len(c.Argv) > 0 {
		return false
	}
	file := parseShell(c.Text)
	if file == nil {
		return true // nobody can tell
	}
	mutes := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Redirect:
			mutes = mutes || n.Op != syntax.DplOut && n.Op != syntax.DplIn && strings.Contains(n.Op.String(), ">")
		case *syntax.BinaryCmd:
			mutes = mutes || n.Op == syntax.Pipe || n.Op == syntax.PipeAll
		}
		return true
	})
	return mutes
}
