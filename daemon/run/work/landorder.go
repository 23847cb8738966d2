package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"autopilot/daemon/repo/land"
	"autopilot/daemon/run/order"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Landing is what a landing run is made of.
type Landing struct {
	Runs []run.State // whose work it is, in order
	From string      // work tree that the settings are of
	More []stored.Gate
	Env  []string
}

// Checks are the gates of a landing, and what its runs were allowed.
type Checks struct {
	Spec    stored.Spec
	Holdout order.Holdout
}

// Checks gathers the gates of runs that judge their work again on the merged tree: those
// that run a command, the workflow's own among them. People and roles are not asked again.
// It is land.ErrNoGates without any.
func (w *Worker) Checks(ctx context.Context, l Landing) (Checks, error) {
	c := Checks{Spec: stored.Spec{Type: stored.TypeSpec, From: l.From, NoControls: true}}
	taken := map[events.Name]string{} // commands by gate
	for i, s := range l.Runs {
		spec, err := w.Spec(s)
		if err != nil {
			return c, err
		}
		flow, err := w.Flow(ctx, s)
		if err != nil {
			return c, err
		}
		if i == 0 {
			c.Spec.Timeouts, c.Spec.Sandbox, c.Spec.SandboxAllow, c.Spec.StartBroken = spec.Timeouts, spec.Sandbox, spec.SandboxAllow, true
		}
		c.Spec.NoControls = c.Spec.NoControls && spec.NoControls
		c.Spec.Setup = cmp.Or(c.Spec.Setup, spec.Setup)
		c.Spec.Protect = union(c.Spec.Protect, spec.Protect)
		allowed, err := w.allowed(ctx, s)
		if err != nil {
			return c, err
		}
		c.Spec.AllowTests = union(c.Spec.AllowTests, append(allowed, spec.AllowTests...))
		c.Spec.Gates = append(c.Spec.Gates, distinct(taken, s.Facts.Handle, slices.Concat(commandsOf(spec.Gates), flowCommands(flow)))...)
		if err := w.heldToo(s, taken, &c.Holdout); err != nil {
			return c, err
		}
	}
	c.Spec.Gates = append(c.Spec.Gates, distinct(taken, "land", commandsOf(l.More))...)
	if len(c.Spec.Gates)+len(c.Holdout.Gates) == 0 {
		return c, land.ErrNoGates
	}
	return c, nil
}

// Order is the order of the landing run.
func (c Checks) Order(l Landing, to stored.Land, top, task string) order.Order {
	spec := c.Spec
	spec.Land, spec.Agent = &to, stored.Agent{Command: land.Command(to.Commit)}
	return order.Order{
		Spec: spec, Workspace: top, Workflow: "land", Task: task, Holdout: c.Holdout, Start: events.StartGreen,
		Env: l.Env, NoConfig: true, // a workflow of the project does not stand in for it
	}
}

func union(a, b []string) []string {
	for _, v := range b {
		if !slices.Contains(a, v) {
			a = append(a, v)
		}
	}
	return a
}

func commandsOf(gates []stored.Gate) []stored.Gate {
	return slices.DeleteFunc(slices.Clone(gates), func(g stored.Gate) bool { return g.Command == "" })
}

// flowCommands are the gates of a workflow that run a command on the work as it is. A gate
// that wants several passes in a row gets them from its command.
func flowCommands(flow workflow.Workflow) []stored.Gate {
	var out []stored.Gate
	for _, ph := range flow.Phases {
		for _, g := range ph.Gates {
			switch {
			case g.Void || g.Run == "":
			case g.Kind == events.GateRepeat:
				out = append(out, stored.Gate{Name: events.Name(g.Name), Role: events.RoleGoal, Command: repeated(g.Run, g.Times.N)})
			case g.Kind == events.GateCommand || g.Kind == "":
				out = append(out, stored.Gate{Name: events.Name(g.Name), Role: events.RoleGoal, Command: g.Run})
			}
		}
	}
	return out
}

func repeated(command string, times int) string {
	if times < 2 {
		return command
	}
	return "n=0; while [ $n -lt " + strconv.Itoa(times) + " ]; do n=$((n+1)); (\n" + command + "\n) || exit; done"
}

// distinct names gates of several runs apart. One that another run has too is left out.
func distinct(taken map[events.Name]string, owner string, gates []stored.Gate) []stored.Gate {
	var out []stored.Gate
	for _, g := range gates {
		if has, ok := taken[g.Name]; ok && has == g.Command {
			continue
		} else if ok {
			g.Name = freeName(taken, g.Name, owner)
		}
		taken[g.Name] = g.Command
		out = append(out, g)
	}
	return out
}

// longestName is the length of a name at most.
const longestName = 64

func freeName(taken map[events.Name]string, name events.Name, owner string) events.Name {
	for n := 1; ; n++ {
		end := "-" + owner
		if n > 1 {
			end += "-" + strconv.Itoa(n)
		}
		free := name[:min(len(name), longestName-len(end))] + events.Name(end)
		if _, ok := taken[free]; !ok {
			return free
		}
	}
}

// heldToo adds the held-out gates of a run.
func (w *Worker) heldToo(s run.State, taken map[events.Name]string, to *order.Holdout) error {
	h, err := w.heldOf(s)
	if err != nil || h == nil {
		return err
	}
	if to.Dir != "" && to.Dir != h.Dir {
		return fmt.Errorf("the held-out files of run %s are in another folder than those of the runs before it: land it alone", s.Facts.Handle)
	}
	to.Dir = h.Dir
	to.Gates = append(to.Gates, distinct(taken, s.Facts.Handle, h.Gates)...)
	return nil
}

// allowed are globs of the pinned files that a run which has passed has changed: it was
// allowed to, else it had not passed.
func (w *Worker) allowed(ctx context.Context, s run.State) ([]string, error) {
	var pins rule.Pins
	if err := w.decode(s.Facts.Pins, &pins); err != nil {
		return nil, err
	}
	repo, err := w.Repo(ctx, s)
	if err != nil {
		return nil, err
	}
	changes, err := repo.Changes(ctx, s.Facts.Tree, s.Last.Tree)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, c := range changes {
		if pins.Pinned(c.Path) && !pins.Partial(c.Path) {
			out = append(out, rule.ExactGlob(c.Path))
		}
	}
	return out, nil
}

// GateNames are the names of the gates of a landing.
func (c Checks) GateNames() []string {
	var out []string
	for _, g := range slices.Concat(c.Spec.Gates, c.Holdout.Gates) {
		out = append(out, string(g.Name))
	}
	return out
}

// Subject is the first line of the task of a run, for messages of commits.
func (w *Worker) Subject(s run.State) (string, error) {
	task, err := w.text(s.Facts.Task)
	if err != nil {
		return "", err
	}
	hide, err := w.hiddenOf(s.ID)
	if err != nil {
		return "", err
	}
	return cmp.Or(begin(strings.TrimSpace(hide.Text(firstLine(task))), subjectRunes), "Work of run "+s.Facts.Handle), nil
}
