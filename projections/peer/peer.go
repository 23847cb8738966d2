// Package peer folds the events of one session on the bus into what is known of
// it: who it is, what it does, and what was written to it.
//
// Evolve never fails and never validates: history is a fact. It reads no clock.
// Signs of life are no events, so how fresh a session is is not in here, but for
// the latest event that it made itself. Folding at once equals folding in pieces,
// and nothing that a state holds is written over.
package peer

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"autopilot/events"
	"autopilot/projections/chain"
)

// State is a session, folded from its own log alone.
type State struct {
	events.PeerJoined           // the latest
	Since             time.Time // when it came; zero for one that never did
	Seen              time.Time // the latest event that it made itself
	Left              events.PeerCause
	LeftAt            time.Time

	Deviated []Deviation // that it began in spite of what it was told, the latest
	Messages []Message   // that were written to it, the latest
	Read     int         // number of the latest that it has read
	Before   int         // that it had read before it asked last
	Asked    string      // id of that request
	Log      Log
}

// Message is a text for a session.
type Message struct {
	events.PeerMessaged
	At    time.Time
	By    string // the actor
	Asked string // id of the request
}

// Deviation is that a session began in place beside another.
type Deviation struct {
	Outcome events.PeerOutcome
	Beside  string
	Mode    events.Name
	Reason  events.Ref
	At      time.Time
}

// Log is what the fold knows of the log itself.
type Log = chain.Log

// Bounds of what a state remembers. A session takes no message more than
// MostMessages that it has not read, so none of those is forgotten.
const (
	MostMessages   = 100
	mostDeviations = 20
)

// Evolve adds one event to a state.
func Evolve(s State, e events.Event) State {
	s.Log = s.Log.Next(e.Seq)
	switch d := e.Data.(type) {
	case events.PeerJoined:
		s = joined(s, e, d)
	case events.PeerLeft:
		s.Left, s.LeftAt = d.Cause, e.Time
	case events.PeerMessaged:
		s.Messages = last(append(slices.Clip(s.Messages), Message{d, e.Time, e.Actor, e.Causation}), MostMessages)
	case events.PeerRead:
		s.Before, s.Asked = s.Read, e.Causation
		s.Read, s.Seen = max(s.Read, d.UpTo), e.Time
	default:
		s.Log.Unknown++
	}
	return s
}

func joined(s State, e events.Event, d events.PeerJoined) State {
	if s.Since.IsZero() || s.Left != "" {
		s.Since = e.Time
	}
	s.PeerJoined, s.Seen, s.Left, s.LeftAt = d, e.Time, "", time.Time{}
	if d.Outcome != "" && d.Outcome != events.PassThrough {
		s.Deviated = last(append(slices.Clip(s.Deviated), Deviation{d.Outcome, d.Beside, d.Mode, d.Reason, e.Time}), mostDeviations)
	}
	return s
}

// last is the end of a list.
func last[T any](list []T, most int) []T { return list[max(0, len(list)-most):] }

// Here says that a session has come, and not left.
func (s State) Here() bool { return !s.Since.IsZero() && s.Left == "" }

// Unread are the messages that the session has not read, oldest first.
func (s State) Unread() []Message { return s.Behind(s.Read) }

// Behind are the messages behind a number.
func (s State) Behind(no int) []Message {
	i := slices.IndexFunc(s.Messages, func(m Message) bool { return m.No > no })
	if i < 0 {
		return nil
	}
	return s.Messages[i:]
}

// Next is the number of the next message.
func (s State) Next() int {
	if n := len(s.Messages); n > 0 {
		return s.Messages[n-1].No + 1
	}
	return s.Read + 1
}

// ID names a session by all that proves which process it is, and by no label.
// What is missing proves nothing: then there is no id.
//
// Source: session-orchestrator, seeds 2.8.3 owner proof, S55.
func ID(d events.PeerJoined) (id string, ok bool) {
	if d.PID <= 0 || d.Start <= 0 || d.Boot == "" || d.Host == "" {
		return "", false
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%d\x00%s\x00%s", d.PID, d.Start, d.Boot, d.Host))
	return "p" + hex.EncodeToString(sum[:8]), true
}
