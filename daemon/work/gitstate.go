package work

import (
	"context"
	"errors"
	"fmt"

	"autopilot/daemon/engine"
	"autopilot/daemon/tree"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file records the state of the repository of a run's work tree.

// git is the state of the repository now, compared with the start of the run. It is
// an error only where the repository is lost; what else cannot be read is needed for
// no verdict, and leaves it empty.
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

// gitState reads a recorded state.
func (w *Worker) gitState(ref events.Ref) (rule.GitState, error) {
	text, err := w.text(ref)
	return rule.ParseGitState(text), err
}

// gitAtStart is the state before any work. A repository whose state cannot be read is
// not watched.
func (w *Worker) gitAtStart(ctx context.Context, id string, p *Plan) (events.Ref, error) {
	g, err := p.Repo.GitState(ctx)
	if err != nil {
		w.cfg.Log.Warn("read the state of git", "run", id, "error", err)
		return "", ctx.Err()
	}
	if err := p.Repo.KeepGit(id); err != nil {
		w.cfg.Log.Warn("keep the commits of a repository", "run", id, "error", err)
	}
	return w.putExact(ctx, g.Text())
}

// MendGit brings the repository of a run's work tree back, as far as the daemon has
// it. A dry one only says what is lost.
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
