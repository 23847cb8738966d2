package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"autopilot/events"
)

// standInSuffix is of files that hold another text than their name says: its own
// name, a line end, and the text.
const standInSuffix = ".as"

// PutStandIn stores a text that Get gives for ref as long as there is no blob of
// that name. A blob or another stand-in that is there stays.
func (s *Store) PutStandIn(ctx context.Context, ref events.Ref, text []byte) (err error) {
	if err := check(ref); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("put a text in place of blob %s: %w", ref, err)
		}
	}()
	if err := ctx.Err(); err != nil {
		return err
	}
	s.pend(ref)
	if _, err := s.Get(ref); err == nil {
		return s.syncEntry(ref)
	}
	f, err := os.CreateTemp(filepath.Join(s.dir, tmpName), "put-")
	if err != nil {
		return err
	}
	defer func() {
		_ = f.Close() // after a rename both find nothing to do
		_ = os.Remove(f.Name())
	}()
	if _, err := fmt.Fprintf(f, "%s\n%s", Name(text), text); err != nil {
		return err
	}
	if s.durability == Power {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := f.Close(); err != nil {
		return err
	}
	return s.enter(f.Name(), s.path(ref)+standInSuffix)
}

// standIn is what is there in place of a blob.
func (s *Store) standIn(ref events.Ref) ([]byte, error) {
	b, err := os.ReadFile(s.path(ref) + standInSuffix)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("get blob %s: %w", ref, ErrMissing)
	case err != nil:
		return nil, fmt.Errorf("get blob %s: %w", ref, err)
	case len(b) <= len(ref) || b[len(ref)] != '\n' || string(b[:len(ref)]) != string(Name(b[len(ref)+1:])):
		return nil, fmt.Errorf("get blob %s: %w", ref, ErrDamaged)
	}
	return b[len(ref)+1:], nil
}
