package workflow

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/projections/rule"
)

// phases checks every phase by itself, and then how they hang together.
func (p *problems) phases(w Workflow) {
	if len(w.Phases) == 0 {
		p.add("phases", "add phases: with one entry", "the workflow has no phase")
		return
	}
	gates := map[string]bool{}
	for _, ph := range w.Phases {
		gates[ph.FilesGate()], gates[ph.ScopeGate()] = true, true
	}
	for i, ph := range w.Phases {
		at := index("phases", i)
		p.name(at+".name", "phase", ph.Name)
		if events.Name(ph.Name).Valid() && !events.Name(ph.ScopeGate()).Valid() {
			p.add(at+".name", "use up to 58 letters", "the name of phase %q is too long for the names of its gates", ph.Name)
		}
		if w.place(ph.Name) < i {
			p.add(at+".name", "give each phase a name of its own", "there are two phases %q", ph.Name)
		}
		p.phase(at, w, ph)
		p.gateNames(at, ph, gates)
	}
	p.edges(w)
	p.reached(w)
	if len(*p) == 0 && !w.Series.On() && !slices.ContainsFunc(w.Phases, Phase.proves) { // a mistyped gate may be the one
		p.add("phases", "add goals, or a gate with a command or a reviewer",
			"no gate proves the work: each passes without any work, or by the agent's own claim")
	}
}

// proves says that a phase has a gate that work has to open, by what the daemon, a
// person or another session sees.
func (p Phase) proves() bool {
	return len(p.Produces) > 0 || slices.ContainsFunc(p.Gates, func(g Gate) bool {
		if g.Group != "" {
			return g.Group == Goals
		}
		return KindOf(g.Kind).Opens
	})
}

// place is the index of a phase, -1 without it.
func (w Workflow) place(name string) int {
	return slices.IndexFunc(w.Phases, func(p Phase) bool { return p.Name == name })
}

func (p *problems) phase(at string, w Workflow, ph Phase) {
	if ph.Works() {
		p.prompt(at+".prompt", ph.Prompt)
	} else {
		p.idle(at, ph)
	}
	p.role(at+".role", w, ph.Role, ph.Role == "")
	if len(ph.Gates) == 0 && len(ph.Produces) == 0 {
		p.add(at+".gates", "add gates: [goals, invariants, protected]", "the phase has no gates, so it could never pass")
	}
	for i, glob := range ph.Produces {
		p.glob(index(at+".produces", i), glob)
	}
	for i, glob := range ph.Changes.Files {
		p.glob(index(at+".changes", i), glob)
	}
	for i, g := range ph.Entry {
		p.gate(index(at+".entry", i), w, g)
		if g.Group != "" || !KindOf(g.Kind).Entry {
			p.add(index(at+".entry", i), "allowed: "+strings.Join(texts(names(entries())), ", "), "this gate cannot be an entry condition")
		}
	}
	for i, g := range ph.Gates {
		p.gate(index(at+".gates", i), w, g)
		if g.Group != "" && slices.ContainsFunc(ph.Gates[:i], func(o Gate) bool { return o.Group == g.Group }) {
			p.add(index(at+".gates", i), "remove it", "%q is given twice", g.Group)
		}
	}
	p.pinsItself(at, ph)
	p.number(at+".limits.iterations", ph.Limits.Iterations, 0, 10_000)
	p.duration(at+".limits.wall", ph.Limits.Wall)
}

// pinsItself refuses an anchor of what the phase writes: it would drift by the work
// itself.
//
// Source: atdd-kit, seeds 3.6 AL-2 and lesson A9.
func (p *problems) pinsItself(at string, ph Phase) {
	for i, g := range ph.Gates {
		for _, of := range g.Of {
			if g.Kind == events.GateAnchor && slices.ContainsFunc(ph.Produces, func(own string) bool { return rule.GlobMatch(of, own) }) {
				p.add(index(at+".gates", i)+".of", "pin it in a later phase", "this phase writes %q, so the anchor would break", of)
			}
		}
	}
}

// idle checks a phase in which nobody works.
func (p *problems) idle(at string, ph Phase) {
	switch {
	case ph.Role != "":
		p.add(at+".role", "add prompt: FILE.md, or take the role out", "a phase without a prompt has no agent")
	case len(ph.Produces) > 0:
		p.add(at+".produces", "add prompt: FILE.md", "a phase without a prompt has no agent, so it produces nothing")
	case ph.Changes.All || len(ph.Changes.Files) > 0:
		p.add(at+".changes", "add prompt: FILE.md", "a phase without a prompt has no agent, so it changes nothing")
	case slices.ContainsFunc(ph.Gates, func(g Gate) bool { return g.Kind == events.GateSession }):
		p.add(at+".gates", "add prompt: FILE.md, or take the gate out", "a phase without a prompt has no agent, so it has no session to judge")
	case ph.Unclean == "" && !slices.ContainsFunc(ph.Gates, Gate.asks):
		// Its gates, alone, would say the same for ever.
		p.add(at+".gates", "add prompt: FILE.md, a gate with a reviewer, or unclean: PHASE to go back to", "the phase has no prompt")
	}
}

// asks says that somebody looks: a session or a person.
func (g Gate) asks() bool {
	return g.Kind.Facts().Looks || g.Kind == events.GateApproval
}

// gateNames checks that no two gates of a workflow have one name: a run shows
// them side by side.
func (p *problems) gateNames(at string, ph Phase, seen map[string]bool) {
	for _, list := range []struct {
		at    string
		gates []Gate
	}{{at + ".entry", ph.Entry}, {at + ".gates", ph.Gates}} {
		for i, g := range list.gates {
			if g.Name != "" && seen[g.Name] {
				p.add(index(list.at, i)+".name", "give each gate a name of its own", "there are two gates %q", g.Name)
			}
			seen[g.Name] = true
		}
	}
}

// edges checks where phases lead.
func (p *problems) edges(w Workflow) {
	back := -1
	for i, ph := range w.Phases {
		at := index("phases", i)
		if ph.Unclean != "" {
			p.edge(at+".unclean", w, ph.Unclean, w.place(ph.Unclean) < i, "earlier")
			back = max(back, i)
		}
		if ph.Next != "" {
			p.edge(at+".next", w, ph.Next, w.place(ph.Next) > i, "later")
		}
		if !ph.Works() && ph.Unclean == "" && slices.ContainsFunc(ph.Gates, looked) {
			p.add(at+".unclean", "add unclean: PHASE, the phase that fixes the findings", "phase %q has no agent that could fix the findings of its gates", ph.Name)
		}
	}
	if back >= 0 && w.Limits.Cycles == 0 {
		p.add(index("phases", back)+".unclean", "write cycles: 10 below limits", "phase %q goes back without a limit", w.Phases[back].Name)
	}
	if back < 0 && w.Rails.Plan.Cycles > 0 {
		p.add("rails.plan", "take it out, or add unclean: to a phase", "the workflow never goes back, so it cannot reject a plan")
	}
}

// looked says that a session looks at work that is done; it would find the same
// again. An interview and a person's answer are other: they go on.
func looked(g Gate) bool {
	return g.Kind.Facts().Looks && g.Kind != events.GateInterview
}

func (p *problems) edge(at string, w Workflow, to string, right bool, where string) {
	switch {
	case w.place(to) < 0:
		p.add(at, nearest(to, w.phaseNames()), "there is no phase %q", to)
	case !right:
		p.add(at, "name a phase that is "+where, "phase %q is not %s", to, where)
	}
}

// reached checks that every phase can be: by going on, or back.
func (p *problems) reached(w Workflow) {
	seen := make([]bool, len(w.Phases))
	var visit func(i int)
	visit = func(i int) {
		if i < 0 || i >= len(seen) || seen[i] {
			return
		}
		seen[i] = true
		ph := w.Phases[i]
		visit(w.place(ph.Unclean))
		if ph.Next != "" {
			visit(w.place(ph.Next))
		} else {
			visit(i + 1)
		}
	}
	visit(0)
	for i, ok := range seen {
		if !ok {
			p.add(index("phases", i), "let a phase lead to it, or take it out", "phase %q is never reached", w.Phases[i].Name)
		}
	}
}

func (p *problems) roles(w Workflow) {
	for i, e := range w.Roles {
		at := "roles." + e.Key
		if !events.Name(e.Key).Valid() {
			p.add(at, "use up to 64 lower-case letters, digits, - and _", "%q is not a name", e.Key)
		}
		if slices.ContainsFunc(w.Roles[:i], func(o strictyaml.Entry[Role]) bool { return o.Key == e.Key }) {
			p.add(at, "remove one", "there are two roles %q", e.Key)
		}
		switch uses := w.uses(e.Key); {
		case uses == usesNone:
			p.add(at, "take it out, or name it in a phase or gate", "no phase or gate uses the role %q", e.Key)
		case uses == usesLooks && e.Value.Prompt == "":
			p.add(at, "add prompt: FILE.md", "the role %q reviews, and has no prompt", e.Key)
		case e.Value.Prompt != "":
			p.prompt(at+".prompt", e.Value.Prompt)
		}
		p.agents(at+".agent", w, e.Key, e.Value.Agents)
		p.duration(at+".wall", e.Value.Wall)
	}
}

// agents checks who works or looks for a role. The next one takes over from one
// that did not get on, which only who works can.
func (p *problems) agents(at string, w Workflow, role string, names Profiles) {
	for k, name := range names {
		p.name(index(at, k), "profile", name)
		if slices.Contains(names[:k], name) {
			p.add(index(at, k), "remove it: a run never goes back to an agent", "the profile %q is given twice", name)
		}
	}
	works := slices.ContainsFunc(w.Phases, func(ph Phase) bool { return ph.Role == role })
	if len(names) > 1 && !works && w.uses(role) != usesNone {
		p.add(at, "name one profile", "the role %q works in no phase, so its other agents are never used", role)
	}
}

// How a role is used.
const (
	usesNone = iota
	usesWorks
	usesLooks
)

func (w Workflow) uses(role string) int {
	uses := usesNone
	for _, ph := range w.Phases {
		if ph.Role == role {
			uses = max(uses, usesWorks)
		}
		for _, g := range slices.Concat(ph.Entry, ph.Gates) {
			if g.Role == role || slices.Contains(g.Roles, role) {
				uses = usesLooks
			}
		}
	}
	return uses
}

// role checks the name of one.
func (p *problems) role(at string, w Workflow, name string, may bool) {
	if _, ok := w.Role(name); ok || may {
		return
	}
	known := make([]string, len(w.Roles))
	for i, e := range w.Roles {
		known[i] = e.Key
	}
	p.add(at, nearest(name, known), "there is no role %q", name)
}

func (w Workflow) phaseNames() []string {
	out := make([]string, len(w.Phases))
	for i, ph := range w.Phases {
		out[i] = ph.Name
	}
	return out
}

func (p *problems) prompt(at, file string) {
	if path.Base(file) != file || path.Ext(file) != ".md" || strings.ContainsRune(file, '\\') {
		p.add(at, "name a .md file without a folder", "%q is not a prompt file", file)
	}
}

// glob checks that a pattern stays in the workspace.
func (p *problems) glob(at, glob string) {
	if glob == "" || path.IsAbs(glob) || strings.HasPrefix(glob, "~") || strings.ContainsRune(glob, '\\') ||
		slices.Contains(strings.Split(glob, "/"), "..") || !doublestar.ValidatePattern(glob) {
		p.add(at, "write a path below the workspace, such as docs/*.md", "%q is not a glob of the workspace", glob)
	}
}
