package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"autopilot/daemon/chat"
	"autopilot/daemon/journal"
	"autopilot/daemon/person"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/chain"
	"autopilot/projections/peer"
	"autopilot/projections/rule"
)

// peers are the sessions on the bus. What they say is in the log; their signs of
// life are known of this daemon's life only.
type peers struct {
	journal *journal.Journal

	deciding sync.Mutex // who may begin, and that it has begun, is one step

	mu    sync.Mutex
	now   func() time.Time
	known map[string]*peerBook
	files foreignFiles
}

// peerBook is one session.
type peerBook struct {
	*journal.Aggregate[peer.State]
	beat time.Time // its last sign of life; the lock of peers is held
}

// forgetLeft is how long ago a session has left that is forgotten when a daemon
// starts. Its events are read again if it comes back.
const forgetLeft = 24 * time.Hour

func peerFold() journal.Fold[peer.State] {
	return journal.Fold[peer.State]{
		Evolve: peer.Evolve,
		Log:    func(s *peer.State) *chain.Log { return &s.Log },
	}
}

// openPeers folds the events of all sessions. One whose process is still there was
// alive just now, as nobody knows when it showed that last.
func (d *Daemon) openPeers(ctx context.Context, j *journal.Journal) (*peers, error) {
	p := &peers{journal: j, now: time.Now, known: map[string]*peerBook{}}
	for stored, err := range d.log.ReadKind(ctx, events.KindPeer) {
		id := strings.TrimPrefix(stored.Subject, events.Peer("").Subject())
		switch {
		case errors.Is(err, log.ErrDamaged):
			d.cfg.Log.Error("read a stored event", "subject", stored.Subject, "error", err)
			p.book(id).Break()
		case err != nil:
			return nil, fmt.Errorf("read the sessions on the bus: %w", err)
		default:
			p.book(id).Take(stored)
		}
	}
	for id, b := range p.known {
		s := b.State()
		if b.beat = s.Seen; d.peerLives(s.PeerJoined) {
			b.beat = p.now()
		}
		if b.beat.After(p.now()) {
			b.beat = p.now() // the clock was ahead
		}
		if !s.Here() && p.now().Sub(s.LeftAt) > forgetLeft && s.Log.Broken == 0 {
			delete(p.known, id)
		}
	}
	return p, nil
}

// book is that of a session, made if there is none. It is for the time before
// anybody asks.
func (p *peers) book(id string) *peerBook {
	b := p.known[id]
	if b == nil {
		b = &peerBook{Aggregate: journal.NewAggregate(p.journal, events.Peer(id), peerFold())}
		p.known[id] = b
	}
	return b
}

// peerLives says that the process of a session has not ended.
func (d *Daemon) peerLives(j events.PeerJoined) bool {
	boot, _ := d.cfg.boot()
	return j.Boot == boot && j.Host == d.host && person.Alive(d.people, person.Caller{PID: j.PID, Start: uint64(j.Start)})
}

// time is what it is now.
func (p *peers) time() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.now()
}

// get is the book of a session that is known.
func (p *peers) get(id string) *peerBook {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[id]
}

// open is the book of a session, read from the log if it is not known.
func (d *Daemon) openPeer(ctx context.Context, id string) (*peerBook, error) {
	p := d.peers
	if b := p.get(id); b != nil {
		return b, nil
	}
	r, err := journal.Open(ctx, p.journal, events.Peer(id), peerFold(), d.cfg.Log)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if b := p.known[id]; b != nil {
		return b, nil
	}
	b := &peerBook{Aggregate: r, beat: r.State().Seen}
	p.known[id] = b
	return b, nil
}

// all are the sessions that are known, with their last signs of life.
func (p *peers) all() map[string]peerNow {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := make(map[string]peerNow, len(p.known))
	for id, b := range p.known {
		out[id] = peerNow{b.State(), b.beat}
	}
	return out
}

// peerNow is a session as it is now.
type peerNow struct {
	peer.State
	beat time.Time
}

func (n peerNow) life(now time.Time) rule.Life { return rule.PeerLife(now.Sub(n.beat)) }

// states are the folded sessions, for a proof of the log.
func (p *peers) states() map[string]peer.State {
	out := map[string]peer.State{}
	for id, n := range p.all() {
		if n.Log.Seq > 0 {
			out[id] = n.State
		}
	}
	return out
}

func (p *peers) beats(b *peerBook) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b.beat = p.now()
}

// proof is what a chat is known by among peers.
func (d *Daemon) proof(c chat.Chat) events.PeerJoined {
	return events.PeerJoined{Program: c.Program, PID: c.PID, Start: c.Start, Boot: c.Boot, Host: d.host}
}

// heard takes any request of a chat for a sign of life. One that was silent for
// so long that it was taken for left is there again.
//
// Source: session-orchestrator, S27, S28.
func (d *Daemon) heard(c chat.Chat) {
	id, ok := peer.ID(d.proof(c))
	b := d.peers.get(id)
	if !ok || b == nil {
		return
	}
	d.peers.beats(b)
	s := b.State()
	if s.Left != events.PeerSilent {
		return
	}
	j := s.PeerJoined
	j.Outcome, j.Beside, j.Reason = "", "", ""
	if _, err := b.Append(d.beside.ctx, j, c.Actor, ""); err != nil {
		d.cfg.Log.Error("store that a session is back", "peer", id, "error", err)
	}
}

// register makes a session known, or what has changed of it. What is not said
// stays as it was.
func (d *Daemon) register(ctx context.Context, c chat.Chat, j events.PeerJoined, cause string) (string, error) {
	p := d.proof(c)
	p.Via, p.Repository, p.Directory, p.Label = j.Via, j.Repository, j.Directory, j.Label
	p.Mode, p.Class, p.Assumed, p.Outcome, p.Beside, p.Reason = j.Mode, j.Class, j.Assumed, j.Outcome, j.Beside, j.Reason
	id, ok := peer.ID(p)
	if !ok {
		return "", errNoProof
	}
	b, err := d.openPeer(ctx, id)
	if err != nil {
		return id, err
	}
	was := b.State()
	if was.Here() {
		p = saidOf(was.PeerJoined, p)
	}
	if p.Mode == "" {
		p.Mode = events.ModeNone
		p.Class, p.Assumed = rule.ClassifyMode("")
	}
	d.peers.beats(b)
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
func (d *Daemon) departs(ctx context.Context, c chat.Chat, why events.PeerCause, cause string) (bool, error) {
	id, _ := peer.ID(d.proof(c))
	b := d.peers.get(id)
	if b == nil || !b.State().Here() {
		return false, nil
	}
	_, err := b.Append(ctx, events.PeerLeft{Cause: why}, c.Actor, cause)
	return true, err
}

// sweepPeers takes sessions for left that have shown no sign of life for an hour.
//
// Source: session-orchestrator, seeds 2.8.4 sweep; S24: none leaves because a turn
// ends.
func (d *Daemon) sweepPeers(ctx context.Context) {
	now := d.peers.time()
	for id, n := range d.peers.all() {
		if !n.Here() || n.life(now) != rule.Gone || n.Log.Broken != 0 {
			continue
		}
		if _, err := d.peers.get(id).Append(ctx, events.PeerLeft{Cause: events.PeerSilent}, events.ActorDaemon(d.host), ""); err != nil {
			d.cfg.Log.Error("store that a session is silent", "peer", id, "error", err)
			continue
		}
		d.cfg.Log.Info("a session was silent for an hour", "peer", id, "pid", n.PID)
	}
}
