// Package pin keeps a person's PIN: what they type to decide, where a terminal
// alone is not enough.
//
// It promises that the PIN itself is stored nowhere, only what scrypt makes of it
// with a salt of its own, in one file of mode 0600 in a directory that effects do
// not see; that a try is counted on the disk before it is looked at, so that no
// kill gives it back; and that after a few wrong ones each further one has to
// wait, longer each time. Its methods may be called from any goroutine.
//
// Who can read the file can try PINs as fast as scrypt lets them, so a PIN is
// as good as the mode of the file, or as it is long.
package pin

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"golang.org/x/crypto/scrypt"

	"autopilot/daemon/store/durable"
)

// Bounds of a PIN, and of tries.
const (
	Least = 4   // characters
	Most  = 128 // bytes

	free    = 3 // wrong tries without a wait
	wait    = 30 * time.Second
	longest = time.Hour
)

// Errors that a caller can branch on.
var (
	ErrNone  = errors.New("no PIN is set")
	ErrWrong = errors.New("the PIN is wrong")
	ErrForm  = fmt.Errorf("a PIN has at least %d characters and at most %d bytes, and is one line of text", Least, Most)
)

// WaitError says that no PIN is looked at before a moment.
type WaitError struct{ Until time.Time }

func (e *WaitError) Error() string { return "too many wrong PINs" }

// Store is the PIN of a state directory.
type Store struct {
	path string
	now  func() time.Time
	cost int // of a PIN that is set: scrypt's N
	mu   sync.Mutex
}

// Cost is scrypt's N of a PIN: 32 MiB and about a tenth of a second.
const Cost = 1 << 15

// Open says where the PIN is, and the cost of one that is set; nothing is read yet.
func Open(state string, now func() time.Time, cost int) *Store {
	return &Store{path: filepath.Join(state, "pin.json"), now: now, cost: cost}
}

// record is the file.
type record struct {
	V     int       `json:"v"` // 1: scrypt with n, r, p, 32 bytes
	N     int       `json:"n"`
	R     int       `json:"r"`
	P     int       `json:"p"`
	Salt  []byte    `json:"salt"`
	Key   []byte    `json:"key"`
	At    time.Time `json:"at"`
	Wrong int       `json:"wrong"`
	Until time.Time `json:"until,omitzero"`
}

// Status is what may be known of a PIN.
type Status struct {
	Set   bool
	At    time.Time
	Wrong int       // tries since the last right one
	Until time.Time // before which none is looked at
}

// Status says whether a PIN is set.
func (s *Store) Status() (Status, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.read()
	if errors.Is(err, ErrNone) {
		return Status{}, nil
	}
	st := Status{Set: true, At: r.At, Wrong: r.Wrong}
	if r.Until.After(s.now()) {
		st.Until = r.Until
	}
	return st, err
}

// Check is nil if the PIN is right, else ErrNone, ErrWrong or a *WaitError.
func (s *Store) Check(pin string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.checkLocked(pin)
}

func (s *Store) checkLocked(pin string) error {
	r, err := s.read()
	if err != nil {
		return err
	}
	now := s.now()
	if now.Before(r.Until) && r.Until.Sub(now) <= longest { // else the clock was put back
		return &WaitError{r.Until}
	}
	r.Wrong++
	r.Until = time.Time{}
	if over := r.Wrong - free; over >= 0 {
		r.Until = now.Add(min(longest, wait<<min(over, 10)))
	}
	if err := s.write(r); err != nil {
		return err
	}
	key, err := r.key(pin)
	if err != nil {
		return err
	}
	if subtle.ConstantTimeCompare(key, r.Key) != 1 {
		return ErrWrong
	}
	r.Wrong, r.Until = 0, time.Time{}
	return s.write(r)
}

// Set sets the PIN, in place of the old one, which has to be right if there is
// one.
func (s *Store) Set(old, pin string) error {
	if utf8.RuneCountInString(pin) < Least || len(pin) > Most || !printable(pin) {
		return ErrForm
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkLocked(old); err != nil && !errors.Is(err, ErrNone) {
		return err
	}
	r := record{V: 1, N: s.cost, R: 8, P: 1, Salt: make([]byte, 16), At: s.now()}
	rand.Read(r.Salt) // never fails
	var err error
	if r.Key, err = r.key(pin); err != nil {
		return err
	}
	return s.write(r)
}

// Remove removes the PIN, which has to be right.
func (s *Store) Remove(pin string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkLocked(pin); err != nil {
		return err
	}
	if err := os.Remove(s.path); err != nil {
		return fmt.Errorf("remove the PIN: %w", err)
	}
	return durable.SyncDir(filepath.Dir(s.path))
}

func printable(pin string) bool {
	for _, r := range pin {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return false
		}
	}
	return true
}

func (r record) key(pin string) ([]byte, error) {
	key, err := scrypt.Key([]byte(pin), r.Salt, r.N, r.R, r.P, 32)
	if err != nil {
		return nil, fmt.Errorf("hash the PIN: %w", err)
	}
	return key, nil
}

// read refuses a file that is not whole: it must not pass for none.
func (s *Store) read() (record, error) {
	b, err := os.ReadFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, ErrNone
	}
	var r record
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err == nil && (r.V != 1 || len(r.Key) != 32 || len(r.Salt) == 0 || r.N > 1<<20 || r.R > 32 || r.P > 16) {
		err = errors.New("its format is unknown")
	}
	if err != nil {
		return record{}, fmt.Errorf("read the PIN: %w", err)
	}
	return r, nil
}

func (s *Store) write(r record) error {
	b, err := json.Marshal(r)
	if err == nil {
		err = durable.Replace(s.path, b)
	}
	if err != nil {
		return fmt.Errorf("store the PIN: %w", err)
	}
	return nil
}
