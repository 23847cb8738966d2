package daemon

import (
	"errors"

	"autopilot/daemon/config"
	"autopilot/daemon/strictyaml"
	"autopilot/daemon/tree"
	"autopilot/daemon/workflow"
	"autopilot/daemon/workflow/library"
	"autopilot/events"
	"autopilot/events/wire"
)

// workflow finds a workflow as a run in a work tree would use it, with all its
// prompts, checks it, and says whether a person has agreed to what of it is the
// project's. It is read once: what is trusted are the bytes that are found. One
// with problems is found too, and must not be run. Outside of a work tree there
// are those that ship.
func (d *Daemon) workflow(ws tree.Workspace, name string) (f library.Found, trusted bool, err error) {
	a, err := d.flowsIn(ws)
	if err != nil {
		return library.Found{}, false, err
	}
	if f, err = a.flows.Find(name); err != nil {
		return f, false, noWorkflow(a.flows, name, err)
	}
	trusted, err = d.trustedFlow(a, f)
	return f, trusted, err
}

// flowsIn reads what counts of a work tree, if there is one.
func (d *Daemon) flowsIn(ws tree.Workspace) (agreed, error) {
	if ws.Path == "" {
		return agreed{}, nil
	}
	return agreedIn(ws, config.ReadProject(config.ProjectPath(ws.Path)).File)
}

// trustedFlow says whether a workflow may be run. One that ships, with prompts
// that ship, asks nobody.
func (d *Daemon) trustedFlow(a agreed, f library.Found) (bool, error) {
	if !f.Asks() {
		return true, nil
	}
	_, ok, err := d.trustIn(a.ws, events.Ref(a.hash()))
	return ok, err
}

// noWorkflow is a name that nothing has.
func noWorkflow(flows library.Project, name string, err error) error {
	if !errors.Is(err, workflow.ErrUnknown) {
		return err
	}
	e := wire.Errorf(wire.NotFound, "there is no workflow %q", name)
	if near := strictyaml.Nearest(name, flows.Names()); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e.WithHint("apctl workflow ls   lists them; apctl workflow new NAME   writes one")
}
