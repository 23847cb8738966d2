package client

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/oklog/ulid/v2"

	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// ErrNoDaemon is wrapped when nobody listens on the socket. Its *wire.Error
// has the code unreachable.
var ErrNoDaemon = errors.New("no daemon is running")

// Options of a client. The zero value works.
type Options struct {
	Version string            // of this program; goes with every request
	Warn    func(text string) // gets the one warning about versions; nil drops it

	// Start makes a daemon serve, for Ensure; nil is Start of this package.
	// It returns when the daemon serves.
	Start func(ctx context.Context, p place.Places) error
}

// Client is a connection to the daemon.
type Client struct {
	nc      *nats.Conn
	name    string
	version string
	warn    func(string)
	closed  chan struct{} // the connection is over
	inboxes atomic.Uint64

	once   sync.Once // the first reply
	daemon atomic.Pointer[string]
}

// connectTimeout bounds the handshake when the context does not.
const connectTimeout = 10 * time.Second

// Dial connects to the socket.
func Dial(ctx context.Context, socket string, opts Options) (*Client, error) {
	var random [26]byte
	if _, err := rand.Read(random[:]); err != nil {
		return nil, fmt.Errorf("draw client name: %w", err)
	}
	c := &Client{name: wire.ClientName(random), version: opts.Version, warn: opts.Warn, closed: make(chan struct{})}
	timeout := connectTimeout
	if end, ok := ctx.Deadline(); ok {
		timeout = min(timeout, max(time.Until(end), time.Millisecond))
	}
	d := &dialer{ctx: ctx, socket: socket}
	nc, err := nats.Options{
		Url:          "nats://127.0.0.1", // an address: a name would be looked up
		CustomDialer: d,
		Name:         c.name, InboxPrefix: wire.Inbox(c.name),
		Timeout: timeout, MaxPingsOut: nats.DefaultMaxPingOut, PingInterval: nats.DefaultPingInterval,
		SubChanLen: nats.DefaultMaxChanLen, IgnoreDiscoveredServers: true,
		ClosedCB: func(*nats.Conn) { close(c.closed) },
		// Who waits for an answer is told; the library would write to stderr.
		AsyncErrorCB: func(*nats.Conn, *nats.Subscription, error) {},
	}.Connect()
	if err != nil {
		if d.err != nil {
			err = d.err // the library has another word for a refused connection
		}
		return nil, dialError(ctx, socket, err)
	}
	c.nc = nc
	return c, nil
}

// dialer reaches the socket, whatever address it is asked for.
type dialer struct {
	ctx    context.Context
	socket string
	err    error
}

func (d *dialer) Dial(string, string) (c net.Conn, err error) {
	var nd net.Dialer
	c, d.err = nd.DialContext(d.ctx, "unix", d.socket)
	return c, d.err
}

func dialError(ctx context.Context, socket string, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ECONNREFUSED), hungUp(err):
		return &unreachable{&wire.Error{Code: wire.Unreachable, Message: fmt.Sprintf("%v (%s)", ErrNoDaemon, socket), Hint: "apctl daemon start"}, ErrNoDaemon}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, nats.ErrAuthorization):
		return wire.Errorf(wire.Denied, "the daemon at %s does not let this process in", socket)
	}
	if text, ok := strings.CutPrefix(err.Error(), "nats: "); ok && isRefusal(text) {
		return wire.Errorf(wire.Denied, "the daemon refused this process: %s", text)
	}
	return &unreachable{wire.Errorf(wire.Unreachable, "connect to the daemon at %s: %v", socket, err), err}
}

// hungUp says that the daemon ended in the middle of the handshake. Nothing was
// asked of it before that, so it is as if it had ended earlier.
func hungUp(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// isRefusal tells the daemon's own refusals from troubles of the connection.
func isRefusal(text string) bool {
	return strings.Contains(text, "cannot be identified") || strings.Contains(text, "another user") || strings.Contains(text, "client name")
}

// unreachable is a *wire.Error with a cause that callers can test for.
type unreachable struct {
	said  *wire.Error
	cause error
}

func (u *unreachable) Error() string { return u.said.Message }

func (u *unreachable) Unwrap() []error { return []error{u.said, u.cause} }

// Close ends the connection. Open calls end with an error. It returns nil.
func (c *Client) Close() error {
	c.nc.Close()
	return nil
}

// DaemonVersion is the version of the daemon, empty before its first answer.
func (c *Client) DaemonVersion() string {
	if v := c.daemon.Load(); v != nil {
		return *v
	}
	return ""
}

// Exchange sends req under an id, a ULID, and decodes the answer into reply, which may
// be nil. Call is its typed form.
func (c *Client) Exchange(ctx context.Context, id string, v wire.Spec, req, reply any) error {
	x, err := c.begin(ctx, id, v, req)
	if err != nil {
		return err
	}
	defer x.end()
	var all []byte
	for {
		f, err := x.next(ctx)
		if err != nil {
			return err
		}
		if all == nil && f.Last() {
			all = f.Payload
		} else {
			all = append(all, f.Payload...)
		}
		if !f.Last() {
			continue
		}
		if err := f.Err(); err != nil {
			return err
		}
		if reply == nil || len(all) == 0 {
			return nil
		}
		return decode(v, all, reply)
	}
}

// Put stores a text in the daemon's blob store.
func (c *Client) Put(ctx context.Context, data []byte) (events.Ref, error) {
	if len(data) > wire.MaxBlob {
		return "", wire.Errorf(wire.Usage, "a text of %d bytes is too long: at most %d are taken", len(data), wire.MaxBlob)
	}
	q := wire.BlobChunk{Upload: ulid.Make().String()}
	var got wire.BlobReply
	for {
		n := min(len(data)-int(q.Offset), wire.MaxChunk)
		q.Data = data[q.Offset:][:n]
		q.Last = int(q.Offset)+n == len(data)
		if err := Call(ctx, c, wire.BlobPut, q, &got); err != nil {
			return "", err
		}
		if q.Last {
			return got.Ref, nil
		}
		q.Offset += int64(n)
	}
}

// greeted notes the daemon's version, and warns once when it differs.
func (c *Client) greeted(version string) {
	c.once.Do(func() {
		c.daemon.Store(&version)
		if c.warn != nil && version != "" && c.version != "" && version != c.version {
			c.warn(fmt.Sprintf("the daemon is version %s, this program %s; \"apctl daemon restart\" brings them together (runs go on)", version, c.version))
		}
	})
}
