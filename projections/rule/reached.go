package rule

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"autopilot/projections/regex"
)

// PartKind says how a file that is pinned in part is read.
type PartKind string

// The kinds of files that hold targets, scripts or tasks.
const (
	PartMake PartKind = "make"
	PartNode PartKind = "node" // package.json
	PartJust PartKind = "just"
	PartTask PartKind = "task"
	PartRake PartKind = "rake"
	PartDeno PartKind = "deno"
)

// Part is what gates reach of a file: only that is pinned of it.
type Part struct {
	Kind  PartKind `json:"kind"`
	Names []string `json:"names,omitzero"` // targets, scripts, tasks; a glob where the name is computed
	Vars  []string `json:"vars,omitzero"`
	First bool     `json:"first,omitzero"` // a gate asks for no name, so the first one of the file counts
	All   bool     `json:"all,omitzero"`   // nobody knows what is reached: all that is there, and only additions are free
}

func (p Part) with(q Part) Part {
	out := Part{
		Kind: cmp.Or(p.Kind, q.Kind), Names: slices.Concat(p.Names, q.Names), Vars: slices.Concat(p.Vars, q.Vars),
		First: p.First || q.First, All: p.All || q.All,
	}
	slices.Sort(out.Names)
	slices.Sort(out.Vars)
	out.Names, out.Vars = slices.Compact(out.Names), slices.Compact(out.Vars)
	return out
}

// item is one piece of such a file: a rule, a variable, a script.
type item struct {
	text   string   // what is compared
	names  []string // that it defines
	needs  []string // names that it leads to
	vars   []string // variables that it defines
	uses   []string // variables that it uses
	always bool     // it steers whatever is asked for
	marks  bool     // of names it only says something: .PHONY
}

// parsedPart is a file as its kind reads it.
type parsedPart struct {
	items  []item
	first  string // name that counts where none is asked for
	opaque bool   // names are computed
}

// parsePart reads a file; ok is false where it cannot be read.
func parsePart(kind PartKind, data []byte) (p parsedPart, ok bool) {
	switch kind {
	case PartMake:
		return parseMake(data).part(), true
	case PartNode:
		return nodePart(data)
	case PartJust:
		return parseJust(data), true
	case PartTask:
		return taskPart(data)
	case PartRake:
		return parseRake(data), true
	case PartDeno:
		return denoPart(data)
	}
	return parsedPart{}, false
}

// partReachedChanged reports whether what gates reach of a file is another now.
func partReachedChanged(was, is []byte, part Part) bool {
	a, okA := parsePart(part.Kind, was)
	b, okB := parsePart(part.Kind, is)
	switch {
	case !okA || !okB:
		return true
	case part.First && a.first != b.first:
		return true
	case part.All || a.opaque || b.opaque:
		return !onlyAdds(a, b, string(was))
	}
	return !slices.Equal(a.reach(part).texts, b.reach(part).texts)
}

// reaching is what is reached of the items of a file.
type reaching struct {
	names, vars map[string]bool
	texts       []string
	items       []item
}

// reach follows names and variables until nothing is added.
func (p parsedPart) reach(part Part) reaching {
	r := reaching{names: setOf(part.Names), vars: setOf(part.Vars)}
	if part.First && p.first != "" {
		r.names[p.first] = true
	}
	in := make([]bool, len(p.items))
	for grew := true; grew; {
		grew = false
		for i, it := range p.items {
			if in[i] || it.marks {
				continue
			}
			needs, hit := r.hits(it)
			if !hit {
				continue
			}
			in[i], grew = true, true
			for _, n := range needs {
				r.names[n] = true
			}
			for _, v := range it.uses {
				r.vars[v] = true
			}
		}
	}
	for i, it := range p.items {
		switch {
		case it.marks:
			r.texts = append(r.texts, r.marked(it)...)
		case in[i]:
			r.texts, r.items = append(r.texts, it.text), append(r.items, it)
		}
	}
	return r
}

// hits reports whether an item is reached, and what it leads to.
func (r reaching) hits(it item) (needs []string, hit bool) {
	hit = it.always
	for _, v := range it.vars {
		hit = hit || r.vars[v]
	}
	needs = it.needs
	for _, n := range it.names {
		if r.names[n] {
			hit = true
			continue
		}
		pattern := strings.Contains(n, "%")
		for want := range r.names {
			stem, ok := meets(n, want)
			if !ok {
				continue
			}
			hit = true
			if pattern {
				for _, need := range it.needs {
					needs = append(slices.Clip(needs), strings.ReplaceAll(need, "%", stem))
				}
			}
		}
	}
	return needs, hit
}

// marked are the marks that an item puts on reached names.
func (r reaching) marked(it item) []string {
	var out []string
	for _, n := range it.names {
		for want := range r.names {
			if _, ok := meets(n, want); ok || n == want {
				out = append(out, it.text+" "+n)
				break
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// meets reports whether a defined name, which may be a pattern with %, is what a
// wanted one means, which may be a glob.
func meets(defined, want string) (stem string, ok bool) {
	if before, after, pattern := strings.Cut(defined, "%"); pattern {
		if rest, ok := strings.CutPrefix(want, before); ok && strings.HasSuffix(rest, after) && len(rest) > len(after) {
			return strings.TrimSuffix(rest, after), true
		}
		base := path.Base(want) // a pattern without a slash is compared with the name alone
		if rest, ok := strings.CutPrefix(base, before); ok && !strings.Contains(defined, "/") && strings.HasSuffix(rest, after) && len(rest) > len(after) {
			return path.Join(path.Dir(want), strings.TrimSuffix(rest, after)), true
		}
		return "", false
	}
	if want == anyFile {
		return "", strings.ContainsAny(defined, "./")
	}
	if strings.ContainsAny(want, "*?") {
		ok, err := doublestar.Match(want, defined)
		return "", err == nil && ok
	}
	return "", defined == want
}

// anyFile is a wanted name of which only running tells more: a file.
const anyFile = "\x01"

// onlyAdds reports whether all of the old items are there, in their order, and
// what came beside them defines only what the old text nowhere speaks of.
func onlyAdds(a, b parsedPart, old string) bool {
	known, computed := namesIn(old), affixes.FindAllStringSubmatch(old, -1)
	fresh := func(names []string) bool {
		return !slices.ContainsFunc(names, func(n string) bool {
			return strings.ContainsAny(n, "%*?$") || strings.HasPrefix(n, ".") || known[n] || slices.ContainsFunc(computed, func(m []string) bool {
				return m[1] != "" && strings.HasPrefix(n, m[1]) || m[2] != "" && strings.HasSuffix(n, m[2])
			})
		})
	}
	at := 0
	for _, it := range b.items {
		if it.marks {
			continue // they are compared below
		}
		for at < len(a.items) && a.items[at].marks {
			at++
		}
		if at < len(a.items) && a.items[at].text == it.text {
			at++
			continue
		}
		if it.always || len(it.names)+len(it.vars) == 0 || !fresh(it.names) || !fresh(it.vars) {
			return false
		}
	}
	for ; at < len(a.items); at++ {
		if !a.items[at].marks {
			return false
		}
	}
	return marksKept(a, b, fresh)
}

// marksKept reports whether marks are what they were, but for fresh names.
func marksKept(a, b parsedPart, fresh func([]string) bool) bool {
	was, is := a.markSet(), b.markSet()
	for m := range was {
		if !is[m] {
			return false
		}
	}
	for m := range is {
		if _, name, _ := strings.Cut(m, " "); !was[m] && !fresh([]string{name}) {
			return false
		}
	}
	return true
}

func (p parsedPart) markSet() map[string]bool {
	set := map[string]bool{}
	for _, it := range p.items {
		if it.marks {
			for _, n := range it.names {
				set[it.text+" "+n] = true
			}
		}
	}
	return set
}

// affixes are what stands before or behind a reference: with it they make names.
var affixes = regex.New(`([A-Za-z][\w.-]*[-_.:])\$[({]|\$[({][^(){}]*[)}]([-_.:][\w.-]*[A-Za-z])`)

var wordPattern = regex.New(`[A-Za-z0-9_][A-Za-z0-9_.:/-]*`)

func notWord(r rune) bool { return strings.ContainsRune(".:/-", r) }

// namesIn are the words of a text that could be names: whole, and in pieces.
func namesIn(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range wordPattern.FindAllString(text, -1) {
		set[w] = true
		set[strings.TrimRight(w, ".:/-")] = true
		for _, piece := range strings.FieldsFunc(w, notWord) {
			set[piece] = true
		}
	}
	return set
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}
