package removal

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/failpoint"
	"autopilot/daemon/store/durable"
	"autopilot/events"
	"autopilot/projections/run"
)

// Record is an erasing or a pruning that is under way. It is in a file before
// anything is touched, and until the host's log says that it was done: a daemon
// that finds the file does it again, which removes what is left, and then says
// so. In between whoever misses a text is told the same as afterwards. So at no
// moment is something gone of which nobody knows why.
type Record struct {
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
func (r Record) before() time.Time {
	if r.BeforeMS == 0 {
		return time.Time{}
	}
	return time.UnixMilli(r.BeforeMS).UTC()
}

// fact is what the host's log says when it is done; nil if there is nothing to
// say.
func (r Record) fact() events.Data {
	switch {
	case r.Run != "":
		return events.RunErased{Run: r.Run, Texts: r.Texts, Assurance: r.Assurance}
	case r.Runs > 0:
		return events.TextsPruned{BeforeMS: r.BeforeMS, Runs: r.Runs, Texts: r.Texts}
	}
	return nil
}

func file(state string) string { return filepath.Join(state, "removal") }

// announce writes down what is about to be removed.
func (w *Sweeper) announce(r Record) error {
	r.HostSeq = w.cfg.Hosts.State().Log.Seq
	b, err := json.Marshal(r)
	if err == nil {
		err = durable.Replace(file(w.cfg.State), b)
	}
	if err != nil {
		return fmt.Errorf("write down what is removed: %w", err)
	}
	w.pending.Store(&r)
	failpoint.Hit(failpoint.AfterAnnounce)
	return nil
}

// conclude says in the host's log what was removed, once, and forgets the file.
func (w *Sweeper) conclude(ctx context.Context) error {
	r := w.pending.Load()
	failpoint.Hit(failpoint.AfterRemoval)
	fact := r.fact()
	said, err := w.said(ctx, fact, r.HostSeq)
	if err == nil && fact != nil && !said {
		_, err = w.cfg.Hosts.Append(ctx, fact, r.By, r.Cause)
	}
	if err != nil {
		return err
	}
	failpoint.Hit(failpoint.AfterFact)
	if err := os.Remove(file(w.cfg.State)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("forget what was removed: %w", err)
	}
	w.pending.Store(nil)
	return durable.SyncDir(w.cfg.State)
}

// said looks for a fact in the host's log behind a sequence.
func (w *Sweeper) said(ctx context.Context, fact events.Data, after uint64) (bool, error) {
	for stored, err := range w.cfg.Events.Read(ctx, w.cfg.Hosts.Of, after) {
		if err != nil {
			return false, err
		}
		if stored.Event.Data == fact {
			return true, nil
		}
	}
	return false, nil
}

// Read is what is being removed in a state directory, nil for nothing.
func Read(state string) (*Record, error) {
	b, err := os.ReadFile(file(state))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var r Record
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("read what is being removed: %w", err)
	}
	return &r, nil
}

// Covers says that the texts of a run go with it. Nothing covers none.
func (r *Record) Covers(s run.State) bool {
	return r != nil && (r.Run == s.ID || s.Clock.Latest.Before(r.before()))
}
