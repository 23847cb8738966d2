// Package roll begins new generations of the event log.
//
// What is over goes into a bundle of the archive, all else goes over as it is, with
// the same bytes and the same chain. A roll is asked for by a file (Requests), and done by
// the next daemon before its server opens the store (Do), so that nobody writes
// meanwhile. Everything is made beside what there is, and proven. Then one record is
// written, and from there on the roll is only ever finished: a daemon that dies before
// it leaves the old generation, and one that dies behind it the new one to whoever
// comes next. What is to be known of a roll is stored once the log is open (Outcome).
//
// A roll that is refused leaves the log as it was. It never changes an event, never
// takes one from the log that is not in the bundle, and starts no goroutine.
package roll

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/failpoint"
	"autopilot/daemon/store/durable"
	"autopilot/daemon/store/filestore"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/place"
)

// Config is what a log is rolled with.
type Config struct {
	Places  place.Places  // whose lock is held, and whose store is closed
	Boot    string        // of the host
	Host    string        // its name in events
	Version string        // of the build
	Quota   int64         // bytes of the event store, 0 is the default
	Free    func() uint64 // room on the disk
	Now     func() time.Time
	Log     *slog.Logger
}

// Do finishes a roll that was cut off, and does one that was asked for. Only what
// cannot be finished is an error: a roll that is refused leaves the log as it was.
func Do(ctx context.Context, cfg Config) (*Outcome, error) {
	r := &roller{dir: dir{cfg.Places.State}, Config: cfg, names: filestore.NamesIn(cfg.Places.State)}
	done, refused, err := r.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("roll the event log: %w", err)
	}
	return &Outcome{cfg: cfg, done: done, refused: refused}, nil
}

// roller does a roll, with the lock held and the store closed.
type roller struct {
	dir
	Config
	names filestore.Names
}

// record is what a roll has made. Once it is on the disk the roll is done,
// but for moving everything to its place.
type record struct {
	events.LogRolled
	At     time.Time  `json:"at"`
	Cursor log.Cursor `json:"cursor,omitzero"` // up to where people were told what happened
	Untold []string   `json:"untold,omitzero"` // stored events of runs that are over, and behind it
}

// run is nil, nil, nil where there was nothing to do.
func (r *roller) run(ctx context.Context) (done *record, refused, err error) {
	asked, err := r.asked()
	if err != nil {
		return nil, nil, err
	}
	c, err := r.committed()
	if err == nil && c == nil {
		if asked {
			c, refused = r.prepare(ctx)
		}
		if c == nil {
			return nil, refused, r.clear()
		}
	}
	if err == nil {
		err = r.finish(ctx, *c)
	}
	return c, nil, err
}

// committed is the record of a roll that is not finished, nil if there is none.
func (r *roller) committed() (*record, error) {
	b, err := os.ReadFile(r.commit())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var c record
	if err == nil {
		err = json.Unmarshal(b, &c)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", r.commit(), err)
	}
	return &c, nil
}

// prepare makes all that is new, and commits it.
func (r *roller) prepare(ctx context.Context) (*record, error) {
	began := r.Now()
	stream, err := filestore.Stream(r.names.Mark)
	if err != nil {
		return nil, err
	}
	if err := room(r.state, stream, r.Free()); err != nil {
		return nil, err
	}
	p, err := r.prove(r.names, filestore.StreamsIn(r.state))
	if err != nil {
		return nil, err
	}
	if len(p.over) == 0 {
		return nil, errNothingOver
	}
	c := &record{LogRolled: events.LogRolled{From: int(p.generation), To: int(p.generation) + 1, Runs: len(p.over)}, At: began, Cursor: log.Begin(p.generation + 1)}
	r.Log.Info("rolling the event log", "generation", c.To, "over", len(p.over), "events", p.events)
	if err := r.move(ctx, p, c); err != nil {
		return nil, err
	}
	b, err := json.Marshal(c)
	if err == nil {
		err = durable.Replace(r.commit(), b)
	}
	if err != nil {
		return nil, fmt.Errorf("commit a roll: %w", err)
	}
	failpoint.Hit(failpoint.RollCommitted)
	r.Log.Info("rolled the event log", "generation", c.To, "runs", c.Runs, "events", c.Events, "carried", c.Carried, "took", r.Now().Sub(began))
	return c, nil
}
