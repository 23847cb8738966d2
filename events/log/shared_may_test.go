package log_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"autopilot/events"
	"autopilot/events/log"
)

// permitted is a server with a user for each host: what docs/team.md says that it needs.
func permitted(t *testing.T, hosts ...string) *server.Server {
	t.Helper()
	users := ""
	for _, host := range hosts {
		users += fmt.Sprintf(`{user: %s, password: x, permissions: {
			publish: {allow: ["ap.team.*.*.%s", "$KV.AP_HOSTS.%s", "$KV.AP_TEXTS.>", "$JS.API.>"], deny: ["$JS.API.STREAM.DELETE.>", "$JS.API.STREAM.PURGE.>", "$JS.API.STREAM.UPDATE.>"]},
			subscribe: ["_INBOX.>"]}},
		`, host, host, host)
	}
	file := filepath.Join(t.TempDir(), "nats.conf")
	text := fmt.Sprintf("listen: \"127.0.0.1:-1\"\njetstream: {store_dir: %q}\naccounts: {team: {jetstream: enabled, users: [%s]}}\n", t.TempDir(), users)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	opts, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatal(err)
	}
	opts.NoSigs, opts.NoLog = true, true
	srv, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	t.Cleanup(func() {
		srv.Shutdown()
		srv.WaitForShutdown()
	})
	if !srv.ReadyForConnections(time.Minute) {
		t.Fatal("server does not start")
	}
	return srv
}

// Credentials are of one host: the servers store nothing in the name of another.
func TestCredentialsOfAHostStoreNothingInTheNameOfAnother(t *testing.T) {
	t.Parallel()
	srv := permitted(t, "one", "two")
	open := func(user, host string) *log.Stream {
		nc, err := nats.Connect(srv.ClientURL(), nats.UserInfo(user, "x"), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		l, err := log.Open(t.Context(), nc, log.Config{Quota: 1 << 20, Reserve: 1 << 10, AckTimeout: 300 * time.Millisecond, Shared: shared(host, kept)})
		if err != nil {
			t.Fatal(err)
		}
		presence, err := log.OpenPresence(t.Context(), nc, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := presence.Say(t.Context(), user, []byte("here")); err != nil {
			t.Errorf("%s says that it is there: %v", user, err)
		}
		return l
	}
	h := hostLogs{t: t}
	one, two := open("one", "one"), open("two", "two")
	h.grows(one, "one", "a", 2)
	h.grows(two, "two", "a", 1)
	if _, err := h.appends(open("two", "one"), "one", "a"); !errors.Is(err, log.ErrUnavailable) {
		t.Errorf("in the name of the other: %v", err)
	}
	if _, err := h.appends(two, "one", "b"); err != nil {
		t.Fatal(err) // it is stored under its own name, and nobody believes it
	}
	if got, _ := seqs(t, one, "a", 0); len(got) != 3 {
		t.Errorf("stored are %v", got)
	}
	for _, err := range one.Read(t.Context(), events.ClaimOf("b"), 0) {
		if !errors.Is(err, log.ErrDamaged) {
			t.Errorf("what it says of itself is believed: %v", err)
		}
	}
}
