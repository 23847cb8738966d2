package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/amount"
	"autopilot/projections/rule"
	"autopilot/projections/when"
)

// Layers are the places that settings come from beside flags and defaults. A
// layer that is not used is left out.
type Layers struct {
	Environment map[string]string // of the caller, by key
	Project     *ProjectFile
	User        *UserFile
}

// Err is what is wrong with the files, or nil.
func (l Layers) Err() error {
	var all []wire.ConfigProblem
	if l.Project != nil {
		all = append(all, l.Project.Problems...)
	}
	if l.User != nil {
		all = append(all, l.User.Problems...)
	}
	if len(all) > 0 {
		return &Error{all}
	}
	return nil
}

// Problems are all that is wrong: with the files, with variables, and with what
// they say together.
func (l Layers) Problems() []wire.ConfigProblem {
	var out []wire.ConfigProblem
	for _, key := range slices.Sorted(maps.Keys(l.Environment)) {
		if err := checkVariable(key, l.Environment[key]); err != nil {
			out = append(out, wire.ConfigProblem{File: variable(key), Message: err.what, Fix: err.want})
		}
	}
	if l.Project != nil {
		out = append(out, l.Project.Problems...)
	}
	if l.User != nil {
		out = append(out, l.User.Problems...)
	}
	if len(out) == 0 {
		out = l.agentProblems()
	}
	return out
}

// agentProblems looks whether the profiles, and the one that was chosen, can be
// used: either file may say a part of that.
func (l Layers) agentProblems() []wire.ConfigProblem {
	var out []wire.ConfigProblem
	agents := l.Agents()
	for _, name := range slices.Sorted(maps.Keys(agents)) {
		if err := agents[name].Check(name); err != nil {
			out = append(out, l.agentProblem("agents."+name, err))
		}
	}
	if v, _ := l.Value("agent"); v.Value != "" && len(out) == 0 {
		if _, err := agents.Find(v.Value); err != nil {
			out = append(out, l.agentProblem("agent", err))
		}
	}
	return out
}

// agentProblem puts what is wrong with a profile at the key that says it.
func (l Layers) agentProblem(key string, err error) wire.ConfigProblem {
	p := wire.ConfigProblem{File: variable(key), Message: err.Error()}
	var bad *agent.ProfileError
	if errors.As(err, &bad) {
		p.Fix = bad.Fix
	}
	if _, typed := l.Environment[key]; typed {
		return p
	}
	if f := l.from(key); f != nil {
		e := f.file.doc.Errorf(key, p.Fix, "%s", p.Message)
		p.File, p.Line, p.Column, p.Excerpt = f.file.Path, e.Line, e.Column, e.Excerpt
	}
	return p
}

// layer is a file as a source of values.
type layer struct {
	origin Origin
	file   *File
}

// files are the files that are used, the stronger first.
func (l Layers) files() []layer {
	var out []layer
	if l.Project != nil && l.Project.doc != nil {
		out = append(out, layer{FromProject, &l.Project.File})
	}
	if l.User != nil && l.User.doc != nil {
		out = append(out, layer{FromUser, &l.User.File})
	}
	return out
}

// from is the file whose value of a key counts, nil without one.
func (l Layers) from(key string) *layer {
	for _, f := range l.files() {
		if f.file.sets(key) {
			return &f
		}
	}
	return nil
}

// counts returns the layer whose value applies: the stricter file for git rules, else
// the one that from returns.
func (l Layers) counts(key string) *layer {
	for _, r := range gitRules() {
		if r.key == key {
			return l.stricter(r)
		}
	}
	return l.from(key)
}

// Value is the value of one key, which the files may have no setting for.
func (l Layers) Value(key string) (wire.ConfigValue, bool) {
	s, ok := Find(key)
	if !ok {
		return wire.ConfigValue{}, false
	}
	v := wire.ConfigValue{Key: key, Help: s.Help, Value: s.Default, Origin: string(FromDefault), Restart: s.Restart}
	if key == "sandbox" {
		v.Value = string(DefaultSandbox()) // it depends on the system
	}
	if text, ok := l.Environment[key]; ok {
		v.Value, v.Origin, v.Where = text, string(FromEnvironment), variable(key)
		return v, true
	}
	if f := l.counts(key); f != nil {
		line, _ := f.file.Line(key)
		v.Origin, v.Where = string(f.origin), f.file.Path+":"+strconv.Itoa(line)
		v.Value = f.show(s, key)
	}
	return v, true
}

// Values are all settings, in the order of the documentation.
func (l Layers) Values() []wire.ConfigValue {
	out := []wire.ConfigValue{}
	for _, s := range Settings() {
		for _, key := range l.keys(s) {
			if v, ok := l.Value(key); ok {
				out = append(out, v)
			}
		}
	}
	return out
}

// keys are the keys that a setting stands for: of one with a NAME those that
// the files have.
func (l Layers) keys(s Setting) []string {
	before, after, named := strings.Cut(s.Key, "NAME")
	if !named {
		return []string{s.Key}
	}
	var out []string
	for _, f := range l.files() {
		if !f.allowed(s) {
			continue
		}
		names, _ := f.file.doc.Lookup(strings.Split(strings.TrimSuffix(before, "."), ".")...)
		entries, _ := names.(strictyaml.Map[any])
		for _, e := range entries {
			if key := before + e.Key + after; f.file.sets(key) && !slices.Contains(out, key) {
				out = append(out, key)
			}
		}
	}
	return out
}

func (f layer) allowed(s Setting) bool {
	return f.origin == FromProject && s.Project || f.origin == FromUser && s.User
}

// show is a value on one line. Of one that may hold secrets only names are
// shown.
func (f layer) show(s Setting, key string) string {
	v, _ := f.file.doc.Lookup(strings.Split(key, ".")...)
	if s.Secret {
		v = veil(v)
	}
	return strictyaml.Flow(v)
}

// veil hides what people keep secret: the values of variables and the paths of
// webhooks.
func veil(v any) any {
	switch v := v.(type) {
	case strictyaml.Map[any]:
		out := strictyaml.Map[any]{}
		for _, e := range v {
			out = append(out, strictyaml.Entry[any]{Key: e.Key, Value: veilEntry(e)})
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = veil(v[i])
		}
		return out
	}
	return v
}

func veilEntry(e strictyaml.Entry[any]) any {
	switch e.Key {
	case "on", "run", "desktop", "bell": // of a rule of notify
		return e.Value
	}
	return veiled
}

const veiled = "(hidden)"

// variable is the name of the variable for a key.
func variable(key string) string {
	if s, ok := Find(key); ok && s.Variable != "" {
		return s.Variable
	}
	return key
}

// checkVariable refuses the value of a variable that means nothing.
func checkVariable(key, text string) *mistake {
	bad := func(want, what string) *mistake { return &mistake{variable(key), fmt.Sprintf(what, text), want} }
	switch key {
	case "agent":
		if !events.Name(text).Valid() {
			return bad("apctl agent ls   shows them", "%q is not a valid name of an agent")
		}
	case "model":
		if strings.TrimSpace(text) == "" || strings.ContainsRune(text, 0) {
			return bad("write the name of a model, or unset it", "%q is not a valid name of a model")
		}
	case "limits.iterations":
		if n, err := strconv.Atoi(text); err != nil || n < 1 {
			return bad("write 1 or more", "%q is not a number of iterations")
		}
	case "limits.for":
		if _, err := when.Span(text); err != nil {
			return bad("write 90m, 8h or 2d", "%q is not a length of time")
		}
	case "limits.usd":
		if _, err := amount.USD(text); err != nil {
			return bad("write 5 or 0.50, more than 0", "%q is not an amount in dollars")
		}
	case "limits.tokens":
		if _, err := amount.Tokens(text); err != nil {
			return bad("write 200000, 200k or 1.5M, more than 0", "%q is not a number of tokens")
		}
	case "limits.turns":
		if n, err := turns(text); err != nil || n < 1 {
			return bad("write 1 or more", "%q is not a number of turns")
		}
	case "git.push", "git.history":
		for _, r := range gitRules() {
			if r.key == key && !slices.Contains(r.values, text) {
				return bad("write "+strings.Join(r.values, " or "), "%q is not known")
			}
		}
	case keyIdle, keyAttempt, keyGate:
		if want, what := badTimeout(key, text); want != "" {
			return bad(want, what)
		}
	case "limits.until":
		if _, err := when.Next(text, time.Time{}); err != nil {
			return bad("write 07:00 or 2026-01-02T07:00", "%q is not a time")
		}
	default:
		return bad("take it out", "no variable holds this setting: %q")
	}
	return nil
}

// Agents are the changes to profiles and the own profiles of both files, the
// project's over the user's, member by member.
func (l Layers) Agents() agent.Overrides {
	out := agent.Overrides{}
	if l.User != nil {
		for _, e := range l.User.Agents {
			out[e.Key] = override(agent.Override{}, e.Value, FromUser)
		}
	}
	if l.Project != nil {
		for _, e := range l.Project.Agents {
			out[e.Key] = override(out[e.Key], e.Value, FromProject)
		}
	}
	return out
}

// override lays what a file says of a profile over what is known.
func override(o agent.Override, a Agent, origin Origin) agent.Override {
	o.Origin = string(origin)
	if a.Command.Given() {
		o.Command, o.Prompt, o.Stream, o.Reports = rule.Command(a.Command), "", "", nil
	}
	if a.Prompt != "" {
		o.Prompt = agent.PromptMode(a.Prompt)
	}
	if a.Stream != "" {
		o.Stream = stream.Format(a.Stream)
	}
	if a.Reports != nil {
		o.Reports = slices.Clone(a.Reports)
	}
	if a.Account != "" {
		o.Account = a.Account
	}
	if a.Model != "" {
		o.Model = a.Model
	}
	if a.Permissions != "" {
		o.Permissions = a.Permissions
	}
	if a.Args != nil {
		o.Args = slices.Clone(a.Args)
	}
	env := maps.Clone(o.Env)
	if env == nil && len(a.Env) > 0 {
		env = map[string]string{}
	}
	maps.Copy(env, a.Env)
	o.Env = env
	return o
}
