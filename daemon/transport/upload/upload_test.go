package upload

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/store/blob"
	"autopilot/events/wire"
)

// sent is the code with which a piece is refused, empty if it is taken.
func sent(g *Gatherer, client string, c wire.BlobChunk, now time.Time) (string, wire.Code) {
	text, done, err := g.add(client, c, now)
	var e *wire.Error
	errors.As(err, &e)
	switch {
	case e != nil:
		return "", e.Code
	case !done:
		return "more", ""
	}
	return string(text), ""
}

func TestATextIsWholeWhenItsLastPieceIsThere(t *testing.T) {
	t.Parallel()
	blobs, err := blob.Open(t.TempDir(), blob.Process)
	if err != nil {
		t.Fatal(err)
	}
	g := New(blobs)
	var got wire.BlobReply
	for _, c := range []wire.BlobChunk{{Upload: "u", Data: []byte("one ")}, {Upload: "u", Offset: 4, Data: []byte("two"), Last: true}} {
		if got, err = g.Put(t.Context(), auth.Request{Identity: auth.Identity{Name: "c"}}, c); err != nil {
			t.Fatal(err)
		}
	}
	want := wire.BlobReply{Ref: blob.Name([]byte("one two"))}
	if got != want || !blobs.Has(want.Ref) || len(g.open) > 0 {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAPieceThatDoesNotFollowDropsTheText(t *testing.T) {
	t.Parallel()
	now := time.Now()
	long := bytes.Repeat([]byte("x"), wire.MaxBlob)
	for name, tc := range map[string]struct {
		client string
		piece  wire.BlobChunk
		after  time.Duration
		want   wire.Code
	}{
		"the next one":           {"c", wire.BlobChunk{Upload: "u", Offset: 3, Last: true}, fresh, ""},
		"one again":              {"c", wire.BlobChunk{Upload: "u"}, 0, wire.Conflict},
		"one too far on":         {"c", wire.BlobChunk{Upload: "u", Offset: 4}, 0, wire.Conflict},
		"of another client":      {"d", wire.BlobChunk{Upload: "u", Offset: 3}, 0, wire.Conflict},
		"after too long":         {"c", wire.BlobChunk{Upload: "u", Offset: 3}, fresh + 1, wire.Conflict},
		"more than a text holds": {"c", wire.BlobChunk{Upload: "u", Offset: 3, Data: long}, 0, wire.Usage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := New(nil)
			sent(g, "c", wire.BlobChunk{Upload: "u", Data: []byte("one")}, now)
			if _, code := sent(g, tc.client, tc.piece, now.Add(tc.after)); code != tc.want {
				t.Errorf("code %q, want %q", code, tc.want)
			}
			if _, is := g.open["c/u"]; is != (tc.client != "c") {
				t.Errorf("the text is open: %v", is)
			}
		})
	}
}

func TestFewTextsAreOnTheirWayAtOnce(t *testing.T) {
	t.Parallel()
	g, now := New(nil), time.Now()
	for i := range most {
		if got, code := sent(g, "c", wire.BlobChunk{Upload: fmt.Sprint(i)}, now); got != "more" || code != "" {
			t.Fatalf("text %d: %q %q", i, got, code)
		}
	}
	if _, code := sent(g, "c", wire.BlobChunk{Upload: "more"}, now); code != wire.Failed {
		t.Errorf("one more: %q", code)
	}
	if got, _ := sent(g, "c", wire.BlobChunk{Upload: "later", Last: true}, now.Add(fresh+1)); got != "" {
		t.Errorf("once the others are forgotten: %q", got)
	}
	if len(g.open) > 0 {
		t.Errorf("%d texts are open", len(g.open))
	}
}
