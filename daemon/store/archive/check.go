package archive

import (
	"context"
	"errors"
	"io"
	"iter"
	"time"

	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// Check proves everything: the hash of each entry, that every line is an event of
// its run, sequence and hash chain up to the head, that each text has its hash,
// and that nothing else is there. The error names the first bad thing. A break
// that the manifest has itself, Run.Broken, is no damage of the bundle. Events of
// types that this version does not know are kept and no damage.
func (b *Bundle) Check(ctx context.Context) error {
	for _, err := range b.states(ctx) {
		if err != nil {
			return err
		}
	}
	return b.checkTexts(ctx)
}

func (b *Bundle) checkTexts(ctx context.Context) error {
	list := b.manifest.Texts
	return inOrder(len(list), func(i int) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		u, err := b.text(list[i])
		if err != nil {
			return err
		}
		defer u.Close()
		_, err = io.Copy(io.Discard, u)
		return err
	}, func(err error) error { return err })
}

// states proves the runs and folds them, in the order of their ids; of a damaged
// one it gives what could be read, with the error.
func (b *Bundle) states(ctx context.Context) iter.Seq2[snapshot.Folded, error] {
	type made struct {
		f   snapshot.Folded
		err error
	}
	stopped := errors.New("stopped")
	return func(yield func(snapshot.Folded, error) bool) {
		list := b.manifest.Runs
		_ = inOrder(len(list), func(i int) made {
			f, err := b.fold(ctx, list[i])
			return made{f, err}
		}, func(m made) error {
			if !yield(m.f, m.err) {
				return stopped
			}
			return nil
		})
	}
}

// fold proves a run and folds it.
func (b *Bundle) fold(ctx context.Context, r Run) (snapshot.Folded, error) {
	var f snapshot.Folded
	err := b.read(r, func(st log.Stored, damage error) error {
		switch {
		case damage == nil:
			f.State = snapshot.Follow(f.State, st, f.Hash)
		case f.State.Log.Broken == 0:
			f.State.Log.Broken = f.State.Log.Seq + 1
		}
		f.Hash = st.Hash
		return ctx.Err()
	})
	f.State = r.settle(f.State)
	return f, err
}

// settle is the state of a run that may have events which this version cannot
// fold: it is over then, if the manifest says so.
func (r Run) settle(s run.State) run.State {
	s.ID = r.ID
	whole := s.Status != run.None && s.Log.Unknown == 0 && s.Log.Broken == 0
	open := r.State == string(run.Live) || r.State == string(run.Halted)
	if s.Status == run.Over || whole || s.Status != run.None && open {
		return s
	}
	if s.Status == run.None {
		s.Facts.Handle = r.Handle
	}
	s.Status, s.End, s.Halt, s.Stop = run.Over, &events.RunEnded{State: events.End(r.State), Tree: s.Last.Tree}, nil, ""
	s.Clock.Before = s.Clock.Active(s.Clock.Latest)
	s.Clock.Since, s.Clock.Waits, s.Clock.Suspended = time.Time{}, time.Time{}, 0
	return s
}
