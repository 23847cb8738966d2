package transfer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"autopilot/daemon/exec/redact"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/blob"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
)

// Outgoing makes a bundle that others get: the events of runs, and then the texts
// that they name, looked through for secrets once more. It is used once.
type Outgoing struct {
	w     *archive.Writer
	text  func(events.Ref) ([]byte, error)
	set   *redact.Set
	named []naming // in the order of their names
	known map[events.Ref]bool
	sum   wire.BundleSum
}

// naming is the first event that names a text.
type naming struct {
	ref events.Ref
	run string // handle
	seq uint64
}

// NewOutgoing begins a bundle. text reads a text; nil leaves them out. secrets are
// taken out of them, beside what looks like one.
func NewOutgoing(w io.Writer, m archive.Maker, text func(events.Ref) ([]byte, error), secrets []string) *Outgoing {
	return &Outgoing{
		w: archive.NewWriter(w, m), text: text, known: map[events.Ref]bool{},
		set: redact.Compile(append(secrets, redact.Secrets(os.Environ())...)),
	}
}

// Run adds a run with all of its events.
func (o *Outgoing) Run(r archive.Run, stored iter.Seq2[log.Stored, error]) error {
	err := o.w.Run(r, func(yield func(log.Stored, error) bool) {
		for st, err := range stored {
			if err == nil {
				o.note(r.Handle, st.Event)
			}
			if !yield(st, err) {
				return
			}
		}
	})
	if err != nil {
		return fmt.Errorf("add run %s to the bundle: %w", r.Handle, err)
	}
	return nil
}

func (o *Outgoing) note(handle string, e events.Event) {
	if o.text == nil {
		return
	}
	for _, ref := range events.Refs(e.Data) {
		if !o.known[ref] {
			o.known[ref] = true
			o.named = append(o.named, naming{ref, handle, e.Seq})
		}
	}
}

// Close adds the texts, and ends the bundle.
func (o *Outgoing) Close(ctx context.Context) (wire.BundleSum, error) {
	for _, n := range o.named {
		if err := ctx.Err(); err != nil {
			return o.sum, context.Cause(ctx)
		}
		if err := o.add(n); err != nil {
			return o.sum, fmt.Errorf("add text %s to the bundle: %w", n.ref, err)
		}
	}
	done, err := o.w.Close()
	if err != nil {
		return o.sum, fmt.Errorf("end the bundle: %w", err)
	}
	m := done.Manifest
	o.sum.SHA256, o.sum.Bytes = done.SHA256, done.Bytes
	o.sum.Runs, o.sum.Events, o.sum.Texts, o.sum.Missing = len(m.Runs), int(m.Events()), len(m.Texts), len(m.Missing)
	return o.sum, nil
}

// add adds a text without secrets. What is here stays as it is.
func (o *Outgoing) add(n naming) error {
	b, err := o.text(n.ref)
	switch {
	case errors.Is(err, blob.ErrMissing), errors.Is(err, blob.ErrDamaged), errors.Is(err, blob.ErrBadRef):
		return o.w.Missing(n.ref)
	case err != nil:
		return err
	}
	clean := o.set.Text(string(b))
	if clean != string(b) {
		o.sum.Redacted++
		if len(o.sum.Found) < wire.MaxFound {
			o.sum.Found = append(o.sum.Found, wire.TextFound{Run: n.run, Seq: n.seq, Ref: n.ref, Kinds: kindsOf(o.set.Find(string(b)))})
		}
	}
	return o.w.Text(n.ref, []byte(clean))
}

func kindsOf(found []redact.Finding) []string {
	var out []string
	for _, f := range found {
		if !slices.Contains(out, f.Kind) {
			out = append(out, f.Kind)
		}
	}
	return out
}
