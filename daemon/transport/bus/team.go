package bus

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Team is the NATS servers with JetStream that several daemons share.
type Team struct {
	URL         string // of the servers, with commas between them; without user and password
	Credentials string // file: of a user with JWT and key, or its key alone; empty is nobody
	CA          string // file with the certificate that signs theirs; empty is what the host trusts
	Replicas    int    // of what is stored there
}

// Errors of a team that cannot be.
var (
	ErrTeamURL    = errors.New("no address of a NATS server")
	ErrTeamSecret = errors.New("an address with a user or password")
	ErrTeamOpen   = errors.New("other users of this host can read them")
)

// CheckTeamURL refuses what cannot be connected to, and secrets: an address is
// shown.
func CheckTeamURL(text string) error {
	for _, one := range strings.Split(text, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		switch {
		case err != nil || u.Host == "":
			return ErrTeamURL
		case u.User != nil:
			return ErrTeamSecret
		case u.Scheme != "nats" && u.Scheme != "tls" && u.Scheme != "ws" && u.Scheme != "wss":
			return ErrTeamURL
		}
	}
	return nil
}

// Bounds of how the servers of a team are tried.
const (
	teamDial = 3 * time.Second
	teamWait = 250 * time.Millisecond
	// A server that answers none of so many pings is left for another one.
	teamPing  = time.Second
	teamPings = 2
)

// TeamLink is a connection to the servers of a team. It comes back by itself when
// it is lost.
type TeamLink struct {
	nc *nats.Conn

	mu     sync.Mutex
	lost   error
	denied error // what the servers do not let this user do
}

// DialTeam connects, once. changed is told whenever the link is lost (why) or is
// there again (nil); it does not block.
func DialTeam(t Team, name string, changed func(error)) (*TeamLink, error) {
	if err := CheckTeamURL(t.URL); err != nil {
		return nil, err
	}
	l := &TeamLink{}
	note := func(err error) {
		l.mu.Lock()
		l.lost = err
		l.mu.Unlock()
		changed(err)
	}
	options := []nats.Option{
		nats.Name(name), nats.Timeout(teamDial), nats.MaxReconnects(-1), nats.ReconnectWait(teamWait), nats.ReconnectJitter(teamWait, teamWait),
		nats.IgnoreAuthErrorAbort(), nats.PingInterval(teamPing), nats.MaxPingsOutstanding(teamPings),
		nats.ReconnectBufSize(-1), // what cannot be sent now is not sent later: the caller was told so
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err == nil {
				err = errors.New("it has ended")
			}
			note(fmt.Errorf("the connection was lost: %w", err))
		}),
		nats.ReconnectHandler(func(*nats.Conn) { note(nil) }),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) { l.tried(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { l.refused(err) }), // else what fails is an error of its caller
	}
	if t.Credentials != "" {
		o, err := credentials(t.Credentials)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	if t.CA != "" {
		options = append(options, nats.RootCAs(t.CA))
	}
	nc, err := nats.Connect(t.URL, options...)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", whyNot(t.URL, options, err))
	}
	l.nc = nc
	return l, nil
}

// credentials is how a user is proven: by a file with JWT and key, or with a key.
func credentials(file string) (nats.Option, error) {
	if info, err := os.Stat(file); err == nil && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("read the credentials: %w: chmod 600 %s (its mode is %04o)", ErrTeamOpen, file, info.Mode().Perm())
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read the credentials: %w", err)
	}
	if strings.Contains(string(text), "BEGIN NATS USER JWT") {
		return nats.UserCredentials(file), nil
	}
	o, err := nats.NkeyOptionFromSeed(file)
	if err != nil {
		// Its own error may have a part of the file.
		return nil, fmt.Errorf("read the credentials: %s has neither the JWT of a user nor a private key", file)
	}
	return o, nil
}

// Conn is the connection, for the log.
func (l *TeamLink) Conn() *nats.Conn { return l.nc }

// Lost is why nobody answers now; nil while somebody does.
func (l *TeamLink) Lost() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// tried is an attempt to connect again that failed. The most telling cause is kept:
// that a server is gone says less than that another one refuses.
func (l *TeamLink) tried(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil || telling(err) >= telling(l.lost) {
		l.lost = fmt.Errorf("connect again: %w", err)
	}
}

func (l *TeamLink) refused(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.denied = err
}

// Denied is what the servers did not let this user do, the latest of it.
func (l *TeamLink) Denied() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.denied
}

// Server is the address that the link is to.
func (l *TeamLink) Server() string { return l.nc.ConnectedUrlRedacted() }

// TLS says that nobody can read along.
func (l *TeamLink) TLS() bool {
	state, err := l.nc.TLSConnectionState()
	return err == nil && state.Version >= tls.VersionTLS12
}

// Move leaves the server for another one: it may be the only one that is cut off from
// the rest.
func (l *TeamLink) Move() { _ = l.nc.ForceReconnect() } // it fails at the end of the link alone

// Close ends the link.
func (l *TeamLink) Close() { l.nc.Close() }
