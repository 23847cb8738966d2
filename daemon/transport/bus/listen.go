package bus

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nkeys"

	"autopilot/events/wire"
)

// Listen is where other NATS clients and other hosts are let in, and who.
type Listen struct {
	Address    string // HOST:PORT
	Cert, Key  string // files of the TLS certificate; empty is none, which only a loopback address may do
	Identities []Remote
}

// Remote is who may connect over the network: whoever has the private key.
type Remote struct {
	Name string // of its subjects and of its actor
	Key  string // public
	May  wire.Class
}

// Errors of a listener that cannot be.
var (
	ErrAddress = errors.New("no address")
	ErrPlain   = errors.New("without TLS others could read along")
	ErrSeed    = errors.New("this is a private key")
	ErrNoKey   = errors.New("this is not a public key")
	ErrName    = errors.New("no name of an identity")
)

// CheckAddress refuses what cannot be listened on. Without TLS it is loopback
// that is left.
func CheckAddress(address string, secure bool) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return ErrAddress
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
		return ErrAddress
	}
	if secure || host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err != nil || !ip.IsLoopback() {
		return ErrPlain
	}
	return nil
}

// CheckKey refuses what is not the public key of a user.
func CheckKey(key string) error {
	switch {
	case nkeys.IsValidPublicUserKey(key):
		return nil
	case strings.HasPrefix(key, "S") && len(key) > 50:
		return ErrSeed
	}
	return ErrNoKey
}

// CheckName refuses a name that the client of a socket could have.
func CheckName(name string) error {
	if wire.ValidClient(name) {
		return ErrName
	}
	return nil
}

// Listening is how a listener is.
type Listening struct {
	Address    string // that is listened on, or shall be
	TLS        bool
	Problem    error // why nobody is let in now; nil is none
	Identities []Remote
	Clients    int // connections now
}

// certificate is read again when its file is another one: it is renewed while
// the daemon runs.
type certificate struct {
	cert, key string

	mu   sync.Mutex
	read time.Time // when the files were changed
	pair *tls.Certificate
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	changed, err := latest(c.cert, c.key)
	if err == nil && c.pair != nil && changed.Equal(c.read) {
		return c.pair, nil
	}
	var pair tls.Certificate
	if err == nil {
		pair, err = tls.LoadX509KeyPair(c.cert, c.key)
	}
	if err != nil && c.pair != nil {
		return c.pair, nil // half renewed, most likely: the one that was read is as good as ever
	}
	if err != nil {
		return nil, fmt.Errorf("read the certificate: %w", err)
	}
	c.pair, c.read = &pair, changed
	return c.pair, nil
}

// latest is when one of the files was changed last.
func latest(paths ...string) (at time.Time, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return at, err
		}
		if info.ModTime().After(at) {
			at = info.ModTime()
		}
	}
	return at, nil
}
