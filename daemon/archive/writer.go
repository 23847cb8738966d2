package archive

import (
	"errors"
	"io"
	"iter"
	"time"

	"autopilot/events"
	"autopilot/events/log"
)

var errNotBuilt = errors.New("not built")

// Maker says who makes a bundle, and when. The same maker and the same calls give
// the same bytes, so whoever may have to repeat one gives it the same time.
type Maker struct {
	Made       time.Time
	Version    string
	Host       string // id
	Generation int    // of the log that is rolled, else 0
}

// Writer writes a bundle: first runs, then texts, then Close. The first error
// stays; what was written is no bundle then.
type Writer struct{}

// NewWriter begins a bundle.
func NewWriter(w io.Writer, m Maker) *Writer { return &Writer{} }

// Run adds a run with all its events, in order, as a log gives them. A damaged
// event is kept as it is; every other error ends it. Runs may come in any order,
// each once. Of r the id, handle, state and reason count.
func (w *Writer) Run(r Run, stored iter.Seq2[log.Stored, error]) error { return errNotBuilt }

// Text adds a text under the name that events have for it. Its bytes may have
// another hash, as secrets were taken out. A name that was added already is
// passed over.
func (w *Writer) Text(ref events.Ref, text []byte) error { return errNotBuilt }

// Missing notes that a text is gone.
func (w *Writer) Missing(ref events.Ref) error { return errNotBuilt }

// Sum is what was written.
type Sum struct {
	SHA256   events.Digest // of the file
	Bytes    int64
	Manifest Manifest
}

// Close writes the end of the bundle. It does not close what is written to.
func (w *Writer) Close() (Sum, error) { return Sum{}, errNotBuilt }
