package tree

import (
	"fmt"
	"regexp"
	"strings"
)

// globs matches paths against patterns from the top of the work tree: `*` and
// `?` stay within a path element and `**` crosses elements.
type globs struct{ re *regexp.Regexp }

func compileGlobs(patterns []string) (globs, error) {
	if len(patterns) == 0 {
		return globs{}, nil
	}
	var alternatives []string
	for _, p := range patterns {
		alternatives = append(alternatives, globRegexp(strings.TrimPrefix(p, "/")))
	}
	re, err := regexp.Compile(`(?s)\A(?:` + strings.Join(alternatives, "|") + `)\z`)
	if err != nil {
		return globs{}, fmt.Errorf("compile globs: %w", err)
	}
	return globs{re}, nil
}

func globRegexp(p string) string {
	var b strings.Builder
	for p != "" {
		switch {
		case strings.HasPrefix(p, "**/"):
			b.WriteString(`(?:.*/)?`)
			p = p[3:]
		case strings.HasPrefix(p, "**"):
			b.WriteString(`.*`)
			p = p[2:]
		case p[0] == '*':
			b.WriteString(`[^/]*`)
			p = p[1:]
		case p[0] == '?':
			b.WriteString(`[^/]`)
			p = p[1:]
		default:
			end := strings.IndexAny(p, "*?")
			if end < 0 {
				end = len(p)
			}
			b.WriteString(regexp.QuoteMeta(p[:end]))
			p = p[end:]
		}
	}
	return b.String()
}

func (g globs) match(path string) bool { return g.re != nil && g.re.MatchString(path) }
