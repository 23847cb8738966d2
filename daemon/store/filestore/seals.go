package filestore

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"

	"autopilot/events/log"
)

// What is wrong with an event that is not the one that was acknowledged.
var (
	ErrUnsealed = errors.New("it was never acknowledged")
	ErrForeign  = errors.New("it is not the event that was acknowledged here")
)

// Seals tell the events that were acknowledged from those that somebody else put
// into the store. One is written after each acknowledgement, by its position and
// not synced; before, the event is noted as pending. A killed daemon therefore
// leaves an event that is sealed or pending. A power cut may lose the seals
// behind the checkpoint, so the first daemon of another boot takes what stands
// there without one.
//
// It is the witness of the log, and may be used from many goroutines.
type Seals struct {
	names   Names
	boot    string
	mark    state
	found   checkpoint
	end     uint64 // last position that has a seal, as they were found
	keys    *sealer
	file    window
	pending *pending
	write   bool // else nothing is changed
	// Failed is told what could not be written: less is proven then. It may be nil.
	Failed func(error)

	mu     sync.Mutex
	lost   bool            // seals behind the checkpoint may have been lost
	at     Position        // all up to it are sealed
	ahead  map[uint64]bool // sealed behind it
	synced checkpoint
	moved  uint64 // first position of an event that was acknowledged elsewhere
	looks  int
}

// OpenSeals opens the seals of a store for the daemon that will write it. A store
// that never had any is sealed as it is. Seals that are gone, cut or changed are
// ErrSeals, a mark that is gone is ErrMark.
func OpenSeals(n Names, streams, boot string) (*Seals, error) {
	m, err := readMark(n.Mark)
	if err != nil {
		return nil, err
	}
	if m.unsealed(n) {
		if err := begin(n, streams, boot, m); err != nil {
			return nil, err
		}
	}
	return openSeals(n, boot, true)
}

// ReadSeals opens the seals of a store that no daemon has open, and changes
// nothing.
func ReadSeals(n Names, boot string) (*Seals, error) { return openSeals(n, boot, false) }

func openSeals(n Names, boot string, write bool) (s *Seals, err error) {
	s = &Seals{names: n, boot: boot, write: write, ahead: map[uint64]bool{}}
	if s.mark, err = readMark(n.Mark); err != nil {
		return nil, err
	}
	if s.keys, err = readKey(n.Key); err != nil {
		return nil, err
	}
	if s.found, err = readCheckpoint(n.Sealed, s.keys); err != nil {
		return nil, err
	}
	flag := os.O_RDONLY
	if write {
		flag = os.O_RDWR
	}
	switch s.file.file, err = os.OpenFile(n.Seals, flag, 0); {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notWhole("%s is missing", n.Seals)
	case err != nil:
		return nil, fmt.Errorf("%w: %w", ErrSeals, err)
	}
	if err := s.fits(); err != nil {
		return nil, errors.Join(err, s.file.close())
	}
	s.lost = s.found.boot != boot && !s.found.clean
	s.at = s.found.Position
	if !write {
		s.pending = readPending(n.Pending)
		return s, nil
	}
	if s.pending, err = openPending(n.Pending); err != nil {
		return nil, errors.Join(err, s.file.close())
	}
	return s, nil
}

// unsealed says that there never were any seals, as far as can be told.
func (m state) unsealed(n Names) bool {
	if m.sealed || exists(n.Sealed) {
		return false
	}
	return m.Stream != "" || fileSize(n.Seals) == 0
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// fileSize is 0 of a file that is not there.
func fileSize(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// begin makes the first seals of a store.
func begin(n Names, streams, boot string, m state) error {
	stream := m.Stream
	if stream == "" {
		var err error
		if stream, err = latestStream(streams); errors.Is(err, ErrNothing) {
			return empty(n, boot)
		} else if err != nil {
			return err
		}
		if rolled(stream) {
			return notWhole("those of %s are missing, and its mark", stream)
		}
	}
	return sealAll(n, streams, boot, m, stream)
}

// empty makes the seals of a store without events.
func empty(n Names, boot string) error {
	keys, err := makeKey(n.Key)
	if err != nil {
		return err
	}
	if err := os.WriteFile(n.Seals, nil, 0o600); err != nil {
		return fmt.Errorf("make seals: %w", err)
	}
	return checkpoint{boot: boot}.write(n.Sealed, keys)
}

// fits says whether mark, checkpoint and seals belong together.
func (s *Seals) fits() error {
	c, m := s.found, s.mark
	n, err := s.last()
	s.end = n
	switch {
	case err != nil:
		return err
	case n < c.Last:
		return notWhole("%s is cut off: it has %d, and %d were written", s.names.Seals, n, c.Last)
	case m.Stream == "" && (c.Last > 0 || n > 0 && c.boot == s.boot):
		return fmt.Errorf("the mark %s is missing: %w", s.names.Mark, ErrMark)
	case m.Stream != "" && c.Stream != "" && m.Stream != c.Stream:
		return notWhole("they are those of %s, and the mark is in %s", c.Stream, m.Stream)
	}
	return nil
}

// marked is the mark with all that is known to have been acknowledged.
func (s *Seals) marked() (state, error) {
	m := s.mark.after(s.boot)
	if m.weak && s.found.boot != s.boot {
		m.Last = 0
		return m, nil
	}
	m.Last = max(m.Last, s.found.Last, s.end)
	return m, nil
}

// last is the last position that has a seal.
func (s *Seals) last() (uint64, error) {
	all, err := s.all()
	for n := len(all) / sealBytes; n > 0; n-- {
		if seal(all[(n-1)*sealBytes:]) != (seal{}) {
			return uint64(n), err
		}
	}
	return 0, err
}

func (s *Seals) all() ([]byte, error) {
	b, err := os.ReadFile(s.names.Seals)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSeals, err)
	}
	return b, nil
}

// get is the seal of a position, zero where there is none.
func (s *Seals) get(position uint64) (out seal) {
	if position == 0 {
		return out
	}
	if n, err := s.file.file.ReadAt(out[:], int64(position-1)*sealBytes); n < sealBytes || err != nil {
		return seal{}
	}
	return out
}

func (s *Seals) put(position uint64, made seal) error {
	return s.file.put(int64(position-1), made)
}

// Appending implements log.Witness.
func (s *Seals) Appending(r log.Receipt) {
	s.failed(s.pending.add(r.Hash, s.keys.of(r.Stream, 0, r.Subject, r.Hash)))
}

// Stored implements log.Witness. An event whose seal cannot be written stays
// pending.
func (s *Seals) Stored(r log.Receipt) {
	err := s.put(r.Position, s.keys.of(r.Stream, r.Position, r.Subject, r.Hash))
	if err == nil {
		err = s.forget(r)
		s.advance(r.Stream, r.Position)
	}
	s.failed(err)
}

// Refused implements log.Witness.
func (s *Seals) Refused(r log.Receipt) {
	s.failed(s.forget(r))
}

// forget is told that the outcome of an event is known.
func (s *Seals) forget(r log.Receipt) error {
	if known, err := s.pending.settled(r.Hash); known {
		return err
	}
	return s.pending.remove(s.keys.of(r.Stream, 0, r.Subject, r.Hash))
}

// Prove implements log.Witness.
func (s *Seals) Prove(r log.Receipt) error {
	made, have := s.keys.of(r.Stream, r.Position, r.Subject, r.Hash), s.get(r.Position)
	if made == have {
		return nil
	}
	return s.judge(r, have)
}

// judge says of an event that does not have the seal of its position whether it
// is one that could not be sealed yet. It is sealed then.
func (s *Seals) judge(r log.Receipt, have seal) error {
	lost := have == seal{} && s.mayBeLost(r.Position)
	if lost || s.pending.has(s.keys.of(r.Stream, 0, r.Subject, r.Hash)) {
		if s.write {
			s.Stored(r)
		}
		return nil
	}
	// Its seal may have been written since it was looked for.
	if s.get(r.Position) == s.keys.of(r.Stream, r.Position, r.Subject, r.Hash) {
		return nil
	}
	if have == (seal{}) {
		return ErrUnsealed
	}
	s.look(r)
	return ErrForeign
}

// look finds out whether a foreign event is one of ours that stands elsewhere.
func (s *Seals) look(r log.Receipt) {
	s.mu.Lock()
	s.looks++
	done := s.moved > 0 && s.moved < r.Position || s.looks > maxLooks
	s.mu.Unlock()
	for d := uint64(1); d <= auditReach && !done; d++ {
		if s.stands(r, r.Position+d) || d < r.Position && s.stands(r, r.Position-d) {
			s.mu.Lock()
			if s.moved == 0 || s.moved > r.Position {
				s.moved = r.Position
			}
			s.mu.Unlock()
			return
		}
	}
}

func (s *Seals) stands(r log.Receipt, position uint64) bool {
	return s.get(position) == s.keys.of(r.Stream, position, r.Subject, r.Hash)
}

// maxLooks bounds for how many foreign events their place is looked for.
const maxLooks = 1 << 10

// InPlace says whether events that were read stand where they were acknowledged.
// Where they do not, events were added or removed before them, and nothing that
// is built on the store can be right.
func (s *Seals) InPlace() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.moved == 0 {
		return nil
	}
	return &DamagedError{From: s.moved, Marked: max(s.at.Last, s.moved), What: "events were added, removed or moved"}
}

func (s *Seals) mayBeLost(position uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost && position > s.found.Last
}

func (s *Seals) failed(err error) {
	if err != nil && s.Failed != nil {
		s.Failed(fmt.Errorf("seal an event: %w", err))
	}
}

// advance moves the end of what is sealed without a hole.
func (s *Seals) advance(stream string, position uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at.Stream = stream
	if position <= s.at.Last {
		return
	}
	s.ahead[position] = true
	for s.ahead[s.at.Last+1] {
		delete(s.ahead, s.at.Last+1)
		s.at.Last++
	}
}

// Reached says that all events of a stream up to a position were read and
// proven, and makes that a checkpoint. What is not sealed by then never will be.
func (s *Seals) Reached(stream string, position uint64) error {
	s.mu.Lock()
	if position > s.at.Last {
		s.at = Position{stream, position}
	}
	for p := range s.ahead {
		if p <= s.at.Last {
			delete(s.ahead, p)
		}
	}
	s.lost = false
	s.mu.Unlock()
	if err := s.pending.settle(); err != nil {
		return fmt.Errorf("forget pending seals: %w", err)
	}
	return s.checkpoint(false)
}

// checkpoint syncs the seals and says so.
func (s *Seals) checkpoint(clean bool) error {
	s.mu.Lock()
	c := checkpoint{s.at, clean, s.boot}
	same := c == s.synced
	s.mu.Unlock()
	if same {
		return nil
	}
	if err := s.file.sync(); err != nil {
		return fmt.Errorf("sync the seals: %w", err)
	}
	if err := c.write(s.names.Sealed, s.keys); err != nil {
		return err
	}
	s.mu.Lock()
	s.synced = c
	s.mu.Unlock()
	return nil
}

// Close lets go of the seals. last is the end of the store if it is known and
// nothing will come behind it, else 0.
func (s *Seals) Close(last uint64) error {
	var err error
	if s.write {
		s.mu.Lock()
		clean := last > 0 && s.at.Last == last && len(s.ahead) == 0
		open := s.lost
		s.mu.Unlock()
		if clean && !open {
			err = s.checkpoint(true)
		}
		err = errors.Join(err, s.pending.w.close())
	}
	return errors.Join(err, s.file.close())
}
