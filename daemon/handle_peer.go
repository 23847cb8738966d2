package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"autopilot/daemon/bus"
	"autopilot/daemon/chat"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/peer"
	"autopilot/projections/rule"
)

var errNoProof = wire.Errorf(wire.Denied, "who asks cannot be told: this host does not show which start of it a process belongs to").
	WithHint("apctl doctor   says what this host shows")

// peerOf is the book of a chat, nil if it was never on the bus.
func (d *Daemon) peerOf(c chat.Chat) *peerBook {
	id, _ := peer.ID(d.proof(c))
	return d.peers.get(id)
}

// selfOf is the session on the bus that a chat is, or else the nearest that has
// started it: a part of a script is the script.
func (d *Daemon) selfOf(c chat.Chat) *peerBook {
	if b := d.peerOf(c); b != nil && b.State().Here() {
		return b
	}
	for _, p := range c.Line {
		id, _ := peer.ID(events.PeerJoined{PID: p.PID, Start: int64(p.Start), Boot: c.Boot, Host: d.host})
		if b := d.peers.get(id); b != nil && b.State().Here() {
			d.peers.beats(b)
			return b
		}
	}
	return nil
}

// peerList answers who is there.
func (d *Daemon) peerList(ctx context.Context, q bus.Request, body wire.PeersRequest) (wire.PeersView, error) {
	at, err := spotOf(ctx, body.Directory)
	if err != nil {
		return wire.PeersView{}, err
	}
	list, sources := d.findPeers(q, at)
	if list == nil {
		list = []wire.PeerView{}
	}
	return wire.PeersView{Peers: list, Sources: sources}, nil
}

// peerCheck answers what a session is told that is about to begin. It changes
// nothing.
func (d *Daemon) peerCheck(ctx context.Context, q bus.Request, body wire.PeerJoinRequest) (wire.PeerCheckView, error) {
	at, err := spotOf(ctx, body.Directory)
	if err != nil {
		return wire.PeerCheckView{}, err
	}
	return d.preamble(q, at, body.Mode)
}

// preamble is what a session of that mode is told beside those that are here.
func (d *Daemon) preamble(q bus.Request, at spot, mode string) (wire.PeerCheckView, error) {
	m := events.Name(strings.TrimSpace(mode))
	if m == "" {
		m = events.ModeNone
	}
	if !m.Valid() {
		return wire.PeerCheckView{}, wire.Errorf(wire.Usage, "%.40q is no mode", mode).
			WithHint("a mode is a word of small letters: %s, or one of your own", strings.Join(rule.Modes(), ", "))
	}
	class, assumed := rule.ClassifyMode(string(m))
	v := wire.PeerCheckView{Mode: string(m), Class: string(class), Assumed: assumed, Weak: []wire.PeerView{}, Unread: []wire.PeerSource{}}
	list, sources := d.findPeers(q, at)
	for _, s := range sources {
		if s.State == "unreadable" || s.State == "corrupt" {
			v.Unread = append(v.Unread, s)
		}
	}
	var others []rule.PeerBeside
	for _, p := range list {
		switch {
		case !p.Here || p.You:
		case p.Life == string(rule.Fresh):
			others = append(others, rule.PeerBeside{ID: p.ID, Class: events.PeerClass(p.Class), Since: p.Since, Apart: at.apart(p)})
		default:
			v.Weak = append(v.Weak, p)
		}
	}
	told := rule.Preamble(class, others, len(v.Unread) > 0)
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

// peerJoin puts who asks on the bus, with the mode that it says, if nobody is
// there beside whom it may not begin. To begin in place beside another that writes
// is possible, and recorded.
func (d *Daemon) peerJoin(ctx context.Context, q bus.Request, body wire.PeerJoinRequest) (wire.PeerCheckView, error) {
	who, err := d.chats.Of(q)
	if err != nil {
		return wire.PeerCheckView{}, err
	}
	at, err := spotOf(ctx, body.Directory)
	if err != nil {
		return wire.PeerCheckView{}, err
	}
	d.peers.deciding.Lock()
	defer d.peers.deciding.Unlock()
	if b := d.peerOf(who); body.Mode == "" && b != nil && b.State().Here() {
		body.Mode = string(b.State().Mode) // it stays as it was
	}
	v, err := d.preamble(q, at, body.Mode)
	outcome := events.PeerOutcome(v.Outcome)
	if err != nil || outcome == events.ExclusiveBlocked || outcome == events.PromotionOffer && !body.InPlace {
		return v, err
	}
	j, err := d.placed(ctx, at.dir)
	if err != nil {
		return v, err
	}
	j.Via, j.Mode, j.Class, j.Assumed = events.PeerByCommand, events.Name(v.Mode), events.PeerClass(v.Class), v.Assumed
	if outcome == events.PromotionOffer {
		j.Outcome, j.Beside, v.InPlace, v.ExitCode = outcome, v.Beside.ID, true, wire.ExitDone
		if j.Reason, err = d.peerText(ctx, body.Reason); err != nil {
			return v, err
		}
	}
	id, err := d.register(ctx, who, j, q.ID)
	if err != nil {
		return v, err
	}
	v.Joined, v.You = true, d.busName(id)
	return v, nil
}

// busName is what a session on the bus is called.
func (d *Daemon) busName(id string) string {
	list := []wire.PeerView{{ID: id}}
	for _, b := range d.onBus() {
		if b.id != id {
			list = append(list, wire.PeerView{ID: b.id})
		}
	}
	namePeers(list)
	return list[0].Peer
}

// peerLeave takes who asks from the bus.
func (d *Daemon) peerLeave(ctx context.Context, q bus.Request, _ struct{}) (struct{}, error) {
	who, err := d.chats.Of(q)
	if err != nil {
		return struct{}{}, err
	}
	if there, err := d.departs(ctx, who, events.PeerQuit, q.ID); err != nil || there {
		return struct{}{}, err
	}
	if b := d.peerOf(who); b != nil && b.Answered(ctx, q.ID) {
		return struct{}{}, nil
	}
	return struct{}{}, notOnBus()
}

func notOnBus() error {
	return wire.Errorf(wire.Denied, "who asks is not among the sessions on the bus").WithHint("apctl peer join --mode MODE   puts it there")
}

// peerSend stores a text for a session. It is text and nothing else: no verb that
// decides takes one.
func (d *Daemon) peerSend(ctx context.Context, q bus.Request, body wire.PeerSendRequest) (wire.PeerSentView, error) {
	if err := goodPeerText(body.Text); err != nil {
		return wire.PeerSentView{}, err
	}
	who, err := d.chats.Of(q)
	if err != nil {
		return wire.PeerSentView{}, err
	}
	to, err := d.addressee(ctx, body)
	if err != nil {
		return wire.PeerSentView{}, err
	}
	b := d.peers.get(to)
	from := ""
	if own := d.selfOf(who); own == b {
		return wire.PeerSentView{}, wire.Errorf(wire.Usage, "%s is who asks", body.To).WithHint("apctl peer ls   lists the others")
	} else if own != nil {
		from = own.Of.ID
	}
	text, err := d.peerText(ctx, body.Text)
	if err != nil {
		return wire.PeerSentView{}, err
	}
	d.peers.deciding.Lock() // messages are counted
	defer d.peers.deciding.Unlock()
	s := b.State()
	if i := slices.IndexFunc(s.Messages, func(m peer.Message) bool { return q.ID != "" && m.Asked == q.ID }); i >= 0 {
		return wire.PeerSentView{To: d.peerView(to), No: s.Messages[i].No}, nil // the answer of the first was lost
	}
	if n := len(s.Unread()); n >= peer.MostMessages {
		return wire.PeerSentView{}, wire.Errorf(wire.Conflict, "%s has %d messages that it has not read, and takes no more", body.To, n).
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
	return wire.PeerSentView{To: d.peerView(to), No: m.No}, nil
}

func goodPeerText(text string) error {
	switch {
	case strings.TrimSpace(text) == "":
		return wire.Errorf(wire.Usage, "the text is empty").WithHint("say what the session has to know")
	case len(text) > wire.MaxPeerText:
		return wire.Errorf(wire.Usage, "the text has %d bytes, at most %d are taken", len(text), wire.MaxPeerText).WithHint("write it into a file, and send its path")
	case strings.ContainsRune(text, 0) || !utf8.ValidString(text):
		return wire.Errorf(wire.Usage, "the text holds what no prompt can carry").WithHint("send UTF-8 without NUL")
	}
	return nil
}

// peerView is a session on the bus as others see it.
func (d *Daemon) peerView(id string) wire.PeerView {
	for _, b := range d.onBus() {
		if b.id == id {
			v := d.busView(b, nil, spot{}, d.fleet.LiveStates())
			v.Peer = d.busName(id)
			return v
		}
	}
	return wire.PeerView{ID: id, Peer: id}
}

// peerRead answers what was written to who asks, and notes that it was read.
func (d *Daemon) peerRead(ctx context.Context, q bus.Request, body wire.PeerReadRequest) (wire.PeerMailView, error) {
	who, err := d.chats.Of(q)
	if err != nil {
		return wire.PeerMailView{}, err
	}
	b := d.selfOf(who)
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
		v.Messages = append(v.Messages, d.messageView(m, read))
	}
	if n := len(s.Unread()); n > 0 && read == s.Read {
		if _, err := b.Append(ctx, events.PeerRead{UpTo: s.Unread()[n-1].No}, who.Actor, q.ID); err != nil {
			return wire.PeerMailView{}, err
		}
	}
	v.You = d.peerView(b.Of.ID)
	return v, nil
}

func (d *Daemon) messageView(m peer.Message, read int) wire.PeerMessage {
	v := wire.PeerMessage{No: m.No, At: m.At.UTC().Truncate(time.Millisecond), By: m.By, New: m.No > read, Text: d.text(m.Text)}
	v.Gone = v.Text == ""
	if m.From != "" {
		v.From = d.busName(m.From)
	}
	return v
}

// registerDriver puts a chat on the bus that drives a run.
func (d *Daemon) registerDriver(ctx context.Context, who chat.Chat, dir, cause string) {
	j, err := d.placed(ctx, dir)
	if err == nil {
		j.Via = events.PeerByRun
		_, err = d.register(ctx, who, j, cause)
	}
	if err != nil && !errors.Is(err, errNoProof) {
		d.cfg.Log.Warn("note a session", "pid", who.PID, "error", err)
	}
}
