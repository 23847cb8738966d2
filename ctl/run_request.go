package ctl

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"

	"autopilot/ctl/render"
	"autopilot/events"
	"autopilot/events/wire"
)

// request checks what was typed and makes the request of it.
func (o *runOptions) request(a *app, counted bool, args []string) (wire.StartRequest, error) {
	req := wire.StartRequest{Outputs: a.outputs(), Settings: a.settings(), NoConfig: o.noConfig}
	var err error
	if err = o.takeTask(a, args); err != nil {
		return req, err
	}
	req.Spec = wire.RunSpec{Task: o.task, Workflow: o.workflow, Protect: o.protect, AllowTests: o.allow}
	req.Spec.Setup = o.setup
	if req.Spec.Driver = events.Driver(o.driver); req.Spec.Driver != events.DriverDaemon && req.Spec.Driver != events.DriverSession {
		return req, render.BadDriver(o.driver)
	}
	if req.Spec.Sandbox, err = sandboxMode("--sandbox", o.sandbox); err != nil {
		return req, err
	}
	if req.Spec.Priority = o.priority; o.priority != "" && !slices.Contains(events.Priorities(), o.priority) {
		return req, render.BadPriority(o.priority)
	}
	if o.issue != "" {
		issue, err := wire.ParseIssue(o.issue)
		if err != nil {
			return req, render.BadIssue(o.issue)
		}
		req.Spec.Issue = issue.String()
	}
	if req.Spec.Git, err = gitRules(o.git); err != nil {
		return req, err
	}
	req.Spec.NoControls = o.noControls
	if o.clean {
		req.Spec.Checkout = events.CheckoutClean
	}
	if req.Spec.Inputs, err = parseInputs(slices.Concat(o.inputs, o.short)); err != nil {
		return req, err
	}
	if req.Spec.Gates, err = parseGates(o.goals, o.invariants, o.artifacts...); err != nil {
		return req, err
	}
	if req.Spec.Holdout, err = o.holdout(a, req.Spec.Gates); err != nil {
		return req, err
	}
	if req.Spec.Agent, err = o.agent.spec(a); err != nil {
		return req, err
	}
	if err := o.limits.apply(a, &req.Spec, counted); err != nil {
		return req, err
	}
	if err := cmp.Or(checkGlobs("--protect", o.protect), checkGlobs("--allow-test-changes", o.allow)); err != nil {
		return req, err
	}
	if req.Spec.Workspace, err = a.workspace(o.dir); err != nil {
		return req, err
	}
	if o.findings == "-" && (o.file == "-" || o.file == "" && len(args) > 0 && args[0] == "-") {
		return req, render.Exclusive("--findings -", "a task on standard input")
	}
	if req.Findings, err = a.findingsIn(o.findings); err != nil {
		return req, err
	}
	req.Env, err = runEnv(a.Environ, o.env)
	return req, err
}

// takeTask takes what was typed as the task, or in a file. The text of an issue is
// read last, when all else is right.
func (o *runOptions) takeTask(a *app, args []string) (err error) {
	given := len(args) > 0 || o.file != ""
	switch {
	case o.fromIssue != "" && o.issue == "":
		return render.FromNoIssue()
	case o.fromIssue != "" && given:
		return render.Exclusive("--from-issue", "a task")
	case o.fromIssue != "":
	case !given && o.workflow == workflowConverge && o.issue != "":
		return render.IssueAlone(o.issue)
	case given || o.workflow == workflowConverge: // another workflow may know where its task is
		o.task, err = a.task(args, o.file)
	}
	return err
}

// workspace is the absolute path of the directory that a run works in.
func (a *app) workspace(dir string) (string, error) {
	if dir == "" {
		dir = a.Dir
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(a.Dir, dir)
	}
	dir = filepath.Clean(dir)
	st, err := os.Stat(dir)
	if err != nil {
		return "", render.BadWorkspace(dir, cause(err))
	}
	if !st.IsDir() {
		return "", render.BadWorkspace(dir, os.ErrInvalid)
	}
	return dir, checkText("the workspace path", dir)
}

// gitRules refuses words that are no rules for git.
func gitRules(g wire.GitRules) (wire.GitRules, error) {
	if !slices.Contains([]string{"", events.GitDeny, events.GitAllow}, g.Push) {
		return g, render.BadWord("--git-push", g.Push, events.GitDeny, events.GitAllow)
	}
	if !slices.Contains([]string{"", events.GitKeep, events.GitAny}, g.History) {
		return g, render.BadWord("--git-history", g.History, events.GitKeep, events.GitAny)
	}
	return g, nil
}
