package blob_test

import (
	"errors"
	"os"
	"testing"

	"autopilot/daemon/store/blob"
	"autopilot/events"
)

func standIn(t *testing.T, s *blob.Store, ref events.Ref, text string) {
	t.Helper()
	if err := s.PutStandIn(t.Context(), ref, []byte(text)); err != nil {
		t.Fatal(err)
	}
}

func text(s *blob.Store, ref events.Ref) string {
	b, err := s.Get(ref)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestATextStandsInForABlobUntilThatComes(t *testing.T) {
	t.Parallel()
	for _, d := range []blob.Durability{blob.Power, blob.Process} {
		s, _ := open(t, d)
		ref := blob.Name([]byte("the key is 1234"))
		standIn(t, s, ref, "the key is [redacted]")
		if got := text(s, ref); got != "the key is [redacted]" || !s.Has(ref) {
			t.Errorf("instead: %q, there %v", got, s.Has(ref))
		}
		if own := blob.Name([]byte("the key is [redacted]")); s.Has(own) {
			t.Error("the text is a blob of its own too")
		}
		put(t, s, "the key is 1234")
		if got := text(s, ref); got != "the key is 1234" {
			t.Errorf("the blob itself: %q", got)
		}
	}
}

func TestAStandInTakesNoPlace(t *testing.T) {
	t.Parallel()
	s, dir := open(t, blob.Power)
	ref := put(t, s, "original")
	standIn(t, s, ref, "other")
	if got := text(s, ref); got != "original" || len(files(t, dir)) != 1 {
		t.Errorf("a blob: %q, files %v", got, files(t, dir))
	}
	missing := blob.Name([]byte("missing"))
	standIn(t, s, missing, "first")
	standIn(t, s, missing, "second")
	if got := text(s, missing); got != "first" {
		t.Errorf("another stand-in: %q", got)
	}
}

func TestADamagedStandInIsSaidAndReplaced(t *testing.T) {
	t.Parallel()
	s, dir := open(t, blob.Power)
	ref := blob.Name([]byte("missing"))
	for _, junk := range []string{"", "junk", string(ref) + "\nchanged", string(ref)} {
		if err := os.WriteFile(file(dir, ref)+".as", []byte(junk), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Get(ref); !errors.Is(err, blob.ErrDamaged) {
			t.Errorf("%q: %v", junk, err)
		}
		standIn(t, s, ref, "good")
		if got := text(s, ref); got != "good" {
			t.Errorf("after %q: %q", junk, got)
		}
	}
	if err := s.PutStandIn(t.Context(), "../../etc/passwd", nil); !errors.Is(err, blob.ErrBadRef) {
		t.Errorf("a name that is none: %v", err)
	}
}

func TestAStandInIsListedAndDeletedUnderTheNameThatEventsHave(t *testing.T) {
	t.Parallel()
	s, dir := open(t, blob.Power)
	ref := blob.Name([]byte("missing"))
	standIn(t, s, ref, "other")
	for range 2 {
		list, err := s.List(t.Context())
		if err != nil || len(list) != 1 || list[0].Ref != ref {
			t.Fatalf("list %v, %v", list, err)
		}
		put(t, s, "missing") // now both are there
	}
	if got, err := blob.Read(dir, ref); err != nil || string(got) != "missing" {
		t.Errorf("read without opening: %q, %v", got, err)
	}
	if err := s.Delete(t.Context(), ref); err != nil {
		t.Fatal(err)
	}
	if s.Has(ref) || len(files(t, dir)) != 0 {
		t.Errorf("left: %v", files(t, dir))
	}
}
