package bus

import (
	"context"
	"errors"
	"sync"

	"autopilot/daemon/auth"
)

// inbox is what the subjects of its answers are named for.
func (c *conn) inbox() string {
	if c.Kind == auth.KindKey {
		return c.Key
	}
	return c.Name
}

// Causes with which the context of a handler ends.
var (
	ErrClientGone = errors.New("the client is gone")
	ErrClosing    = errors.New("the daemon is stopping")
)

// Bounds of what clients can hold at once.
const (
	maxConns     = 1024 // connections
	maxPerClient = 64   // requests of one connection
)

// conn is a live connection of a client.
type conn struct {
	auth.Identity
	ctx    context.Context // ends with the connection
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	replies map[string]*Reply // by request id
}

// add makes a reply known, so that credit finds it.
func (c *conn) add(r *Reply) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil {
		return ErrClientGone
	}
	if _, ok := c.replies[r.request]; ok {
		return errRepeated
	}
	if len(c.replies) >= maxPerClient {
		return errBusy
	}
	c.replies[r.request] = r
	return nil
}

func (c *conn) remove(r *Reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.replies, r.request)
}

func (c *conn) reply(request string) *Reply {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.replies[request]
}

// registry holds the live connections by name.
type registry struct {
	mu    sync.Mutex
	conns map[string]*conn
}

var (
	errNameInUse = errors.New("client name is in use")
	errTooMany   = errors.New("too many connections")
)

// add reserves the name of the identity for a new connection.
func (g *registry) add(ctx context.Context, id auth.Identity) (*conn, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.conns[id.Name]; ok {
		return nil, errNameInUse
	}
	if len(g.conns) >= maxConns {
		return nil, errTooMany
	}
	c := &conn{Identity: id, replies: map[string]*Reply{}}
	c.ctx, c.cancel = context.WithCancelCause(ctx)
	g.conns[id.Name] = c
	return c, nil
}

func (g *registry) remove(c *conn) {
	g.mu.Lock()
	delete(g.conns, c.Name)
	g.mu.Unlock()
	c.cancel(ErrClientGone)
}

func (g *registry) get(name string) *conn {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.conns[name]
}

func (g *registry) len() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.conns)
}
