package agent

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"autopilot/daemon/agent/stream"
	"autopilot/projections/marker"
)

// Choice is what a run asks of a profile.
type Choice struct {
	Model       string   // empty is what the configuration says
	Permissions string   // empty is what the configuration says
	Args        []string // after those of the configuration
	Gates       []string // commands that the agent may run unasked
	Env         []string // of the run, NAME=VALUE
	Root        bool     // the agent would run as root
}

// Call is a profile made ready for a run: the same for each of its iterations,
// but for BoxWord.
type Call struct {
	Command
	Env         []string // NAME=VALUE, beside the run's; they win
	Shape       Shape    // how its calls differ from each other
	Permissions string   // PermitFull, or empty
	Says        string   // what it may do unasked, in one sentence
	Note        string   // what else a person should know
}

// Call makes the profile ready. The error is a *ProfileError.
func (p Profile) Call(c Choice) (Call, error) {
	if c.Model == "" {
		c.Model = p.change.Model
	}
	if c.Permissions == "" {
		c.Permissions = p.change.Permissions
	}
	c.Args = slices.Concat(p.change.Args, c.Args)
	if c.Permissions != "" && c.Permissions != PermitFull {
		return Call{}, badPermissions(c.Permissions)
	}
	if p.program.name == "" {
		return ownCall(p, c)
	}
	return p.shippedCall(c)
}

func (p Profile) shippedCall(c Choice) (Call, error) {
	g := p.program
	if err := g.checkArgs(c.Args); err != nil {
		return Call{}, err
	}
	call := Call{Permissions: c.Permissions, Says: g.says, Note: g.note, Shape: g.shape}
	call.Shape.Stream = stream.Of(g.name)
	argv, more := slices.Clone(g.argv), g.careful
	if c.Permissions == PermitFull {
		if g.name == "claude" && c.Root && !inSandbox(slices.Concat(c.Env, pairs(p.change.Env))) {
			return Call{}, refuse("run as another user, or leave permissions out", "claude refuses permissions full for root")
		}
		more, call.Says = g.full, cmp.Or(g.saysFull, g.says)
	}
	argv, call.Env = append(argv, more...), slices.Clone(g.env)
	if c.Permissions == PermitFull {
		call.Env = append(call.Env, g.fullEnv...)
	}
	if c.Permissions != PermitFull && g.gates != nil {
		allowed, left := g.allowable(c.Gates)
		words, env := g.gates(allowed)
		argv, call.Env = append(argv, words...), append(call.Env, env...)
		if len(left) > 0 {
			call.Says += " (not these of the gates', whose rule would allow more: " + strings.Join(left, "; ") + ")"
		}
	}
	if c.Model != "" {
		argv = append(argv, g.model, c.Model)
	}
	call.Prompt = g.prompt
	call.Argv = append(argv, c.Args...)
	if call.Shape.At = len(argv); g.last {
		call.Shape.At = len(call.Argv)
	}
	call.Env = merge(call.Env, pairs(p.change.Env))
	return call, nil
}

// inSandbox says that the user told claude that root is confined.
func inSandbox(env []string) bool { return Lookup(env, "IS_SANDBOX") == "1" }

// allowable parts the commands that a rule can name exactly from the others.
func (p program) allowable(commands []string) (allowed, left []string) {
	for _, c := range commands {
		c = strings.TrimSpace(c)
		switch {
		case c == "" || slices.Contains(allowed, c):
		case strings.ContainsAny(c, p.widens):
			left = append(left, c)
		default:
			allowed = append(allowed, c)
		}
	}
	return allowed, left
}

func ownCall(p Profile, c Choice) (Call, error) {
	switch {
	case c.Model != "":
		return Call{}, refuse("write it into its command", "agent %s has no option for a model", p.Name)
	case c.Permissions != "":
		return Call{}, refuse("write them into its command", "agent %s has no option for permissions", p.Name)
	case len(c.Args) > 0 && len(p.change.Command.Argv) == 0:
		return Call{}, refuse("write them into its command, or give that as a list", "agent %s is a command for the shell and takes no arguments", p.Name)
	}
	call := Call{
		Command: Command{Command: p.change.Command, Prompt: p.change.Prompt}, Env: pairs(p.change.Env), Shape: p.change.shape(),
		Says: "what its own command allows",
	}
	if len(c.Args) > 0 {
		call.Argv = slices.Concat(call.Argv, c.Args)
	}
	if err := call.check(); err != nil {
		return Call{}, refuse("write command as text for /bin/sh or as a list, and prompt as stdin or file", "agent %s: %v", p.Name, err)
	}
	return call, nil
}

// Strip are the variables that no agent gets.
func Strip() []string { return marker.Sessions() }

// In fills in the folder of an iteration.
func (c Command) In(box string) Command {
	c.Argv = fill(c.Argv, BoxWord, box)
	return c
}

// EnvIn fills in the folder of an iteration.
func EnvIn(env []string, box string) []string {
	out := slices.Clone(env)
	for i, entry := range out {
		out[i] = strings.ReplaceAll(entry, BoxWord, box)
	}
	return out
}

func pairs(env map[string]string) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(env)) {
		out = append(out, name+"="+env[name])
	}
	return out
}

// merge adds variables; those of more win.
func merge(env, more []string) []string { return slices.Concat(Without(env, more), more) }

// Lookup finds the value of a variable in a list of NAME=VALUE; of several the
// last one counts, as for a process.
func Lookup(env []string, name string) string {
	for _, entry := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// Without is env without the variables that are in taken.
func Without(env, taken []string) []string {
	names := map[string]bool{}
	for _, entry := range taken {
		name, _, _ := strings.Cut(entry, "=")
		names[name] = true
	}
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return names[name]
	})
}
