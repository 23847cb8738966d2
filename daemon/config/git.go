package config

import (
	"slices"

	"autopilot/events"
	"autopilot/events/stored"
)

// gitRule is one of the rules for git: its key, its values with the stricter one first,
// and where each place keeps it.
type gitRule struct {
	key    string
	values []string
	of     func(*Git) *string
	spec   func(*stored.GitRules) *string
}

func gitRules() []gitRule {
	return []gitRule{
		{"git.push", []string{events.GitDeny, events.GitAllow}, func(g *Git) *string { return &g.Push }, func(g *stored.GitRules) *string { return &g.Push }},
		{"git.history", []string{events.GitKeep, events.GitAny}, func(g *Git) *string { return &g.History }, func(g *stored.GitRules) *string { return &g.History }},
	}
}

// stricter is the file whose value of a rule counts; nil where none has one. Of two the
// stricter one does, as a project comes with the code that agents work on.
func (l Layers) stricter(r gitRule) *layer {
	var found *layer
	at := len(r.values)
	for _, f := range l.files() {
		if i := slices.Index(r.values, *r.of(l.git(f.origin))); i >= 0 && i < at {
			found, at = &f, i
		}
	}
	return found
}

func (l Layers) git(origin Origin) *Git {
	if origin == FromProject {
		return &l.Project.Git
	}
	return &l.User.Git
}

// git fixes what the run does not allow in git.
func (a *application) git() {
	rules := &a.out.Order.Spec.Git
	for _, r := range gitRules() {
		to := r.spec(rules)
		if *to != "" {
			continue
		}
		if text, ok := a.layers.Environment[r.key]; ok {
			*to = text
		} else if f := a.layers.stricter(r); f != nil {
			*to = *r.of(a.layers.git(f.origin))
		}
		a.use(r.key)
	}
}

// git judges the settings.
func (f *faults) git(g Git) {
	for _, r := range gitRules() {
		f.word(r.key, *r.of(&g), r.values...)
	}
}
