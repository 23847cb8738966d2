package filestore

import (
	"fmt"
	"io"
	"os"
	"sync"
)

// pendingSlots is how many events may be on their way at once. With more, some
// cannot be told from foreign ones if the daemon is killed just then.
const pendingSlots = 1 << 12

// pending are the seals of events that were sent and whose outcome is not known,
// in a file, so that the next daemon knows them as its own.
type pending struct {
	w window

	mu    sync.Mutex
	slots map[seal]int
	sent  map[string]seal // by the hash of the event
	free  []int
	old   []seal // of the daemon before
}

// openPending opens the file, or makes one with room for all slots: a disk that
// is full later does not matter to it.
func openPending(path string) (p *pending, err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open pending seals: %w", err)
	}
	p = &pending{w: window{file: f}, slots: map[seal]int{}, sent: map[string]seal{}}
	b := make([]byte, pendingSlots*sealBytes)
	if n, err := io.ReadFull(f, b); err != nil { // a new one, or one that was cut off
		if _, err := f.WriteAt(b[n:], int64(n)); err != nil {
			return nil, fmt.Errorf("make room for pending seals: %w", err)
		}
	}
	for i := pendingSlots - 1; i >= 0; i-- {
		s := seal(b[i*sealBytes:])
		if _, twice := p.slots[s]; s == (seal{}) || twice {
			p.free = append(p.free, i)
			continue
		}
		p.slots[s], p.old = i, append(p.old, s)
	}
	return p, nil
}

// readPending reads what is in the file, for who changes nothing.
func readPending(path string) *pending {
	p := &pending{slots: map[seal]int{}}
	b, _ := os.ReadFile(path) // without it nothing is pending
	for i := 0; i+sealBytes <= len(b); i += sealBytes {
		if s := seal(b[i:]); s != (seal{}) {
			p.slots[s] = i / sealBytes
		}
	}
	return p
}

func (p *pending) add(hash string, s seal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent[hash] = s
	if _, there := p.slots[s]; there {
		return nil
	}
	if len(p.free) == 0 {
		p.makeRoomLocked()
	}
	last := len(p.free) - 1
	i := p.free[last]
	p.free, p.slots[s] = p.free[:last], i
	return p.w.put(int64(i), s)
}

// makeRoomLocked forgets any one.
func (p *pending) makeRoomLocked() {
	for k, i := range p.slots {
		delete(p.slots, k)
		p.free = append(p.free, i)
		break
	}
	for hash, s := range p.sent {
		if _, there := p.slots[s]; !there {
			delete(p.sent, hash)
		}
	}
}

// settled forgets an event whose outcome is known, if it was sent by this daemon.
func (p *pending) settled(hash string) (known bool, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	s, known := p.sent[hash]
	if !known {
		return false, nil
	}
	delete(p.sent, hash)
	return true, p.removeLocked(s)
}

func (p *pending) remove(s seal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.removeLocked(s)
}

func (p *pending) removeLocked(s seal) error {
	i, there := p.slots[s]
	if !there {
		return nil
	}
	delete(p.slots, s)
	p.free = append(p.free, i)
	return p.w.put(int64(i), seal{})
}

func (p *pending) has(s seal) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, there := p.slots[s]
	return there
}

// settle forgets what the daemon before had on its way: all that was stored of it
// has been read.
func (p *pending) settle() error {
	p.mu.Lock()
	old := p.old
	p.old = nil
	p.mu.Unlock()
	for _, s := range old {
		if err := p.remove(s); err != nil {
			return err
		}
	}
	return nil
}
