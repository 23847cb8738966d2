package archive

import (
	"archive/zip"
	"cmp"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/daemon/store/blob"
	"autopilot/events"
	"autopilot/events/log"
)

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
type Writer struct {
	out      *counted
	zip      *zip.Writer
	manifest Manifest
	runs     map[string]bool
	texts    map[events.Ref]bool // that were added, or are missing
	contents map[string]bool     // entries of texts
	line     []byte
	err      error
}

// counted hashes and counts what goes through it.
type counted struct {
	w   io.Writer
	sum hash.Hash
	n   int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.sum.Write(b[:n])
	c.n += int64(n)
	return n, err
}

func (c *counted) digest() events.Digest { return events.Digest(hex.EncodeToString(c.sum.Sum(nil))) }

// NewWriter begins a bundle.
func NewWriter(w io.Writer, m Maker) *Writer {
	out := &counted{w: w, sum: sha256.New()}
	z := zip.NewWriter(out)
	z.RegisterCompressor(zip.Deflate, compressor())
	return &Writer{
		out: out, zip: z, runs: map[string]bool{}, texts: map[events.Ref]bool{}, contents: map[string]bool{},
		manifest: Manifest{
			Schema: Schema, Format: Format, Made: m.Made.UTC().Truncate(time.Second),
			Version: m.Version, Host: m.Host, Generation: m.Generation,
			Runs: []Run{}, Texts: []Text{}, Missing: []events.Ref{},
		},
	}
}

// compressor compresses one entry after the other, with one memory for all.
func compressor() zip.Compressor {
	var f *flate.Writer
	return func(w io.Writer) (_ io.WriteCloser, err error) {
		if f == nil {
			f, err = flate.NewWriter(w, flate.BestSpeed)
			return f, err
		}
		f.Reset(w)
		return f, nil
	}
}

// Run adds a run with all its events, in order, as a log gives them. A damaged
// event is kept as it is; every other error ends it. Runs may come in any order,
// each once. Of r the id, handle, state and reason count.
func (w *Writer) Run(r Run, stored iter.Seq2[log.Stored, error]) error {
	return w.keep(w.run(r, stored))
}

func (w *Writer) run(r Run, stored iter.Seq2[log.Stored, error]) error {
	switch {
	case w.err != nil:
		return w.err
	case len(w.manifest.Texts) > 0:
		return fmt.Errorf("add run %s: runs come before texts", r.ID)
	case !validRun(r.ID) || w.runs[r.ID]:
		return fmt.Errorf("add run %.80q: not a new id of a run", r.ID)
	case r.odd() != "":
		return fmt.Errorf("add run %s: its %s is none", r.ID, r.odd())
	case len(w.runs) == maxRuns:
		return fmt.Errorf("add run %s: a bundle holds %d runs at most", r.ID, maxRuns)
	}
	w.runs[r.ID] = true
	entry, err := w.entry(runEntry(r.ID))
	if err != nil {
		return err
	}
	r, err = w.events(entry, r, stored)
	if err != nil {
		return fmt.Errorf("add run %s: %w", r.ID, err)
	}
	w.manifest.Runs = append(w.manifest.Runs, r)
	return nil
}

// events writes the lines of a run.
func (w *Writer) events(entry io.Writer, r Run, stored iter.Seq2[log.Stored, error]) (Run, error) {
	to := &counted{w: entry, sum: sha256.New()}
	c := chain{id: r.ID}
	for st, err := range stored {
		if err != nil && !errors.Is(err, log.ErrDamaged) {
			return r, err
		}
		if len(st.Bytes) > maxEvent {
			return r, fmt.Errorf("event %d has %d bytes", c.n+1, len(st.Bytes))
		}
		if err != nil || st.Event.Aggregate != events.Run(r.ID) {
			// What a log has against it may be nothing that its bytes show.
			st, err = c.stored(st.Bytes)
		}
		c.add(st, err)
		w.line = appendLine(w.line[:0], st.Bytes)
		if _, err := to.Write(w.line); err != nil {
			return r, err
		}
	}
	r.Events, r.Head, r.Broken, r.SHA256, r.Bytes = c.n, c.head, c.broken, to.digest(), to.n
	return r, nil
}

// Text adds a text under the name that events have for it. Its bytes may have
// another hash, as secrets were taken out. A name that was added already is
// passed over.
func (w *Writer) Text(ref events.Ref, text []byte) error { return w.keep(w.text(ref, text)) }

func (w *Writer) text(ref events.Ref, text []byte) error {
	if again, err := w.name(ref); again || err != nil {
		return err
	}
	if len(text) > maxText {
		return fmt.Errorf("add text %s: it has %d bytes, a bundle takes %d", ref, len(text), maxText)
	}
	t := Text{Ref: ref, Bytes: int64(len(text))}
	content := blob.Name(text)
	if content != ref {
		t.SHA256 = events.Digest(content)
	}
	w.manifest.Texts = append(w.manifest.Texts, t)
	if w.contents[string(content)] {
		return nil
	}
	w.contents[string(content)] = true
	entry, err := w.entry(textEntry(string(content)))
	if err != nil {
		return err
	}
	_, err = entry.Write(text)
	return err
}

// Missing notes that a text is gone.
func (w *Writer) Missing(ref events.Ref) error {
	again, err := w.name(ref)
	if !again && err == nil {
		w.manifest.Missing = append(w.manifest.Missing, ref)
	}
	return w.keep(err)
}

// name notes the name of a text.
func (w *Writer) name(ref events.Ref) (again bool, err error) {
	switch {
	case w.err != nil:
		return false, w.err
	case w.texts[ref]:
		return true, nil
	case !validHash(string(ref)):
		return false, fmt.Errorf("add text %.80q: not the name of a text", string(ref))
	case len(w.texts) == maxTexts:
		return false, fmt.Errorf("add text %s: a bundle holds %d texts at most", ref, maxTexts)
	}
	w.texts[ref] = true
	return false, nil
}

// entry begins an entry of the file.
func (w *Writer) entry(name string) (io.Writer, error) {
	h := &zip.FileHeader{Name: name, Method: zip.Deflate, Modified: w.manifest.Made}
	h.SetMode(0o600)
	return w.zip.CreateHeader(h)
}

func (w *Writer) keep(err error) error {
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("write bundle: %w", err)
	}
	return w.err
}

// Sum is what was written.
type Sum struct {
	SHA256   events.Digest // of the file
	Bytes    int64
	Manifest Manifest
}

// Close writes the end of the bundle. It does not close what is written to.
func (w *Writer) Close() (Sum, error) {
	if w.err != nil {
		return Sum{}, w.err
	}
	if err := w.keep(w.end()); err != nil {
		return Sum{}, err
	}
	w.err = errors.New("write bundle: it is closed")
	return Sum{w.out.digest(), w.out.n, w.manifest}, nil
}

func (w *Writer) end() error {
	m := &w.manifest
	slices.SortFunc(m.Runs, func(a, b Run) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(m.Texts, func(a, b Text) int { return cmp.Compare(a.Ref, b.Ref) })
	slices.Sort(m.Missing)
	entry, err := w.entry(manifestEntry)
	if err != nil {
		return err
	}
	if err := json.MarshalWrite(entry, m, jsontext.WithIndent(" ")); err != nil {
		return err
	}
	if _, err := io.WriteString(entry, "\n"); err != nil {
		return err
	}
	if err := w.zip.SetComment(comment(*m)); err != nil {
		return err
	}
	return w.zip.Close()
}

// comment is what programs that list a zip file show.
func comment(m Manifest) string {
	return fmt.Sprintf("autopilot history, bundle format %d: runs %d, events %d, texts %d", m.Format, len(m.Runs), m.Events(), len(m.Texts))
}
