package claim

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"sync"
	"testing"
	"time"

	"autopilot/daemon/auth/person"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	lease "autopilot/projections/claim"
)

// kept is the claims of a host whose log is in memory. Its processes are those of
// the kernel, and it has no runs.
type kept struct {
	*Keeper
	t testing.TB
}

func keeps(t testing.TB) *kept {
	t.Helper()
	boot, err := proc.Boot()
	blobs, berr := blob.Open(t.TempDir(), blob.Process)
	if err := errors.Join(err, berr); err != nil {
		t.Fatal(err)
	}
	j := journal.New(log.NewMemory(log.MemoryConfig{}), "here", time.Now)
	return &kept{t: t, Keeper: New(Config{
		Journal: j, Blobs: blobs, Host: "here", StateDir: t.TempDir(), Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Alive: func(o events.ClaimOwner) bool { return Alive(person.System(), boot, o) },
		Live:  func(string) bool { return false },
	})}
}

// holds has an owner take a claim, from wherever that is.
func (h *kept) holds(key string, o events.ClaimOwner) Key {
	h.t.Helper()
	k, err := Parse(key)
	k.Scope = "/a/repository"
	if err != nil {
		h.t.Fatal(err)
	}
	own := h.Journal
	h.Journal = journal.New(own.Log, o.Host, own.Now) // each host writes in its own name
	defer func() { h.Journal = own }()
	w := wish{key: k, owner: o, who: "x", ttl: TTL, actor: "x"}
	if s, _, err := h.take(h.t.Context(), w); err != nil || s.Owner != o || s.Fence != 1 {
		h.t.Fatalf("%+v, %v", s, err)
	}
	return k
}

// claimed are the events of a claim.
func (h *kept) claimed(k Key) (out []events.Data) {
	h.t.Helper()
	for stored, err := range h.Journal.Log.Read(h.t.Context(), events.ClaimOf(k.ID()), 0) {
		if err != nil {
			h.t.Fatal(err)
		}
		out = append(out, stored.Event.Data)
	}
	return out
}

// whole says that the log has of each claim what its keeper knows of it.
func (h *kept) whole() {
	h.t.Helper()
	again := journal.New(h.Journal.Log, h.Host, h.Now)
	for id, s := range h.Records() {
		r, err := journal.Open(h.t.Context(), again, events.ClaimOf(id), fold(), h.Log)
		if err != nil {
			h.t.Fatal(err)
		}
		if stored, err := r.Whole(); err != nil || !reflect.DeepEqual(stored, s) {
			h.t.Errorf("claim %s: stored %+v, known %+v, %v", id, stored, s, err)
		}
	}
}

// The same of two daemons on one log: the append condition decides.
func TestOfTwoDaemonsOnOneLogOneWins(t *testing.T) {
	t.Parallel()
	l := log.NewMemory(log.MemoryConfig{})
	now := func() time.Time { return time.Date(2026, 3, 1, 6, 0, 0, 0, time.UTC) }
	for round := range 100 {
		agg := events.ClaimOf(fmt.Sprintf("c%d", round))
		var records []*journal.Aggregate[lease.State]
		for _, host := range []string{"h1", "h2"} {
			r, err := journal.Open(t.Context(), journal.New(l, host, now), agg, fold(), slog.New(slog.DiscardHandler))
			if err != nil {
				t.Fatal(err)
			}
			records = append(records, r)
		}
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i, r := range records {
			ask := events.ClaimAcquired{Kind: events.ClaimIssue, Key: "k", Owner: events.ClaimOwner{Host: fmt.Sprintf("h%d", i+1), Run: "r"}, TTLMS: 60000}
			wg.Go(func() {
				_, errs[i] = r.Decide(context.Background(), func(st lease.State) (events.Data, error) {
					return lease.Take(st, ask, lease.Sight{Now: now(), Here: true})
				}, "a", "")
			})
		}
		wg.Wait()
		if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs...), lease.ErrHeld) {
			t.Fatalf("round %d: %v", round, errs)
		}
	}
}

// A claim as it is now decides, and not as it was when somebody looked: what has
// changed meanwhile is a conflict. S20, S41.
func TestWhatWasDecidedOnWhatHasChangedIsNotStored(t *testing.T) {
	t.Parallel()
	h := keeps(t)
	k := h.holds("issue:1", events.ClaimOwner{Host: "here", PID: 1, Start: 1, Boot: "b"})
	seen, _, err := h.Peek(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	force := func() error {
		_, err := h.end(t.Context(), k, func(now lease.State) (events.Data, error) { return lease.Force(now, seen.Fence, events.AssuredTTY) }, "x", "")
		return err
	}
	if err := force(); err != nil {
		t.Fatal(err)
	}
	if force() == nil {
		t.Error("forced twice")
	}
	if list := h.claimed(k); len(list) != 2 {
		t.Errorf("%+v", list)
	}
}
