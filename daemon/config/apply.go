package config

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"autopilot/daemon/agent"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/when"
)

// Applied is a request with its settings filled in.
type Applied struct {
	Order   order.Order
	Agents  agent.Overrides
	Redact  []string           // names of variables whose values are secret too
	Budgets []Budget           // of the day
	Trusted stored.Timeouts    // what the files alone say
	Used    []wire.ConfigValue // what was not typed, in the order of the documentation
}

// Apply lays the settings under what was typed. now is in the zone of the host:
// a time of day means its next occurrence there. The files must be usable. The
// error is a *wire.Error.
func (l Layers) Apply(q order.Order, now time.Time) (Applied, error) {
	for _, key := range slices.Sorted(maps.Keys(l.Environment)) {
		if m := checkVariable(key, l.Environment[key]); m != nil {
			return Applied{}, wire.Errorf(wire.Usage, "%s: %s", m.key, m.what).WithHint("%s", m.want)
		}
	}
	a := &application{layers: l, out: Applied{Order: q, Agents: l.Agents(), Trusted: l.Trusted()}}
	a.agent()
	a.roles()
	a.gates()
	a.holdout()
	a.inputs()
	a.checkout()
	a.answers()
	a.priority()
	a.git()
	if err := a.sandbox(); err != nil {
		return Applied{}, err
	}
	if err := a.limits(now); err != nil {
		return Applied{}, err
	}
	a.budget()
	a.timeouts()
	a.redact()
	a.sort()
	return a.out, nil
}

// application is one Apply. It lays value by value under the request.
type application struct {
	layers Layers
	out    Applied
}

// use notes that a value was not typed.
func (a *application) use(key string) {
	if v, ok := a.layers.Value(key); ok && v.Origin != string(FromDefault) {
		a.out.Used = append(a.out.Used, v)
	}
}

// text is the value of a key that holds text, empty where nothing sets it.
func (a *application) text(key string, project func(Project) string, user func(User) string) string {
	if text, ok := a.layers.Environment[key]; ok {
		return text
	}
	f := a.layers.from(key)
	switch {
	case f == nil:
		return ""
	case f.origin == FromProject:
		return project(a.layers.Project.Project)
	}
	return user(a.layers.User.User)
}

func (a *application) agent() {
	spec := &a.out.Order.Spec.Agent
	if spec.Command == "" && spec.Script == "" && spec.Profile == "" {
		spec.Profile = a.text("agent", func(p Project) string { return p.Agent }, func(u User) string { return u.Agent })
		a.use("agent")
	}
	if spec.Profile == "" {
		return
	}
	if model, ok := a.layers.Environment["model"]; ok && spec.Model == "" {
		spec.Model = model
		a.use("model")
	}
	for _, member := range []string{"command", "prompt", "stream", "reports", "account", "model", "permissions", "args", "env"} {
		typed := member == "model" && spec.Model != "" || member == "permissions" && spec.Permissions != ""
		if !typed {
			a.use("agents." + spec.Profile + "." + member)
		}
	}
}

// gates puts those of the file first, in its order. One that was typed takes
// the place of the one of its name.
func (a *application) gates() {
	if a.layers.Project == nil {
		return
	}
	spec := &a.out.Order.Spec
	typed := spec.Gates
	spec.Gates = nil
	for _, e := range a.layers.Project.Gates {
		name := events.Name(e.Key)
		i := slices.IndexFunc(typed, func(g stored.Gate) bool { return g.Name == name })
		if i >= 0 {
			spec.Gates = append(spec.Gates, typed[i])
			typed = slices.Delete(slices.Clone(typed), i, i+1)
			continue
		}
		spec.Gates = append(spec.Gates, e.Value.spec(name))
		a.out.Order.Standing = append(a.out.Order.Standing, name)
		a.use("gates." + e.Key)
	}
	spec.Gates = append(spec.Gates, typed...)
}

// holdout does the same for held-out gates. Without a typed
// folder it is the one of the file.
func (a *application) holdout() {
	p := a.layers.Project
	if p == nil {
		return
	}
	spec := &a.out.Order.Holdout
	typed := spec.Gates
	spec.Gates = nil
	for _, e := range p.Holdout.Gates {
		name := events.Name(e.Key)
		if slices.ContainsFunc(typed, func(g stored.Gate) bool { return g.Name == name }) {
			continue
		}
		spec.Gates = append(spec.Gates, stored.Gate{Name: name, Kind: events.GateHoldout, Role: events.RoleGoal, Command: e.Value})
		a.out.Order.Standing = append(a.out.Order.Standing, name)
		a.use("holdout.gates." + e.Key)
	}
	spec.Gates = append(spec.Gates, typed...)
	if spec.Dir == "" && p.Holdout.Dir != "" && len(spec.Gates) > 0 {
		if spec.Dir = p.Holdout.Dir; !filepath.IsAbs(spec.Dir) {
			spec.Dir = filepath.Join(filepath.Dir(filepath.Dir(p.Path)), spec.Dir)
		}
		a.use("holdout.dir")
	}
}

// roles say who works or looks for roles of a workflow that names nobody: the project
// before the user.
func (a *application) roles() {
	spec := &a.out.Order.Spec
	spec.Roles = nil // they are the settings' alone
	set := func(list strictyaml.Map[workflow.Profiles]) {
		for _, e := range list {
			if spec.Roles == nil {
				spec.Roles = map[string][]string{}
			}
			if _, known := spec.Roles[e.Key]; !known {
				spec.Roles[e.Key] = e.Value
				a.use("roles." + e.Key)
			}
		}
	}
	if a.layers.Project != nil {
		set(a.layers.Project.Roles)
	}
	if a.layers.User != nil {
		set(a.layers.User.Roles)
	}
}

// inputs are handed on beside what was typed: which of them a workflow has is known
// once it is found.
func (a *application) inputs() {
	if a.layers.Project == nil {
		return
	}
	a.out.Order.Inputs = map[string]string{}
	for _, e := range a.layers.Project.Inputs {
		a.out.Order.Inputs[e.Key] = e.Value
		if _, typed := a.out.Order.Spec.Inputs[e.Key]; !typed {
			a.use("inputs." + e.Key)
		}
	}
}

func (g Gate) spec(name events.Name) stored.Gate {
	s := stored.Gate{Name: name, Role: g.Role, Command: g.Run}
	if len(g.Artifact) > 0 {
		s.Kind, s.Files = events.GateArtifact, slices.Clone(g.Artifact)
	}
	return s
}

func (a *application) checkout() {
	spec := &a.out.Order.Spec
	where := ""
	if spec.Checkout == "" {
		where = a.text("checkout", func(p Project) string { return p.Checkout }, func(u User) string { return u.Checkout })
		if where == CheckoutClean {
			spec.Checkout = events.CheckoutClean
		}
		a.use("checkout")
	}
	p := a.layers.Project
	if p == nil {
		return
	}
	if spec.Setup == "" && where != CheckoutInPlace { // set-up asks for a clean checkout
		spec.Setup = p.Setup
		a.use("setup")
	}
	for _, glob := range p.Protect {
		if !slices.Contains(spec.Protect, glob) {
			spec.Protect = append(slices.Clip(spec.Protect), glob)
		}
	}
	a.use("protect")
	if len(spec.AllowTests) == 0 {
		spec.AllowTests = slices.Clone(p.AllowTestChanges)
		a.use("allow_test_changes")
	}
}

// answers says who may answer. It is never for who starts a run to say.
func (a *application) answers() {
	q := &a.out.Order
	q.Answers = ""
	if q.Spec.Driver != events.DriverSession {
		return
	}
	text := a.text("answers", func(p Project) string { return p.Answers }, func(u User) string { return u.Answers })
	if text == AnswersSession {
		q.Answers = events.AssuredSession
	}
	a.use("answers")
}

// priority is that of the settings, where none was typed.
func (a *application) priority() {
	if q := &a.out.Order; q.Priority == "" {
		q.Priority = a.text("priority", func(p Project) string { return p.Priority }, func(u User) string { return u.Priority })
		a.use("priority")
	}
}

func (a *application) redact() {
	a.out.Redact = a.layers.Redacted()
	a.use("redact.env")
}

// Redacted are the names of both files: neither makes less of it secret.
func (l Layers) Redacted() (names []string) {
	if l.Project != nil {
		names = append(names, l.Project.Redact.Env...)
	}
	if l.User != nil {
		names = append(names, l.User.Redact.Env...)
	}
	return names
}

func (a *application) limits(now time.Time) error {
	q := &a.out.Order
	if q.Spec.MaxIterations == 0 {
		text := a.text("limits.iterations",
			func(p Project) string { return strconv.Itoa(p.Limits.Iterations) },
			func(u User) string { return strconv.Itoa(u.Limits.Iterations) })
		q.Spec.MaxIterations, _ = strconv.Atoi(text) // what is no number was refused before
		a.use("limits.iterations")
	}
	if q.ForMS == 0 {
		text := a.text("limits.for",
			func(p Project) string { return time.Duration(p.Limits.For).String() },
			func(u User) string { return time.Duration(u.Limits.For).String() })
		if d, err := when.Span(text); err == nil {
			q.ForMS = d.Milliseconds()
		}
		a.use("limits.for")
	}
	if q.UntilMS != 0 {
		return nil
	}
	text := a.text("limits.until", func(p Project) string { return p.Limits.Until }, func(u User) string { return u.Limits.Until })
	if text == "" {
		return nil
	}
	t, err := when.Next(text, now)
	if err != nil {
		v, _ := a.layers.Value("limits.until")
		return past(v, err)
	}
	q.UntilMS = t.UnixMilli()
	a.use("limits.until")
	return nil
}

// past is the error of a limit in time that cannot be met any more.
func past(v wire.ConfigValue, err error) error {
	hint := "give --until TIME, or correct " + v.Where
	if !errors.Is(err, when.ErrPast) {
		hint = "write it as 07:00 or 2026-01-02T07:00"
	}
	return wire.Errorf(wire.Usage, "limits.until: %v", err).WithHint("%s", hint)
}

// sort puts what was used into the order of the documentation.
func (a *application) sort() {
	order := map[string]int{}
	for i, v := range a.layers.Values() {
		order[v.Key] = i
	}
	slices.SortStableFunc(a.out.Used, func(x, y wire.ConfigValue) int { return order[x.Key] - order[y.Key] })
}
