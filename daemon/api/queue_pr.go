package api

import (
	"context"
	"fmt"
	"strings"
	"time"

	"autopilot/daemon/coord/queue"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	folded "autopilot/projections/queue"
)

// pushWithin is how long a push may take.
const pushWithin = 2 * time.Minute

// show pushes the branch of an item, without force, and opens a draft pull request for it by
// the user's own gh, or finds the one that is open.
func (w queueWork) show(ctx context.Context, q queue.Queue, set stored.Queue, i folded.Item, c queue.Caller) error {
	if set.Repository == "" {
		return w.refused(ctx, wire.Errorf(wire.Usage, "no remote of %s is on github.com, so there is no pull request", w.Text(q.Workspace)).
			WithHint("apctl queue new NAME --land branch   lands on a local branch"))
	}
	s, ok := w.Fleet.State(i.Run)
	if !ok {
		return w.refused(ctx, fmt.Errorf("run %s of the item is gone", i.Run))
	}
	made, err := w.Worker.Commit(ctx, s)
	switch {
	case err != nil:
		return w.refused(ctx, fmt.Errorf("the work of run %s cannot be committed: %w", s.Facts.Handle, err))
	case len(made.Left) > 0:
		return w.refused(ctx, fmt.Errorf("git converts these files on the way into a commit: %s", strings.Join(tree.Printable(made.Left), ", ")))
	}
	branch := branchOf(q, i)
	_, failed, ok, err := w.command(ctx, "queue-"+strings.ToLower(q.ID)+"-push", shim.Spec{
		Argv: []string{"git", "push", "--quiet", "--no-verify", "origin", made.Commit + ":refs/heads/" + branch}, Dir: w.Text(q.Workspace),
		Env: append(c.Env[:len(c.Env):len(c.Env)], "GIT_TERMINAL_PROMPT=0"), Wall: pushWithin, Tail: ghKept,
	})
	if err != nil {
		return err
	}
	if !ok {
		return w.refused(ctx, fmt.Errorf("branch %s cannot be pushed: %s", branch, failed))
	}
	link, err := w.gh(ctx, q, c, "pr", "list", "--repo", set.Repository, "--head", branch, "--state", "open", "--json", "url", "--jq", ".[0].url // empty")
	if err == nil && strings.TrimSpace(link) == "" {
		title, err := w.Worker.Subject(s)
		if err != nil {
			return err
		}
		body := fmt.Sprintf("Run %s of autopilot passed its gates on this work, before it was merged with anything.", s.Facts.Handle)
		link, err = w.gh(ctx, q, c, "pr", "create", "--repo", set.Repository, "--head", branch, "--base", w.Text(q.Target), "--draft", "--title", title, "--body", body)
		if err != nil {
			return w.refused(ctx, err)
		}
	} else if err != nil {
		return w.refused(ctx, err)
	}
	return w.sentBack(ctx, events.LandingShown, "", strings.TrimSpace(link))
}
