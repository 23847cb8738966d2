package workflow

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"autopilot/daemon/strictyaml"
)

// Mistake is something wrong with a workflow that its file alone does not show:
// at the path of a value, with names and indexes joined by dots.
type Mistake struct{ Path, Msg, Fix string }

// Lint reads one workflow file and finds every mistake in it, in the order of
// the file. Without one the workflow is what Parse gives; with some it is what
// could be read. Further checks look at that.
func Lint(src []byte, further ...func(Workflow) []Mistake) (Workflow, []*strictyaml.Error) {
	w := Default()
	w.Version = 0
	doc, err := strictyaml.Parse(src)
	if err != nil {
		var e *strictyaml.Error
		errors.As(err, &e)
		return w, []*strictyaml.Error{e}
	}
	found := slices.Clone(doc.DecodeAll(&w))
	unread := len(found)
	broken := w.problems()
	for _, check := range further {
		for _, m := range check(w) {
			broken.add(m.Path, m.Fix, "%s", m.Msg)
		}
	}
	for _, p := range broken {
		if !slices.ContainsFunc(found[:unread], func(e *strictyaml.Error) bool { return follows(p.path, e.Path) }) {
			found = append(found, doc.Errorf(p.path, p.fix, "%s", p.msg))
		}
	}
	slices.SortStableFunc(found, func(a, b *strictyaml.Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	if len(found) == 0 {
		w = w.provenAtTheEnd()
	}
	return w, found
}

// follows says that a broken rule may follow from a value that could not be
// read: it is about that value, what is in it, or the mapping that it is missing
// in. It shows by itself once the value can be read.
func follows(rule, unread string) bool {
	parent := unread[:max(0, strings.LastIndexByte(unread, '.'))]
	return rule == unread || strings.HasPrefix(rule, unread+".") || rule == parent
}
