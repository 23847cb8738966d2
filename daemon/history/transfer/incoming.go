package transfer

import (
	"context"
	"errors"
	"fmt"

	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// incoming is a bundle from elsewhere that was proven, and what is new in it.
type incoming struct {
	bundle *archive.Bundle
	runs   []wire.BundleRun
	fresh  []archive.Run
	texts  []events.Ref // that new runs name, each once
	seen   map[events.Ref]bool
}

// examine proves a bundle and looks which of its runs are here. Nothing of it is
// believed but what its events say.
func (im *Importer) examine(ctx context.Context, b *archive.Bundle) (*incoming, error) {
	if err := b.Check(ctx); err != nil {
		return nil, err
	}
	in := &incoming{bundle: b, seen: map[events.Ref]bool{}, runs: []wire.BundleRun{}}
	for _, r := range b.Manifest().Runs {
		known, err := im.here(ctx, r)
		if err != nil {
			return nil, err
		}
		if err := in.add(ctx, r, known); err != nil {
			return nil, err
		}
	}
	return in, nil
}

// add folds a run of the bundle.
func (in *incoming) add(ctx context.Context, r archive.Run, known bool) error {
	var s run.State
	tail := ""
	for st, err := range in.bundle.Events(r.ID, 0) {
		if errors.Is(err, log.ErrDamaged) {
			continue // and the chain breaks, as the manifest says
		}
		if err == nil {
			err = errors.Join(ctx.Err(), in.event(r, st.Event, known))
		}
		if err != nil {
			return err
		}
		s, tail = snapshot.Follow(s, st, tail), st.Hash
	}
	headless := s.ID == "" && s.Log.Unknown == 0
	s, over := r.Over(s)
	switch {
	case headless:
		return &archive.DamagedError{Run: r.ID, What: "its first event is missing"}
	case s.Facts.Handle != r.Handle:
		return &archive.DamagedError{Run: r.ID, What: fmt.Sprintf("its handle is %.80q, the manifest says %q", s.Facts.Handle, r.Handle)}
	case !over:
		return wire.Errorf(wire.Conflict, "run %s of the bundle is %s, not over: only history that is over is taken in", r.Handle, s.Status).
			WithHint("have it exported again when it is over")
	}
	end := archive.RunOf(s)
	in.runs = append(in.runs, wire.BundleRun{
		ID: r.ID, Handle: r.Handle, State: end.State, Reason: end.Reason, Events: int(r.Events), Known: known,
	})
	if !known {
		end.ID = r.ID
		in.fresh = append(in.fresh, end)
	}
	return nil
}

// event notes what an event names, and refuses values that become paths or
// commands elsewhere.
func (in *incoming) event(r archive.Run, e events.Event, known bool) error {
	if what := events.Strange(e.Data); what != "" {
		return &archive.DamagedError{Run: r.ID, Event: e.Seq, What: what}
	}
	for _, ref := range events.Refs(e.Data) {
		if !known && !in.seen[ref] {
			in.seen[ref] = true
			in.texts = append(in.texts, ref)
		}
	}
	return nil
}

// here says that a run is here with the same history. Another history under its
// id is a conflict.
func (im *Importer) here(ctx context.Context, r archive.Run) (bool, error) {
	seq, hash, ok, err := im.headOf(ctx, r.ID)
	if err != nil || !ok {
		return false, err
	}
	if hash == r.Head {
		return true, nil
	}
	return false, wire.Errorf(wire.Conflict, "run %s is here with another history: event %d has hash %.16s here, and the last of %d events in the bundle has %.16s",
		r.Handle, seq, hash, r.Events, r.Head).WithHint("nothing was taken in; apctl verify %s   proves the one that is here", r.ID)
}

// headOf is where a run that is here ends.
func (im *Importer) headOf(ctx context.Context, id string) (seq uint64, hash string, ok bool, err error) {
	if h, found := im.cfg.Archive.Head(id); found && im.cfg.Known.IsArchived(id) {
		return h.Seq, h.Hash, true, nil
	}
	s, ok := im.cfg.Known.State(id)
	if !ok {
		return 0, "", false, nil
	}
	for st, err := range im.cfg.Log.Read(ctx, events.Run(id), s.Log.Seq-1) {
		if err != nil {
			return 0, "", false, fmt.Errorf("read the last event of run %s: %w", s.Facts.Handle, err)
		}
		seq, hash = st.Event.Seq, st.Hash
	}
	return seq, hash, true, nil
}
