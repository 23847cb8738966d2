package blob_test

import (
	"errors"
	"testing"

	"autopilot/daemon/store/blob"
	"autopilot/events"
)

func purge(t *testing.T, s *blob.Store) *blob.Purge {
	t.Helper()
	p, err := s.Purge()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func remove(t *testing.T, p *blob.Purge, ref events.Ref) bool {
	t.Helper()
	gone, err := p.Remove(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	return gone
}

func TestAPurgeSparesWhatNoEventNamesYet(t *testing.T) {
	t.Parallel()
	s, _ := open(t, blob.Power)
	named, waiting, later, old := put(t, s, "named"), put(t, s, "waiting"), put(t, s, "later"), put(t, s, "old")
	again := put(t, s, "again")
	s.Settle(named, later, old, again)
	put(t, s, "again") // by somebody else, as it was there already
	p := purge(t, s)
	put(t, s, "later")
	s.Settle(waiting, later, again) // whoever looked for names did so before
	for ref, want := range map[events.Ref]bool{named: true, waiting: false, later: false, old: true, again: false} {
		if got := remove(t, p, ref); got != want || s.Has(ref) == want {
			t.Errorf("%s: removed %v, want %v", ref, got, want)
		}
	}
	if !p.Keeps(waiting) || p.Keeps(old) {
		t.Error("it does not say what it keeps")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	p = purge(t, s)
	if !remove(t, p, later) || !remove(t, p, named) {
		t.Error("what is settled stays for ever, or what is gone is an error")
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestAPurgeTakesWhatStandsInToo(t *testing.T) {
	t.Parallel()
	s, _ := open(t, blob.Process)
	ref := blob.Name([]byte("with a secret"))
	standIn(t, s, ref, "without it")
	p := purge(t, s)
	if remove(t, p, ref) {
		t.Error("what is being imported was removed")
	}
	_ = p.Close()
	if list, err := s.List(t.Context()); err != nil || len(list) != 1 {
		t.Errorf("list %v %v", list, err)
	} else if e, ok := s.Stat(ref); !ok || e != list[0] {
		t.Errorf("alone it is %+v, in the list %+v", e, list[0])
	}
	s.Settle(ref)
	p = purge(t, s)
	if !remove(t, p, ref) || s.Has(ref) {
		t.Error("it is still there")
	}
	if _, ok := s.Stat(ref); ok {
		t.Error("it still has a size")
	}
	if _, err := p.Remove(t.Context(), "../x"); !errors.Is(err, blob.ErrBadRef) {
		t.Errorf("a name that is none: %v", err)
	}
	if _, err := s.Purge(); err == nil {
		t.Error("two at a time")
	}
	_ = p.Close()
}
