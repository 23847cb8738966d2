package installed

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strings"
)

// GoSums are the sums of the modules in a list, by their folders, in the form that go.sum
// has; names are the modules, as path@version. A module with a file that was not read has
// none.
//
// Source: golang.org/x/mod/sumdb/dirhash, Hash1.
func (l List) GoSums(names map[string]string) map[string]string {
	lines, of := map[string][]string{}, l.rootOf()
	for path, f := range l.Files {
		root, ok := of(path)
		if !ok || root.Kind != Module || names[root.Dir] == "" {
			continue
		}
		line := "" // sorts first
		if f.Sum != "" {
			line = names[root.Dir] + strings.TrimPrefix(path, root.Dir) + "\n" + f.Sum
		}
		lines[root.Dir] = append(lines[root.Dir], line)
	}
	sums := make(map[string]string, len(lines))
	for dir, list := range lines {
		if slices.Sort(list); list[0] == "" {
			continue
		}
		h := sha256.New()
		for _, line := range list {
			name, sum, _ := strings.Cut(line, "\n")
			_, _ = io.WriteString(h, fmt.Sprintf("%s  %s\n", sum, name)) // a hash takes everything
		}
		sums[dir] = "h1:" + base64.StdEncoding.EncodeToString(h.Sum(nil))
	}
	return sums
}
