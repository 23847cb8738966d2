package rule

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"autopilot/events/wire"
	"autopilot/projections/regex"
)

// MostSuppressions is how many are listed; the rest is counted.
const MostSuppressions = 200

// longestLine bounds a line that is looked at: longer ones are made by programs.
const longestLine = 4 << 10

// MaySuppress says that a file is code in which suppressions count. Documents and data
// have none.
func MaySuppress(name string) bool { return langFor(name) != 0 }

func langFor(name string) lang {
	base := strings.ToLower(path.Base(name))
	if l, ok := langNamed[base]; ok {
		return l
	}
	if strings.HasPrefix(base, "dockerfile.") {
		return langDocker
	}
	return langOf[path.Ext(base)]
}

var allSuppressors = sync.OnceValue(suppressors)

// suppressed is a suppression with what tells it from another one.
type suppressed struct {
	wire.Suppression
	text string // its line, without white space around
	tail string // what the line says from there on
}

// AddedSuppressions finds the suppressions that a diff adds, by file and line, and says
// how many there are beyond those that are listed. One that was moved counts for
// nothing, nor does one whose line was changed before it: the diff removes it too.
func AddedSuppressions(diff string) (list []wire.Suppression, more int) {
	var added, removed []suppressed
	for l := range diffLines(diff) {
		found := suppressionsIn(l.file, l.text)
		for i := range found {
			found[i].Line = l.line
		}
		if l.added {
			added = append(added, found...)
		} else {
			removed = append(removed, found...)
		}
	}
	added = notMoved(added, removed)
	slices.SortStableFunc(added, func(a, b suppressed) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	for _, s := range added[:min(len(added), MostSuppressions)] {
		list = append(list, s.Suppression)
	}
	return list, len(added) - len(list)
}

// notMoved takes out each added one for which an equal one was removed: the same line
// anywhere, or the same words in the same file.
func notMoved(added, removed []suppressed) []suppressed {
	type same struct{ kind, where, text string }
	keys := []func(suppressed) same{
		func(s suppressed) same { return same{s.Kind, "", s.text} },
		func(s suppressed) same { return same{s.Kind, s.File, s.tail} },
	}
	for _, key := range keys {
		left := map[same][]int{}
		for i, r := range removed {
			left[key(r)] = append(left[key(r)], i)
		}
		used := map[int]bool{}
		added = slices.DeleteFunc(slices.Clone(added), func(a suppressed) bool {
			list := left[key(a)]
			if len(list) == 0 {
				return false
			}
			used[list[0]], left[key(a)] = true, list[1:]
			return true
		})
		var rest []suppressed
		for i, r := range removed {
			if !used[i] {
				rest = append(rest, r)
			}
		}
		removed = rest
	}
	return added
}

// suppressionsIn are those of one line of a file.
func suppressionsIn(file, text string) []suppressed {
	of := langFor(file)
	if of == 0 || len(text) > longestLine {
		return nil
	}
	lower := strings.ToLower(text)
	var out []suppressed
	for _, s := range allSuppressors() {
		if s.langs&of == 0 || !slices.ContainsFunc(s.needles, func(n string) bool { return strings.Contains(lower, n) }) {
			continue
		}
		if s.inTests && !TestLike(file) {
			continue
		}
		at := s.pattern.FindStringIndex(text)
		if at == nil {
			continue
		}
		out = append(out, suppressed{
			Suppression: wire.Suppression{Kind: s.kind, Class: s.class, File: file},
			text:        strings.TrimSpace(text), tail: strings.TrimSpace(text[at[0]:]),
		})
	}
	return out
}

// diffLine is a line that a diff adds or removes.
type diffLine struct {
	file  string
	text  string
	line  int // in the file as it is now, of one that is added
	added bool
}

var diffHunk = regex.New(`^@@ -[0-9]+(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@`)

// diffLines goes through the lines that a diff in the form of git adds and removes.
// What it cannot read it leaves out.
func diffLines(diff string) func(yield func(diffLine) bool) {
	return func(yield func(diffLine) bool) {
		before, after, line, old, now := "", "", 0, 0, 0
		for text := range strings.Lines(diff) {
			text = strings.TrimRight(text, "\r\n")
			if old <= 0 && now <= 0 {
				before, after = diffFile(text, "--- ", "a/", before), diffFile(text, "+++ ", "b/", after)
				if m := diffHunk.FindStringSubmatch(text); m != nil {
					old, line, now = hunkCount(m[1]), hunkCount(m[2]), hunkCount(m[3])
				}
				continue
			}
			ok := true
			switch {
			case strings.HasPrefix(text, "+"):
				ok = yield(diffLine{after, text[1:], line, true})
				now, line = now-1, line+1
			case strings.HasPrefix(text, "-"):
				ok = yield(diffLine{before, text[1:], 0, false})
				old--
			case strings.HasPrefix(text, `\`): // no newline at the end of the file
			default:
				old, now, line = old-1, now-1, line+1
			}
			if !ok {
				return
			}
		}
	}
}

// hunkCount is a number of a head of a hunk: it is 1 where it is left out.
func hunkCount(text string) int {
	if text == "" {
		return 1
	}
	n, _ := strconv.Atoi(text)
	return n
}

// diffFile is the file that a line of the head of a diff names, else the one before.
func diffFile(text, lead, side, before string) string {
	name, ok := strings.CutPrefix(text, lead)
	if !ok {
		return before
	}
	name = strings.TrimSuffix(name, "\t")
	if strings.HasPrefix(name, `"`) {
		if plain, err := strconv.Unquote(name); err == nil {
			name = plain
		}
	}
	return strings.TrimPrefix(name, side)
}

// TestLike says that a file is one by its name: it matches a default pin.
func TestLike(name string) bool {
	return !strings.HasPrefix(name, projectDir) && matchAny(DefaultPins(), name) && !matchAny(derived, name)
}
