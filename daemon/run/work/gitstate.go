package work

import (
	"context"
	"errors"
	"fmt"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/explain"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file records the git state of a run's work tree.

// git is the present state of the repository, compared with the start of the run. Only a
// lost repository is an error. Other unreadable parts stay empty, as no verdict needs
// them.
func (w *Worker) git(ctx context.Context, s run.State, p *Plan) (events.Ref, error) {
	if s.Facts.Git == "" {
		return "", nil
	}
	ref, err := w.gitNow(ctx, s, p)
	var damage *tree.DamageError
	switch {
	case err == nil || ctx.Err() != nil:
		return ref, ctx.Err()
	case errors.As(err, &damage):
		return "", fmt.Errorf("%w: %s: %w", engine.ErrRepositoryGone, p.Repo.Workspace().Path, damage)
	}
	w.cfg.Log.Warn("read the state of git", "run", s.ID, "error", err)
	return "", nil
}

func (w *Worker) gitNow(ctx context.Context, s run.State, p *Plan) (events.Ref, error) {
	now, err := p.Repo.GitState(ctx)
	if err != nil {
		return "", err
	}
	last, err := w.gitState(s.Last.Git)
	if err != nil {
		return "", err
	}
	if now.Same(last) {
		return s.Last.Git, nil
	}
	start, err := w.gitState(s.Facts.Git)
	if err != nil {
		return "", err
	}
	if err := p.Repo.GitMoved(ctx, start, now); err != nil {
		return "", err
	}
	if err := p.Repo.KeepGit(s.ID); err != nil {
		w.cfg.Log.Warn("keep the commits of a repository", "run", s.ID, "error", err)
	}
	return w.putExact(ctx, now.Text())
}

// GitNow is the git state of a run at a resume; empty if unreadable.
func (w *Worker) GitNow(ctx context.Context, s run.State) events.Ref {
	if s.Facts.Git == "" {
		return ""
	}
	p, err := w.plan(ctx, s)
	if err != nil || !p.Spec.Git.Denies() {
		return ""
	}
	ref, err := w.gitNow(ctx, s, p)
	if err != nil {
		w.cfg.Log.Warn("read the state of git", "run", s.ID, "error", err)
	}
	return ref
}

// gitDenied lists forbidden changes of the repository in a recorded state.
func (w *Worker) gitDenied(s run.State, p *Plan, ref events.Ref) ([]rule.GitChange, error) {
	if ref == "" || !p.Spec.Git.Denies() {
		return nil, nil
	}
	var states [3]rule.GitState
	for i, of := range []events.Ref{s.Facts.Git, s.Loop.Git, ref} {
		var err error
		if states[i], err = w.gitState(of); err != nil {
			return nil, err
		}
	}
	return rule.GitDenied(p.Spec.Git, states[0], states[1], states[2]), nil
}

// gitRules adds the verdict on git changes, if the run forbids any. An unknown state
// proves nothing.
func (g *judgement) gitRules(ctx context.Context, results []events.GateResult, ref events.Ref) ([]events.GateResult, error) {
	if !g.p.Spec.Git.Denies() || g.s.Loop.Iteration == 0 {
		return results, nil
	}
	denied, err := g.w.gitDenied(g.s, g.p, ref)
	if err != nil {
		return nil, err
	}
	r, texts := gate.Git(denied, func(c rule.GitChange) string { return explain.GitChange(events.English, c) })
	if ref == "" {
		r, texts = gate.GitUnread()
	}
	if r, err = g.store(ctx, r, texts); err != nil {
		return nil, err
	}
	return append(results, r), nil
}

// gitState reads a recorded state.
func (w *Worker) gitState(ref events.Ref) (rule.GitState, error) {
	text, err := w.text(ref)
	return rule.ParseGitState(text), err
}

// gitAtStart is the state before any work. An unreadable repository cannot be watched, so
// a run with git rules does not begin there.
func (w *Worker) gitAtStart(ctx context.Context, id string, p *Plan) (events.Ref, error) {
	g, err := p.Repo.GitState(ctx)
	if err != nil {
		w.cfg.Log.Warn("read the state of git", "run", id, "error", err)
		if p.Spec.Git.Denies() && ctx.Err() == nil {
			return "", wire.Errorf(wire.Conflict, "the state of git cannot be read, so the rules for git could not be kept: %v", err).
				WithHint("mend the repository, or leave out --git-push and --git-history")
		}
		return "", ctx.Err()
	}
	if err := p.Repo.KeepGit(id); err != nil {
		w.cfg.Log.Warn("keep the commits of a repository", "run", id, "error", err)
	}
	return w.putExact(ctx, g.Text())
}

// MendGit restores the repository of a run's work tree, as far as the daemon has it. A
// dry call only lists the losses.
func (w *Worker) MendGit(ctx context.Context, s run.State, dry bool) (tree.GitMended, error) {
	if s.Facts.Git == "" {
		return tree.GitMended{}, nil
	}
	repo, err := w.Repo(ctx, s)
	if err != nil {
		return tree.GitMended{}, err
	}
	start, err := w.gitState(s.Facts.Git)
	if err != nil {
		return tree.GitMended{}, err
	}
	last, err := w.gitState(s.Last.Git)
	if err != nil {
		return tree.GitMended{}, err
	}
	return repo.MendGit(ctx, s.ID, start, last, dry)
}
