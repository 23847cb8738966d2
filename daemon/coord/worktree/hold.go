package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"autopilot/daemon/coord/claim"
	"autopilot/daemon/coord/peerfile"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/wire"
	lease "autopilot/projections/claim"
	"autopilot/projections/orchestrator"
	"autopilot/projections/rule"
)

// What holds a work tree. What cannot be read holds it, as it is not nothing.

// locks are who says that it is not to be touched.
func (t *scene) locks(l tree.Linked) (out []wire.TreeHeld) {
	if l.Main {
		out = append(out, wire.TreeHeld{Why: wire.HoldMain})
	}
	if l.Locked {
		out = append(out, wire.TreeHeld{Why: wire.HoldLocked, What: l.Reason})
	}
	for _, file := range l.Busy {
		out = append(out, wire.TreeHeld{Why: wire.HoldGitAtWork, What: file})
	}
	return out
}

// users are who is in it: processes, and sessions that are there. Those that were
// there are its records.
func (t *scene) users(l tree.Linked, w *rule.WorkTree) (out []wire.TreeHeld) {
	if t.blind != nil {
		out = append(out, wire.TreeHeld{Why: wire.HoldUnreadable, What: t.blind.Error()})
	}
	out = append(out, processes(t.uses[l.Path])...)
	for _, p := range t.k.cfg.Sessions.In(l.Path) {
		if p.Here {
			out = append(out, wire.TreeHeld{Why: wire.HoldSession, What: p.Name})
		} else {
			w.Noted = append(w.Noted, rule.TreeNote{Who: "session " + p.Name, At: p.Seen})
		}
	}
	out = append(out, t.lockFile(l, w)...)
	for _, name := range t.k.cfg.Sessions.Listed(l.Path) {
		out = append(out, wire.TreeHeld{Why: wire.HoldSession, What: name})
	}
	return out
}

// mostProcesses bounds how many of them are named.
const mostProcesses = 3

func processes(list []use) (out []wire.TreeHeld) {
	for i, u := range list {
		if i < mostProcesses {
			out = append(out, wire.TreeHeld{Why: wire.HoldProcess, What: u.Name, N: u.PID})
		}
	}
	return out
}

// lockFile judges the lock of session-orchestrator in it. Only one of this host
// whose process has ended, and whose time is over, holds nothing.
//
// Source: session-orchestrator, seeds 2.8.4, reaper: never a live lock, never one of
// this host with a live process even after its time, never another host's; S29.
func (t *scene) lockFile(l tree.Linked, w *rule.WorkTree) []wire.TreeHeld {
	s, f := peerfile.ReadLock(l.Path)
	switch f.State {
	case peerfile.Absent:
		return nil
	case peerfile.Unreadable, peerfile.Corrupt:
		return []wire.TreeHeld{{Why: wire.HoldSession, What: f.Path + ": " + f.Problem}}
	case peerfile.OK:
	}
	ttl := s.TTL
	if ttl == 0 {
		ttl = orchestrator.LockTTL
	}
	host, err := os.Hostname()
	here := s.Host == "" || err == nil && s.Host == host
	dead := here && s.PID > 0 && processGone(s.PID)
	if orchestrator.LockLive(s.Beat, t.k.cfg.Sessions.Now(), ttl) || !dead {
		return []wire.TreeHeld{{Why: wire.HoldSession, What: s.ID}}
	}
	w.Noted = append(w.Noted, rule.TreeNote{Who: "session " + s.ID, At: s.Beat})
	return nil
}

func processGone(pid int) bool {
	p, err := proc.Read(pid)
	return errors.Is(err, proc.ErrGone) || err == nil && p.Zombie
}

// viewClaims adds the claims on a work tree and its branch.
func (t *scene) viewClaims(ctx context.Context, l tree.Linked, v *wire.TreeView, w *rule.WorkTree) {
	keys := []claim.Key{{Kind: events.ClaimWorkspace, Scope: l.Path}}
	if b := l.OnBranch(); b != "" && !l.Main {
		keys = append(keys, claim.Key{Kind: events.ClaimBranch, Scope: t.scope, Name: b})
	}
	unread := func(err error) {
		w.Held = append(w.Held, wire.TreeHeld{Why: wire.HoldUnreadable, What: err.Error()})
	}
	for _, k := range keys {
		s, at, err := t.k.cfg.Claims.Peek(ctx, k)
		if err != nil {
			unread(err)
			continue
		}
		standing := s.Standing(at)
		if standing == lease.Live || standing == lease.Overdue {
			c := t.k.cfg.Claims.View(k, s, at, t.k.cfg.Claims.Mine(t.q))
			if k.Kind == events.ClaimWorkspace {
				v.Claim = &c
			}
			w.Held = append(w.Held, wire.TreeHeld{Why: wire.HoldClaim, What: fmt.Sprintf("%s: %s", k, c.Holder)})
		}
	}
	m, err := claim.Look(claim.MarkFile(t.common, l.ID), t.k.cfg.Claims.Info("", claim.TTL))
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		unread(err)
	case m != nil:
		c := claim.MarkView(l.Path, m)
		v.Claim = &c
		w.Held = append(w.Held, wire.TreeHeld{Why: wire.HoldOther, What: m.Info.Who + " of " + m.Info.State})
	}
}

// loose is what holds it of what it has that is nowhere else. What is discarded holds
// nothing: all of it is recorded.
func (t *scene) loose(l tree.Linked, v tree.Loose) []wire.TreeHeld {
	return slices.DeleteFunc(looseHolds(l, v), func(h wire.TreeHeld) bool {
		return t.discards && slices.Contains([]wire.TreeHold{wire.HoldChanged, wire.HoldStaged, wire.HoldUntracked, wire.HoldAlone, wire.HoldUnpushed}, h.Why)
	})
}

// looseHolds is what it has that is nowhere else.
func looseHolds(l tree.Linked, v tree.Loose) (out []wire.TreeHeld) {
	for _, h := range []struct {
		why wire.TreeHold
		n   int
	}{
		{wire.HoldChanged, len(v.Changed)},
		{wire.HoldStaged, len(v.Staged)},
		{wire.HoldUntracked, len(v.Untracked)},
		{wire.HoldAlone, v.Alone},
		{wire.HoldUnpushed, v.Unpushed},
	} {
		if h.n > 0 {
			out = append(out, wire.TreeHeld{Why: h.why, N: h.n})
		}
	}
	if l.Halfway != "" {
		out = append(out, wire.TreeHeld{Why: wire.HoldHalfway, What: l.Halfway})
	}
	if l.Modules {
		out = append(out, wire.TreeHeld{Why: wire.HoldSubmodules})
	}
	if l.Commit == "" {
		out = append(out, wire.TreeHeld{Why: wire.HoldUnreadable, What: "it has no commit yet, or its branch is gone"})
	}
	return append(out, places(wire.HoldNested, v.Nested)...)
}

// wholeHolds is what else of all that is in it would go with it, and must not.
func wholeHolds(all tree.Contents) (out []wire.TreeHeld) {
	out = append(out, places(wire.HoldNested, all.Nested)...)
	out = append(out, places(wire.HoldMount, all.Mounts)...)
	out = append(out, places(wire.HoldStrange, all.Strange)...)
	return append(out, places(wire.HoldStuck, all.Stuck)...)
}

// places is one reason for all places of a kind, with the first of them.
func places(why wire.TreeHold, list []string) []wire.TreeHeld {
	if len(list) == 0 {
		return nil
	}
	return []wire.TreeHeld{{Why: why, What: tree.Printable(list)[0], N: len(list)}}
}
