package rule

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"autopilot/projections/regex"
)

// make follows a call of make: the makefiles of its folders, and of those the
// rules that its goals reach.
func (f *follower) make(w *shellWalk, words []string) {
	goals, all := makeGoals(words[1:])
	named := optionValues(words, []string{"-f", "--file", "--makefile"})
	for _, dir := range f.folders(w, optionValues(words, []string{"-C", "--directory"})) {
		var files []string
		if len(named) == 0 {
			usual := []string{"GNUmakefile", "makefile", "Makefile"}
			files = firstExisting([]string{dir}, usual, f.src.exists)
			if len(files) > 0 {
				f.pins.Absent = append(f.pins.Absent, missing([]string{dir}, usual, f.src.exists)...)
			}
		} else {
			files = existing([]string{dir}, named, f.src.exists)
		}
		if len(files) > 0 {
			f.makefile(dir, files, goals, all)
		}
	}
}

// folders are where a program works that an option sends elsewhere.
func (f *follower) folders(w *shellWalk, options []string) []string {
	dirs := w.dirs
	for _, d := range options {
		if d != "" {
			dirs = within(dirs, d, f.src.Root)
		}
	}
	return dirs
}

// makeGoals are the targets that make is asked for; all says that one of them is
// only known when it runs.
func makeGoals(words []string) (goals []string, all bool) {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "":
			all = true
		case w == "-C" || w == "-f" || w == "-I" || w == "-o" || w == "-W" || w == "--directory" || w == "--file" || w == "--makefile" || w == "--eval":
			i++
		case strings.HasPrefix(w, "-"), strings.Contains(w, "="), strings.Trim(w, "0123456789.") == "":
		default:
			goals = append(goals, w)
		}
	}
	return goals, all
}

// makeGroup is a makefile with all that it includes.
type makeGroup struct {
	files  []string
	joined makefile
}

func (f *follower) makefile(dir string, files, goals []string, all bool) {
	key := "make\x00" + dir + "\x00" + strings.Join(files, ":") + "\x00" + strings.Join(goals, " ")
	if f.seen[key] {
		return
	}
	f.seen[key] = true
	var g makeGroup
	for _, name := range files {
		f.include(&g, dir, name, 0)
	}
	whole := g.joined.part()
	part := Part{Kind: PartMake, Names: slices.Concat(goals, g.files), First: len(goals) == 0, All: all || whole.opaque}
	r := whole.reach(part)
	if all {
		for _, it := range whole.items {
			for _, n := range it.names {
				r.names[n] = true
			}
		}
		r = whole.reach(Part{Names: keys(r.names), First: part.First})
	}
	reached := Part{Kind: PartMake, Names: keys(r.names), Vars: keys(r.vars), All: part.All}
	by := strings.Join(goals, " ")
	if by == "" {
		by = whole.first
	}
	for i, name := range g.files {
		reached.First = part.First && i == 0
		why := Why{WhyTarget, by}
		if i >= len(files) {
			why = Why{WhyInclude, files[0]}
		}
		f.part(name, reached, why)
	}
	f.unmade(dir, g.joined, whole, goals)
	f.deeper(Why{WhyRun, files[0]}, func() {
		f.recipes(dir, g.joined, r.names, func(target string) bool {
			return slices.Contains(goals, target) || len(goals) == 0 && target == whole.first
		})
	})
}

// include reads a makefile and what it includes, in the place where it does.
func (f *follower) include(g *makeGroup, dir, name string, deep int) {
	if slices.Contains(g.files, name) || deep > followDeep {
		return
	}
	m := parseMake(f.src.read(name))
	g.files = append(g.files, name)
	g.joined.opaque = g.joined.opaque || m.opaque
	for _, e := range m.entries {
		g.joined.entries = append(g.joined.entries, e)
		if e.kind != makeInclude {
			continue
		}
		for _, word := range strings.Fields(g.joined.expander().expand(e.files)) {
			f.included(g, dir, word, deep)
		}
	}
}

func (f *follower) included(g *makeGroup, dir, word string, deep int) {
	if strings.Contains(word, unknown) {
		return // made while make runs
	}
	for _, p := range join([]string{dir}, word) {
		switch {
		case strings.ContainsAny(p, "*?"):
			for _, found := range f.src.glob(p) {
				f.include(g, dir, found, deep+1)
			}
		case f.src.exists(p):
			f.include(g, dir, p, deep+1)
		default:
			f.pins.Absent = append(f.pins.Absent, p)
		}
	}
}

// unmade are goals that a file of their name would make "up to date": nothing
// says that they are none, and their recipe makes none.
func (f *follower) unmade(dir string, m makefile, whole parsedPart, goals []string) {
	for _, goal := range goals {
		phony := slices.ContainsFunc(whole.items, func(it item) bool {
			return it.marks && strings.HasPrefix(it.text, ".PHONY") && slices.Contains(it.names, goal)
		})
		for _, e := range m.entries {
			if phony || e.kind != makeRule || strings.TrimSpace(e.targets) != goal || strings.TrimSpace(e.prereqs) != "" || len(e.recipe) == 0 {
				continue
			}
			text := strings.Join(e.recipe, "\n")
			if !strings.Contains(text, "$@") && !makes(goal).MatchString(text) {
				f.pins.Absent = append(f.pins.Absent, join([]string{dir}, goal)...)
			}
		}
	}
}

// makes matches a recipe that writes a file of that name.
func makes(goal string) *regex.Lazy {
	return regex.New(`(-o|>|touch|mkdir|mkdir -p|--output)[ =]?\S*` + regexp.QuoteMeta(goal) + `\b`)
}

var makeShell = regex.New(`\$[({]shell\s`)

// recipes follows the commands of reached targets; named says which the gate asks for.
func (f *follower) recipes(dir string, m makefile, names map[string]bool, named func(target string) bool) {
	ex := m.expander()
	for _, e := range m.entries {
		f.shellOf(dir, ex, e)
		if e.kind != makeRule || len(e.recipe) == 0 {
			continue
		}
		for _, target := range ex.words(e.targets) {
			if !reachedBy(target, names) {
				continue
			}
			prereqs := ex.prereqs(e.prereqs)
			auto := map[string]string{"@": target, "^": strings.Join(prereqs, " "), "<": first(prereqs), "?": strings.Join(prereqs, " "), "+": strings.Join(prereqs, " "), "*": unknown}
			local := ex.with(auto)
			for _, line := range e.recipe {
				text := strings.ReplaceAll(local.expand(strings.TrimLeft(line, "@-+ \t")), unknown, `"$_UNKNOWN"`)
				f.hidesRecipe("target "+target+" of "+f.by.By, line, text)
				f.goal(text, dir, len(e.recipe) == 1 && named(target))
			}
		}
	}
}

// shellOf follows what make runs to know a value.
func (f *follower) shellOf(dir string, ex *makeExpander, e makeEntry) {
	text := strings.Join(append([]string{e.value, e.prereqs}, e.recipe...), "\n")
	if e.op == "!=" {
		f.text("_="+`"$(`+ex.expand(e.value)+`)"`, "", nil, []string{dir})
	}
	for _, at := range makeShell.FindAllStringIndex(text, -1) {
		inner, _ := balanced(text, at[0]+1)
		_, command, _ := strings.Cut(inner, " ")
		f.text("_="+`"$(`+ex.expand(command)+`)"`, "", nil, []string{dir})
	}
}

func reachedBy(target string, names map[string]bool) bool {
	if names[target] {
		return true
	}
	for want := range names {
		if _, ok := meets(target, want); ok {
			return true
		}
	}
	return false
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func keys(set map[string]bool) []string {
	out := make([]string, 0, len(set))
	for k := range set {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// tasks follows the programs that run tasks of one file.
func (f *follower) tasks(w *shellWalk, kind PartKind, words, fileOptions, dirOptions []string, usual ...string) {
	ops, _ := operands(words[1:], "")
	all := slices.Contains(words[1:], "")
	names := slices.DeleteFunc(ops, func(o string) bool {
		return strings.Contains(o, "=") || o == "" || slices.Contains(optionValues(words, slices.Concat(fileOptions, dirOptions)), o)
	})
	for i, n := range names {
		names[i], _, _ = strings.Cut(n, "[") // rake name[argument]
	}
	for _, dir := range f.folders(w, optionValues(words, dirOptions)) {
		files := existing([]string{dir}, optionValues(words, fileOptions), f.src.exists)
		if len(files) == 0 {
			files = firstExisting([]string{dir}, usual, f.src.exists)
			if len(files) > 0 {
				f.pins.Absent = append(f.pins.Absent, missing([]string{dir}, usual, f.src.exists)...)
			}
		}
		for _, name := range files {
			f.taskFile(kind, dir, name, Part{Kind: kind, Names: names, First: len(names) == 0, All: all})
		}
	}
}

func (f *follower) taskFile(kind PartKind, dir, name string, part Part) {
	key := string(kind) + "\x00" + name + "\x00" + strings.Join(part.Names, " ")
	if f.seen[key] {
		return
	}
	f.seen[key] = true
	data := f.src.read(name)
	by := strings.Join(part.Names, " ")
	parsed, ok := parsePart(kind, data)
	if !ok {
		part.All = true
		f.part(name, part, Why{WhyTarget, by})
		return
	}
	if by == "" {
		by = parsed.first
	}
	r := parsed.reach(part)
	part.Names, part.Vars = keys(r.names), keys(r.vars)
	f.part(name, part, Why{WhyTarget, by})
	f.deeper(Why{WhyRun, name}, func() {
		lines := taskLines(kind, data, r)
		for _, line := range lines {
			f.hidesLine(name, line)
			f.goal(line, path.Dir(name), len(lines) == 1)
			if dir != path.Dir(name) {
				f.goal(line, dir, len(lines) == 1)
			}
		}
	})
}

var rakeShell = regex.New(`\b(?:sh|system|ruby|exec)[\s(]+["']([^"']+)["']`)

// taskLines are the command lines that reached tasks run.
func taskLines(kind PartKind, data []byte, r reaching) []string {
	var out []string
	switch kind {
	case PartTask:
		return taskCommands(data, r.names)
	case PartJust:
		for _, it := range r.items {
			for i, line := range strings.Split(it.text, "\n") {
				if i > 0 {
					out = append(out, justInside.ReplaceAllString(strings.TrimLeft(line, "@-"), `"$$_UNKNOWN"`))
				}
			}
		}
	case PartRake:
		for _, it := range r.items {
			for _, m := range rakeShell.FindAllStringSubmatch(it.text, -1) {
				out = append(out, m[1])
			}
		}
	case PartDeno, PartNode:
		for _, it := range r.items {
			if _, body, ok := strings.Cut(it.text, ": "); ok && len(it.names) > 0 {
				out = append(out, strings.Trim(body, `"`))
			}
		}
	case PartMake:
	}
	return out
}
