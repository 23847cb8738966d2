package rule

import (
	"path"
	"slices"
	"strings"

	"autopilot/projections/regex"
)

var (
	sentences = regex.New(`[.!?;。]\s+|[\n。]+`)
	kept      = regex.New(`(?i)\b(not|never|without|don't|dont|keep|leave|unchanged|untouched|except)\b|変更しない|変えない|触らない`)
	edits     = regex.New(`(?i)\b(add|append|change|correct|delete|drop|edit|extend|fill|insert|migrate|move|refactor|remove|rename|replace|reword|rewrite|sort|translate|update|write)\b|追加|変更|修正|削除|更新|編集|書き換`)
	proves    = regex.New(`(?i)\b(pass|passes|passing|green|succeed|succeeds|fail|fails|failing|prove|proves|according to|as in|see|checked by|verified by|covered by)\b`)
	taskPath  = regex.New(`[A-Za-z0-9_@.][\w@.+-]*(?:/[\w@.+*-]+)*/?`)
)

// TaskNames are the pinned files of the start that a task asks to change, as
// globs to let them change, sorted. A file or a folder counts whose name is in
// the text, unless its sentence says that it stays as it is. Of tests and of
// what gates run the sentence has to speak of a change, as many a task names the
// tests that it has to pass.
func (p Pins) TaskNames(task string, pinned []string) []string {
	bases := map[string][]string{}
	for _, f := range pinned {
		bases[path.Base(f)] = append(bases[path.Base(f)], f)
	}
	var out []string
	for _, s := range sentences.Split(task, -1) {
		if kept.MatchString(s) {
			continue
		}
		asks := edits.MatchString(s) && !proves.MatchString(s)
		for _, word := range taskPath.FindAllString(s, -1) {
			word = strings.TrimRight(word, ".,:;")
			out = append(out, p.named(clean(word), strings.HasSuffix(word, "/"), pinned, bases, asks)...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// named are the globs for one word of a task.
func (p Pins) named(word string, slashed bool, pinned []string, bases map[string][]string, asks bool) []string {
	if word == "" || word == "." {
		return nil
	}
	var out []string
	inside, data := 0, true
	below := func(f string) bool { return strings.HasPrefix(f, word+"/") && (slashed || strings.Contains(word, "/")) }
	for _, f := range pinned {
		switch {
		case f != word && !below(f):
		case !p.pinned(f): // a part of it: the rest may change anyway
		case f == word && (asks || p.isData(f)):
			out = append(out, escapeGlob(f))
		case below(f):
			inside, data = inside+1, data && p.isData(f)
		}
	}
	if inside > 0 && (asks || data) {
		return []string{escapeGlob(word) + "/**"}
	}
	if files := bases[word]; len(out) == 0 && len(files) == 1 && strings.Contains(word, ".") && p.pinned(files[0]) && (asks || p.isData(files[0])) {
		out = append(out, escapeGlob(files[0]))
	}
	return out
}

var codeOf = wordSet(`.go .py .js .jsx .ts .tsx .mjs .cjs .mts .cts .rs .java .kt .scala .groovy .rb .php .cs .fs .swift .ex .exs .erl .c .cc .cpp .cxx .h .hpp .sh .bash .bats .t .pl .lua .r .jl .ps1 .feature .snap`)

// IsCode reports whether a file is code by its name, or says what is run.
func IsCode(name string) bool {
	return codeOf[path.Ext(name)] && path.Ext(name) != ".snap" || usual[name] || name == "package.json"
}

// isData reports whether a file can as well be of the product: it is pinned for
// the folder that it is in and is no code, or as something else leads to it.
func (p Pins) isData(name string) bool {
	why := p.Because(name).Kind
	return why == WhyName && !codeOf[path.Ext(name)] || why.indirect()
}

// indirect says that neither a gate nor the name of the file pins it, so that it
// is the work as soon as the task names it.
func (k WhyKind) indirect() bool {
	switch k {
	case WhySourced, WhyRun, WhyRead, WhyHelper, WhyConfig, WhyFailing:
		return true
	default:
		return false
	}
}

// Without takes out files that are pinned only as something that gates name
// leads to them, where globs match them: the task says that they are the work.
func (p Pins) Without(globs []string) Pins {
	p.Paths = slices.DeleteFunc(slices.Clone(p.Paths), func(name string) bool {
		return p.Why[name].Kind.indirect() && matchAny(globs, name)
	})
	return p
}

var idFile = regex.New(`[\w@+-][\w@./+-]*\.[A-Za-z]{1,5}\b`)

// PinsOfFailing are those of the files, sorted, that the ids of failing tests
// name: by their path, or as a module of Python. A test in the file of the code
// (as of Rust, or a doctest) is not told from it by an id, so those that name a
// file without a test behind it are left out.
func PinsOfFailing(ids, files []string) []string {
	has := func(name string) bool { _, ok := slices.BinarySearch(files, name); return ok }
	var out []string
	for _, id := range ids {
		for _, at := range idFile.FindAllStringIndex(id, -1) {
			name := path.Clean(id[at[0]:at[1]])
			if at[1] < len(id) && has(name) {
				out = append(out, name)
			}
		}
		for _, word := range strings.FieldsFunc(id, func(r rune) bool { return strings.ContainsRune(" ()", r) }) {
			if strings.Count(word, ".") < 2 || strings.Contains(word, "/") {
				continue
			}
			for _, p := range modulePaths(word) {
				if has(p) && path.Base(p) != "__init__.py" {
					out = append(out, p)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
