package tree

import "strings"

// Printable makes file names, which need not be text, fit for JSON.
func Printable(paths []string) []string {
	out := make([]string, 0, len(paths))
	for _, p := range paths {
		out = append(out, strings.ToValidUTF8(p, "\uFFFD"))
	}
	return out
}
