package api

import (
	"context"
	"errors"
	"fmt"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/atdd/mirror"
	"autopilot/projections/run"
)

// CompatAtdd sends what atdd-kit would have kept of a run, row by row.
func (a *Looks) CompatAtdd(ctx context.Context, _ auth.Request, body wire.AtddRequest, send func(wire.AtddPiece) error) error {
	s, err := a.Find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	if a.Removal.Gone(s) != nil {
		return a.Removal.Whole(s, "what is in these files")
	}
	m, err := a.atddMirror(ctx, s)
	if err != nil {
		return err
	}
	if err := send(wire.AtddPiece{
		Run: s.ID, Handle: s.Facts.Handle, Workspace: a.Text(s.Facts.Workspace), Dir: m.Dir,
		Live: s.Status == run.Live && !a.Fleet.IsImported(s.ID),
	}); err != nil {
		return err
	}
	for seq := uint64(0); ; {
		changed := a.Fleet.Wait()
		if seq, err = a.atddPieces(ctx, s.ID, m, seq, send); err != nil {
			return err
		}
		now, _ := a.Fleet.State(s.ID)
		if still := now.Status != run.Live || a.Fleet.IsImported(s.ID); !body.Follow || still && now.Log.Seq <= seq {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// atddPieces sends the rows of the events behind seq, and returns the last event that it
// read.
func (a *Looks) atddPieces(ctx context.Context, id string, m *mirror.Mirror, seq uint64, send func(wire.AtddPiece) error) (uint64, error) {
	for stored, err := range a.Log.Read(ctx, events.Run(id), seq) {
		if errors.Is(err, log.ErrDamaged) {
			return seq, wire.Errorf(wire.Failed, "event %d of the run is damaged, so its files cannot be told", seq+1).WithHint("apctl verify")
		}
		if err != nil {
			return seq, err
		}
		seq = stored.Event.Seq
		pieces, err := m.Add(stored.Event)
		if err != nil {
			return seq, fmt.Errorf("mirror event %d: %w", seq, err)
		}
		for _, p := range pieces {
			if err := send(p); err != nil {
				return seq, err
			}
		}
	}
	return seq, nil
}

// atddMirror knows the place of the run's issue. An imported run has no trees, and so no
// pins.
func (a *Looks) atddMirror(ctx context.Context, s run.State) (*mirror.Mirror, error) {
	m := &mirror.Mirror{Text: func(ref events.Ref) (string, error) {
		b, err := a.Blobs.Get(ref)
		return string(b), err
	}}
	if a.Fleet.IsImported(s.ID) {
		return m, nil
	}
	spec, err := a.Worker.Spec(s)
	if err != nil {
		return nil, fmt.Errorf("read what the run was started with: %w", err)
	}
	if m.Dir = spec.Inputs["dir"]; m.Dir == "" {
		return m, nil
	}
	repo, err := a.Worker.Repo(ctx, s)
	if err != nil {
		return nil, err
	}
	m.File = func(t events.Tree, name string) ([]byte, error) {
		text, _, err := repo.File(ctx, t, name)
		if errors.Is(err, tree.ErrNotFound) {
			err = nil
		}
		return text, err
	}
	return m, nil
}
