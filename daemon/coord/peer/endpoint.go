package peer

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/chat"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/orchestrator"
	folded "autopilot/projections/peer"
)

var errNoProof = wire.Errorf(wire.Denied, "the caller cannot be identified: this host does not show which start of it a process belongs to").
	WithHint("apctl doctor   says what this host shows")

// bookOf is the book of a chat, nil if it was never on the bus.
func (ps *Sessions) bookOf(c chat.Chat) *book {
	id, _ := ps.ID(c)
	return ps.get(id)
}

// selfOf is the session on the bus that a chat is, or else the nearest that has
// started it: a part of a script is the script.
func (ps *Sessions) selfOf(c chat.Chat) *book {
	if b := ps.bookOf(c); b != nil && b.State().Here() {
		return b
	}
	for _, p := range c.Line {
		id, _ := folded.ID(events.PeerJoined{PID: p.PID, Start: int64(p.Start), Boot: c.Boot, Host: ps.cfg.Chats.Host})
		if b := ps.get(id); b != nil && b.State().Here() {
			ps.beats(b)
			return b
		}
	}
	return nil
}

// List answers who is there.
func (ps *Sessions) List(ctx context.Context, q auth.Request, body wire.PeersRequest) (wire.PeersView, error) {
	at, err := spotOf(ctx, body.Directory)
	if err != nil {
		return wire.PeersView{}, err
	}
	list, sources := ps.findPeers(q, at)
	if list == nil {
		list = []wire.PeerView{}
	}
	return wire.PeersView{Peers: list, Sources: sources}, nil
}

// Check answers what a session is told that is about to begin. It changes
// nothing.
func (ps *Sessions) Check(ctx context.Context, q auth.Request, body wire.PeerJoinRequest) (wire.PeerCheckView, error) {
	at, err := spotOf(ctx, body.Directory)
	if err != nil {
		return wire.PeerCheckView{}, err
	}
	return ps.preamble(q, at, body.Mode)
}

// preamble is what a session of that mode is told beside those that are here.
func (ps *Sessions) preamble(q auth.Request, at spot, mode string) (wire.PeerCheckView, error) {
	m := events.Name(strings.TrimSpace(mode))
	if m == "" {
		m = events.ModeNone
	}
	if !m.Valid() {
		return wire.PeerCheckView{}, wire.Errorf(wire.Usage, "%.40q is not a mode", mode).
			WithHint("a mode is a word of small letters: %s, or one of your own", strings.Join(orchestrator.Modes(), ", "))
	}
	class, assumed := orchestrator.ClassifyMode(string(m))
	v := wire.PeerCheckView{Mode: string(m), Class: string(class), Assumed: assumed, Weak: []wire.PeerView{}, Unread: []wire.PeerSource{}}
	list, sources := ps.findPeers(q, at)
	for _, s := range sources {
		if s.State == "unreadable" || s.State == "corrupt" {
			v.Unread = append(v.Unread, s)
		}
	}
	var others []orchestrator.PeerBeside
	for _, p := range list {
		switch {
		case !p.Here || p.You || p.Source == sourceBus && p.Ended:
		case p.Life == string(orchestrator.Fresh):
			others = append(others, orchestrator.PeerBeside{ID: p.ID, Class: events.PeerClass(p.Class), Since: p.Since, Apart: at.apart(p)})
		default:
			v.Weak = append(v.Weak, p)
		}
	}
	told := orchestrator.Preamble(class, others, len(v.Unread) > 0)
	v.Outcome, v.Reason, v.ExitCode = string(told.Outcome), string(told.Reason), exitOfPeer[told.Outcome]
	if i := slices.IndexFunc(list, func(p wire.PeerView) bool { return told.Beside != "" && p.ID == told.Beside }); i >= 0 {
		v.Beside = &list[i]
	}
	return v, nil
}

// exitOfPeer is what apctl ends with: a session that is blocked has to wait, one
// that is offered a work tree of its own needs somebody who chooses.
var exitOfPeer = map[events.PeerOutcome]int{
	events.PassThrough: wire.ExitDone, events.ExclusiveBlocked: wire.ExitConflict, events.PromotionOffer: wire.ExitPerson,
}

// Join puts the caller on the bus, with the mode that it says, if nobody is
// there beside whom it may not begin. To begin in place beside another that writes
// is possible, and recorded.
func (ps *Sessions) Join(ctx context.Context, q auth.Request, body wire.PeerJoinRequest) (wire.PeerCheckView, error) {
	who, err := ps.cfg.Chats.Of(q)
	if err != nil {
		return wire.PeerCheckView{}, err
	}
	at, err := spotOf(ctx, body.Directory)
	if err != nil {
		return wire.PeerCheckView{}, err
	}
	ps.deciding.Lock()
	defer ps.deciding.Unlock()
	if b := ps.bookOf(who); body.Mode == "" && b != nil && b.State().Here() {
		body.Mode = string(b.State().Mode) // it stays as it was
	}
	v, err := ps.preamble(q, at, body.Mode)
	outcome := events.PeerOutcome(v.Outcome)
	if err != nil || outcome == events.ExclusiveBlocked || outcome == events.PromotionOffer && !body.InPlace {
		return v, err
	}
	j, err := ps.placed(ctx, at.dir)
	if err != nil {
		return v, err
	}
	j.Via, j.Mode, j.Class, j.Assumed = events.PeerByCommand, events.Name(v.Mode), events.PeerClass(v.Class), v.Assumed
	if outcome == events.PromotionOffer {
		j.Outcome, j.Beside, v.InPlace, v.ExitCode = outcome, v.Beside.ID, true, wire.ExitDone
		if j.Reason, err = ps.text(ctx, body.Reason); err != nil {
			return v, err
		}
	}
	id, err := ps.register(ctx, who, j, q.ID)
	if err != nil {
		return v, err
	}
	v.Joined, v.You = true, ps.name(id)
	return v, nil
}

// name is what a session on the bus is called.
func (ps *Sessions) name(id string) string {
	list := []wire.PeerView{{ID: id}}
	for _, b := range ps.onBus() {
		if b.id != id {
			list = append(list, wire.PeerView{ID: b.id})
		}
	}
	namePeers(list)
	return list[0].Peer
}

// Leave takes the caller from the bus.
func (ps *Sessions) Leave(ctx context.Context, q auth.Request, _ struct{}) (struct{}, error) {
	who, err := ps.cfg.Chats.Of(q)
	if err != nil {
		return struct{}{}, err
	}
	if there, err := ps.departs(ctx, who, events.PeerQuit, q.ID); err != nil || there {
		return struct{}{}, err
	}
	if b := ps.bookOf(who); b != nil && b.Answered(ctx, q.ID) {
		return struct{}{}, nil
	}
	return struct{}{}, notOnBus()
}

func notOnBus() error {
	return wire.Errorf(wire.Denied, "the caller has not joined the sessions").WithHint("apctl peer join --mode MODE   puts it there")
}

// Send stores a text for a session. It is text and nothing else: no verb that
// decides takes one.
func (ps *Sessions) Send(ctx context.Context, q auth.Request, body wire.PeerSendRequest) (wire.PeerSentView, error) {
	if err := goodText(body.Text); err != nil {
		return wire.PeerSentView{}, err
	}
	who, err := ps.cfg.Chats.Of(q)
	if err != nil {
		return wire.PeerSentView{}, err
	}
	to, err := ps.addressee(ctx, body)
	if err != nil {
		return wire.PeerSentView{}, err
	}
	b := ps.get(to)
	from := ""
	if own := ps.selfOf(who); own == b {
		return wire.PeerSentView{}, wire.Errorf(wire.Usage, "%s is the calling session", body.To).WithHint("apctl peer ls   lists the others")
	} else if own != nil {
		from = own.Of.ID
	}
	text, err := ps.text(ctx, body.Text)
	if err != nil {
		return wire.PeerSentView{}, err
	}
	ps.deciding.Lock() // messages are counted
	defer ps.deciding.Unlock()
	s := b.State()
	if i := slices.IndexFunc(s.Messages, func(m folded.Message) bool { return q.ID != "" && m.Asked == q.ID }); i >= 0 {
		return wire.PeerSentView{To: ps.view(to), No: s.Messages[i].No}, nil // the answer of the first was lost
	}
	if n := len(s.Unread()); n >= folded.MostMessages {
		return wire.PeerSentView{}, wire.Errorf(wire.Conflict, "%s has %d unread messages, which is the limit", body.To, n).
			WithHint("it reads them with apctl peer read")
	}
	actor := q.Actor
	if from != "" {
		actor = who.Actor
	}
	m := events.PeerMessaged{No: s.Next(), From: from, Text: text}
	if _, err := b.Append(ctx, m, actor, q.ID); err != nil {
		return wire.PeerSentView{}, err
	}
	return wire.PeerSentView{To: ps.view(to), No: m.No}, nil
}

func goodText(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return wire.Errorf(wire.Usage, "the text is empty").WithHint("say what the session has to know")
	case len(text) > wire.MaxPeerText:
		return wire.Errorf(wire.Usage, "the text has %d bytes; the limit is %d", len(text), wire.MaxPeerText).WithHint("write it into a file, and send its path")
	case strings.ContainsRune(text, 0) || !utf8.ValidString(text):
		return wire.Errorf(wire.Usage, "the text has a NUL byte or is not valid UTF-8").WithHint("send UTF-8 without NUL")
	}
	return nil
}

// view is a session on the bus as others see it.
func (ps *Sessions) view(id string) wire.PeerView {
	for _, b := range ps.onBus() {
		if b.id == id {
			v := ps.busView(b, nil, spot{}, ps.cfg.Runs.LiveStates())
			v.Peer = ps.name(id)
			return v
		}
	}
	return wire.PeerView{ID: id, Peer: id}
}

// Read answers what was written to the caller, and notes that it was read.
func (ps *Sessions) Read(ctx context.Context, q auth.Request, body wire.PeerReadRequest) (wire.PeerMailView, error) {
	who, err := ps.cfg.Chats.Of(q)
	if err != nil {
		return wire.PeerMailView{}, err
	}
	b := ps.selfOf(who)
	if b == nil {
		return wire.PeerMailView{}, notOnBus()
	}
	s := b.State()
	v := wire.PeerMailView{Messages: []wire.PeerMessage{}}
	read := s.Read
	if q.ID != "" && q.ID == s.Asked {
		read = s.Before // the answer of the first was lost
	}
	list := s.Behind(read)
	if body.All {
		list = s.Messages
	}
	for _, m := range list {
		v.Messages = append(v.Messages, ps.messageView(m, read))
	}
	if n := len(s.Unread()); n > 0 && read == s.Read {
		if _, err := b.Append(ctx, events.PeerRead{UpTo: s.Unread()[n-1].No}, who.Actor, q.ID); err != nil {
			return wire.PeerMailView{}, err
		}
	}
	v.You = ps.view(b.Of.ID)
	return v, nil
}

func (ps *Sessions) messageView(m folded.Message, read int) wire.PeerMessage {
	v := wire.PeerMessage{No: m.No, At: m.At.UTC().Truncate(time.Millisecond), By: m.By, New: m.No > read, Text: ps.cfg.Text(m.Text)}
	v.Gone = v.Text == ""
	if m.From != "" {
		v.From = ps.name(m.From)
	}
	return v
}
