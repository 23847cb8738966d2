package filestore

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"autopilot/daemon/store/durable"
)

// ErrSeals says that the seals of an event store are not whole: whether the
// events are those that were acknowledged cannot be told.
var ErrSeals = errors.New("the seals of the event store are not whole")

func notWhole(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrSeals, fmt.Sprintf(format, args...))
}

// Names are the files that a store is proven with. They are outside of the
// store, so that an old copy of it that is put back is seen.
type Names struct {
	Mark    string
	Key     string // of the seals
	Seals   string // one for each position
	Pending string // seals of what is on its way
	Sealed  string // the checkpoint
}

// NamesIn are those of a state directory.
func NamesIn(state string) Names {
	in := func(name string) string { return filepath.Join(state, name) }
	return Names{Mark: in("mark"), Key: in("seal.key"), Seals: in("seals"), Pending: in("seals.pending"), Sealed: in("sealed")}
}

// StreamsIn is where the server has its streams, below a state directory.
func StreamsIn(state string) string {
	return filepath.Join(state, "store", "jetstream", "$G", "streams")
}

// Next are those of a generation that is being made: mark, seals and checkpoint
// are to be renamed to the others. Key and Pending are the same.
func (n Names) Next() Names {
	n.Mark, n.Seals, n.Sealed = n.Mark+".next", n.Seals+".next", n.Sealed+".next"
	return n
}

const (
	keyBytes  = 32
	sealBytes = 16
)

// seal is the beginning of a keyed hash of what an event is and where it stands.
type seal [sealBytes]byte

// sealer makes seals. It may be used from many goroutines.
type sealer struct{ hashes sync.Pool }

func newSealer(key []byte) *sealer {
	return &sealer{sync.Pool{New: func() any { return hmac.New(sha256.New, key) }}}
}

// of is the seal of an event; position 0 is that of one on its way.
func (s *sealer) of(stream string, position uint64, subject, hash string) seal {
	var buf [256]byte
	b := binary.LittleEndian.AppendUint64(buf[:0], position)
	b = append(append(b, stream...), 0)
	b = append(append(b, subject...), 0)
	return s.sum(append(b, hash...))
}

func (s *sealer) sum(b []byte) (out seal) {
	h := s.hashes.Get().(hash.Hash)
	defer s.hashes.Put(h)
	h.Reset()
	h.Write(b)
	var sum [sha256.Size]byte
	copy(out[:], h.Sum(sum[:0]))
	return out
}

// readKey reads a key.
func readKey(path string) (*sealer, error) {
	b, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notWhole("their key %s is missing", path)
	case err != nil:
		return nil, fmt.Errorf("%w: read their key: %w", ErrSeals, err)
	case len(b) != keyBytes:
		return nil, notWhole("%s is not a key", path)
	}
	return newSealer(b), nil
}

// makeKey reads the key, or makes one where there is none that can be used.
func makeKey(path string) (*sealer, error) {
	if k, err := readKey(path); err == nil {
		return k, nil
	}
	key := make([]byte, keyBytes)
	if _, err := rand.Read(key); err != nil {
		return nil, fmt.Errorf("make the key of the seals: %w", err)
	}
	if err := durable.Replace(path, key); err != nil {
		return nil, fmt.Errorf("make the key of the seals: %w", err)
	}
	return newSealer(key), nil
}
