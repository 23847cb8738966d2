package roll

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/durable"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/place"
)

// closeWithin bounds the end of the server that fills the new store.
const closeWithin = 10 * time.Second

// move makes bundle and new store from a log that was proven, reading it once
// more.
func (r *roller) move(ctx context.Context, p *plan, c *record) (err error) {
	s, err := newSpill(r.spill())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if err := r.carry(ctx, p, c, s); err != nil {
		return fmt.Errorf("make a new store: %w", err)
	}
	failpoint.Hit(failpoint.RollCarried)
	if err := r.bind(ctx, p, c, s); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	failpoint.Hit(failpoint.RollBound)
	return nil
}

// carry makes a store of the next generation with all that is not over, syncs it,
// and seals and proves it. What is over goes to the spill.
func (r *roller) carry(ctx context.Context, p *plan, c *record, s *spill) error {
	twin := r.Places
	twin.State, twin.Runtime = r.next(), filepath.Join(r.next(), "run")
	if err := r.fill(ctx, twin, p, c, s); err != nil {
		return err
	}
	if err := syncTree(filepath.Join(r.next(), "store")); err != nil {
		return err
	}
	stream := log.StreamName(uint64(c.To))
	if err := filestore.Seal(r.names.Next(), filestore.StreamsIn(r.next()), stream, r.Boot); err != nil {
		return err
	}
	made, err := r.prove(r.names.Next(), filestore.StreamsIn(r.next()))
	if err != nil {
		return err
	}
	return p.sameAs(made, c)
}

// sameAs says whether the new log and the runs that are over are all there was.
func (p *plan) sameAs(made *plan, c *record) error {
	rest := maps.Clone(p.heads)
	maps.DeleteFunc(rest, func(subject string, _ log.Head) bool {
		_, over := p.over[subject]
		return over
	})
	if !maps.Equal(rest, made.heads) || made.events != uint64(c.Carried) || made.events+uint64(c.Events) != p.events {
		return fmt.Errorf("%w: of %d events %d are over and %d went over", errNotProven, p.events, c.Events, made.events)
	}
	return nil
}

// fill stores what is carried over with a server of its own.
func (r *roller) fill(ctx context.Context, twin place.Places, p *plan, c *record, s *spill) (err error) {
	lock, err := bus.Lock(twin, r.Version)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	// Synced as a whole, behind it.
	b, err := bus.Open(bus.Config{
		Places: twin, Lock: lock, Durability: bus.Process, Quota: r.Quota, Version: r.Version, Host: r.Host,
		Log: slog.New(slog.DiscardHandler), Identify: func(int, int) auth.Identity { return auth.Identity{} },
	})
	if err != nil {
		return err
	}
	defer func() {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
		defer cancel()
		err = errors.Join(err, b.Close(cctx))
	}()
	nc, err := b.Daemon()
	if err != nil {
		return err
	}
	cfg := bus.LogConfig(r.Quota)
	cfg.Generation = uint64(c.To)
	l, err := log.Open(ctx, nc, cfg)
	if err != nil {
		return err
	}
	return l.Carry(ctx, r.divide(p, c, s))
}

// parcel is a stored event with bytes of its own.
type parcel struct {
	position uint64
	subject  string
	body     []byte
}

// errLeft says that nobody wants more.
var errLeft = errors.New("left")

// divide yields what is carried over. What is over goes to the spill.
func (r *roller) divide(p *plan, c *record, s *spill) iter.Seq2[log.Stored, error] {
	copied := func(list []filestore.Record) []parcel {
		out := make([]parcel, 0, len(list))
		for _, rec := range list {
			out = append(out, parcel{rec.Position, rec.Subject, bytes.Clone(rec.Message)})
		}
		return out
	}
	v := divider{plan: p, record: c, spill: s}
	v.stream, v.told = log.Cursor(notify.Place(filepath.Join(r.state, "notify"))).Place()
	return func(yield func(log.Stored, error) bool) {
		seals, err := filestore.ReadSeals(r.names, r.Boot)
		if err != nil {
			yield(log.Stored{}, err)
			return
		}
		defer seals.Close(0)
		err = filestore.ReplaySealed(seals, filestore.StreamsIn(r.state), copied, func(list []parcel) error {
			for _, e := range list {
				if st, goesOver, err := v.take(e); err != nil {
					return err
				} else if goesOver && !yield(st, nil) {
					return errLeft
				}
			}
			return nil
		})
		if err != nil && !errors.Is(err, errLeft) {
			yield(log.Stored{}, err)
		}
	}
}

// divider sorts the events of a log, and notes up to where people were told of
// them in terms of the new log.
type divider struct {
	plan   *plan
	record *record
	spill  *spill
	stream string // up to which, and
	told   uint64 // position there, people were told
}

// take counts an event, and says whether it goes over.
func (v divider) take(e parcel) (st log.Stored, goesOver bool, err error) {
	c := v.record
	told := v.stream != v.plan.stream || e.position <= v.told
	if _, over := v.plan.over[e.subject]; over {
		c.Events++
		if !told && isTold(e.subject, e.body) {
			c.Untold = append(c.Untold, string(e.body))
		}
		return st, false, v.spill.add(e.subject, e.body)
	}
	c.Carried++
	if st, err = log.StoredAt(log.StreamName(uint64(c.To)), uint64(c.Carried), e.subject, e.body); told {
		c.Cursor = st.Cursor
	}
	return st, true, err
}

// bind writes the bundle, and proves it.
func (r *roller) bind(ctx context.Context, p *plan, c *record, s *spill) error {
	f, err := os.OpenFile(r.bundle(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer f.Close()
	out := bufio.NewWriterSize(f, 1<<18)
	w := archive.NewWriter(out, archive.Maker{Made: c.At, Version: r.Version, Host: r.Host, Generation: c.From})
	for _, subject := range slices.Sorted(maps.Keys(p.over)) {
		if err := w.Run(p.over[subject], s.events(p.stream, subject)); err != nil {
			return err
		}
	}
	sum, err := w.Close()
	if err = errors.Join(err, out.Flush(), f.Sync()); err != nil {
		return err
	}
	c.Bundle = sum.SHA256
	return p.proveBundle(ctx, r.bundle())
}

// proveBundle reads the bundle, and compares it with what is over.
func (p *plan) proveBundle(ctx context.Context, path string) error {
	b, err := archive.Open(path)
	if err != nil {
		return err
	}
	defer b.Close()
	if n := len(b.Manifest().Runs); n != len(p.over) {
		return fmt.Errorf("%w: %d runs are over, %d are in the bundle", errNotProven, len(p.over), n)
	}
	for _, in := range b.Manifest().Runs {
		if of := p.over[events.Run(in.ID).Subject()]; in.Events != of.Events || in.Head != of.Head || in.Broken != 0 {
			return fmt.Errorf("%w: run %s is not in the bundle as it is in the log", errNotProven, of.Handle)
		}
	}
	return b.Check(ctx)
}

// syncTree makes all that is below a directory durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() {
			return durable.SyncDir(path)
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return errors.Join(f.Sync(), f.Close())
	})
}
