package log

import (
	"errors"
	"fmt"
	"sync"
)

// Receipt names a stored event, without what it says.
type Receipt struct {
	Stream   string
	Position uint64 // in the stream; 0 of one that is not known to be stored
	Subject  string
	Hash     string
}

// Witness keeps elsewhere what became of each event, so that a change of the
// store is seen. It is called from several goroutines at once, and its answers
// are waited for.
type Witness interface {
	// Appending is told before an event is sent.
	Appending(r Receipt)
	// Stored is told once it is known to be stored: by an answer, or by a read
	// if nobody knew. It may be told so twice.
	Stored(r Receipt)
	// Refused is told once it is known not to be stored.
	Refused(r Receipt)
	// Prove says of an event that is read why it is not the one that was
	// stored. Readers get ErrDamaged then.
	Prove(r Receipt) error
}

// maxUnsure bounds how many events are remembered of which nobody knows whether
// they are stored.
const maxUnsure = 1 << 12

// witnessed tells the witness of a log, if there is one.
type witnessed struct {
	witness Witness
	stream  string

	mu     sync.Mutex
	unsure map[string]bool // hashes of events whose outcome nobody knows
}

// newWitnessed is nil without a witness, and a nil one tells nobody.
func newWitnessed(w Witness, stream string) *witnessed {
	if w == nil {
		return nil
	}
	return &witnessed{witness: w, stream: stream, unsure: map[string]bool{}}
}

func (w *witnessed) receipt(st Stored) Receipt {
	return Receipt{w.stream, st.Position, st.Subject, st.Hash}
}

func (w *witnessed) appending(st Stored) {
	if w != nil {
		w.witness.Appending(w.receipt(st))
	}
}

func (w *witnessed) stored(st Stored) {
	if w != nil {
		w.witness.Stored(w.receipt(st))
	}
}

// failed is an append that ended with an error.
func (w *witnessed) failed(st Stored, err error) {
	switch {
	case w == nil:
	case errors.Is(err, ErrUnavailable):
		w.mu.Lock()
		defer w.mu.Unlock()
		if len(w.unsure) < maxUnsure {
			w.unsure[st.Hash] = true
		}
	default:
		w.witness.Refused(w.receipt(st))
	}
}

// prove settles what nobody knew of an event that is read, and asks whether it
// is the one that was stored.
func (w *witnessed) prove(st Stored) error {
	if w == nil {
		return nil
	}
	w.mu.Lock()
	unsure := w.unsure[st.Hash]
	delete(w.unsure, st.Hash)
	w.mu.Unlock()
	if unsure {
		w.stored(st)
	}
	if err := w.witness.Prove(w.receipt(st)); err != nil {
		return fmt.Errorf("position %d: %w: %w", st.Position, ErrDamaged, err)
	}
	return nil
}
