package logtest

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/log"
)

// witness writes down what it is told, and believes nothing of one hash.
type witness struct {
	mu                       sync.Mutex
	sent, kept, refused, was []log.Receipt
	forged                   string
}

var errForged = errors.New("forged")

func (w *witness) note(to *[]log.Receipt, r log.Receipt) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*to = append(*to, r)
}

func (w *witness) Appending(r log.Receipt) { w.note(&w.sent, r) }
func (w *witness) Stored(r log.Receipt)    { w.note(&w.kept, r) }
func (w *witness) Refused(r log.Receipt)   { w.note(&w.refused, r) }

func (w *witness) Prove(r log.Receipt) error {
	w.note(&w.was, r)
	if r.Hash == w.forged {
		return errForged
	}
	return nil
}

func witnesses(p Place) bool { return p.Fail != nil && p.Witness != nil }

func witnessed(t *testing.T, p Place) {
	w := &witness{}
	p.Witness(w)
	p.Fail(at(3, log.FaultUnavailableStored))
	l, c := p.Open(t), run("a")
	kept := c.Grow(t, l, 2)
	refused(t, l, c.Next(0), log.ErrUnavailable)
	if got := len(w.sent); got != 3 {
		t.Fatalf("%d events were told of before they were sent, want 3", got)
	}
	if d := cmp.Diff(receipts(kept), w.kept); d != "" {
		t.Errorf("stored, while nobody knows of the third (-want +got):\n%s", d)
	}
	all := All(t, l.ReadAll(t.Context(), ""))
	if d := cmp.Diff(receipts(all), w.kept); d != "" {
		t.Errorf("stored, once the third was read (-want +got):\n%s", d)
	}
	if d := cmp.Diff(receipts(all), w.was); d != "" {
		t.Errorf("asked of (-want +got):\n%s", d)
	}
	refused(t, l, run("a").Next(0), log.ErrConflict)
	if len(w.refused) != 1 || w.refused[0].Position != 0 {
		t.Errorf("refused: %v, want the first event again", w.refused)
	}
	w.forged = all[1].Hash
	var read []uint64
	for st, err := range l.ReadAll(t.Context(), "") {
		if (st.Position == 2) != errors.Is(err, log.ErrDamaged) || st.Position == 2 && (st.Event.Data != nil || st.Position == 2 && st.Event.Seq != 2 || !errors.Is(err, errForged)) {
			t.Errorf("position %d: %v", st.Position, err)
		}
		read = append(read, st.Position)
	}
	if !slices.Equal(read, []uint64{1, 2, 3}) {
		t.Errorf("positions %v were read", read)
	}
}

func receipts(list []log.Stored) (out []log.Receipt) {
	for _, st := range list {
		out = append(out, log.Receipt{Stream: log.StreamName(1), Position: st.Position, Subject: st.Subject, Hash: st.Hash})
	}
	return out
}
