package peer

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"autopilot/daemon/auth/chat"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/chain"
	"autopilot/projections/orchestrator"
	folded "autopilot/projections/peer"
)

// book is one session.
type book struct {
	*journal.Aggregate[folded.State]
	beat time.Time // its last sign of life; the lock of the sessions is held
}

// forgetLeft is how long ago a session has left that is forgotten when a daemon
// starts. Its events are read again if it comes back.
const forgetLeft = 24 * time.Hour

func fold() journal.Fold[folded.State] {
	return journal.Fold[folded.State]{
		Evolve: folded.Evolve,
		Log:    func(s *folded.State) *chain.Log { return &s.Log },
	}
}

// read folds the events of all sessions. One whose process is still there was
// alive just now, as nobody knows when it showed that last.
func (ps *Sessions) read(ctx context.Context) error {
	for stored, err := range ps.cfg.Journal.Log.ReadKind(ctx, events.KindPeer) {
		id := strings.TrimPrefix(stored.Subject, events.Peer("").Subject())
		switch {
		case errors.Is(err, log.ErrDamaged):
			ps.cfg.Log.Error("read a stored event", "subject", stored.Subject, "error", err)
			ps.book(id).Break()
		case err != nil:
			return fmt.Errorf("read the sessions on the bus: %w", err)
		default:
			ps.book(id).Take(stored)
		}
	}
	for id, b := range ps.known {
		s := b.State()
		if b.beat = s.Seen; ps.lives(s.PeerJoined) {
			b.beat = ps.Now()
		}
		if b.beat.After(ps.Now()) {
			b.beat = ps.Now() // the clock was ahead
		}
		if !s.Here() && ps.Now().Sub(s.LeftAt) > forgetLeft && s.Log.Broken == 0 {
			delete(ps.known, id)
		}
	}
	return nil
}

// book is that of a session, made if there is none. It is for the time before
// anybody asks.
func (ps *Sessions) book(id string) *book {
	b := ps.known[id]
	if b == nil {
		b = &book{Aggregate: journal.NewAggregate(ps.cfg.Journal, events.Peer(id), fold())}
		ps.known[id] = b
	}
	return b
}

// lives says that the process of a session has not ended.
func (ps *Sessions) lives(j events.PeerJoined) bool {
	return j.Host == ps.cfg.Chats.Host && !ps.cfg.Chats.Gone(events.SessionJoined{PID: j.PID, Start: j.Start, Boot: j.Boot})
}

// get is the book of a session that is known.
func (ps *Sessions) get(id string) *book {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.known[id]
}

// open is the book of a session, read from the log if it is not known.
func (ps *Sessions) open(ctx context.Context, id string) (*book, error) {
	if b := ps.get(id); b != nil {
		return b, nil
	}
	r, err := journal.Open(ctx, ps.cfg.Journal, events.Peer(id), fold(), ps.cfg.Log)
	if err != nil {
		return nil, err
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if b := ps.known[id]; b != nil {
		return b, nil
	}
	b := &book{Aggregate: r, beat: r.State().Seen}
	ps.known[id] = b
	return b, nil
}

// all are the sessions that are known, with their last signs of life.
func (ps *Sessions) all() map[string]sight {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	out := make(map[string]sight, len(ps.known))
	for id, b := range ps.known {
		out[id] = sight{b.State(), b.beat}
	}
	return out
}

// sight is a session as it is now.
type sight struct {
	folded.State
	beat time.Time
}

func (n sight) life(now time.Time) orchestrator.Life { return orchestrator.PeerLife(now.Sub(n.beat)) }

// States are the folded sessions, for a proof of the log.
func (ps *Sessions) States() map[string]folded.State {
	out := map[string]folded.State{}
	for id, n := range ps.all() {
		if n.Log.Seq > 0 {
			out[id] = n.State
		}
	}
	return out
}

func (ps *Sessions) beats(b *book) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	b.beat = ps.Now()
}

// proof is what a chat is known by among peers.
func (ps *Sessions) proof(c chat.Chat) events.PeerJoined {
	return events.PeerJoined{Program: c.Program, PID: c.PID, Start: c.Start, Boot: c.Boot, Host: ps.cfg.Chats.Host}
}

// ID is what a chat is called as a session, if it can be told.
func (ps *Sessions) ID(c chat.Chat) (string, bool) { return folded.ID(ps.proof(c)) }

// Heard takes any request of a chat for a sign of life. One that was silent for
// so long that it was taken for left is there again.
//
// Source: session-orchestrator, S27, S28.
func (ps *Sessions) Heard(c chat.Chat) {
	id, ok := ps.ID(c)
	b := ps.get(id)
	if !ok || b == nil {
		return
	}
	ps.beats(b)
	s := b.State()
	if s.Left != events.PeerSilent {
		return
	}
	j := s.PeerJoined
	j.Outcome, j.Beside, j.Reason = "", "", ""
	ctx, done := ps.cfg.Lasting(context.Background())
	defer done()
	if _, err := b.Append(ctx, j, c.Actor, ""); err != nil {
		ps.cfg.Log.Error("store that a session is back", "peer", id, "error", err)
	}
}

// register makes a session known, or what has changed of it. What is not said
// stays as it was.
func (ps *Sessions) register(ctx context.Context, c chat.Chat, j events.PeerJoined, cause string) (string, error) {
	p := ps.proof(c)
	p.Via, p.Repository, p.Directory, p.Label = j.Via, j.Repository, j.Directory, j.Label
	p.Mode, p.Class, p.Assumed, p.Outcome, p.Beside, p.Reason = j.Mode, j.Class, j.Assumed, j.Outcome, j.Beside, j.Reason
	id, ok := folded.ID(p)
	if !ok {
		return "", errNoProof
	}
	b, err := ps.open(ctx, id)
	if err != nil {
		return id, err
	}
	was := b.State()
	if was.Here() {
		p = saidOf(was.PeerJoined, p)
	}
	if p.Mode == "" {
		p.Mode = events.ModeNone
		p.Class, p.Assumed = orchestrator.ClassifyMode("")
	}
	ps.beats(b)
	if was.Here() && p == unmarked(was.PeerJoined) {
		return id, nil
	}
	_, err = b.Append(ctx, p, c.Actor, cause)
	return id, err
}

// saidOf is what is said of a session, with what was known where nothing is said.
func saidOf(was, p events.PeerJoined) events.PeerJoined {
	if p.Mode == "" {
		p.Mode, p.Class, p.Assumed = was.Mode, was.Class, was.Assumed
	}
	if p.Via != events.PeerByCommand {
		p.Via = was.Via
	}
	if p.Label == "" {
		p.Label = was.Label
	}
	return p
}

// unmarked leaves out what belongs to one beginning alone.
func unmarked(j events.PeerJoined) events.PeerJoined {
	j.Outcome, j.Beside, j.Reason = "", "", ""
	return j
}

// departs notes that a session has ended, if it is there.
func (ps *Sessions) departs(ctx context.Context, c chat.Chat, why events.PeerCause, cause string) (bool, error) {
	id, _ := ps.ID(c)
	b := ps.get(id)
	if b == nil || !b.State().Here() {
		return false, nil
	}
	_, err := b.Append(ctx, events.PeerLeft{Cause: why}, c.Actor, cause)
	return true, err
}

// Sweep takes sessions for left that have shown no sign of life for an hour.
//
// Source: session-orchestrator, seeds 2.8.4 sweep; S24: none leaves because a turn
// ends.
func (ps *Sessions) Sweep(ctx context.Context) {
	now := ps.Now()
	for id, n := range ps.all() {
		if !n.Here() || n.life(now) != orchestrator.Gone || n.Log.Broken != 0 {
			continue
		}
		if _, err := ps.get(id).Append(ctx, events.PeerLeft{Cause: events.PeerSilent}, events.ActorDaemon(ps.cfg.Chats.Host), ""); err != nil {
			ps.cfg.Log.Error("store that a session is silent", "peer", id, "error", err)
			continue
		}
		ps.cfg.Log.Info("a session was silent for an hour", "peer", id, "pid", n.PID)
	}
}
