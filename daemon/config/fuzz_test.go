package config_test

import (
	"testing"

	"autopilot/daemon/config"
	"autopilot/daemon/run/order"
	"autopilot/daemon/strictyaml"
)

// Whatever stands in a file, it is taken whole or refused with a place, and what
// is shown of it is on one line.
func FuzzFiles(f *testing.F) {
	for _, s := range []string{
		project, user, "", "# x\n", "\uFEFFsetup: x\r\n", "gates:\n  a:\n", "agents: {a: {command: [x, y]}}\n", "limits: {for: 1h, until: 07:00}\n",
		"notify:\n  rules: [{on: [done], bell: true}]\n", "gates: {a: {artifact: ['[']}}\n", "a: &b c\n", "- a\n", "{a: [}", "setup: |\n  a\n   b\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		p, u := config.ParseProject("p", []byte(src)), config.ParseUser("u", []byte(src))
		for _, file := range []config.File{p.File, u.File} {
			for _, problem := range file.Problems {
				if problem.File == "" || problem.Message == "" || problem.Line < 1 || problem.Column < 1 {
					t.Fatalf("%+v", problem)
				}
			}
		}
		l := config.Layers{Project: &p, User: &u}
		for _, v := range l.Values() {
			doc, err := strictyaml.ParseOptional([]byte("v: " + v.Value + "\n"))
			if err != nil {
				t.Fatalf("%s is shown as %q: %v", v.Key, v.Value, err)
			}
			if _, more := doc.Lookup("v"); !more {
				t.Fatalf("%s is shown as %q", v.Key, v.Value)
			}
		}
		_ = l.Problems()
		if l.Err() == nil {
			_, _ = l.Apply(order.Order{}, noon)
		}
	})
}
