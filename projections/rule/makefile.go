package rule

import (
	"slices"
	"strings"

	"autopilot/projections/regex"
)

// makefile is a makefile, read line by line as make does, and not run.
type makefile struct {
	entries []makeEntry
	opaque  bool // it makes rules that its text does not show
}

type makeKind int

const (
	makeRule makeKind = iota
	makeVar
	makeInclude
	makeOther // conditions, exports, vpath: what steers all
)

// makeEntry is one rule, variable or directive.
type makeEntry struct {
	kind    makeKind
	context string // conditions around it
	head    string // its line, without comment and in one spacing
	targets string
	prereqs string
	recipe  []string
	name    string // of a variable
	op      string
	value   string
	export  bool
	files   string // of an include
	may     bool   // an include of what may be absent
}

var (
	makeAssign    = regex.New(`^((?:override|export|private|unexport)\s+)*([^\s:#=+?!]+)\s*(:{1,3}=|\+=|\?=|!=|=)\s*(.*)$`)
	makeDefine    = regex.New(`^((?:override|export|private)\s+)*define\s+(\S+)\s*(:{1,3}=|\+=|\?=|!=|=)?\s*$`)
	makeIncluding = regex.New(`^(-include|sinclude|include)\s+(.*)$`)
	makeCondition = regex.New(`^(ifeq|ifneq|ifdef|ifndef|else|endif)\b`)
	makeDirective = regex.New(`^(export|unexport|undefine|override|vpath|load|-load)\b`)
	makeTold      = regex.New(`^\$[({](info|warning|error)\b`)
	makeComputes  = regex.New(`\$[({]\s*eval\b|\$[({]\$|\.RECIPEPREFIX|\.SECONDEXPANSION`)
)

// parseMake reads a makefile.
func parseMake(data []byte) makefile {
	r := makeReader{}
	lines := strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + " " + strings.TrimLeft(lines[i], " \t")
		}
		r.line(line)
	}
	r.m.opaque = r.m.opaque || makeComputes.Match(data)
	return r.m
}

type makeReader struct {
	m       makefile
	context []string
	inRule  bool
	define  *makeEntry
}

func (r *makeReader) add(e makeEntry) {
	e.context = strings.Join(r.context, "; ")
	r.m.entries = append(r.m.entries, e)
	r.inRule = e.kind == makeRule
}

func (r *makeReader) line(line string) {
	if r.define != nil {
		if strings.TrimSpace(line) == "endef" {
			r.add(*r.define)
			r.define = nil
			return
		}
		r.define.value += line + "\n"
		return
	}
	if r.inRule && strings.HasPrefix(line, "\t") {
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
			e := &r.m.entries[len(r.m.entries)-1]
			e.recipe = append(e.recipe, text)
		}
		return
	}
	text := strings.Join(strings.Fields(uncomment(line)), " ")
	switch {
	case text == "":
	case makeCondition.MatchString(text):
		r.condition(text)
	default:
		r.statement(text)
	}
}

// condition keeps what is true where an entry counts. It does not end a recipe.
func (r *makeReader) condition(text string) {
	word, _, _ := strings.Cut(text, " ")
	switch {
	case word == "endif" && len(r.context) > 0:
		r.context = r.context[:len(r.context)-1]
	case word == "else" && len(r.context) > 0:
		r.context[len(r.context)-1] += "; " + text
	default:
		r.context = append(r.context, text)
	}
	if r.inRule {
		e := &r.m.entries[len(r.m.entries)-1]
		e.recipe = append(e.recipe, text)
	}
}

func (r *makeReader) statement(text string) {
	if m := makeDefine.FindStringSubmatch(text); m != nil {
		r.define = &makeEntry{kind: makeVar, head: text, name: m[2], op: "define", export: strings.Contains(m[1], "export")}
		return
	}
	if m := makeIncluding.FindStringSubmatch(text); m != nil {
		r.add(makeEntry{kind: makeInclude, head: text, files: m[2], may: m[1] != "include"})
		return
	}
	if m := makeAssign.FindStringSubmatch(text); m != nil && !strings.HasPrefix(m[2], "$(") {
		r.add(makeEntry{kind: makeVar, head: text, name: m[2], op: m[3], value: m[4], export: strings.Contains(text[:len(text)-len(m[4])], "export ")})
		return
	}
	if makeDirective.MatchString(text) {
		r.add(makeEntry{kind: makeOther, head: text})
		return
	}
	targets, rest, ok := cutRule(text)
	switch {
	case ok:
		prereqs, first, inline := cutOutside(rest, ';')
		e := makeEntry{kind: makeRule, head: text, targets: targets, prereqs: prereqs}
		if inline {
			e.recipe = []string{strings.TrimSpace(first)}
		}
		r.add(e)
	case makeTold.MatchString(text):
	default:
		r.m.opaque = true
		r.add(makeEntry{kind: makeOther, head: text})
	}
}

// cutRule divides a rule at its colon.
func cutRule(text string) (targets, rest string, ok bool) {
	targets, rest, ok = cutOutside(text, ':')
	if !ok || strings.TrimSpace(targets) == "" {
		return "", "", false
	}
	targets = strings.TrimSuffix(strings.TrimSpace(targets), "&")
	rest = strings.TrimPrefix(rest, ":")
	if pattern, more, static := cutOutside(rest, ':'); static && !strings.HasPrefix(more, "=") && strings.Contains(pattern, "%") {
		rest = more // targets: pattern: prerequisites
	}
	return targets, rest, true
}

// cutOutside cuts at a sign that is not within a reference to a variable.
func cutOutside(text string, sign byte) (before, after string, ok bool) {
	depth := 0
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case c == sign && depth <= 0:
			return text[:i], text[i+1:], true
		}
	}
	return text, "", false
}

func uncomment(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] != '\\') {
			return line[:i]
		}
	}
	return line
}

// steeringVar matches variables that make itself, the programs that it runs or
// the environment of gates know, so that they steer without being mentioned.
var steeringVar = regex.New(`^(\..*|SHELL|MAKE.*|MFLAGS|VPATH|GPATH|PATH|HOME|CDPATH|IFS|ENV|BASH_ENV|SUFFIXES|CI|TMPDIR|LANG|LC_.*|LD_.*|DYLD_.*|.*FLAGS|` +
	`CC|CXX|CPP|LD|AR|AS|FC|RM|LEX|YACC|GO(ROOT|PATH|BIN|ENV|OS|ARCH|EXPERIMENT|DEBUG|TOOLCHAIN|WORK|PROXY|CACHE|MODCACHE|PRIVATE|SUMDB|MAXPROCS)|` +
	`NODE_.*|NPM_CONFIG_.*|npm_.*|PYTHON.*|PYTEST_.*|TOX_.*|NOX.*|COVERAGE_.*|VIRTUAL_ENV|RUSTC.*|RUST_.*|RUSTUP_.*|CARGO_.*|JAVA_.*|JDK_.*|MAVEN_.*|GRADLE_.*|RUBY.*|GEM_.*|BUNDLE_.*|PERL5.*|DENO_.*|BUN_.*)$`)

// quietTargets are special targets that change no outcome.
var quietTargets = wordSet(`.SILENT .DELETE_ON_ERROR .NOTPARALLEL .PRECIOUS .SECONDARY .INTERMEDIATE .LOW_RESOLUTION_TIME`)

// part is the makefile as pieces that can be reached.
func (m makefile) part() parsedPart {
	p := parsedPart{opaque: m.opaque}
	ex := m.expander()
	all := slices.ContainsFunc(m.entries, func(e makeEntry) bool {
		return e.kind == makeOther && e.head == "export" || e.kind == makeRule && strings.TrimSpace(e.targets) == ".EXPORT_ALL_VARIABLES"
	})
	for _, e := range m.entries {
		it := item{text: strings.Join(append([]string{e.context, e.head}, e.recipe...), "\n"), uses: e.uses()}
		switch e.kind {
		case makeRule:
			it.names = ex.words(e.targets)
			it.needs = ex.prereqs(e.prereqs)
			special := len(it.names) == 1 && strings.HasPrefix(it.names[0], ".") && strings.ToUpper(it.names[0]) == it.names[0]
			switch {
			case special && quietTargets[it.names[0]]:
				continue
			case special && len(it.needs) > 0 && it.names[0] != ".SUFFIXES":
				it = item{text: it.names[0] + "|" + e.context, names: it.needs, marks: true}
			case special || slices.Contains(it.names, anyFile):
				it.always = true
			case p.first == "" && !strings.HasPrefix(it.names[0], ".") && !strings.Contains(it.names[0], "%"):
				p.first = it.names[0]
			}
		case makeVar:
			it.text += "\n" + e.value
			it.vars = []string{e.name}
			it.always = e.export || all || steeringVar.MatchString(e.name) || strings.Contains(e.name, "$")
		case makeInclude:
			it.always = true
		case makeOther:
			it.always = true
		}
		p.items = append(p.items, it)
	}
	return p
}

var makeRef = regex.New(`\$[({]\s*(?:(?:call|value|origin|flavor)\s+)?([^\s(){}:,=$]+)|\$([^({$\s])|\b(?:ifdef|ifndef)\s+(\S+)`)

// uses are the variables that an entry mentions.
func (e makeEntry) uses() []string {
	var out []string
	for _, m := range makeRef.FindAllStringSubmatch(strings.Join(append([]string{e.context, e.head, e.value}, e.recipe...), "\n"), -1) {
		out = append(out, m[1]+m[2]+m[3])
	}
	slices.Sort(out)
	return slices.Compact(out)
}
