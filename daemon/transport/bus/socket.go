package bus

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"
)

// repairEvery is how often sockets are looked after. It is well below the time
// for which a client waits for a daemon that holds the state and does not
// listen.
const repairEvery = 5 * time.Second

// socket is a place where the bridge listens.
type socket struct {
	path   string
	effect string // that every connection is; empty asks identify
	l      *net.UnixListener
	file   fs.FileInfo // of path, as it was bound
}

// listen binds a socket. Connections wait until the bridge is ready.
func (b *bridge) listen(path, effect string) (*socket, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, ErrClosing
	}
	s := &socket{path: path, effect: effect}
	if err := b.bindLocked(s); err != nil {
		return nil, err
	}
	b.listeners[s] = struct{}{}
	return s, nil
}

func (b *bridge) bindLocked(s *socket) error {
	if s.effect != "" {
		// A directory of its own is what a confined effect can be shown: the
		// socket in it may be another one by then.
		if err := os.Mkdir(filepath.Dir(s.path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make the directory of a socket: %w", err)
		}
	}
	if err := removeStale(s.path); err != nil {
		return err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: s.path, Net: "unix"})
	if err != nil {
		return fmt.Errorf("listen on %s: %w", s.path, err)
	}
	// The directory is 0700, so nobody came in before this.
	if err := os.Chmod(s.path, 0o600); err != nil {
		return errors.Join(fmt.Errorf("close socket to others: %w", err), l.Close())
	}
	if s.file, err = os.Lstat(s.path); err != nil {
		return errors.Join(fmt.Errorf("check socket: %w", err), l.Close())
	}
	s.l = l
	b.wg.Go(func() { b.accept(l, s.effect) })
	return nil
}

// removeStale removes the socket of a daemon that was killed. The state lock
// is held, so nobody listens on it any more. Nothing but a socket is removed.
func removeStale(path string) error {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("check socket: %w", err)
	}
	if fi.Mode()&fs.ModeSocket == 0 {
		return fmt.Errorf("listen on %s: the file there is not a socket; remove it", path)
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("remove stale socket: %w", err)
	}
	return nil
}

// unlisten closes a socket and removes its file. Doing it twice is harmless.
func (b *bridge) unlisten(s *socket) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.listeners, s)
	_ = s.l.Close()
}

// look repairs sockets until the bridge closes.
func (b *bridge) look() {
	t := time.NewTicker(repairEvery)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			b.repair()
			b.mu.Lock()
			r := b.remote
			b.mu.Unlock()
			if r != nil {
				r.open()
			}
		case <-b.ctx.Done():
			return
		}
	}
}

// repair binds again what was removed under a living daemon: a runtime
// directory goes when its user logs out, and /tmp is swept. What cannot be
// bound yet is tried again the next time.
func (b *bridge) repair() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	for s := range b.listeners {
		if fi, err := os.Lstat(s.path); err == nil && os.SameFile(fi, s.file) {
			continue
		}
		old := s.l
		if b.prepare() != nil || b.bindLocked(s) != nil {
			continue
		}
		old.SetUnlinkOnClose(false) // the name is the new one's
		_ = old.Close()
		b.log.Warn("socket was removed and is bound again", "socket", s.path)
	}
}
