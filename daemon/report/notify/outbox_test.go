package notify

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"autopilot/events/wire"
)

func TestAnOutboxIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "outbox.json")
	b := newOutbox()
	b.Cursor, b.Rules["r"] = "c", &queue{}
	if !b.took("k") || b.took("k") {
		t.Error("a key is not taken once")
	}
	for i := range 3 {
		b.Rules["r"].add(notice(i, Halted), start, loud)
	}
	b.Rules["r"].next(start.Add(time.Second), DefaultTiming(), loud)
	if err := b.write(path); err != nil {
		t.Fatal(err)
	}
	got, known, err := readOutbox(path)
	if err != nil || !known {
		t.Fatal(known, err)
	}
	due := got.Rules["r"].Due
	if got.Cursor != "c" || got.took("k") || len(due) != 3 || due[2].Key != notice(2, Halted).Key || due[2].Run.ID != "01RUN0002" {
		t.Errorf("got %+v", got)
	}
}

// FuzzOutbox: whatever stands in the file, the daemon starts, and what it holds
// can be gone on with.
func FuzzOutbox(f *testing.F) {
	f.Add([]byte(`{"v":1,"rules":{"x":null}}`))
	f.Add([]byte(`{"v":1,"cursor":"c","told":["k"],"rules":{"x":{"held":{"notices":[{"key":"a","kind":"done"}],"counts":{"done":1}}}}}`))
	f.Add([]byte(`{"v":1,"rules":{"x":{"due":[{"key":"a","kind":"digest","tries":99}],"sent":["2026-01-01T00:00:00Z"]}}}`))
	f.Add([]byte(`{"v":1,"rules":{"x":{"due":[{"key":"a","kind":"done","tries":-9}]}}}`))
	f.Add([]byte("{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "outbox.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		b, _, _ := readOutbox(path) // an error is one of the file
		for _, q := range b.Rules {
			q.waiting()
			q.add(notice(1, Done), start, loud)
			for range 3 {
				if m, ok, _ := q.next(start, DefaultTiming(), loud); ok && m.Kind != wire.KindDigest {
					q.settle(m.Key, outcome{again: true, err: os.ErrClosed}, start, DefaultTiming())
				}
			}
		}
	})
}
