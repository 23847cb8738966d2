package bus

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"autopilot/events/wire"
)

func TestOnlyWhoSignsWithAKnownKeyIsLetIn(t *testing.T) {
	t.Parallel()
	var logged syncBuffer
	b, keys := listening(t, func(c *Config) { c.Log = slog.New(slog.NewTextHandler(&logged, nil)) }, nil)
	keys.add(t, "mallory", wire.Operate)
	public, _ := keys["alice"].PublicKey()
	token := b.tokens.issue(nil)
	wrong := map[string][]nats.Option{
		"an unknown key":      {nats.Nkey(must(keys["mallory"].PublicKey()), keys["mallory"].Sign)},
		"another's signature": {nats.Nkey(public, keys["mallory"].Sign)},
		"an old signature":    {nats.Nkey(public, func([]byte) ([]byte, error) { return keys["alice"].Sign([]byte("nonce")) })},
		"a token of the pipe": {nats.Token(token)},
		"a password":          {nats.UserInfo("alice", "x")},
		"nothing":             nil,
	}
	for name, opts := range wrong {
		nc, err := nats.Connect("nats://"+b.address(t), append(opts, nats.NoReconnect(), nats.Timeout(limit))...)
		if !errors.Is(err, nats.ErrAuthorization) {
			t.Errorf("%s: got %v", name, err)
		}
		if err == nil {
			nc.Close()
		}
	}
	if n := strings.Count(logged.String(), "connection over the network refused"); n != 1 {
		t.Errorf("%d lines of the log for %d refusals:\n%s", n, len(wrong), logged.String())
	}
	if g, ok := b.tokens.redeem(token); !ok || g.perms != nil {
		t.Error("the token was used over the network")
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// talkTCP speaks the protocol by hand, and gives the nonce.
func talkTCP(t testing.TB, b *Bus) (*talk, string) {
	t.Helper()
	c, err := net.Dial("tcp", b.address(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	_ = c.SetDeadline(time.Now().Add(limit))
	k := &talk{Conn: c, in: bufio.NewReader(c)}
	line := k.line(t)
	_, rest, _ := strings.Cut(line, `"nonce":"`)
	nonce, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("no nonce in %q", line)
	}
	return k, nonce
}

func connectWith(t testing.TB, pair nkeys.KeyPair, nonce string) string {
	t.Helper()
	sig, err := pair.Sign([]byte(nonce))
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("CONNECT {\"verbose\":false,\"nkey\":%q,\"sig\":%q}\r\n", must(pair.PublicKey()), base64.RawURLEncoding.EncodeToString(sig))
}

func TestASignatureIsGoodForOneConnection(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, nil)
	first, nonce := talkTCP(t, b)
	hi := connectWith(t, keys["alice"], nonce)
	first.say(t, hi+"PING\r\n")
	if line := first.line(t); line != "PONG" {
		t.Fatalf("got %q", line)
	}
	second, _ := talkTCP(t, b)
	second.say(t, hi+"PING\r\n")
	if line := second.line(t); line != "-ERR 'Authorization Violation'" {
		t.Errorf("replayed: %q", line)
	}
	first.say(t, hi)
	for line := ""; line != "-ERR 'second CONNECT'"; {
		if line = first.line(t); line == "closed" || strings.HasPrefix(line, "PONG") {
			t.Fatalf("a second CONNECT: %q", line)
		}
	}
}

func TestAKeyIsNothingOnThePipe(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, nil)
	pipe, err := b.srv.InProcessConn()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	k := &talk{Conn: pipe, in: bufio.NewReader(pipe)}
	k.line(t) // INFO
	k.say(t, connectWith(t, keys["alice"], ""))
	if line := k.line(t); line != "-ERR 'Authorization Violation'" {
		t.Errorf("got %q", line)
	}
	if a := b.srv.Addr(); a != nil {
		t.Errorf("the server itself listens on %v", a)
	}
}

func TestWhatSpeaksNoNATSIsEnded(t *testing.T) {
	t.Parallel()
	b, _ := listening(t, nil, nil)
	for _, said := range []string{"POST / HTTP/1.1\r\nHost: x\r\n\r\n", "PING\r\n", "CONNECT {\"name\":1}\r\n", "CONNECT {\"nkey\":\"a\",\"nkey\":\"b\"}\r\n", strings.Repeat("x", 10_000), "\x16\x03\x01\x02\x00\x01"} {
		k, _ := talkTCP(t, b)
		k.say(t, said)
		_ = k.Conn.(*net.TCPConn).CloseWrite()
		if line := k.line(t); !strings.HasPrefix(line, "-ERR 'protocol error") && line != "closed" {
			t.Errorf("%.20q: got %q", said, line)
		}
	}
}

func TestAVerboseClientIsToldThatItIsNot(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, nil)
	k, nonce := talkTCP(t, b)
	k.say(t, strings.Replace(connectWith(t, keys["alice"], nonce), `"verbose":false`, `"verbose":true`, 1))
	if line := k.line(t); line != "-ERR 'verbose is not supported'" {
		t.Errorf("got %q", line)
	}
}
