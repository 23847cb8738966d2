package bus

import (
	"crypto/x509"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
)

func TestAKeyThatOthersCanReadIsRefused(t *testing.T) {
	t.Parallel()
	k, err := nkeys.CreateUser()
	if err != nil {
		t.Fatal(err)
	}
	seed, err := k.Seed()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "team.nk")
	if err := os.WriteFile(file, seed, 0o600); err != nil {
		t.Fatal(err)
	}
	for mode, refused := range map[os.FileMode]bool{0o600: false, 0o400: false, 0o640: true, 0o644: true, 0o604: true, 0o620: true} {
		if err := os.Chmod(file, mode); err != nil {
			t.Fatal(err)
		}
		_, err := credentials(file)
		if refused != errors.Is(err, ErrTeamOpen) || !refused && err != nil {
			t.Errorf("mode %04o: %v", mode, err)
		}
		if refused && !strings.Contains(err.Error(), "chmod 600 "+file) {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
}

func TestTheMostTellingCauseIsNamedFirst(t *testing.T) {
	t.Parallel()
	wrong := &refusal{"tls://a", x509.UnknownAuthorityError{}}
	denied := &refusal{"nats://b", nats.ErrAuthorization}
	gone := &refusal{"nats://c", &net.OpError{Op: "dial", Err: errors.New("no route to host")}}
	for _, order := range [][]error{{gone, wrong, denied}, {denied, gone, wrong}, {wrong, denied, gone}} {
		got := several(order).Error()
		if want := "tls://a: x509: certificate signed by unknown authority; nats://b: nats: authorization violation; nats://c: dial: no route to host"; got != want {
			t.Errorf("%s", got)
		}
	}
}

type refusal struct {
	at  string
	err error
}

func (u *refusal) Error() string { return u.at + ": " + u.err.Error() }
func (u *refusal) Unwrap() error { return u.err }

// No server of several answers: each one is named with its cause.
func TestEachServerOfATeamThatRefusesIsNamed(t *testing.T) {
	t.Parallel()
	var urls []string
	for range 2 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		urls = append(urls, "nats://"+l.Addr().String())
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := DialTeam(Team{URL: strings.Join(urls, ",")}, "test", func(error) {})
	for _, u := range urls {
		if err == nil || !strings.Contains(err.Error(), u+": ") {
			t.Errorf("%v does not name %s", err, u)
		}
	}
}
