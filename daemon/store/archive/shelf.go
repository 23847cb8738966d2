package archive

import "sync"

// shelf keeps the bundle that was read last open, as who reads one run of it
// reads others. The zero value is ready.
type shelf struct {
	mu   sync.Mutex
	last *lent
}

// lent is an open bundle. It is closed when nobody reads it, and it was read
// before another.
type lent struct {
	*Bundle
	path string
	uses int
	old  bool
}

// take opens a bundle, for as long as done was not called.
func (s *shelf) take(path string) (b *Bundle, done func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == nil || s.last.path != path {
		b, err := Open(path)
		if err != nil {
			return nil, nil, err
		}
		_ = s.retireLocked() // of a file that was only read
		s.last = &lent{Bundle: b, path: path}
	}
	l := s.last
	l.uses++
	return l.Bundle, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		l.uses--
		_ = l.closeUnused()
	}, nil
}

func (s *shelf) retireLocked() error {
	l := s.last
	s.last = nil
	if l == nil {
		return nil
	}
	l.old = true
	return l.closeUnused()
}

func (l *lent) closeUnused() error {
	if !l.old || l.uses > 0 {
		return nil
	}
	return l.Close()
}

func (s *shelf) close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.retireLocked()
}
