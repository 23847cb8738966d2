package claim

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"autopilot/daemon/coord/team"
	"autopilot/events"
	"autopilot/events/wire"
	lease "autopilot/projections/claim"
	"autopilot/projections/phrase"
)

// This file says of claims who holds them, for programs and for people.

// View is a claim as it is shown. is says of its owner whether that is the caller.
func (d *Service) View(k Key, s lease.State, sight lease.Sight, is func(events.ClaimOwner) bool) wire.ClaimView {
	v := wire.ClaimView{
		Key: k.String(), Kind: string(k.Kind), Of: d.scopeOf(k), State: string(s.Standing(sight)), Fence: s.Fence,
		Program: string(s.Owner.Program), PID: s.Owner.PID, Mine: is(s.Owner), Alive: sight.Alive, Holder: d.HolderOf(s.Owner),
		Since: new(s.Since.UTC()), Beat: new(s.Beat.UTC()), Until: new(s.Until().UTC()), TTL: int64(s.TTL / time.Second),
	}
	if !sight.Here {
		v.Host = s.Owner.Host
		h, _ := d.Team.Host(v.Host)
		v.HostName, v.Person = h.Name, h.Person
	}
	if r, ok := d.Runs.State(s.Owner.Run); ok && s.Owner.Run != "" {
		v.Run = r.Facts.Handle
	}
	return v
}

// MarkView is what another state directory has, as it is shown.
func MarkView(top string, m *MarkedError) wire.ClaimView {
	i := m.Info
	return wire.ClaimView{
		Key: string(events.ClaimWorkspace), Kind: string(events.ClaimWorkspace), Of: top, State: wire.ClaimHeld,
		Holder: i.Who, StateDir: i.State, PID: i.PID, Alive: m.Locked, Since: new(i.Since.UTC()), Beat: new(i.Beat.UTC()), Until: new(i.Until().UTC()), TTL: i.TTL,
	}
}

// Holder names an owner for people.
func Holder(o events.ClaimOwner) string {
	switch {
	case o.Run != "":
		return "run " + o.Run
	case o.Program != "":
		return fmt.Sprintf("a chat of %s, process %d", o.Program, o.PID)
	}
	return fmt.Sprintf("a session, process %d", o.PID)
}

// HolderOf is Holder with what is known here: the handle of a run, and the host.
func (d *Service) HolderOf(o events.ClaimOwner) string {
	if o.Run != "" {
		if s, ok := d.Runs.State(o.Run); ok {
			return "run " + s.Facts.Handle
		}
	}
	if o.Host == d.Host {
		return Holder(o)
	}
	name := "host " + o.Host
	if h, ok := d.Team.Host(o.Host); ok {
		name = "host " + h.Words()
	}
	return Holder(o) + " of " + name
}

// Fault says who holds what was asked for, since when, and what to do.
func (d *Service) Fault(err error) error {
	var marked *MarkedError
	var held *HeldError
	var away *awayError
	var busy *busyError
	switch {
	case errors.As(err, &away):
		return d.awayFault(away)
	case errors.As(err, &busy):
		return wire.Errorf(wire.Conflict, "%s of %s was changed by others while this was asked for, so nothing was changed", busy.key, d.scopeOf(busy.key)).
			WithHint("try again\napctl peer claims   shows the holder")
	case errors.As(err, &held):
		return d.heldFault(held)
	case errors.As(err, &marked):
		return d.markFault(Key{Kind: events.ClaimWorkspace}, marked)
	case errors.Is(err, lease.ErrFence), errors.Is(err, lease.ErrFree):
		return wire.Errorf(wire.Conflict, "the holder has changed, so nothing was done").WithHint("apctl peer claims   shows the holder")
	case errors.Is(err, errStrange):
		return wire.Errorf(wire.Failed, "the work tree cannot be held: %v", err).WithHint("move it away and start again")
	case errors.Is(err, os.ErrPermission):
		return wire.Errorf(wire.Failed, "the work tree cannot be held, as its git directory is not to be written to: %v", err)
	}
	return err
}

func (d *Service) heldFault(h *HeldError) error {
	s, k := h.State, phrase.Quote(h.Key.String())
	e := wire.Errorf(wire.Conflict, "%s of %s is held by %s, since %s", h.Key, d.scopeOf(h.Key), d.HolderOf(s.Owner), s.Since.UTC().Format(time.RFC3339))
	until := s.Until().UTC().Format(time.RFC3339)
	switch {
	case s.Owner.Run != "" && h.At.Here:
		r, _ := d.Runs.State(s.Owner.Run)
		return e.WithHint("apctl stop %s   ends it, and gives it back", cmp.Or(r.Facts.Handle, s.Owner.Run))
	case s.Standing(h.At) == lease.Overdue:
		return e.WithHint("its time was over at %s, but its process goes on:\napctl peer drop %s   gives it back, from there\napctl peer drop %s --force   takes it away, and asks a person", until, k, k)
	case h.At.Here && !h.At.Alive:
		return e.WithHint("its process has ended, and it is free at %s:\napctl peer drop %s --force   frees it now, and asks a person", until, k)
	}
	return e.WithHint("it is free at %s if nothing is heard of it until then:\napctl peer drop %s   gives it back, from there\napctl peer drop %s --force   takes it away, and asks a person", until, k, k)
}

func (d *Service) markFault(k Key, m *MarkedError) error {
	i := m.Info
	if i.State == "" {
		return wire.Errorf(wire.Conflict, "this work tree is held by %s", i.Who).WithHint("ask again")
	}
	e := wire.Errorf(wire.Conflict, "this work tree is held by %s of another state directory, %s, since %s", i.Who, i.State, i.Since.UTC().Format(time.RFC3339))
	with := "AUTOPILOT_STATE=" + phrase.Quote(i.State) + " apctl "
	if m.Locked {
		return e.WithHint("%sls   shows what runs there; stop it there, then ask again", with)
	}
	return e.WithHint("its daemon has ended, and may come back for it until %s:\n%sls   starts it, and shows what runs there\napctl peer drop %s --force   frees it now, and asks a person",
		i.Until().UTC().Format(time.RFC3339), with, k)
}

// awayFault says that a claim of the team is neither taken nor given back.
func (d *Service) awayFault(e *awayError) error {
	v := d.Team.View()
	why := fmt.Sprintf("did not answer within %v", team.Within)
	if v.Problem != "" {
		why = "cannot be reached since " + v.Since.Format(time.RFC3339) + ": " + v.Problem
	}
	return wire.Errorf(wire.Failed, "the holder of %s of %s is unknown, so nothing was changed: the team at %s %s", e.key, d.scopeOf(e.key), v.URL, why).
		WithHint("try again when it answers; runs and the claims on work trees go on without it\napctl daemon status   shows the state of the team\napctl doctor          says what may be wrong")
}

// Taker names who has the work tree of a run, for people.
func (d *Service) Taker(why error) string {
	var marked *MarkedError
	var held *HeldError
	switch {
	case errors.As(why, &held):
		return d.HolderOf(held.State.Owner)
	case errors.As(why, &marked):
		return marked.Info.Who + " of another state directory, " + marked.Info.State
	}
	return ""
}
