package bus

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
)

// Deadlines of a connection.
const (
	helloTimeout = 5 * time.Second        // from accept to CONNECT
	writeTimeout = 15 * time.Second       // for a client that takes no bytes at all
	lastWords    = 250 * time.Millisecond // from the end of the server to that of connections
)

// bridge accepts on unix sockets and connects each client with the in-process
// server under the identity that it decided on.
type bridge struct {
	pipe     func() (net.Conn, error)
	prepare  func() error // makes the directory of the sockets
	tokens   *tokens
	clients  *registry
	identify func(pid, uid int) auth.Identity // while that process lives, so that what it reads by pid is about it
	host     string
	uid      int // the only one that is let in
	log      *slog.Logger

	ctx   context.Context // ends every connection
	ready chan struct{}   // closed when connections may be accepted
	wg    sync.WaitGroup

	mu        sync.Mutex
	remote    *remote // the listener for other hosts; nil for none
	listeners map[*socket]struct{}
	sockets   map[net.Conn]struct{}
	closed    bool
}

func (b *bridge) accept(l *net.UnixListener, effect string) {
	select {
	case <-b.ready:
	case <-b.ctx.Done():
		return
	}
	for {
		c, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			// Out of descriptors, most likely: go on when some are free again.
			b.log.Warn("accept on socket", "socket", l.Addr().String(), "error", err)
			select {
			case <-time.After(50 * time.Millisecond):
				continue
			case <-b.ctx.Done():
				return
			}
		}
		if !b.track(c) {
			_ = c.Close()
			return
		}
		b.wg.Go(func() {
			defer b.untrack(c)
			b.serve(c, effect)
		})
	}
}

func (b *bridge) track(c net.Conn) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed || len(b.sockets) >= 2*maxConns {
		return false
	}
	b.sockets[c] = struct{}{}
	return true
}

func (b *bridge) untrack(c net.Conn) {
	b.mu.Lock()
	delete(b.sockets, c)
	b.mu.Unlock()
	_ = c.Close()
}

// serve runs one connection to its end.
func (b *bridge) serve(uc *net.UnixConn, effect string) {
	id, refusal := b.who(uc, effect)
	pipe, err := b.pipe()
	if err != nil {
		return // the server is closing
	}
	defer pipe.Close()
	_ = uc.SetDeadline(time.Now().Add(helloTimeout))
	in, out := bufio.NewReaderSize(uc, bufferSize), bufio.NewReaderSize(pipe, bufferSize)
	_ = pipe.SetDeadline(time.Now().Add(helloTimeout))
	info, err := out.ReadSlice('\n')
	if err != nil {
		return
	}
	if _, err := uc.Write(info); err != nil {
		return
	}
	hi, err := readConnect(in)
	if err == nil {
		id.Name, err = hi.client()
	}
	if err == nil {
		err = refusal // said now, as the client listens for errors only after its CONNECT
	}
	if err != nil {
		b.refuse(uc, id, err)
		return
	}
	c, err := b.clients.add(b.ctx, id)
	if err != nil {
		b.refuse(uc, id, err)
		return
	}
	defer b.clients.remove(c)
	perms := only([]string{wire.Commands(c.Name)}, []string{wire.Inbox(c.Name) + ".>"})
	if err := b.join(client{link: uc, in: in, perms: perms}, pipe, out, c); err != nil {
		b.refuse(uc, id, err)
	}
}

// link is the connection of a client, whose sides are closed one by one.
type link interface {
	net.Conn
	CloseRead() error
	CloseWrite() error
}

// client is what a connection may do once it is let in.
type client struct {
	link
	in    *bufio.Reader                         // what it says
	perms *server.Permissions                   // with the server
	pass  func(control, []byte) ([]byte, error) // as for relay
}

// join hands the connection to the server and copies both ways until one side
// ends. An error is a breach of the protocol by the client.
func (b *bridge) join(uc client, pipe net.Conn, out *bufio.Reader, c *conn) error {
	token := b.tokens.issue(uc.perms)
	line, err := connectLine(c.inbox(), token)
	if err != nil {
		return err
	}
	_ = uc.SetDeadline(time.Time{})
	_ = pipe.SetDeadline(time.Time{})
	if _, err := pipe.Write(line); err != nil {
		return nil
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(deadlineWriter{uc.link}, out)
		_ = uc.CloseRead() // the server ended it, or the client takes nothing: relay ends too
	}()
	err = relay(pipe, uc.in, uc.pass)
	c.cancel(ErrClientGone) // at once: handlers of this client are working for nobody
	_ = pipe.Close()
	breach := errors.Is(err, errProtocol) || errors.Is(err, errSecondConnect)
	if breach {
		// A message may be half written; the reason comes after it.
		_ = uc.SetWriteDeadline(time.Now().Add(time.Second))
	} else {
		_ = uc.Close()
	}
	<-done
	if breach {
		return err
	}
	return nil
}

// who decides on the identity of a connection. The error says why it is
// refused.
func (b *bridge) who(uc *net.UnixConn, effect string) (auth.Identity, error) {
	raw, err := uc.SyscallConn()
	if err != nil {
		return auth.Identity{}, errUnknownPeer
	}
	var p peer
	var peerErr error
	if err := raw.Control(func(fd uintptr) { p, peerErr = peerOf(int(fd)) }); err != nil || peerErr != nil {
		return auth.Identity{}, errUnknownPeer
	}
	defer p.close()
	if p.uid != b.uid {
		return auth.Identity{UID: p.uid, PID: p.pid}, errOtherUser
	}
	id := auth.Identity{Kind: auth.KindEffect, Effect: effect}
	if effect == "" {
		id = b.identify(p.pid, p.uid)
		// Read by pid, so it counts only if the process was there all along.
		if id.Kind == "" || !p.alive() {
			return auth.Identity{UID: p.uid, PID: p.pid}, errUnknownPeer
		}
	}
	id.UID, id.PID = p.uid, p.pid
	return id.WithActor(b.host), nil
}

var (
	errUnknownPeer = errors.New("the process that connected cannot be identified")
	errOtherUser   = errors.New("the daemon belongs to another user")
)

// refuse tells the client why, as a NATS error, and the log.
func (b *bridge) refuse(uc *net.UnixConn, id auth.Identity, err error) {
	if errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrDeadlineExceeded) {
		return
	}
	b.log.Warn("connection refused", "pid", id.PID, "uid", id.UID, "effect", id.Effect, "error", err)
	dismiss(uc, err)
}

// dismiss tells a client why its connection ends, and ends its sending side.
func dismiss(uc link, err error) {
	_ = uc.SetDeadline(time.Now().Add(time.Second))
	_, _ = fmt.Fprintf(uc, "-ERR '%s'\r\n", err)
	_ = uc.CloseWrite()
	// A close with unread bytes resets the connection, and the reason would be
	// lost: take what the client was about to say, to a bound.
	_, _ = io.CopyN(io.Discard, uc, 1<<20)
}

// close ends all listeners and connections. Files of sockets are removed. The
// server has let go of its clients by then, but what it told them last may be on
// its way: they get a moment to end by themselves.
func (b *bridge) close() {
	b.mu.Lock()
	b.closed = true
	for s := range b.listeners {
		_ = s.l.Close()
	}
	r := b.remote
	b.mu.Unlock()
	if r != nil {
		r.shut()
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		b.wg.Wait()
	}()
	select {
	case <-ended:
	case <-time.After(lastWords):
	}
	b.mu.Lock()
	for c := range b.sockets {
		_ = c.Close()
	}
	b.mu.Unlock()
	if r != nil {
		r.drop()
	}
	<-ended
}

// deadlineWriter gives every write its own deadline.
type deadlineWriter struct{ c net.Conn }

func (w deadlineWriter) Write(p []byte) (int, error) {
	if err := w.c.SetWriteDeadline(time.Now().Add(writeTimeout)); err != nil {
		return 0, err
	}
	return w.c.Write(p)
}
