package daemon

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/durable"
	"autopilot/daemon/failpoint"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/host"
	"autopilot/projections/run"
)

// removal is an erasing or a pruning that is under way. It is in a file before
// anything is touched, and until the host's log says that it was done: a daemon
// that finds the file does it again, which removes what is left, and then says
// so. In between whoever misses a text is told the same as afterwards. So at no
// moment is something gone of which nobody knows why.
type removal struct {
	Run       string           `json:"run,omitzero"`       // that is erased
	BeforeMS  int64            `json:"before_ms,omitzero"` // of a pruning
	Assurance events.Assurance `json:"assurance,omitzero"`
	By        string           `json:"by"`             // actor
	Cause     string           `json:"cause,omitzero"` // id of the request
	At        time.Time        `json:"at"`
	HostSeq   uint64           `json:"host_seq"` // of the host's log before it
	Runs      int              `json:"runs"`     // that had some
	Texts     int              `json:"texts"`
}

// before is the moment of a pruning, zero for an erasing.
func (r removal) before() time.Time {
	if r.BeforeMS == 0 {
		return time.Time{}
	}
	return time.UnixMilli(r.BeforeMS).UTC()
}

// fact is what the host's log says when it is done; nil if there is nothing to
// say.
func (r removal) fact() events.Data {
	switch {
	case r.Run != "":
		return events.RunErased{Run: r.Run, Texts: r.Texts, Assurance: r.Assurance}
	case r.Runs > 0:
		return events.TextsPruned{BeforeMS: r.BeforeMS, Runs: r.Runs, Texts: r.Texts}
	}
	return nil
}

// removals does one at a time. The zero value is ready.
type removals struct {
	mu      sync.Mutex
	pending atomic.Pointer[removal] // that is in the file
}

func removalFile(state string) string { return filepath.Join(state, "removal") }

// announce writes down what is about to be removed.
func (d *Daemon) announce(r removal) error {
	r.HostSeq = d.hosts.State().Log.Seq
	b, err := json.Marshal(r)
	if err == nil {
		err = durable.Replace(removalFile(d.cfg.Places.State), b)
	}
	if err != nil {
		return fmt.Errorf("write down what is removed: %w", err)
	}
	d.removals.pending.Store(&r)
	failpoint.Hit(failpoint.AfterAnnounce)
	return nil
}

// conclude says in the host's log what was removed, once, and forgets the file.
func (d *Daemon) conclude(ctx context.Context) error {
	r := d.removals.pending.Load()
	failpoint.Hit(failpoint.AfterRemoval)
	fact := r.fact()
	said, err := d.said(ctx, fact, r.HostSeq)
	if err == nil && fact != nil && !said {
		_, err = d.hosts.Append(ctx, fact, r.By, r.Cause)
	}
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.AfterFact)
	if err := os.Remove(removalFile(d.cfg.Places.State)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what was removed: %w", err)
	}
	d.removals.pending.Store(nil)
	return durable.SyncDir(d.cfg.Places.State)
}

// said looks for a fact in the host's log behind a sequence.
func (d *Daemon) said(ctx context.Context, fact events.Data, after uint64) (bool, error) {
	for stored, err := range d.log.Read(ctx, events.Host(d.host), after) {
		if err != nil {
			return false, err
		}
		if stored.Event.Data == fact {
			return true, nil
		}
	}
	return false, nil
}

// openRemoval reads what an earlier daemon had begun to remove.
func (d *Daemon) openRemoval() error {
	r, err := readRemoval(d.cfg.Places.State)
	d.removals.pending.Store(r)
	return err
}

// readRemoval is what is being removed in a state directory, nil for nothing.
func readRemoval(state string) (*removal, error) {
	b, err := os.ReadFile(removalFile(state))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var r removal
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("read what is being removed: %w", err)
	}
	return &r, nil
}

// covers says that the texts of a run go with it. Nothing covers none.
func (r *removal) covers(s run.State) bool {
	return r != nil && (r.Run == s.ID || s.Clock.Latest.Before(r.before()))
}

// finishRemoval does again what an earlier daemon had begun.
func (d *Daemon) finishRemoval(ctx context.Context) {
	d.removals.mu.Lock()
	defer d.removals.mu.Unlock()
	if err := d.finishRemovalLocked(ctx); err != nil && ctx.Err() == nil {
		d.cfg.Log.Error("finish what was being removed", "error", err)
	}
}

func (d *Daemon) finishRemovalLocked(ctx context.Context) error {
	r := d.removals.pending.Load()
	if r == nil {
		return nil
	}
	p, err := d.planAgain(ctx, *r)
	if err != nil {
		return err
	}
	defer p.close()
	if err := d.remove(ctx, p); err != nil {
		return err
	}
	return d.conclude(ctx)
}

// gone says why texts of a run are not there; nil if they should be.
func (d *Daemon) gone(s run.State) *wire.GoneView {
	if s.Status != run.Over {
		return nil
	}
	if at, by, erased, ok := d.hosts.State().Gone(s.ID, s.Clock.Latest, d.came(s.ID)); ok {
		return &wire.GoneView{At: at, By: by, Erased: erased}
	}
	r := d.removals.pending.Load()
	if !r.covers(s) {
		return nil
	}
	return &wire.GoneView{At: r.At, By: r.By, Erased: r.Run != ""}
}

// came is when a run came from elsewhere; zero for one of this host.
func (d *Daemon) came(id string) time.Time {
	if !d.fleet.IsImported(id) {
		return time.Time{}
	}
	h, _ := d.archive.Head(id)
	list := d.hosts.State().Imported
	i := slices.IndexFunc(list, func(i host.Import) bool { return i.Bundle == h.Bundle })
	if i < 0 {
		return time.Time{}
	}
	return list[i].At
}

// whole refuses to show what a run does not have any more, and says since when
// and why, or never had here.
func (d *Daemon) whole(s run.State, what string) error {
	g := d.gone(s)
	switch {
	case g == nil && d.fleet.IsImported(s.ID):
		return wire.Errorf(wire.NotFound, "%s of run %s is where it ran: events and texts were imported, and nothing else", what, s.Facts.Handle).
			WithHint("apctl why %s   says how it ended", s.Facts.Handle)
	case g == nil:
		return nil
	}
	how := "pruned"
	if g.Erased {
		how = "erased"
	}
	who, _, _ := strings.Cut(strings.Replace(g.By, "local:", "user:", 1), "@")
	return wire.Errorf(wire.NotFound, "%s of run %s was %s on %s by %s", what, s.Facts.Handle, how,
		g.At.UTC().Format("2006-01-02 15:04 MST"), strings.ReplaceAll(who, ":", " ")).
		WithHint("apctl why %s   says how it ended: its events stay", s.Facts.Handle)
}
