package daemon

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/atdd/mirror"
	"autopilot/projections/run"
)

// compatAtdd sends what atdd-kit would have kept of a run, row by row.
func (d *Daemon) compatAtdd(ctx context.Context, body wire.AtddRequest, send func(any) error) error {
	s, err := d.find(ctx, body.RunRef)
	if err != nil {
		return err
	}
	if d.removal.Gone(s) != nil {
		return d.removal.Whole(s, "what is in these files")
	}
	m, err := d.atddMirror(ctx, s)
	if err != nil {
		return err
	}
	if err := send(wire.AtddPiece{
		Run: s.ID, Handle: s.Facts.Handle, Workspace: d.text(s.Facts.Workspace), Dir: m.Dir, Live: s.Status == run.Live,
	}); err != nil {
		return err
	}
	for seq := uint64(0); ; {
		changed := d.fleet.Wait()
		if seq, err = d.atddPieces(ctx, s.ID, m, seq, send); err != nil {
			return err
		}
		now, _ := d.fleet.State(s.ID)
		if still := now.Status != run.Live || d.fleet.IsImported(s.ID); !body.Follow || still && now.Log.Seq <= seq {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// atddPieces sends what follows from the events behind one, and says which was read
// last.
func (d *Daemon) atddPieces(ctx context.Context, id string, m *mirror.Mirror, seq uint64, send func(any) error) (uint64, error) {
	for stored, err := range d.log.Read(ctx, events.Run(id), seq) {
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

// atddMirror knows where the run has its issue. An imported run has no trees, and so
// no pins.
func (d *Daemon) atddMirror(ctx context.Context, s run.State) (*mirror.Mirror, error) {
	m := &mirror.Mirror{Text: func(ref events.Ref) (string, error) {
		b, err := d.blobs.Get(ref)
		return string(b), err
	}}
	if d.fleet.IsImported(s.ID) {
		return m, nil
	}
	b, err := d.blobs.Get(s.Facts.Spec)
	if err != nil {
		return nil, fmt.Errorf("read what the run was started with: %w", err)
	}
	var spec wire.RunSpec
	if err := json.Unmarshal(b, &spec); err != nil {
		return nil, fmt.Errorf("read what the run was started with: %w", err)
	}
	if m.Dir = spec.Inputs["dir"]; m.Dir == "" {
		return m, nil
	}
	repo, err := d.worker.Repo(ctx, s)
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
