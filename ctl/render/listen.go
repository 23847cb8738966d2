package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// listens is where other NATS clients are let in, and who.
func (s Style) listens(l *wire.ListenView) string {
	if l == nil {
		return ""
	}
	if l.Problem != "" {
		return s.paint(yellow, "not") + fmt.Sprintf(" on %s: %s; it is tried again", Line(l.Address), Line(l.Problem))
	}
	var who []string
	for _, i := range l.Identities {
		who = append(who, Line(i.Name)+" may "+Line(i.May))
	}
	text := Line(l.Address)
	if l.TLS {
		text += " with TLS"
	}
	if len(who) == 0 {
		return text + ", and nobody may connect: apctl daemon key FILE"
	}
	return text + ", " + count(l.Clients, "client") + " now\n" + strings.Join(who, "\n")
}

// KeyMade says what to do with a key that was made.
func KeyMade(v wire.KeyView) string {
	return fmt.Sprintf(`wrote %[1]s, the private key of %[2]s: like a password, for where %[2]s connects from
public key  %[3]s

1. on the daemon's host, into %[4]s:

bus:
  listen: 127.0.0.1:4222
  identities:
    %[2]s: {key: %[3]s, may: read}

2. apctl daemon restart
3. nats --server 127.0.0.1:4222 --nkey %[5]s --inbox-prefix _INBOX.%[2]s micro ls
`, Line(v.File), Line(v.Name), Line(v.Key), Line(v.Config), phrase.Quote(v.File))
}

// BadIdentity is a name that no identity can have.
func BadIdentity(name string) *wire.Error {
	return usage("--name NAME, of a-z, 0-9, - and _, as in apctl daemon key ~/alice.nk --name alice", "%q is not a valid name of an identity", name)
}

// KeyThere is a file that holds something already.
func KeyThere(file string) *wire.Error {
	return usage("name another file: a key is never written over anything", "%s is there already", file)
}

// NoKeyFile is a key without a place.
func NoKeyFile() *wire.Error {
	return usage("apctl daemon key alice.nk", "no file is named for the key")
}
