package bus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"autopilot/daemon/auth"
	"autopilot/events/log"
	"autopilot/events/place"
)

// Durability says what an acknowledged event survives.
type Durability string

// The durabilities.
const (
	Power   Durability = "power"   // a power cut: every write is synced before it is acknowledged
	Process Durability = "process" // a killed daemon, not a power cut
)

// DefaultQuota bounds the event store when the configuration does not, in bytes.
const DefaultQuota = 4 << 30

// LogConfig configures an event log of quota bytes; 0 is DefaultQuota. A part of the
// quota is reserved for the ends of runs.
func LogConfig(quota int64) log.Config {
	if quota <= 0 {
		quota = DefaultQuota
	}
	return log.Config{Quota: quota, Reserve: quota / 16}
}

// storeBytes is the server's own limit: it leaves room above the log's, which is
// the one that a user sets and is shown.
func storeBytes(quota int64) int64 { return quota + quota/16 }

// maxMemory bounds the memory streams of the server; there are none.
const maxMemory = 64 << 20

// maxSubs bounds the subscriptions of one connection.
const maxSubs = 4096

// Config is what a bus is opened with.
type Config struct {
	Places     place.Places
	Lock       *StateLock // held on Places.State
	Durability Durability // empty is Power
	Quota      int64      // bytes of event store, 0 is DefaultQuota
	Version    string     // of the daemon; goes with every reply
	Host       string     // in actors and the server's name; empty is the host's name
	Log        *slog.Logger

	// Identify says who the process is: auth.KindEffect with the effect's id if it
	// descends from an effect, else auth.KindLocal. The zero Identity refuses it,
	// as for a process that is gone. It is called from many goroutines.
	Identify func(pid, uid int) auth.Identity

	// Listen lets in who has a key, over the network; nil is nobody.
	Listen *Listen

	// CreditTimeout is how long a reply waits for a client that gives no
	// credit; 0 is wire.CreditTimeout.
	CreditTimeout time.Duration
}

func (c Config) check() (Config, error) {
	if !c.Lock.held(c.Places.State) {
		return c, fmt.Errorf("open bus: the lock on %s is not held", c.Places.State)
	}
	if c.Identify == nil || c.Log == nil {
		return c, errors.New("open bus: Identify and Log are needed")
	}
	switch c.Durability {
	case "":
		c.Durability = Power
	case Power, Process:
	default:
		return c, fmt.Errorf("open bus: durability %q: want %s or %s", c.Durability, Power, Process)
	}
	if c.Quota <= 0 {
		c.Quota = DefaultQuota
	}
	if c.Host == "" {
		c.Host, _ = os.Hostname() // an empty one is a name too
	}
	return c, nil
}

// Bus is an open bus.
type Bus struct {
	cfg    Config
	srv    *server.Server
	tokens *tokens
	bridge *bridge
	cancel context.CancelCauseFunc

	refused refusals

	mu      sync.Mutex
	service *service
	own     []*nats.Conn
}

// Open starts the server on the store of the state directory. Nobody is let
// in before Serve.
func Open(cfg Config) (*Bus, error) {
	cfg, err := cfg.check()
	if err != nil {
		return nil, err
	}
	if err := cfg.Places.MakeRuntime(); err != nil {
		return nil, err
	}
	b := &Bus{cfg: cfg, tokens: newTokens(time.Now)}
	if b.srv, err = startServer(cfg, b.tokens); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	b.cancel = cancel
	b.bridge = &bridge{
		pipe: b.srv.InProcessConn, prepare: cfg.Places.MakeRuntime, tokens: b.tokens, clients: &registry{conns: map[string]*conn{}},
		identify: cfg.Identify, host: cfg.Host, uid: os.Getuid(), log: cfg.Log,
		ctx: ctx, ready: make(chan struct{}),
		listeners: map[*socket]struct{}{}, sockets: map[net.Conn]struct{}{},
	}
	b.bridge.wg.Go(b.bridge.look)
	return b, nil
}

func startServer(cfg Config, auth server.Authentication) (*server.Server, error) {
	srv, err := server.NewServer(&server.Options{
		ServerName: "autopilot-" + cfg.Host,
		Host:       "127.0.0.1", DontListen: true, NoSigs: true,
		JetStream: true, StoreDir: filepath.Join(cfg.Places.State, "store"),
		SyncAlways:        cfg.Durability == Power,
		JetStreamMaxStore: storeBytes(cfg.Quota), JetStreamMaxMemory: maxMemory,
		DisableJetStreamBanner: true,
		MaxPayload:             maxPayload, MaxControlLine: maxLine, MaxSubs: maxSubs,
		NoFastProducerStall:        true, // one slow client must not slow the answers to others
		CustomClientAuthentication: auth, AuthTimeout: greetWithin.Seconds(),
	})
	if err != nil {
		return nil, fmt.Errorf("make event server: %w", err)
	}
	log := &serverLog{log: cfg.Log, breaches: seldom{every: strangerLog, now: time.Now}}
	srv.SetLoggerV2(log, false, false, false)
	srv.Start() // returns when the store is recovered, as it listens nowhere
	err = log.failed()
	if err == nil && !srv.ReadyForConnections(pipeWait) {
		err = errors.New("not ready")
	}
	if err == nil && !srv.JetStreamEnabled() {
		err = errors.New("the event store is not available")
	}
	if err != nil {
		srv.Shutdown()
		srv.WaitForShutdown()
		return nil, fmt.Errorf("start event server: %w", err)
	}
	return srv, nil
}

// Daemon makes an in-process connection with all permissions, for the event
// log. Close closes it, if the caller has not.
func (b *Bus) Daemon() (*nats.Conn, error) { return b.connect("daemon", nil) }

// On a host that has much to do it is no sign of anything that a greeting takes long:
// that of the server to a connection within this process, and that of a client.
const (
	pipeWait    = 30 * time.Second
	greetWithin = 10 * time.Second // as long as apctl waits for its part
)

// connect makes an in-process connection with the permissions; nil is all.
func (b *Bus) connect(name string, perms *server.Permissions) (*nats.Conn, error) {
	nc, err := nats.Connect("nats://127.0.0.1",
		nats.InProcessServer(b.srv), nats.Name(name), nats.NoReconnect(), nats.Timeout(pipeWait),
		nats.TokenHandler(func() string { return b.tokens.issue(perms) }),
		nats.ErrorHandler(func(_ *nats.Conn, sub *nats.Subscription, err error) {
			subject := ""
			if sub != nil {
				subject = sub.Subject
			}
			b.cfg.Log.Error("event server connection", "name", name, "subject", subject, "error", err)
		}))
	if err != nil {
		return nil, fmt.Errorf("connect %s: %w", name, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.own = append(b.own, nc)
	return nc, nil
}

// ListenEffect opens a socket whose every connection is the effect, and gives
// its path for AUTOPILOT_SOCKET. closeSocket removes it; live connections stay,
// and so does its directory, as the effect may outlive this daemon.
func (b *Bus) ListenEffect(effect string) (path string, closeSocket func(), err error) {
	if effect == "" {
		return "", nil, errors.New("listen for effect: no id")
	}
	if path, err = b.cfg.Places.EffectSocket(effect); err != nil {
		return "", nil, err
	}
	s, err := b.bridge.listen(path, effect)
	if err != nil {
		return "", nil, err
	}
	return path, func() { b.bridge.unlisten(s) }, nil
}

// Clients is the number of connections of clients now.
func (b *Bus) Clients() int { return b.bridge.clients.len() }

// Close ends everything: streams at once, other requests when their handlers
// return, or when ctx ends. Then connections and the server.
func (b *Bus) Close(ctx context.Context) error {
	b.mu.Lock()
	svc, own := b.service, b.own
	b.service, b.own = nil, nil
	b.mu.Unlock()
	var errs []error
	if svc != nil {
		errs = append(errs, svc.close(ctx))
	}
	b.cancel(ErrClosing)
	for _, nc := range own {
		nc.Close()
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.srv.Shutdown() // before the bridge, so that what was answered reaches its client
		b.bridge.close()
		b.srv.WaitForShutdown()
	}()
	select {
	case <-done:
	case <-ctx.Done():
		errs = append(errs, fmt.Errorf("close bus: %w", ctx.Err()))
	}
	return errors.Join(errs...)
}
