package bus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
	"github.com/nats-io/nkeys"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
)

// keyring makes identities with their keys.
type keyring map[string]nkeys.KeyPair

func (k keyring) add(t testing.TB, name string, may wire.Class) Remote {
	t.Helper()
	pair, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	public, err := pair.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	k[name] = pair
	return Remote{Name: name, Key: public, May: may}
}

// listening opens a bus on a free port of loopback for alice, who operates, and
// bob, who reads.
func listening(t testing.TB, change func(*Config), handlers map[string]Handler) (*Bus, keyring) {
	t.Helper()
	keys := keyring{}
	l := &Listen{Address: "127.0.0.1:0", Identities: []Remote{keys.add(t, "alice", wire.Operate), keys.add(t, "bob", wire.Read)}}
	b := openBus(t, func(c *Config) {
		c.Listen = l
		if change != nil {
			change(c)
		}
	}, handlers)
	return b, keys
}

func (b *Bus) address(t testing.TB) string {
	t.Helper()
	l, ok := b.Listening()
	if !ok || l.Problem != nil {
		t.Fatalf("listening: %v %v", ok, l.Problem)
	}
	return l.Address
}

// dialTCP is a plain NATS client with the key of an identity.
func dialTCP(t testing.TB, b *Bus, keys keyring, name string, opts ...nats.Option) (*rawClient, error) {
	t.Helper()
	c := &rawClient{name: name, errs: make(chan error, 64), gone: make(chan struct{})}
	public, err := keys[name].PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	nc, err := nats.Connect("nats://"+b.address(t), append([]nats.Option{
		nats.Nkey(public, keys[name].Sign), nats.CustomInboxPrefix(wire.Inbox(name)), nats.NoReconnect(), nats.Timeout(limit),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.errs <- err }),
		nats.ClosedHandler(func(*nats.Conn) { close(c.gone) }),
	}, opts...)...)
	if err != nil {
		return nil, err
	}
	c.Conn = nc
	t.Cleanup(nc.Close)
	return c, nil
}

func mustTCP(t testing.TB, b *Bus, keys keyring, name string) *rawClient {
	t.Helper()
	c, err := dialTCP(t, b, keys, name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// echo answers every verb with who asked.
func echo() map[string]Handler {
	out := map[string]Handler{}
	for _, v := range wire.Verbs() {
		out[v.Name] = func(ctx context.Context, q auth.Request, _ []byte, r *Reply) error {
			return r.Send(ctx, []byte(q.Actor))
		}
	}
	return out
}

func TestOverTheNetworkAKeyMayWhatTheConfigurationSays(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, echo())
	alice, bob := mustTCP(t, b, keys, "alice"), mustTCP(t, b, keys, "bob")
	for _, v := range wire.Verbs() {
		if v == wire.Credit {
			continue // has no answer
		}
		for _, c := range []*rawClient{alice, bob} {
			may := v.Has(wire.Remote) && (v.Class == wire.Read || v.Class == wire.Operate && c == alice)
			got, err := c.ask(t, v, "r1", "{}")
			switch {
			case may && (err != nil || got != "key:"+c.name+"@h"):
				t.Errorf("%s, %s: %q %v", v.Name, c.name, got, err)
			case !may && code(err) != wire.Denied:
				t.Errorf("%s, %s: %q %v", v.Name, c.name, got, err)
			}
		}
	}
}

func TestARefusalOverTheNetworkSaysWhy(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, echo())
	for _, tc := range []struct {
		name string
		verb wire.Spec
		body string
		want string
	}{
		{"bob", wire.RunList.Spec, `{"workspace":"/etc"}`, "run.list: a directory can be named on the daemon's host only"},
		{"alice", wire.RunWhy.Spec, `{"workspace":"/nowhere"}`, "run.why: a directory can be named"},
		{"bob", wire.RunStop.Spec, "", "bob may only read, and run.stop needs operate"},
		{"bob", wire.RunAnswer.Spec, "", "run.answer needs a person at a terminal of the daemon's host"},
		{"alice", wire.TrustGive.Spec, "", "trust.give needs a person"},
		{"alice", wire.ProjectFind.Spec, "", "project.find works on the daemon's host only"},
		{"bob", wire.SessionJoin.Spec, "", "session.join works on the daemon's host only"},
	} {
		_, err := mustTCP(t, b, keys, tc.name).ask(t, tc.verb, "r1", tc.body)
		e, _ := errors.AsType[*wire.Error](err)
		if e == nil || !strings.Contains(e.Message, tc.want) || e.Hint == "" {
			t.Errorf("%s, %s: got %v", tc.name, tc.verb.Name, err)
		}
	}
}

func TestNoDecisionIsServedOverTheNetwork(t *testing.T) {
	t.Parallel()
	for _, v := range wire.Verbs() {
		if v.Has(wire.Remote) && v.Class == wire.Decide {
			t.Errorf("%s is a decision", v.Name)
		}
	}
}

func TestOverTheNetworkAnIdentityPublishesOnlyItsCommands(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, echo())
	c, local := mustTCP(t, b, keys, "alice"), mustDial(t, b.cfg.Places.Socket)
	for _, subject := range []string{
		"ap.event.run.x", "$JS.API.STREAM.LIST", "$JS.API.INFO", "$SYS.REQ.SERVER.PING", "$SRV", "$SRV.X", "_INBOX.bob.1", "_INBOX.alice.1",
		"_INBOX." + local.name + ".1", wire.CommandSubject(local.name, wire.RunGet.Spec), "ap.cmd.bob.run.get", "ap.cmd", "ap.cmd.alice", "x", "ap.cmd.*.run.get",
	} {
		sub := spy(t, b, ">")
		if err := c.Publish(subject, []byte("forged")); err != nil {
			t.Fatal(err)
		}
		if err := await(t, c.errs, "a refusal of "+subject); !strings.Contains(strings.ToLower(err.Error()), "permissions violation for publish to \""+strings.ToLower(subject)) {
			t.Errorf("%s: got %v", subject, err)
		}
		_ = sub.Unsubscribe()
	}
}

func TestOverTheNetworkAnIdentityReadsOnlyItsInbox(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, nil)
	c := mustTCP(t, b, keys, "alice")
	for _, subject := range []string{">", "*", "_INBOX.>", "_INBOX.*.1", "_INBOX.bob.>", "_INBOX.alice", "ap.cmd.>", "ap.event.>", "$JS.>", "$SRV.>", "$SYS.>"} {
		if _, err := c.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		if err := await(t, c.errs, "a refusal of "+subject); !strings.Contains(strings.ToLower(err.Error()), "permissions violation for subscription") {
			t.Errorf("%s: got %v", subject, err)
		}
	}
}

func TestAnAnswerOverTheNetworkIsAimedAtNobodyElse(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, echo())
	c := mustTCP(t, b, keys, "alice")
	for _, subject := range []string{"ap.cmd.alice.run.get", "$SRV.PING", "$SRV.INFO.autopilot"} {
		for _, reply := range []string{"ap.event.run.x", "_INBOX.bob.1", "_INBOX.alice.*", "_INBOX.alice", "$JS.API.INFO"} {
			sub := spy(t, b, reply)
			if err := c.PublishRequest(subject, reply, []byte("x")); err != nil {
				t.Fatal(err)
			}
			err := await(t, c.errs, "a refusal")
			if want := "permissions violation for publish to \"" + strings.ToLower(reply); !strings.Contains(strings.ToLower(err.Error()), want) {
				t.Errorf("%s to %s: %v", subject, reply, err)
			}
			unseen(t, b, sub, strings.ReplaceAll(reply, "*", "x"))
		}
	}
}

func TestServicesAreDiscoveredOverTheNetwork(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, nil)
	c := mustTCP(t, b, keys, "bob")
	for _, verb := range []micro.Verb{micro.PingVerb, micro.InfoVerb, micro.StatsVerb} {
		for _, name := range []string{"", "autopilot"} {
			subject, err := micro.ControlSubject(verb, name, "")
			if err != nil {
				t.Fatal(err)
			}
			m, err := c.Request(subject, nil, limit)
			if err != nil || !bytes.Contains(m.Data, []byte(`"name":"autopilot"`)) {
				t.Errorf("%s: %v", subject, err)
			}
		}
	}
}

func TestEachConnectionOfAnIdentityEndsAlone(t *testing.T) {
	t.Parallel()
	ended := make(chan string, 2)
	begun := make(chan string, 2)
	b, keys := listening(t, nil, map[string]Handler{wire.RunWatch.Name: func(ctx context.Context, q auth.Request, _ []byte, _ *Reply) error {
		begun <- q.ID
		<-ctx.Done()
		ended <- q.ID
		return ctx.Err()
	}})
	one, two := mustTCP(t, b, keys, "alice"), mustTCP(t, b, keys, "alice")
	for id, c := range map[string]*rawClient{"one": one, "two": two} {
		if _, err := c.begin(wire.RunWatch.Spec, id, ""); err != nil {
			t.Fatal(err)
		}
		await(t, begun, "a stream")
	}
	one.Close()
	if id := await(t, ended, "the end of a stream"); id != "one" {
		t.Errorf("%s ended", id)
	}
	for l, _ := b.Listening(); l.Clients != 1; l, _ = b.Listening() {
		runtime.Gosched() // it is counted until its handler is gone
	}
	two.Close()
	await(t, ended, "the end of the other")
}

func TestAnEffectIsRefusedWithAKeyToo(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, func(c *Config) {
		c.Identify = func(int, int) auth.Identity { return auth.Identity{Kind: auth.KindEffect, Effect: "e1"} }
	}, nil)
	if _, err := dialTCP(t, b, keys, "alice"); err == nil || !strings.Contains(err.Error(), "what the daemon started cannot connect with a key") {
		t.Errorf("got %v", err)
	}
}

func TestAStrangerTakesNoPlaceOfWhoHasAKey(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, echo())
	known := mustTCP(t, b, keys, "alice")
	for range maxStrangers {
		talkTCP(t, b)
	}
	if c, err := net.Dial("tcp", b.address(t)); err == nil {
		_ = c.SetDeadline(time.Now().Add(limit))
		if n, err := c.Read(make([]byte, 1)); err == nil {
			t.Errorf("one more stranger was told %d bytes", n)
		}
		_ = c.Close()
	}
	if _, err := known.ask(t, wire.RunGet.Spec, "r", ""); err != nil {
		t.Error(err)
	}
	if _, err := mustDial(t, b.cfg.Places.Socket).ask(t, wire.RunGet.Spec, "r", ""); err != nil {
		t.Error(err)
	}
}

func TestAnIdentityHasSoManyConnections(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, nil)
	for range maxOfIdentity {
		mustTCP(t, b, keys, "alice")
	}
	if _, err := dialTCP(t, b, keys, "alice"); err == nil || !strings.Contains(err.Error(), "too many connections") {
		t.Errorf("got %v", err)
	}
	mustTCP(t, b, keys, "bob")
}

// What one identity asks over the network takes no place of who is here.
func TestRequestsOverTheNetworkHaveTheirOwnPlaces(t *testing.T) {
	t.Parallel()
	begun, free := make(chan struct{}, maxRemoteWork), make(chan struct{})
	b, keys := listening(t, nil, map[string]Handler{wire.RunGet.Name: func(ctx context.Context, q auth.Request, _ []byte, _ *Reply) error {
		if q.Kind == auth.KindKey {
			begun <- struct{}{}
			<-free
		}
		return ctx.Err()
	}})
	defer close(free)
	c := mustTCP(t, b, keys, "bob")
	for i := range maxRemoteWork {
		if _, err := c.begin(wire.RunGet.Spec, fmt.Sprint(i), ""); err != nil {
			t.Fatal(err)
		}
		await(t, begun, "a request")
	}
	if _, err := c.ask(t, wire.RunGet.Spec, "more", ""); code(err) != wire.Failed {
		t.Errorf("one more: %v", err)
	}
	if _, err := mustDial(t, b.cfg.Places.Socket).ask(t, wire.RunGet.Spec, "r", ""); err != nil {
		t.Errorf("from here: %v", err)
	}
}

func TestAnIdentityIsPaced(t *testing.T) {
	t.Parallel()
	p := pace{every: time.Millisecond, burst: 10}
	now := time.Now()
	var waits []time.Duration
	for range 12 {
		waits = append(waits, p.take(now, 1))
	}
	if waits[9] > 0 || waits[10] != time.Millisecond || waits[11] != 2*time.Millisecond {
		t.Errorf("waits %v", waits)
	}
	if d := p.take(now.Add(time.Hour), 10); d > 0 {
		t.Errorf("after a rest: %v", d)
	}
	if d := p.take(now.Add(time.Hour), 5); d != 5*time.Millisecond {
		t.Errorf("five at once: %v", d)
	}
}

func TestWithoutIDOnlyAReadingRequestIsAnswered(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, echo())
	c := mustTCP(t, b, keys, "alice")
	if _, err := c.ask(t, wire.RunGet.Spec, "", ""); err != nil {
		t.Error(err)
	}
	if _, err := c.ask(t, wire.RunStop.Spec, "", ""); code(err) != wire.Usage {
		t.Errorf("got %v", err)
	}
}

// A flood over the network is slowed down, not the clients of this host.
func TestAFloodOverTheNetworkIsSlowedDown(t *testing.T) {
	t.Parallel()
	b, keys := listening(t, nil, echo())
	flood := mustTCP(t, b, keys, "bob")
	inbox := flood.NewInbox()
	if _, err := flood.SubscribeSync(inbox); err != nil {
		t.Fatal(err)
	}
	for range 5000 {
		if err := flood.PublishRequest("ap.cmd.bob.run.get", inbox, nil); err != nil {
			t.Fatal(err)
		}
	}
	local := mustDial(t, b.cfg.Places.Socket)
	for i := range 50 {
		if _, err := local.ask(t, wire.RunGet.Spec, fmt.Sprint("r", i), ""); err != nil {
			t.Fatal(err)
		}
	}
	svc := b.service.micro.Stats()
	asked := 0
	for _, e := range svc.Endpoints {
		asked += e.NumRequests
	}
	if asked > 5000 {
		t.Errorf("%d requests were passed on before those of this host were answered", asked)
	}
}
