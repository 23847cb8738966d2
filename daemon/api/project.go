package api

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/agent"
	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/repo/project"
	"autopilot/daemon/run/work"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/rule"
)

// ProjectFind looks at the contents of a workspace, from the directory of the caller
// upwards.
func (a *Projects) ProjectFind(ctx context.Context, q auth.Request, body wire.ProjectRequest) (wire.ProjectView, error) {
	ws, err := a.Worker.Workspace(ctx, body.Workspace)
	if err != nil {
		return wire.ProjectView{}, err
	}
	root, err := os.OpenRoot(ws.Path)
	if err != nil {
		return wire.ProjectView{}, fmt.Errorf("look at %s: %w", ws.Path, err)
	}
	defer root.Close()
	near := below(ws.Path, body.Workspace)
	v := projectView(ws.Path, project.Detect(root.FS(), near), agent.Lookup(body.Env, "PATH"))
	if v.Near = near; near == "." {
		v.Near = ""
	}
	hidesExits(&v, project.Source(root.FS(), ws.Path))
	v.Config = config.ProjectPath(ws.Path)
	if _, err := os.Lstat(v.Config); err == nil {
		v.Exists = true
	}
	v.Agents, err = a.installed(ctx, q, ws.Path, body.Env)
	return v, err
}

// below is a directory relative to the root of its work tree, with slashes.
func below(root, dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	rel, err := filepath.Rel(root, dir)
	if err != nil || !filepath.IsLocal(rel) {
		return "."
	}
	return filepath.ToSlash(rel)
}

// hidesExits adds to each gate the exit codes that it hides.
func hidesExits(v *wire.ProjectView, src rule.Source) {
	for _, list := range [][]wire.ProjectGate{v.Gates, v.Others} {
		for i, g := range list {
			list[i].Hidden = work.HiddenExits([]stored.Gate{{Name: g.Name, Command: g.Command}}, src)
		}
	}
}

// installed lists the agents whose programs are here.
func (a *Projects) installed(ctx context.Context, q auth.Request, workspace string, env []string) ([]wire.AgentView, error) {
	all, err := a.AgentList(ctx, q, wire.AgentRequest{Workspace: workspace, Env: env, Check: true})
	if err != nil {
		return nil, err
	}
	there := []wire.AgentView{}
	for _, a := range all.Agents {
		if a.Program != "" {
			there = append(there, a)
		}
	}
	return there, nil
}

func projectView(root string, f project.Found, path string) wire.ProjectView {
	v := wire.ProjectView{
		Root: root, Dirs: f.Dirs, More: f.More, Kinds: append([]string{}, f.Kinds...), Setup: f.Setup,
		Found: []wire.ProjectFound{}, Gates: []wire.ProjectGate{},
	}
	for _, fact := range f.Facts {
		v.Found = append(v.Found, wire.ProjectFound{File: fact.File, Says: fact.Says})
	}
	for _, g := range f.Others {
		v.Others = append(v.Others, projectGate(root, g, path))
	}
	for _, g := range f.Gates {
		p := projectGate(root, g, path)
		v.Gates = append(v.Gates, p)
		for _, word := range p.Missing {
			if !slices.Contains(v.Missing, word) {
				v.Missing = append(v.Missing, word)
			}
		}
	}
	return v
}

func projectGate(root string, g project.Gate, path string) wire.ProjectGate {
	p := wire.ProjectGate{Name: g.Name, Role: g.Role, Command: g.Command, From: g.From}
	for _, word := range g.Programs() {
		if !onPath(path, root, word) {
			p.Missing = append(p.Missing, word)
		}
	}
	return p
}

// onPath says whether a command word of a gate leads to a program. It accepts every word
// with a slash: the command may change to another directory first, or its setup may make
// the program.
func onPath(path, root, word string) bool {
	if strings.Contains(word, "/") {
		return true
	}
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(root, dir)
		}
		if info, err := os.Stat(filepath.Join(dir, word)); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return true
		}
	}
	return false
}

// GateTry runs gates once. It refuses while a run is live in the workspace, and holds
// back new runs meanwhile: each would judge files that the other changes.
func (a *Projects) GateTry(ctx context.Context, _ auth.Request, body wire.GateTryRequest, send func(wire.GateTryFrame) error) error {
	ws, err := a.Worker.Workspace(ctx, body.Workspace)
	if err != nil {
		return err
	}
	cause := "try-" + ws.ID
	a.leftTry(ctx, cause)
	release, err := a.Fleet.Hold(ws.ID, cause, "")
	if err != nil {
		return err
	}
	defer release()
	return a.Worker.Try(ctx, body, send)
}

// leftWithin is how long a try waits for an earlier one whose client has left: its gate
// gets a grace period to end.
const leftWithin = 3 * time.Second

// leftTry waits, for a limited time, for the try that has the workspace.
func (a *Projects) leftTry(ctx context.Context, cause string) {
	first := a.Fleet.Starting(cause)
	if first == nil {
		return
	}
	t := time.NewTimer(leftWithin)
	defer t.Stop()
	select {
	case <-first:
	case <-t.C:
	case <-ctx.Done():
	}
}
