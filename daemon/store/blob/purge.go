package blob

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"autopilot/events"
)

// A text that was put and that no event names yet must not be removed as one that
// nothing names. These bound how many of such are remembered: those of callers
// that gave up are forgotten after a while.
const (
	pendingFor  = 24 * time.Hour
	pendingMany = 4096
)

// pendLocked remembers a text that is about to be put.
func (s *Store) pendLocked(ref events.Ref) {
	if s.purge != nil {
		s.purge.kept[ref] = true
	}
	if len(s.pending) >= max(pendingMany, 2*s.swept) {
		for r, at := range s.pending {
			if time.Since(at) > pendingFor {
				delete(s.pending, r)
			}
		}
		s.swept = len(s.pending)
	}
	s.pending[ref] = time.Now()
}

func (s *Store) pend(ref events.Ref) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pendLocked(ref)
}

// Settle says that texts are named by what is stored. Until then no Purge removes
// what was put.
func (s *Store) Settle(refs ...events.Ref) {
	if len(refs) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ref := range refs {
		delete(s.pending, ref)
	}
}

// Purge removes blobs. What was put and not settled when it began, or is put
// while it is open, stays: who looks for names of blobs behind its begin, and
// removes what has none, removes nothing that an event will name.
type Purge struct {
	s       *Store
	kept    map[events.Ref]bool // under the lock of the store
	folders map[string]bool     // in which something was removed
}

// errPurge: a Purge is open already.
var errPurge = errors.New("blobs are being removed already")

// Purge begins one. Only one is open at a time; it must be closed.
func (s *Store) Purge() (*Purge, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.purge != nil {
		return nil, errPurge
	}
	p := &Purge{s: s, kept: make(map[events.Ref]bool, len(s.pending)), folders: map[string]bool{}}
	for ref := range s.pending {
		p.kept[ref] = true
	}
	s.purge = p
	return p, nil
}

// Keeps says that a blob stays whatever is asked for.
func (p *Purge) Keeps(ref events.Ref) bool {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.kept[ref]
}

// Remove removes a blob and what stands in for it, and says whether it is gone.
func (p *Purge) Remove(ctx context.Context, ref events.Ref) (gone bool, err error) {
	if err := check(ref); err != nil {
		return false, err
	}
	if err := ctx.Err(); err != nil {
		return false, fmt.Errorf("remove blob %s: %w", ref, err)
	}
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if p.kept[ref] {
		return false, nil
	}
	if _, err := s.unlink(ref); err != nil {
		return false, fmt.Errorf("remove blob %s: %w", ref, err)
	}
	p.folders[filepath.Dir(s.path(ref))] = true
	return true, nil
}

// Close makes what was removed lasting. Closing again does nothing.
func (p *Purge) Close() error {
	s := p.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.purge != p {
		return nil // it is closed
	}
	s.purge = nil
	var errs []error
	for dir := range p.folders {
		delete(s.synced, dir)
		errs = append(errs, s.syncFolderLocked(dir))
	}
	return errors.Join(errs...)
}

// unlink removes the files of a blob; none is no error.
func (s *Store) unlink(ref events.Ref) (found bool, err error) {
	path := s.path(ref)
	for _, p := range []string{path, path + standInSuffix} {
		switch err := os.Remove(p); {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return found, err
		default:
			found = true
		}
	}
	return found, nil
}
