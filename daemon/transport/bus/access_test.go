package bus

import (
	"bufio"
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
)

// spy sees every message of the given subjects.
func spy(t *testing.T, b *Bus, subject string) *nats.Subscription {
	t.Helper()
	nc, err := b.Daemon()
	if err != nil {
		t.Fatal(err)
	}
	sub, err := nc.SubscribeSync(subject)
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Flush(); err != nil {
		t.Fatal(err)
	}
	return sub
}

// unseen proves that nothing reached the spy: a message that is sent after it
// is the first to come.
func unseen(t *testing.T, b *Bus, sub *nats.Subscription, subject string) {
	t.Helper()
	nc, err := b.Daemon()
	if err != nil {
		t.Fatal(err)
	}
	if err := nc.Publish(subject, []byte("marker")); err != nil {
		t.Fatal(err)
	}
	m, err := sub.NextMsg(limit)
	if err != nil {
		t.Fatal(err)
	}
	if string(m.Data) != "marker" {
		t.Errorf("%s got %q", m.Subject, m.Data)
	}
}

func TestAClientPublishesOnlyItsCommands(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, nil)
	c, other := mustDial(t, b.cfg.Places.Socket), mustDial(t, b.cfg.Places.Socket)
	for _, subject := range []string{
		"ap.event.run.x", "$JS.API.STREAM.LIST", "$SYS.REQ.SERVER.PING", "$SRV.PING", "_INBOX." + other.name + ".1",
		wire.CommandSubject(other.name, wire.RunGet.Spec), "ap.cmd", "x",
	} {
		sub := spy(t, b, subject)
		if err := c.Publish(subject, []byte("forged")); err != nil {
			t.Fatal(err)
		}
		if err := await(t, c.errs, "a refusal of "+subject); !strings.Contains(strings.ToLower(err.Error()), "permissions violation for publish") {
			t.Errorf("%s: got %v", subject, err)
		}
		unseen(t, b, sub, subject)
	}
}

func TestAClientReadsOnlyItsInbox(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, nil)
	c, other := mustDial(t, b.cfg.Places.Socket), mustDial(t, b.cfg.Places.Socket)
	for _, subject := range []string{">", "_INBOX.>", "_INBOX.*.1", wire.Inbox(other.name) + ".>", "ap.cmd.>", "ap.event.>", "$JS.>"} {
		if _, err := c.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		if err := await(t, c.errs, "a refusal of "+subject); !strings.Contains(strings.ToLower(err.Error()), "permissions violation for subscription") {
			t.Errorf("%s: got %v", subject, err)
		}
	}
}

func TestATraceHeaderReachesNoOtherSubject(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, nil)
	sub := spy(t, b, "ap.event.run.x")
	c := mustDial(t, b.cfg.Places.Socket)
	if err := c.PublishMsg(&nats.Msg{Subject: wire.CommandSubject(c.name, wire.RunGet.Spec), Header: nats.Header{"Nats-Trace-Dest": {"ap.event.run.x"}}}); err != nil {
		t.Fatal(err)
	}
	if err := c.Flush(); err != nil {
		t.Fatal(err)
	}
	unseen(t, b, sub, "ap.event.run.x")
}

func TestAReplyGoesOnlyToItsClient(t *testing.T) {
	t.Parallel()
	called := make(chan string, 8)
	b := openBus(t, nil, map[string]Handler{wire.RunGet.Name: func(_ context.Context, q auth.Request, _ []byte, _ *Reply) error {
		called <- q.ID
		return nil
	}})
	c, other := mustDial(t, b.cfg.Places.Socket), mustDial(t, b.cfg.Places.Socket)
	for _, reply := range []string{"ap.event.run.x", "_INBOX." + other.name + ".1", "_INBOX." + c.name + ".*", ""} {
		if err := c.PublishMsg(&nats.Msg{Subject: wire.CommandSubject(c.name, wire.RunGet.Spec), Reply: reply, Header: nats.Header{wire.HeaderRequest: {"forged"}}}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.ask(t, wire.RunGet.Spec, "honest", ""); err != nil {
		t.Fatal(err)
	}
	if id := await(t, called, "the handler"); id != "honest" {
		t.Errorf("request %q was answered", id)
	}
}

func TestTheAnswerConnectionReachesOnlyInboxes(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, nil)
	sub := spy(t, b, "ap.event.run.x")
	if err := b.service.answer.Publish("ap.event.run.x", []byte("aimed")); err != nil {
		t.Fatal(err)
	}
	if err := b.service.answer.Flush(); err != nil {
		t.Fatal(err)
	}
	unseen(t, b, sub, "ap.event.run.x")
}

func TestANameInUseIsRefused(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, nil)
	c := mustDial(t, b.cfg.Places.Socket)
	if _, err := dialRaw(t, b.cfg.Places.Socket, c.name); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("got %v", err)
	}
	for _, name := range []string{"", "me", "*", strings.Repeat("a", 27), strings.Repeat("A", 26)} {
		if _, err := dialRaw(t, b.cfg.Places.Socket, name); err == nil || !strings.Contains(err.Error(), "client name") {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

func TestASecondConnectEndsTheConnection(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, nil)
	for name, second := range map[string]string{
		"plain":              `CONNECT {"name":"x"}` + "\r\n",
		"after a message":    "PUB ap.cmd.NAME.run.get 3\r\nabc\r\nCONNECT {}\r\n",
		"in lower case":      "connect {}\r\n",
		"with a tab":         "CONNECT\t{}\r\n",
		"split by a line":    "PING\nCONNECT {}\r\n",
		"behind a bare CR":   "SUB a\rCONNECT {} 1\r\n",
		"after a false size": "PUB ap.cmd.NAME.run.get 1\r\nCONNECT {}\r\nCONNECT {}\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := openTalk(t, b.cfg.Places.Socket)
			c := newName(t)
			k.hello(t, c)
			k.say(t, strings.ReplaceAll(second, "NAME", c))
			for line := ""; line != "closed"; {
				if line = k.line(t); strings.HasPrefix(line, "+OK") || strings.HasPrefix(line, "PONG") && name != "split by a line" {
					t.Fatalf("got %q", line)
				}
			}
		})
	}
}

func TestOnlyFreshTokensOfThePipeAreGood(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, nil)
	// connect tells the server a token on the in-process pipe.
	connect := func(token string) string {
		pipe, err := b.srv.InProcessConn()
		if err != nil {
			t.Fatal(err)
		}
		defer pipe.Close()
		k := &talk{Conn: pipe, in: bufio.NewReader(pipe)}
		k.line(t) // INFO
		line, err := connectLine(newName(t), token)
		if err != nil {
			t.Fatal(err)
		}
		k.say(t, string(line))
		go func() { _, _ = pipe.Write([]byte("PING\r\n")) }() // nobody reads it after a refusal
		return k.line(t)
	}
	good := b.tokens.issue(nil)
	for _, tc := range []struct{ name, token, want string }{
		{"forged", "AAAA", "-ERR 'Authorization Violation'"},
		{"empty", "", "-ERR 'Authorization Violation'"},
		{"fresh", good, "PONG"},
		{"used", good, "-ERR 'Authorization Violation'"},
	} {
		if got := connect(tc.token); got != tc.want {
			t.Errorf("%s token: got %q, want %q", tc.name, got, tc.want)
		}
	}
	b.tokens.mu.Lock()
	now := time.Now()
	b.tokens.now = func() time.Time { return now }
	b.tokens.mu.Unlock()
	old := b.tokens.issue(nil)
	now = now.Add(tokenLife + time.Second)
	if got := connect(old); got == "PONG" {
		t.Error("an expired token was taken")
	}
	// What a client sends as token is not what the server gets.
	token := b.tokens.issue(nil)
	c, err := dialRaw(t, b.cfg.Places.Socket, newName(t), nats.Token(token))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Publish("ap.event.run.x", nil); err != nil {
		t.Fatal(err)
	}
	if err := await(t, c.errs, "a refusal"); err == nil {
		t.Error("no refusal")
	}
}

func TestNoPortIsOpen(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, nil)
	if a := b.srv.Addr(); a != nil {
		t.Errorf("the server listens on %v", a)
	}
	if a := b.srv.MonitorAddr(); a != nil {
		t.Errorf("the server is monitored on %v", a)
	}
}

func TestAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	p := testPlaces(t)
	lock, err := Lock(p, "test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = lock.Unlock() })
	b, err := Open(Config{Places: p, Lock: lock, Durability: Process, Log: slog.New(slog.DiscardHandler), Identify: local})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close(context.Background()) })
	b.bridge.uid++ // as if the daemon were another user's
	if err := b.Serve(nil); err != nil {
		t.Fatal(err)
	}
	if _, err := dialRaw(t, p.Socket, newName(t)); err == nil || !strings.Contains(err.Error(), "another user") {
		t.Errorf("got %v", err)
	}
}

func TestAProcessThatIsNotKnownIsRefused(t *testing.T) {
	t.Parallel()
	b := openBus(t, func(c *Config) { c.Identify = func(int, int) auth.Identity { return auth.Identity{} } }, nil)
	if _, err := dialRaw(t, b.cfg.Places.Socket, newName(t)); err == nil || !strings.Contains(err.Error(), "cannot be identified") {
		t.Errorf("got %v", err)
	}
}

// A program that an effect starts may speak NATS itself, to its own socket or to
// that of the daemon: it decides nothing, is nobody else, and sees no log.
func TestARawClientOfAnEffectDecidesNothing(t *testing.T) {
	t.Parallel()
	refuse := func(t *testing.T, b *Bus, socket string) {
		t.Helper()
		other := mustDial(t, b.cfg.Places.Socket)
		c := mustDial(t, socket)
		for _, v := range []wire.Spec{wire.RunAnswer.Spec, wire.SessionSubmit.Spec, wire.SessionAnswer.Spec, wire.TrustGive.Spec} {
			if _, err := c.ask(t, v, "r-"+strings.ReplaceAll(v.Name, ".", "-"), "{}"); code(err) != wire.Denied {
				t.Errorf("%s: got %v, want denied", v.Name, err)
			}
		}
		if n := b.Refused("E1"); n != 4 {
			t.Errorf("%d refused requests are counted, want 4", n)
		}
		for _, subject := range []string{
			wire.CommandSubject(other.name, wire.RunAnswer.Spec), wire.Inbox(other.name) + ".1", "ap.event.run.x", "$JS.API.STREAM.LIST", "$JS.API.STREAM.DELETE.x",
		} {
			sub := spy(t, b, subject)
			if err := c.Publish(subject, []byte("forged")); err != nil {
				t.Fatal(err)
			}
			if err := await(t, c.errs, "a refusal of "+subject); !strings.Contains(strings.ToLower(err.Error()), "permissions violation for publish") {
				t.Errorf("%s: got %v", subject, err)
			}
			unseen(t, b, sub, subject)
		}
	}
	called := func(name string) Handler {
		return func(context.Context, auth.Request, []byte, *Reply) error {
			t.Errorf("%s was carried out for an effect", name)
			return nil
		}
	}
	handlers := map[string]Handler{}
	for _, v := range []wire.Spec{wire.RunAnswer.Spec, wire.SessionSubmit.Spec, wire.SessionAnswer.Spec, wire.TrustGive.Spec} {
		handlers[v.Name] = called(v.Name)
	}
	t.Run("at its own socket", func(t *testing.T) {
		t.Parallel()
		b := openBus(t, nil, handlers)
		path, closeSocket, err := b.ListenEffect("E1")
		if err != nil {
			t.Fatal(err)
		}
		defer closeSocket()
		refuse(t, b, path)
	})
	t.Run("at that of the daemon", func(t *testing.T) {
		t.Parallel()
		b := openBus(t, func(c *Config) {
			c.Identify = func(int, int) auth.Identity { return auth.Identity{Kind: auth.KindEffect, Effect: "E1"} }
		}, handlers)
		refuse(t, b, b.cfg.Places.Socket)
	})
}
