package bus

import (
	"bufio"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
)

// Bounds of what comes over the network, beside those of every client.
const (
	maxStrangers  = 32 // connections that have not proven a key yet
	maxRemotes    = 64 // connections
	maxOfIdentity = 16 // of them, those of one identity
	maxRemoteWork = 16 // requests that are answered at once; of streams as many again

	strangerTimeout = 10 * time.Second // from accept to CONNECT, TLS included
	strangerLog     = 10 * time.Second // one line for refusals in that time
)

// remote is the listener for other hosts. It is a second door to the bridge:
// who comes in has proven a key, and gets the same bounded way to the server as
// the client of a socket.
type remote struct {
	b    *bridge
	cfg  Listen
	tls  *tls.Config // nil for none
	id   string      // of the server
	keys map[string]Remote
	log  seldom
	pace map[string]*pace // by identity

	mu        sync.Mutex
	listener  net.Listener
	problem   error
	conns     map[net.Conn]struct{}
	strangers int
	known     map[string]int // connections by identity
	closed    bool
}

func newRemote(b *bridge, cfg Listen, id string) *remote {
	r := &remote{
		b: b, cfg: cfg, id: id, keys: map[string]Remote{}, pace: map[string]*pace{},
		log: seldom{every: strangerLog, now: time.Now}, conns: map[net.Conn]struct{}{}, known: map[string]int{},
	}
	for _, i := range cfg.Identities {
		r.keys[i.Key] = i
		r.pace[i.Name] = &pace{every: paceEvery, burst: paceBurst}
	}
	if cfg.Cert != "" {
		c := &certificate{cert: cfg.Cert, key: cfg.Key}
		r.tls = &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}
	}
	return r
}

// open listens, if it does not yet. Where that cannot be it is tried again: the
// runs of the daemon need no listener.
func (r *remote) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.listener != nil {
		return
	}
	l, err := r.bind()
	if err == nil {
		r.listener, r.problem = l, nil
		r.b.log.Info("listening", "address", l.Addr().String(), "tls", r.tls != nil)
		r.b.wg.Go(func() { r.accept(l) })
		return
	}
	if r.problem == nil || r.problem.Error() != err.Error() {
		r.b.log.Warn("not listening", "address", r.cfg.Address, "error", err)
	}
	r.problem = err
}

func (r *remote) bind() (net.Listener, error) {
	if r.tls != nil {
		if _, err := r.tls.GetCertificate(nil); err != nil {
			return nil, err
		}
	}
	l, err := net.Listen("tcp", r.cfg.Address)
	if err != nil {
		return nil, bindError(err)
	}
	// A name is what the host makes of it, also localhost.
	if a, ok := addrOf(l.Addr()); r.tls == nil && (!ok || !a.Addr().IsLoopback()) {
		return nil, errors.Join(fmt.Errorf("%s is not a loopback address, and %w", l.Addr(), ErrPlain), l.Close())
	}
	return l, nil
}

// bindError says what is wrong without what the caller knows.
func bindError(err error) error {
	for _, known := range []syscall.Errno{syscall.EADDRINUSE, syscall.EACCES, syscall.EADDRNOTAVAIL} {
		if errors.Is(err, known) {
			return known
		}
	}
	return err
}

func (r *remote) state() Listening {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := Listening{Address: r.cfg.Address, TLS: r.tls != nil, Problem: r.problem, Identities: r.cfg.Identities}
	if r.listener != nil {
		s.Address = r.listener.Addr().String()
	}
	for _, n := range r.known {
		s.Clients += n
	}
	return s
}

func (r *remote) accept(l net.Listener) {
	for {
		c, err := l.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			r.b.log.Warn("accept over the network", "error", err)
			select {
			case <-time.After(50 * time.Millisecond):
				continue
			case <-r.b.ctx.Done():
				return
			}
		}
		tc, ok := c.(*net.TCPConn)
		if !ok || !r.track(tc) {
			_ = c.Close()
			continue
		}
		r.b.wg.Go(func() {
			defer r.untrack(tc)
			r.serve(tc)
		})
	}
}

func (r *remote) track(c net.Conn) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.strangers >= maxStrangers {
		return false
	}
	r.strangers++
	r.conns[c] = struct{}{}
	return true
}

func (r *remote) untrack(c net.Conn) {
	r.mu.Lock()
	delete(r.conns, c)
	r.mu.Unlock()
	_ = c.Close()
}

// admit counts a connection that has proven a key, until leave.
func (r *remote) admit(name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := 0
	for _, n := range r.known {
		all += n
	}
	if all >= maxRemotes || r.known[name] >= maxOfIdentity {
		return errTooMany
	}
	r.known[name]++
	r.strangers--
	return nil
}

// forget ends a connection that was not admitted.
func (r *remote) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.strangers--
}

func (r *remote) leave(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.known[name]--
}

// serve runs one connection to its end.
func (r *remote) serve(tc *net.TCPConn) {
	who, cl, err := r.meet(tc)
	if err == nil {
		err = r.admit(who.Name)
	}
	if err != nil {
		defer r.forget()
	} else {
		defer r.leave(who.Name)
		err = r.join(who, cl)
	}
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) {
		return
	}
	if missed, ok := r.log.say(); ok {
		r.b.log.Warn("connection over the network refused", "from", tc.RemoteAddr().String(), "identity", who.Name, "error", err, "others", missed)
	}
	if cl.link != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
		dismiss(cl.link, err)
	}
}

// join lets an identity in. Each of its connections has a name of its own
// within, as for the client of a socket, and the inbox of the identity.
func (r *remote) join(who Remote, cl client) error {
	id := auth.Identity{Kind: auth.KindKey, UID: -1, Name: clientName(), Key: who.Name, May: who.May}
	c, err := r.b.clients.add(r.b.ctx, id.WithActor(r.b.host))
	if err != nil {
		return err
	}
	defer r.b.clients.remove(c)
	pipe, err := r.b.pipe()
	if err != nil {
		return nil // the server is closing
	}
	defer pipe.Close()
	out := bufio.NewReaderSize(pipe, bufferSize)
	_ = pipe.SetDeadline(time.Now().Add(helloTimeout))
	if _, err := out.ReadSlice('\n'); err != nil { // its INFO: the client has another
		return nil
	}
	door := edge{identity: who.Name, client: c.Name, pace: r.pace[who.Name], ctx: c.ctx}
	cl.perms, cl.pass = door.permissions(), door.pass
	return r.b.join(cl, pipe, out, c)
}

func clientName() string {
	var b [26]byte
	_, _ = rand.Read(b[:]) // never fails
	return wire.ClientName(b)
}

// shut lets nobody in any more.
func (r *remote) shut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	if r.listener != nil {
		_ = r.listener.Close()
	}
}

// drop ends the connections that are left.
func (r *remote) drop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		_ = c.Close()
	}
}

// openRemote listens for other hosts, where that is configured.
func (b *Bus) openRemote() {
	if b.cfg.Listen == nil {
		return
	}
	b.bridge.mu.Lock()
	b.bridge.remote = newRemote(b.bridge, *b.cfg.Listen, b.srv.ID())
	b.bridge.mu.Unlock()
	b.bridge.remote.open()
}

// Listening is how the listener for other hosts is; false if there is none.
func (b *Bus) Listening() (Listening, bool) {
	b.bridge.mu.Lock()
	r := b.bridge.remote
	b.bridge.mu.Unlock()
	if r == nil {
		return Listening{}, false
	}
	return r.state(), true
}
