package tree

import "strings"

// ignoring decides which paths one text of rules ignores. The text has the form of a
// .gitignore at the top of a work tree, as for git ls-files --exclude-from.
type ignoring struct{ rules []ignoreRule }

// ignoreRule is one line of rules.
type ignoreRule struct {
	pattern string
	plain   int  // literal bytes at its start
	not     bool // it reverses earlier rules
	folder  bool // for folders alone
	base    bool // for the last name of a path
}

// parseIgnore reads rules. Comments and empty lines have none.
func parseIgnore(text []byte) ignoring {
	var g ignoring
	for line := range strings.SplitSeq(strings.TrimPrefix(string(text), "\ufeff"), "\n") {
		line = strings.TrimSuffix(line, "\r")
		line, _, _ = strings.Cut(line, "\x00")
		if line == "" || line[0] == '#' {
			continue
		}
		var r ignoreRule
		r.pattern, r.not = strings.CutPrefix(trimIgnore(line), "!")
		r.pattern, r.folder = strings.CutSuffix(r.pattern, "/")
		r.base = !strings.Contains(r.pattern, "/")
		r.pattern = strings.TrimPrefix(r.pattern, "/")
		if r.plain = strings.IndexAny(r.pattern, `*?[\`); r.plain < 0 {
			r.plain = len(r.pattern)
		}
		g.rules = append(g.rules, r)
	}
	return g
}

// trimIgnore drops trailing spaces without a backslash.
func trimIgnore(line string) string {
	end := 0
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

// match says whether the rules ignore a path below folders that they do not ignore. The
// last matching rule decides.
func (g ignoring) match(path string, folder bool) bool {
	base := path[strings.LastIndexByte(path, '/')+1:]
	for i := len(g.rules) - 1; i >= 0; i-- {
		if r := &g.rules[i]; (folder || !r.folder) && r.fits(path, base) {
			return !r.not
		}
	}
	return false
}

// below says whether the rules ignore a path, or a folder above it.
func (g ignoring) below(path string) bool {
	for i, c := range []byte(path) {
		if c == '/' && g.match(path[:i], true) {
			return true
		}
	}
	return g.match(path, false)
}

func (r *ignoreRule) fits(path, base string) bool {
	text := path
	if r.base {
		text = base
	}
	if r.plain == len(r.pattern) {
		return text == r.pattern
	}
	// For a bare name, a wildcard may stand for the first bytes, too.
	if !strings.HasPrefix(text, r.pattern[:r.plain]) {
		return false
	}
	return wild(r.pattern[r.plain:], text[r.plain:], !r.base) == fits
}

// verdict is the result of a pattern match. A text that ends too early cannot match,
// wherever earlier stars begin. After a star that came to a slash, only two stars can
// match.
type verdict int

const (
	fits verdict = iota
	differs
	ended
	slashed
)

// wild matches a text with a pattern of * ? [...] and \. With paths, * and ? do not match
// a slash, and ** between slashes matches any folders.
func wild(pattern, text string, paths bool) verdict {
	for p := 0; p < len(pattern); p++ {
		c := pattern[p]
		if text == "" && c != '*' {
			return ended
		}
		switch c {
		case '*':
			return star(pattern, p, text, paths)
		case '?':
			if paths && text[0] == '/' {
				return differs
			}
		case '[':
			end, in := class(pattern, p, text[0])
			switch {
			case end < 0:
				return ended
			case !in || paths && text[0] == '/':
				return differs
			}
			p = end
		case '\\':
			if p++; p == len(pattern) || pattern[p] != text[0] {
				return differs
			}
		default:
			if c != text[0] {
				return differs
			}
		}
		text = text[1:]
	}
	if text != "" {
		return differs
	}
	return fits
}

// star matches a pattern with a star at p.
func star(pattern string, p int, text string, paths bool) verdict {
	rest := strings.TrimLeft(pattern[p:], "*")
	slashes := !paths
	if len(pattern)-p-len(rest) > 1 && paths && (p == 0 || pattern[p-1] == '/') &&
		(rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`)) {
		if rest != "" && rest[0] == '/' && wild(rest[1:], text, paths) == fits {
			return fits // zero folders
		}
		slashes = true
	}
	switch {
	case rest == "" && !slashes && strings.Contains(text, "/"):
		return slashed
	case rest == "":
		return fits
	case !slashes && rest[0] == '/':
		i := strings.IndexByte(text, '/')
		if i < 0 {
			return differs
		}
		return wild(rest, text[i:], paths)
	}
	for ; text != ""; text = text[1:] {
		v := wild(rest, text, paths)
		if v != differs && (!slashes || v != slashed) {
			return v
		}
		if !slashes && text[0] == '/' {
			return slashed
		}
	}
	return ended
}

// class matches a byte with the [...] at p. It returns the end of the class, -1 without
// one.
func class(pattern string, p int, c byte) (end int, in bool) {
	p++
	not := p < len(pattern) && (pattern[p] == '!' || pattern[p] == '^')
	if not {
		p++
	}
	before := -1 // possible start of a range
	for first := true; ; first = false {
		if p >= len(pattern) {
			return -1, false
		}
		b := pattern[p]
		switch {
		case b == ']' && !first:
			return p, in != not
		case b == '-' && before >= 0 && p+1 < len(pattern) && pattern[p+1] != ']':
			if p++; pattern[p] == '\\' {
				if p++; p >= len(pattern) {
					return -1, false
				}
			}
			in = in || int(c) >= before && c <= pattern[p]
			before = -1
			p++
			continue
		case b == '[' && p+1 < len(pattern) && pattern[p+1] == ':':
			i := strings.IndexByte(pattern[p+2:], ']')
			if i < 0 {
				return -1, false
			}
			if name, ok := strings.CutSuffix(pattern[p+2:p+2+i], ":"); ok {
				is, known := classes[name]
				if !known {
					return -1, false
				}
				in, before = in || is(c), -1
				p += 3 + i
				continue
			}
			in = in || c == '['
		case b == '\\':
			if p++; p >= len(pattern) {
				return -1, false
			}
			b = pattern[p]
			in = in || c == b
		default:
			in = in || c == b
		}
		before = int(b)
		p++
	}
}

func between(from, to byte) func(byte) bool { return func(c byte) bool { return c >= from && c <= to } }

func either(of ...func(byte) bool) func(byte) bool {
	return func(c byte) bool {
		for _, is := range of {
			if is(c) {
				return true
			}
		}
		return false
	}
}

var (
	digit = between('0', '9')
	lower = between('a', 'z')
	upper = between('A', 'Z')
	alnum = either(digit, lower, upper)
	graph = between('!', '~')
)

var classes = map[string]func(byte) bool{
	"alnum": alnum, "alpha": either(lower, upper), "digit": digit, "lower": lower, "upper": upper, "graph": graph,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7f },
	"print":  between(' ', '~'),
	"punct":  func(c byte) bool { return graph(c) && !alnum(c) },
	"space":  func(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' },
	"xdigit": either(digit, between('a', 'f'), between('A', 'F')),
}
