package project

import (
	"slices"
	"strings"

	"autopilot/projections/regex"
)

const kindMake = "make"

func readMake(t tree) (part, bool) {
	file := t.first("GNUmakefile", "makefile", "Makefile")
	p := part{kind: kindMake, from: file}
	b, ok := t.read(file)
	if file == "" || !ok {
		return p, false
	}
	targets := makeTargets(b)
	var known []string
	for _, name := range []string{"test", "check", "lint", "vet", "typecheck"} {
		if slices.Contains(targets, name) {
			known = append(known, name)
		}
	}
	if len(known) == 0 {
		p.says(file, "no target test, check or lint")
		return p, true
	}
	p.says(file, "targets "+strings.Join(known, ", "))
	for _, name := range known {
		switch {
		case p.test == "" && (name == "test" || name == "check"):
			p.test = "make " + name
		case name != "test" && name != "check":
			p.check(name, "make "+name, file)
		}
	}
	return p, true
}

// targetLine is a rule: names before a colon that assigns nothing.
var targetLine = regex.New(`^([A-Za-z0-9_.][A-Za-z0-9_. /-]*?)[ \t]*::?(?:[^=:]|$)`)

// makeTargets are the targets of a makefile that are written as such. What it
// includes or computes is not known.
func makeTargets(b []byte) []string {
	var names []string
	continued := false
	for _, line := range lines(b) {
		was := continued
		continued = strings.HasSuffix(line, `\`)
		if was {
			continue
		}
		m := targetLine.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		for _, name := range strings.Fields(m[1]) {
			if !strings.HasPrefix(name, ".") {
				names = append(names, name)
			}
		}
	}
	return names
}
