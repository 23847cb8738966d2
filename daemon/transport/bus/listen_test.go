package bus

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"autopilot/events/wire"
)

// writeCertificate makes a certificate for 127.0.0.1 and gives what trusts it.
func writeCertificate(t *testing.T, dir string) *x509.CertPool {
	t.Helper()
	key := must(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	about := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "autopilot"}, NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der := must(x509.CreateCertificate(rand.Reader, about, about, &key.PublicKey, key))
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must(x509.MarshalPKCS8PrivateKey(key))})
	if err := errors.Join(os.WriteFile(filepath.Join(dir, "cert"), cert, 0o600), os.WriteFile(filepath.Join(dir, "key"), private, 0o600)); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(cert)
	return pool
}

func TestTLSIsAskedForAndRenewed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pool := writeCertificate(t, dir)
	b, keys := listening(t, func(c *Config) {
		c.Listen.Cert, c.Listen.Key = filepath.Join(dir, "cert"), filepath.Join(dir, "key")
	}, echo())
	trusting := func(pool *x509.CertPool) nats.Option {
		return nats.Secure(&tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12})
	}
	c, err := dialTCP(t, b, keys, "alice", trusting(pool))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := c.ask(t, wire.RunGet.Spec, "r", ""); err != nil || got != "key:alice@h" {
		t.Errorf("%q %v", got, err)
	}
	if state, err := c.TLSConnectionState(); err != nil || state.Version < tls.VersionTLS12 {
		t.Errorf("TLS: %v", err)
	}
	if _, err := dialTCP(t, b, keys, "alice", trusting(x509.NewCertPool())); err == nil {
		t.Error("a certificate that is not trusted was taken")
	}
	k, nonce := talkTCP(t, b)
	k.say(t, connectWith(t, keys["alice"], nonce)+"PING\r\n")
	if line := k.line(t); strings.HasPrefix(line, "PONG") {
		t.Error("a client without TLS was let in")
	}
	renewed := writeCertificate(t, dir)
	later := time.Now().Add(time.Minute) // whatever the clock of the disk tells apart
	if err := os.Chtimes(filepath.Join(dir, "cert"), later, later); err != nil {
		t.Fatal(err)
	}
	if _, err := dialTCP(t, b, keys, "alice", trusting(renewed)); err != nil {
		t.Errorf("renewed: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "cert"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dialTCP(t, b, keys, "alice", trusting(renewed)); err != nil {
		t.Errorf("half written: %v", err)
	}
}

func TestWhereItCannotListenTheDaemonServesAllTheSame(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	b, _ := listening(t, func(c *Config) { c.Listen.Address = taken.Addr().String() }, echo())
	if l, ok := b.Listening(); !ok || l.Problem == nil || l.Problem.Error() != "address already in use" || l.Address != taken.Addr().String() {
		t.Errorf("%+v", l)
	}
	if _, err := mustDial(t, b.cfg.Places.Socket).ask(t, wire.RunGet.Spec, "r", ""); err != nil {
		t.Error(err)
	}
	_ = taken.Close()
	b.bridge.remote.open() // as it is tried from time to time
	b.address(t)
	without, _ := listening(t, func(c *Config) { c.Listen.Cert, c.Listen.Key = "/nonexistent/cert", "/nonexistent/key" }, nil)
	if l, _ := without.Listening(); l.Problem == nil || !strings.Contains(l.Problem.Error(), "/nonexistent/cert") {
		t.Errorf("%+v", l)
	}
}

func TestAnAddressWithoutTLSIsLoopback(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		address string
		plain   error
		secure  error
	}{
		{"127.0.0.1:4222", nil, nil},
		{"127.9.9.9:1", nil, nil},
		{"[::1]:4222", nil, nil},
		{"localhost:0", nil, nil},
		{"0.0.0.0:4222", ErrPlain, nil},
		{":4222", ErrPlain, nil},
		{"[::]:4222", ErrPlain, nil},
		{"192.168.0.1:4222", ErrPlain, nil},
		{"example.com:4222", ErrPlain, nil},
		{"127.0.0.1", ErrAddress, ErrAddress},
		{"127.0.0.1:", ErrAddress, ErrAddress},
		{"127.0.0.1:nats", ErrAddress, ErrAddress},
		{"127.0.0.1:65536", ErrAddress, ErrAddress},
		{"127.0.0.1:+1", ErrAddress, ErrAddress},
		{"nats://127.0.0.1:4222", ErrAddress, ErrAddress},
		{"", ErrAddress, ErrAddress},
	} {
		if got := CheckAddress(tc.address, false); !errors.Is(got, tc.plain) {
			t.Errorf("%s without TLS: %v", tc.address, got)
		}
		if got := CheckAddress(tc.address, true); !errors.Is(got, tc.secure) {
			t.Errorf("%s with TLS: %v", tc.address, got)
		}
	}
}

func TestASeedIsNoPublicKey(t *testing.T) {
	t.Parallel()
	pair := must(nkeys.CreateUser())
	account := must(nkeys.CreateAccount())
	for key, want := range map[string]error{
		must(pair.PublicKey()): nil, string(must(pair.Seed())): ErrSeed, must(account.PublicKey()): ErrNoKey, "": ErrNoKey, "UABC": ErrNoKey,
	} {
		if got := CheckKey(key); !errors.Is(got, want) {
			t.Errorf("%.4s: got %v, want %v", key, got, want)
		}
	}
}
