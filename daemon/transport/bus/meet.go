package bus

import (
	"bufio"
	"crypto/rand"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"autopilot/daemon/auth"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"
)

// errKey is what NATS clients know as their credentials being wrong.
var errKey = errors.New("Authorization Violation") //nolint:staticcheck // the protocol's own words

var errVerbose = errors.New("verbose is not supported")

// meet is everything until who connects is known.
func (r *remote) meet(tc *net.TCPConn) (who Remote, cl client, err error) {
	_ = tc.SetDeadline(time.Now().Add(strangerTimeout))
	nonce := rand.Text()
	hi, err := r.greeting(nonce)
	if err != nil {
		return who, cl, err
	}
	if _, err := tc.Write(hi); err != nil {
		return who, cl, err
	}
	cl.link = tc
	if r.tls != nil {
		secure := tls.Server(tc, r.tls)
		if err := secure.HandshakeContext(r.b.ctx); err != nil {
			cl.link = nil // it does not speak TLS, so nothing can be said to it
			return who, cl, fmt.Errorf("TLS: %w", err)
		}
		cl.link = secured{secure, tc}
	}
	cl.in = bufio.NewReaderSize(cl.link, bufferSize)
	in, err := readConnect(cl.in)
	if err != nil {
		return who, cl, err
	}
	who, ok := r.keys[in.NKey]
	if !ok || !signed(in, nonce) {
		return Remote{}, cl, errKey
	}
	if in.Verbose {
		return who, cl, errVerbose
	}
	return who, cl, r.b.farEnd(tc)
}

// secured is a connection with TLS. To end what is read of it, the one below is
// ended: it has no way of its own.
type secured struct {
	*tls.Conn
	tcp *net.TCPConn
}

func (s secured) CloseRead() error { return s.tcp.CloseRead() }

// greeting is the INFO that a client gets first.
func (r *remote) greeting(nonce string) ([]byte, error) {
	b, err := json.Marshal(struct {
		ID          string `json:"server_id"`
		Name        string `json:"server_name"`
		Version     string `json:"version"`
		Proto       int    `json:"proto"`
		Headers     bool   `json:"headers"`
		Auth        bool   `json:"auth_required"`
		TLSRequired bool   `json:"tls_required,omitzero"`
		MaxPayload  int    `json:"max_payload"`
		Nonce       string `json:"nonce"`
	}{r.id, "autopilot-" + r.b.host, server.VERSION, 1, true, true, r.tls != nil, maxPayload, nonce})
	if err != nil {
		return nil, fmt.Errorf("encode INFO: %w", err)
	}
	return append(append([]byte("INFO "), b...), "\r\n"...), nil
}

// signed says that who connects has the private key.
func signed(in introduction, nonce string) bool {
	sig, err := base64.RawURLEncoding.DecodeString(in.Signature)
	if err != nil {
		if sig, err = base64.StdEncoding.DecodeString(in.Signature); err != nil {
			return false
		}
	}
	key, err := nkeys.FromPublicKey(in.NKey)
	return err == nil && key.Verify([]byte(nonce), sig) == nil
}

// errFromEffect is for what the daemon itself started: a key in its reach makes
// nobody else of it.
var errFromEffect = errors.New("what the daemon started cannot connect with a key")

// farEnd refuses an effect, where the connection comes from this host.
func (b *bridge) farEnd(tc *net.TCPConn) error {
	far, ok := addrOf(tc.RemoteAddr())
	near, ok2 := addrOf(tc.LocalAddr())
	if !ok || !ok2 {
		return errUnknownPeer
	}
	pids, err := holders(far, near, b.uid)
	if err != nil {
		return errUnknownPeer
	}
	for _, pid := range pids {
		if b.identify(pid, b.uid).Kind == auth.KindEffect {
			return errFromEffect
		}
	}
	return nil
}

func addrOf(a net.Addr) (netip.AddrPort, bool) {
	t, ok := a.(*net.TCPAddr)
	if !ok {
		return netip.AddrPort{}, false
	}
	p := t.AddrPort()
	return netip.AddrPortFrom(p.Addr().Unmap().WithZone(""), p.Port()), true
}
