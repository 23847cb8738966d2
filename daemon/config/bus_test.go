package config_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/config"
	"autopilot/daemon/transport/bus"
)

// Keys that nobody has.
const (
	keyA = "UDGTFY3BT3EXH4GT5XWFL2I4WGGZ4V3C42VM3QQ6OPKTHR52C5QNMSP2"
	keyB = "UCXCMMD5YE4VZQMPV42XWYCDGY3PRKVZJH3G7M7WCGFQKCWADFRJ22TB"
)

func TestTheListenerIsTheUsersAlone(t *testing.T) {
	t.Parallel()
	src := fmt.Sprintf("bus:\n  listen: 0.0.0.0:4222\n  tls: {cert: ~/c.pem, key: /k.pem}\n  identities:\n    alice: {key: %s, may: operate}\n    bob: {key: %s}\n", keyA, keyB)
	f := config.ParseUser("u.yaml", []byte(src))
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	want := &bus.Listen{Address: "0.0.0.0:4222", Cert: "/home/u/c.pem", Key: "/k.pem", Identities: []bus.Remote{
		{Name: "alice", Key: keyA, May: "operate"}, {Name: "bob", Key: keyB, May: "read"},
	}}
	if diff := cmp.Diff(want, f.Bus.Listening("/home/u")); diff != "" {
		t.Error(diff)
	}
	if config.DefaultUser().Bus.Listening("/home/u") != nil {
		t.Error("without a word a port is opened")
	}
	p := config.ParseProject("p.yaml", []byte(src))
	if len(p.Problems) != 1 || p.Problems[0].Message != "bus belongs in the user's file" {
		t.Errorf("a project: %+v", p.Problems)
	}
}

func TestATeamIsTheUsersAlone(t *testing.T) {
	t.Parallel()
	src := "team: {url: \"nats://a:4222,tls://b\", credentials: ~/team.creds, ca: /etc/ca.pem}\n"
	f := config.ParseUser("u.yaml", []byte(src))
	if err := f.Err(); err != nil {
		t.Fatal(err)
	}
	want := &bus.Team{URL: "nats://a:4222,tls://b", Credentials: "/home/u/team.creds", CA: "/etc/ca.pem", Replicas: 3}
	if diff := cmp.Diff(want, f.Team.Sharing("/home/u")); diff != "" {
		t.Error(diff)
	}
	if config.DefaultUser().Team.Sharing("/home/u") != nil {
		t.Error("without a word something is shared")
	}
	p := config.ParseProject("p.yaml", []byte(src))
	if len(p.Problems) != 1 || p.Problems[0].Message != "team belongs in the user's file" {
		t.Errorf("a project: %+v", p.Problems)
	}
	for src, want := range map[string]string{
		"team: {}\n":                                       "team: the url is missing",
		"team: {credentials: ~/x}\n":                       "team: the url is missing",
		"team: {url: 'a:4222'}\n":                          "team.url: \"a:4222\" is no address of a NATS server",
		"team: {url: 'https://a'}\n":                       "no address of a NATS server",
		"team: {url: 'nats://'}\n":                         "no address of a NATS server",
		"team: {url: 'nats://a,b'}\n":                      "no address of a NATS server",
		"team: {url: 'nats://me:hunter2@a'}\n":             "this is an address with a user or password",
		"team: {url: 'nats://a, tls://hunter2@b'}\n":       "this is an address with a user or password",
		"team: {url: nats://a, credentials: team.creds}\n": "team.credentials: \"team.creds\" is not an absolute path",
		"team: {url: nats://a, replicas: 0}\n":             "team.replicas: 0 is not from 1 to 5",
		"team: {url: nats://a, replicas: 6}\n":             "team.replicas: 6 is not from 1 to 5",
		"team: {url: nats://a, password: x}\n":             "password",
		"team: {url: nats://a, credentials: [~/x]}\n":      "credentials",
		"team: nats://a\n":                                 "team",
	} {
		err := config.ParseUser("u.yaml", []byte(src)).Err()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v, want %q", src, err, want)
		}
	}
}

// Who connects over the network could not start the daemon again.
func TestADaemonThatListensDoesNotEndWhenIdle(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]time.Duration{
		"": config.DefaultIdle, "idle: 5m\n": 5 * time.Minute, "bus: {listen: 127.0.0.1:1}\n": 0, "bus: {listen: 127.0.0.1:1}\nidle: 5m\n": 5 * time.Minute,
	} {
		if got := config.ParseUser("u.yaml", []byte(src)).Daemon().Idle; got != want {
			t.Errorf("%q: %v, want %v", src, got, want)
		}
	}
}

func TestAMistakeOfTheListenerIsNamed(t *testing.T) {
	t.Parallel()
	identity := func(text string) string { return "bus:\n  identities:\n    " + text + "\n" }
	for _, c := range []struct{ src, want string }{
		{"bus: {listen: 0.0.0.0:4222}\n", "1:7 bus.listen: 0.0.0.0:4222 is reached from other hosts, and without TLS others could read along: listen on 127.0.0.1, or add tls: {cert: FILE, key: FILE}"},
		{"bus: {listen: ':4222'}\n", "is reached from other hosts"},
		{"bus: {listen: 4222}\n", "bus.listen: want text, found a number"},
		{"bus: {listen: localhost}\n", `bus.listen: "localhost" is not an address with a port: write it as 127.0.0.1:4222`},
		{"bus: {listen: ''}\n", `bus.listen: "" is not an address with a port`},
		{"bus: {port: 4222}\n", `unknown key "port": allowed: listen, tls, identities`},
		{"bus: {url: nats://x}\n", `unknown key "url"`},
		{"bus: {listen: 10.0.0.1:1, tls: {cert: /c}}\n", "bus.tls: key is missing: write tls: {cert: FILE, key: FILE}"},
		{"bus: {listen: 127.0.0.1:1, tls: {cert: c.pem, key: /k}}\n", `bus.tls.cert: "c.pem" is not an absolute path: write it as`},
		{identity("alice: {may: read}"), "bus.identities.alice: the key is missing: apctl daemon key FILE   makes one"},
		{identity("alice: {key: UABC}"), "bus.identities.alice.key: this is not a public key: apctl daemon key FILE   makes one"},
		{identity("alice: {key: " + keyA + ", may: decide}"), `bus.identities.alice.may: "decide" is not known: write read or operate`},
		{identity("alice: {key: " + keyA + ", may: oprate}"), `did you mean "operate"?`},
		{identity("Alice: {key: " + keyA + "}"), `bus.identities.Alice: "Alice" is not a valid name of an identity`},
		{identity("abcdefghijklmnopqrstuvwxyz: {key: " + keyA + "}"), "is not a valid name of an identity"}, // as the client of a socket
		{identity("alice: {key: " + keyA + "}\n    bob: {key: " + keyA + "}"), "4:11 bus.identities.bob.key: alice has the same: make a key for each"},
		{identity("alice: {key: " + keyA + "}\n    alice: {key: " + keyB + "}"), "4:5 mapping key"},
	} {
		f := config.ParseUser("u", []byte(c.src))
		if len(f.Problems) == 0 {
			t.Errorf("%q is taken", c.src)
			continue
		}
		p := f.Problems[0]
		if got := fmt.Sprintf("%d:%d %s: %s", p.Line, p.Column, p.Message, p.Fix); !strings.Contains(got, c.want) || len(f.Problems) > 1 {
			t.Errorf("%q: got %q and %d more, want %q", c.src, got, len(f.Problems)-1, c.want)
		}
	}
}

func TestASeedInTheConfigurationIsNotPrinted(t *testing.T) {
	t.Parallel()
	const seed = "SUAOLPXXDQMOY2JKD2CBWJ4MOCVFGZKMU6EV7LTZNLTRZTAQJKCTGNKBTE"
	f := config.ParseUser("u", []byte("bus:\n  identities:\n    alice: {key: "+seed+"}\nquota: x\n"))
	if len(f.Problems) == 0 || !strings.Contains(fmt.Sprint(f.Problems), "this is a private key") {
		t.Fatalf("%+v", f.Problems)
	}
	if strings.Contains(fmt.Sprint(f.Problems), seed) {
		t.Error("the seed is printed")
	}
}
