package rule

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"mvdan.cc/sh/v3/syntax"

	"autopilot/projections/regex"
)

// packageKeys are the members of package.json that steer tests.
var packageKeys = []string{"jest", "vitest", "mocha", "ava", "c8", "nyc", "tap", "taprc", "babel", "workspaces", "imports"}

// packageJSON is what counts of a package.json.
type packageJSON struct {
	Name    string
	Scripts map[string]jsontext.Value
	Members map[string]jsontext.Value
}

func readPackage(data []byte) (p packageJSON, ok bool) {
	if json.Unmarshal(data, &p.Members) != nil || p.Members == nil {
		return p, false
	}
	if v := p.Members["name"]; v != nil && json.Unmarshal(v, &p.Name) != nil {
		p.Name = ""
	}
	if v := p.Members["scripts"]; v != nil && json.Unmarshal(v, &p.Scripts) != nil {
		return p, false
	}
	return p, true
}

// script is the command line of a script.
func (p packageJSON) script(name string) string {
	var s string
	if v := p.Scripts[name]; v != nil && json.Unmarshal(v, &s) != nil {
		return ""
	}
	return s
}

func canonical(v jsontext.Value) string {
	v = slices.Clone(v)
	if len(v) == 0 || v.Canonicalize() != nil {
		return string(v)
	}
	return string(v)
}

func sortItems(list []item) {
	slices.SortFunc(list, func(a, b item) int { return cmp.Compare(a.text, b.text) })
}

// nodePart reads a package.json: of its scripts those count that are reached.
func nodePart(data []byte) (parsedPart, bool) {
	pkg, ok := readPackage(data)
	if !ok {
		return parsedPart{}, false
	}
	var p parsedPart
	for name := range pkg.Scripts {
		it := item{text: name + ": " + canonical(pkg.Scripts[name]), names: []string{name}, needs: []string{"pre" + name, "post" + name}}
		it.needs = append(it.needs, nodeLinks(pkg.script(name))...)
		p.items = append(p.items, it)
	}
	sortItems(p.items)
	for _, key := range packageKeys {
		if v, ok := pkg.Members[key]; ok && (key != "workspaces" && key != "imports" || v != nil) {
			p.items = append(p.items, item{text: key + " " + canonical(v), always: key != "workspaces" && key != "imports"})
		}
	}
	return p, true
}

// nodeLinks are the scripts that a script runs in the same package.
func nodeLinks(body string) []string {
	var out []string
	for _, c := range unwrap(textCalls(body, true)) {
		if n, ok := nodeCall(c.words); ok && n.here() {
			out = append(out, n.scripts...)
		}
	}
	return out
}

var localSpec = regex.New(`^(file:|link:|portal:|git[+:]|git@|https?:|npm:|patch:|exec:|github:|gitlab:|bitbucket:|\.{0,2}/|~/|[\w.-]+/[\w.-]+(#|$))`)

// specsSteered reports whether a package that there was comes from somewhere
// else now: a folder, an archive, a repository, or another package.
func specsSteered(was, is packageJSON) bool {
	old, now := was.specs(), is.specs()
	for name, spec := range now {
		before, known := old[name]
		over := strings.Contains(name, " ")
		if spec != before && localSpec.MatchString(spec) && (known || over) {
			return true
		}
	}
	return false
}

// specs are the versions of a package's dependencies; those that replace the
// ones of others have a space in their name.
func (p packageJSON) specs() map[string]string {
	out := map[string]string{}
	for _, key := range []string{"dependencies", "devDependencies", "optionalDependencies", "peerDependencies"} {
		var list map[string]string
		if v := p.Members[key]; v != nil && json.Unmarshal(v, &list) == nil {
			for name, spec := range list {
				out[name] = spec
			}
		}
	}
	for _, key := range []string{"overrides", "resolutions", "pnpm"} {
		if v := p.Members[key]; v != nil {
			flatten(key+" ", v, out)
		}
	}
	return out
}

func flatten(name string, v jsontext.Value, out map[string]string) {
	var members map[string]jsontext.Value
	var s string
	switch {
	case json.Unmarshal(v, &s) == nil:
		out[name] = s
	case json.Unmarshal(v, &members) == nil:
		for key, m := range members {
			flatten(name+"/"+key, m, out)
		}
	}
}

// shellText parses a command line as a shell does, as far as it can be parsed.
func shellText(text string) *syntax.File {
	file := parseShell(text)
	if file == nil {
		file, _ = syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.RecoverErrors(16)).Parse(strings.NewReader(text), "")
	}
	return file
}

// uncommented leaves out the comments and trailing commas that JSON for people has.
func uncommented(data []byte) []byte {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case quoted:
			if b.WriteByte(c); c == '\\' && i+1 < len(data) {
				i++
				b.WriteByte(data[i])
			}
			quoted = c != '"'
			continue
		case c == '"':
			quoted = true
		case c == '/' && i+1 < len(data) && data[i+1] == '/':
			for i+1 < len(data) && data[i+1] != '\n' {
				i++
			}
			continue
		case c == '/' && i+1 < len(data) && data[i+1] == '*':
			end := strings.Index(string(data[i+2:]), "*/")
			if end < 0 {
				return []byte(b.String())
			}
			i += end + 3
			continue
		}
		b.WriteByte(c)
	}
	return []byte(trailingComma.ReplaceAllString(b.String(), "$1"))
}

var trailingComma = regex.New(`,(\s*[}\]])`)
