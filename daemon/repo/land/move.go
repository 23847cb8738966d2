package land

import (
	"context"
	"fmt"
	"strings"

	"autopilot/daemon/failpoint"
	"autopilot/daemon/repo/commit"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
)

// KeepRoot is in front of the names of refs that keep commits which wait for a person.
const KeepRoot = "refs/autopilot/land/"

// Target is a branch that is to move.
type Target struct {
	Branch string
	Old    string // where it was when the work was brought onto it; empty: it did not exist
	New    string
	Handle string // of the landing run
}

// Moved says what became of a target, with what git said where it did not move.
type Moved struct {
	State events.LandState
	Said  string
}

// Move moves the branch of the user's repository from Old to New. It can be repeated.
func (s *Scratch) Move(ctx context.Context, ws tree.Workspace, t Target) (Moved, error) {
	ref := commit.BranchRoot + t.Branch
	m, err := s.stands(ctx, ref, t)
	if err != nil || m.State != "" {
		return m, err
	}
	if err := s.hand(ctx, t); err != nil {
		return Moved{}, err
	}
	failpoint.Hit(failpoint.BeforeLand)
	in, err := checkedOut(ws, ref)
	if err != nil {
		return Moved{}, err
	}
	g := synced(s.from)
	if in != "" {
		_, err := g.Run(ctx, nil, "update-ref", "-m", "autopilot: landed work", KeepRoot+t.Handle, t.New)
		return Moved{events.LandKept, t.Branch + " is checked out in " + in}, err
	}
	old := t.Old
	if old == "" {
		old = strings.Repeat("0", len(t.New))
	}
	_, err = g.Run(ctx, nil, "update-ref", "-m", "autopilot: run "+t.Handle+" landed", ref, t.New, old)
	failpoint.Hit(failpoint.AfterLand)
	if err == nil {
		return Moved{State: events.LandDone}, nil
	}
	if ctx.Err() != nil {
		return Moved{}, ctx.Err()
	}
	if now, serr := s.stands(ctx, ref, t); serr == nil && now.State != "" {
		return now, nil
	}
	return Moved{events.LandFailed, err.Error()}, nil
}

// stands says where a target is; the state is empty where it still is at Old.
func (s *Scratch) stands(ctx context.Context, ref string, t Target) (Moved, error) {
	now, err := s.ref(ctx, ref)
	switch {
	case err != nil:
		return Moved{}, err
	case now == t.New:
		return Moved{State: events.LandDone}, nil
	case now == t.Old:
		return Moved{}, nil
	case now == "":
		return Moved{events.LandMoved, t.Branch + " was deleted meanwhile"}, nil
	}
	if _, err := s.from.Run(ctx, nil, "cat-file", "-e", t.New); err == nil {
		if leads, err := s.leads(ctx, s.from, t.New, now); err == nil && leads {
			return Moved{State: events.LandDone}, nil
		}
	}
	if t.Old == "" {
		return Moved{events.LandMoved, fmt.Sprintf("%s was made meanwhile, at %.12s", t.Branch, now)}, nil
	}
	return Moved{events.LandMoved, fmt.Sprintf("%s moved from %.12s to %.12s meanwhile", t.Branch, t.Old, now)}, nil
}

// hand gives the user's repository the objects that only the Scratch has.
func (s *Scratch) hand(ctx context.Context, t Target) error {
	revs := t.New + "\n"
	if t.Old != "" {
		revs += "^" + t.Old + "\n"
	}
	pack, err := s.own.Run(ctx, []byte(revs), "pack-objects", "--revs", "--local", "--stdout", "-q")
	if err != nil {
		return err
	}
	_, err = synced(s.from).Run(ctx, pack, "unpack-objects", "-q")
	return err
}

// synced is a git whose writes survive a power cut.
func synced(g commit.Git) commit.Git {
	return g.With("GIT_CONFIG_COUNT=4", "GIT_CONFIG_KEY_2=core.fsync", "GIT_CONFIG_VALUE_2=committed,loose-object,reference",
		"GIT_CONFIG_KEY_3=core.fsyncMethod", "GIT_CONFIG_VALUE_3=batch")
}

// checkedOut is a work tree that has a branch checked out; empty is none.
func checkedOut(ws tree.Workspace, ref string) (string, error) {
	list, err := ws.Linked()
	if err != nil {
		return "", err
	}
	for _, l := range list {
		if l.Ref == ref && !l.Missing {
			return l.Path, nil
		}
	}
	return "", nil
}
