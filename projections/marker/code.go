package marker

import (
	"slices"
	"strings"
)

// codeNames are the variables that make interpreters and loaders run code before a
// program: a session that sets one means it for its own programs.
//
// Source: the manuals of node, python, perl, ruby, java, bash and ld.so.
var codeNames = []string{
	"NODE_OPTIONS", "PYTHONSTARTUP", "PYTHONINSPECT", "PERL5OPT", "PERL5DB", "RUBYOPT", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
	"JDK_JAVA_OPTIONS", "BASH_ENV", "ENV", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES",
}

// WithoutCode is an environment without the variables by which a surrounding session runs
// code in programs. An environment of no session stays as it is: a person set these
// variables there.
func WithoutCode(environ []string) []string {
	name := func(entry string) string {
		n, _, _ := strings.Cut(entry, "=")
		return n
	}
	if !slices.ContainsFunc(environ, func(entry string) bool { return Session(name(entry)) }) {
		return environ
	}
	return slices.DeleteFunc(slices.Clone(environ), func(entry string) bool { return slices.Contains(codeNames, name(entry)) })
}
