package events

import (
	"fmt"
	"strings"
)

// SubjectPrefix is what every event subject begins with.
const SubjectPrefix = "ap.event."

// Kind is a kind of aggregate.
type Kind string

// The kinds of aggregates. Each aggregate has one exact subject, its own
// sequence and its own append condition.
const (
	KindRun     Kind = "run"
	KindClaim   Kind = "claim"
	KindAccount Kind = "account"
	KindPeer    Kind = "peer"
	KindHost    Kind = "host"
	KindQueue   Kind = "queue"
)

// Aggregate names one stream of events that is appended to by one writer.
// The zero value names none.
type Aggregate struct {
	Kind Kind
	ID   string // one subject token: letters, digits, '-' and '_'
}

// Run names the aggregate of the run with that ULID.
func Run(id string) Aggregate { return Aggregate{KindRun, id} }

// Account is the aggregate of an account, by the hash that names it.
func Account(id string) Aggregate { return Aggregate{KindAccount, id} }

// Peer names the aggregate of a session on the bus, by the hash of its proof.
func Peer(id string) Aggregate { return Aggregate{KindPeer, id} }

// ClaimOf is the aggregate of a claim, by the hash of its key.
func ClaimOf(id string) Aggregate { return Aggregate{KindClaim, id} }

// Queue names the aggregate of the queue with that ULID.
func Queue(id string) Aggregate { return Aggregate{KindQueue, id} }

// Host names the aggregate of the host with that id.
func Host(id string) Aggregate { return Aggregate{KindHost, id} }

// String is the CloudEvents subject: "run.01J...".
func (a Aggregate) String() string { return string(a.Kind) + "." + a.ID }

// Subject is the NATS subject that the aggregate's events are stored under.
func (a Aggregate) Subject() string { return SubjectPrefix + a.String() }

// ParseAggregate is the inverse of Aggregate.String.
func ParseAggregate(s string) (Aggregate, error) {
	kind, id, ok := strings.Cut(s, ".")
	if !ok || !validID(id) {
		return Aggregate{}, fmt.Errorf("aggregate %q: want kind.id", s)
	}
	switch Kind(kind) {
	case KindRun, KindClaim, KindAccount, KindPeer, KindHost, KindQueue:
		return Aggregate{Kind(kind), id}, nil
	}
	return Aggregate{}, fmt.Errorf("aggregate %q: unknown kind %q", s, kind)
}

// SourceOf is the source of events that a host writes.
func SourceOf(host string) string { return "autopilot/" + host }

// maxID is the longest aggregate id.
const maxID = 128

func validID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	for _, c := range []byte(id) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		default:
			return false
		}
	}
	return true
}
