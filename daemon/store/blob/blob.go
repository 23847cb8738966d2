// Package blob keeps texts and files by the SHA-256 of their bytes.
//
// It owns one directory: 256 folders named by the first byte of the hash, and
// `tmp` for texts on their way in. A blob is written to a temporary file and
// renamed, so a name never shows a part of a text; with durability Power the
// file is synced before the rename and its folder after it, so a Put that
// returned survives a power cut. Whatever is in `tmp` at Open belongs to a
// process that died, and is removed; therefore only one process may have a
// store open for writing (the daemon holds a lock on the state directory).
//
// A text that came from elsewhere with secrets taken out has other bytes than the
// name that events have for it says. Such a one stands in for the blob of that
// name, in a file of its own beside it that begins with the hash of what it holds.
//
// A Purge removes blobs that nothing names. It spares those that were put and that
// no event names yet, which Settle tells.
//
// All methods may be called from any goroutine. A text that is there already
// is not written again, unless what is there is damaged. The package never
// looks into a text, and never follows a name that is not 64 hex digits.
package blob

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"autopilot/daemon/store/durable"
	"autopilot/events"
)

var (
	// ErrMissing says that no blob has this name.
	ErrMissing = errors.New("blob is missing")
	// ErrDamaged says that the bytes on disk do not have the hash that names them.
	ErrDamaged = errors.New("blob is damaged")
	// ErrBadRef says that a name is not 64 lower-case hex digits.
	ErrBadRef = errors.New("not a blob name")
)

// Durability says what a finished Put survives.
type Durability int

const (
	// Power is a power cut. The default.
	Power Durability = iota
	// Process is the death of the daemon, not of the machine.
	Process
)

const (
	tmpName  = "tmp"
	dirMode  = 0o700
	fileMode = 0o600
)

// Store is an open directory of blobs.
type Store struct {
	dir        string
	durability Durability

	mu sync.Mutex
	// synced holds the folders whose entries are known to be on disk. A folder
	// is not in it at Open: the process before may have died between a rename
	// and its sync, and "already there" must not promise more than is true.
	synced map[string]bool

	pending map[events.Ref]time.Time // put and not settled
	swept   int                      // how many were left when old ones were last forgotten
	purge   *Purge                   // that is open
}

// Open opens the store at dir for writing, makes what is missing of it, and
// removes the temporary files of a process that died.
func Open(dir string, d Durability) (*Store, error) {
	s := &Store{dir: dir, durability: d, synced: map[string]bool{}, pending: map[events.Ref]time.Time{}}
	if err := s.makeDirs(); err != nil {
		return nil, fmt.Errorf("open blob store %s: %w", dir, err)
	}
	if err := s.sweep(); err != nil {
		return nil, fmt.Errorf("sweep blob store %s: %w", dir, err)
	}
	return s, nil
}

// makeDirs makes the directories that there have to be before anything is put. With
// Power that is all of them, which are synced together; else each comes with its first
// blob.
func (s *Store) makeDirs() error {
	names := []string{tmpName}
	if s.durability == Power {
		for i := range 256 {
			names = append(names, hex.EncodeToString([]byte{byte(i)}))
		}
	}
	if err := os.MkdirAll(s.dir, dirMode); err != nil {
		return err
	}
	made := false
	for _, name := range names {
		switch err := os.Mkdir(filepath.Join(s.dir, name), dirMode); {
		case err == nil:
			made = true
		case !errors.Is(err, fs.ErrExist):
			return err
		}
	}
	if made && s.durability == Power {
		if err := durable.SyncDir(s.dir); err != nil {
			return err
		}
		return durable.SyncDir(filepath.Dir(s.dir))
	}
	return nil
}

func (s *Store) sweep() error {
	tmp := filepath.Join(s.dir, tmpName)
	entries, err := os.ReadDir(tmp)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := os.RemoveAll(filepath.Join(tmp, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

// Name is the name that a text has in every store.
func Name(text []byte) events.Ref {
	sum := sha256.Sum256(text)
	return events.Ref(hex.EncodeToString(sum[:]))
}

// Put stores a text and returns its name.
func (s *Store) Put(ctx context.Context, text []byte) (events.Ref, error) {
	ref := Name(text)
	if err := ctx.Err(); err != nil {
		return "", fmt.Errorf("put blob %s: %w", ref, err)
	}
	s.pend(ref)
	if s.intact(ref, int64(len(text))) {
		return ref, s.syncEntry(ref)
	}
	if err := s.write(ref, text); err != nil {
		return "", fmt.Errorf("put blob %s: %w", ref, err)
	}
	return ref, nil
}

// write brings a text to its name.
func (s *Store) write(ref events.Ref, text []byte) error {
	f, err := os.CreateTemp(filepath.Join(s.dir, tmpName), "put-")
	if err != nil {
		return err
	}
	defer func() {
		// The error that led here is the one to report; after a rename both
		// calls find nothing to do.
		_ = f.Close()
		_ = os.Remove(f.Name())
	}()
	if _, err := f.Write(text); err != nil {
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
	return s.enter(f.Name(), s.path(ref))
}

// enter renames a finished temporary file to its name and makes that lasting.
func (s *Store) enter(tmp, path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	folder := filepath.Dir(path)
	delete(s.synced, folder)
	err := os.Rename(tmp, path)
	if errors.Is(err, fs.ErrNotExist) { // of the folder: the file is ours
		if err = s.makeFolderLocked(folder); err == nil {
			err = os.Rename(tmp, path)
		}
	}
	if err != nil {
		return err
	}
	return s.syncFolderLocked(folder)
}

func (s *Store) makeFolderLocked(folder string) error {
	if err := os.Mkdir(folder, dirMode); err != nil || s.durability != Power {
		return err
	}
	return durable.SyncDir(s.dir)
}

// syncEntry makes sure that the entry of a blob that is there is on disk.
func (s *Store) syncEntry(ref events.Ref) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.syncFolderLocked(filepath.Dir(s.path(ref)))
}

func (s *Store) syncFolderLocked(dir string) error {
	if s.durability != Power || s.synced[dir] {
		return nil
	}
	if err := durable.SyncDir(dir); err != nil {
		return err
	}
	s.synced[dir] = true
	return nil
}

// Get returns the text with this name, or what stands in for it, after checking
// its hash: ErrMissing, ErrDamaged, ErrBadRef.
func (s *Store) Get(ref events.Ref) ([]byte, error) {
	if err := check(ref); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(s.path(ref))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s.standIn(ref)
	case err != nil:
		return nil, fmt.Errorf("get blob %s: %w", ref, err)
	case Name(text) != ref:
		return nil, fmt.Errorf("get blob %s: %w", ref, ErrDamaged)
	}
	return text, nil
}

// Read is Get for a store that nobody has open. It changes nothing.
func Read(dir string, ref events.Ref) ([]byte, error) { return (&Store{dir: dir}).Get(ref) }

// Has says whether a blob with this name is there. It does not read it.
func (s *Store) Has(ref events.Ref) bool {
	if check(ref) != nil {
		return false
	}
	return isFile(s.path(ref)) || isFile(s.path(ref)+standInSuffix)
}

func isFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// Stat is a blob as List would have it; false if it is not there.
func (s *Store) Stat(ref events.Ref) (e Entry, ok bool) {
	if check(ref) != nil {
		return e, false
	}
	for _, p := range []string{s.path(ref), s.path(ref) + standInSuffix} {
		if info, err := os.Lstat(p); err == nil && info.Mode().IsRegular() {
			e = Entry{Ref: ref, Bytes: e.Bytes + info.Size(), Written: info.ModTime()}
		}
	}
	return e, e.Ref != ""
}

// Delete removes a blob, and what stands in for it. One that is not there is no
// error.
func (s *Store) Delete(ctx context.Context, ref events.Ref) error {
	if err := check(ref); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("delete blob %s: %w", ref, err)
	}
	path := s.path(ref)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, ref)
	switch found, err := s.unlink(ref); {
	case err != nil:
		return fmt.Errorf("delete blob %s: %w", ref, err)
	case !found:
		return nil
	}
	delete(s.synced, filepath.Dir(path))
	if err := s.syncFolderLocked(filepath.Dir(path)); err != nil {
		return fmt.Errorf("delete blob %s: %w", ref, err)
	}
	return nil
}

// Entry is one blob of a listing.
type Entry struct {
	Ref     events.Ref
	Bytes   int64
	Written time.Time
}

// List returns all blobs, sorted by name, and what stands in for one under the
// name of that. Files with other names are passed over.
func (s *Store) List(ctx context.Context) ([]Entry, error) {
	var list []Entry
	for i := range 256 {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("list blobs: %w", err)
		}
		folder := filepath.Join(s.dir, hex.EncodeToString([]byte{byte(i)}))
		entries, err := os.ReadDir(folder)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("list blobs: %w", err)
		}
		for _, e := range entries {
			ref := events.Ref(strings.TrimSuffix(e.Name(), standInSuffix))
			info, err := e.Info()
			if err != nil || check(ref) != nil || !info.Mode().IsRegular() || filepath.Dir(s.path(ref)) != folder {
				continue // deleted since, or not one of ours
			}
			if n := len(list); n > 0 && list[n-1].Ref == ref {
				list[n-1].Bytes += info.Size() // both are there
				continue
			}
			list = append(list, Entry{Ref: ref, Bytes: info.Size(), Written: info.ModTime()})
		}
	}
	return list, nil
}

// intact says whether the blob is there with these bytes. A damaged one is
// written again by the Put that brings its text.
func (s *Store) intact(ref events.Ref, size int64) bool {
	f, err := os.Open(s.path(ref))
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != size || !info.Mode().IsRegular() {
		return false
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return false
	}
	return hex.EncodeToString(sum.Sum(nil)) == string(ref)
}

func (s *Store) path(ref events.Ref) string {
	return filepath.Join(s.dir, string(ref[:2]), string(ref))
}

func check(ref events.Ref) error {
	if len(ref) != 2*sha256.Size {
		return fmt.Errorf("%w: %.80q", ErrBadRef, string(ref))
	}
	for _, c := range []byte(ref) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return fmt.Errorf("%w: %.80q", ErrBadRef, string(ref))
		}
	}
	return nil
}
