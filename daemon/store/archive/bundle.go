package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"autopilot/events"
	"autopilot/events/log"
)

// Bundle is an open bundle.
type Bundle struct {
	file     *os.File
	entries  map[string]*zip.File
	manifest Manifest
}

// Open opens the file of a bundle and reads its manifest; ErrDamaged, ErrNewer.
// Whether everything is as the manifest says is for Check to tell.
func Open(path string) (_ *Bundle, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open bundle: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open bundle %s: %w", path, err), f.Close())
		}
	}()
	b := &Bundle{file: f}
	if b.entries, err = openZip(f); err != nil {
		return nil, err
	}
	if b.manifest, err = readManifest(b.entries); err != nil {
		return nil, err
	}
	return b, nil
}

// Close lets go of the file.
func (b *Bundle) Close() error { return b.file.Close() }

// Manifest is what the bundle says of itself. It is not to be changed.
func (b *Bundle) Manifest() Manifest { return b.manifest }

// Run is a run of the manifest.
func (b *Bundle) Run(id string) (Run, bool) {
	list := b.manifest.Runs
	i, ok := slices.BinarySearchFunc(list, id, func(r Run, id string) int { return cmp.Compare(r.ID, id) })
	if !ok {
		return Run{}, false
	}
	return list[i], true
}

// Events are the stored events of a run with a sequence over after, without a
// cursor. As of a log, one that is no event is log.ErrDamaged, and comes with its
// bytes; any other error ends it: ErrNoRun, and ErrDamaged when what was read is
// not what the manifest says, which only the end tells.
func (b *Bundle) Events(id string, after uint64) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) {
		r, ok := b.Run(id)
		if !ok {
			yield(log.Stored{}, fmt.Errorf("read run %.80q: %w", id, ErrNoRun))
			return
		}
		var place uint64
		stopped := errors.New("stopped")
		err := b.read(r, func(st log.Stored, damage error) error {
			place++
			at := place
			if damage == nil {
				at = st.Event.Seq
			}
			st.Bytes = bytes.Clone(st.Bytes)
			if at > after && !yield(st, damage) {
				return stopped
			}
			return nil
		})
		if err != nil && !errors.Is(err, stopped) {
			yield(log.Stored{}, err)
		}
	}
}

// read gives all events of a run, with bytes that are valid during the call, and
// proves them.
func (b *Bundle) read(r Run, each func(log.Stored, error) error) error {
	u, err := unpack(b.entries[runEntry(r.ID)], r.Bytes, string(r.SHA256))
	if err != nil {
		return err
	}
	defer u.Close()
	c := chain{id: r.ID}
	s := lines(u)
	for s.Scan() {
		raw, err := event(s.Bytes())
		if err != nil {
			return &DamagedError{Run: r.ID, Event: c.n + 1, What: err.Error()}
		}
		st, damage := c.stored(raw)
		c.add(st, damage)
		if err := each(st, damage); err != nil {
			return err
		}
	}
	switch err := s.Err(); {
	case errors.Is(err, bufio.ErrTooLong), errors.Is(err, errNoEnd):
		return &DamagedError{Run: r.ID, Event: c.n + 1, What: err.Error()}
	case err != nil:
		return err
	}
	return c.is(r)
}

// Text is what stands for a text that events name, proven by its hash; ErrNoText,
// ErrDamaged.
func (b *Bundle) Text(ref events.Ref) ([]byte, error) {
	list := b.manifest.Texts
	i, ok := slices.BinarySearchFunc(list, ref, func(t Text, ref events.Ref) int { return cmp.Compare(t.Ref, ref) })
	if !ok {
		return nil, fmt.Errorf("read text %.80q: %w", string(ref), ErrNoText)
	}
	u, err := b.text(list[i])
	if err != nil {
		return nil, err
	}
	defer u.Close()
	return io.ReadAll(u)
}

func (b *Bundle) text(t Text) (*unpacked, error) {
	return unpack(b.entries[textEntry(t.content())], t.Bytes, t.content())
}
