package chat

import (
	"os"
	"slices"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/person"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Chat is the caller, as the kernel shows it: the process that it lives in, and all
// that it descends from.
type Chat struct {
	events.SessionJoined
	Line  []person.Process // of the caller; itself first
	Actor string
}

// Is says that the chat lives in that process, or below it.
func (c Chat) Is(by events.SessionJoined) bool {
	return by.Boot == c.Boot && slices.ContainsFunc(c.Line, func(p person.Process) bool {
		return p.PID == by.PID && int64(p.Start) == by.Start
	})
}

// Drives says that the chat is the one that drives the run, and none below it.
func (c Chat) Drives(s run.State) bool { return s.Driver != nil && s.Driver.Same(c.SessionJoined) }

// Config is what chats are told apart by.
type Config struct {
	People func() person.Table // of the processes of this host
	Boot   func() string       // of this host; empty where it is not known
	Host   string
	Heard  func(Chat) // hears of every chat that is found behind a request
}

// Chats are the chats of this host.
type Chats struct {
	Config
	hosts
}

// New knows of no hosts yet.
func New(c Config) *Chats { return &Chats{Config: c} }

// Of finds the chat behind a request.
func (k *Chats) Of(q auth.Request) (Chat, error) {
	line, err := person.Line(k.People(), person.Caller{PID: q.PID, Start: q.Start})
	if err != nil {
		return Chat{}, wire.Errorf(wire.Denied, "the caller cannot be identified: %v", err).WithHint("ask again")
	}
	p, program, ok := person.Chat(line, k.has)
	if !ok || p.PID == os.Getpid() {
		return Chat{}, wire.Errorf(wire.Denied, "the caller cannot be identified: none of its parent processes keeps running").WithHint("ask from the chat, or from a terminal")
	}
	// Without a boot, pid and start time have to do.
	c := Chat{Line: line, SessionJoined: events.SessionJoined{PID: p.PID, Start: int64(p.Start), Boot: k.Boot()}}
	if n := events.Name(program); n.Valid() {
		c.Program = n
	}
	c.Actor = events.ActorSession(c.Program, c.PID, k.Host)
	k.Heard(c)
	return c, nil
}

// Behind says that a chat stands behind a request. Of one that came over TCP
// nobody knows: its key says what it may. The daemon's own requests say it themselves.
func (k *Chats) Behind(q auth.Request) bool {
	if q.Kind == auth.KindKey || q.Kind == auth.KindDaemon {
		return false
	}
	line, err := person.Line(k.People(), person.Caller{PID: q.PID, Start: q.Start})
	return err != nil || person.OfChat(line, k.has) // who cannot be told apart gets no more than a chat
}

// Gone says that the process of a chat has ended.
func (k *Chats) Gone(by events.SessionJoined) bool {
	return by.Boot != k.Boot() || !k.alive(callerOf(by))
}

// Note makes the host of a chat known, with what it calls the chat.
func (k *Chats) Note(c Chat, session string) { k.note(callerOf(c.SessionJoined), session, k.alive) }

// Forget drops a host that has ended its chat.
func (k *Chats) Forget(c Chat) { k.forget(callerOf(c.SessionJoined)) }

// Session is how the host of a chat calls it, empty if it has not said so.
func (k *Chats) Session(by events.SessionJoined) string { return k.session(callerOf(by)) }

// Holds notes that a chat is kept from stopping at a point of its run, and says
// whether it is: where it goes on only as it was kept before, it is not kept there
// again, and nowhere for long.
func (k *Chats) Holds(c Chat, point string, again bool) bool {
	return k.holds(callerOf(c.SessionJoined), point, again)
}

func (k *Chats) alive(c person.Caller) bool { return person.Alive(k.People(), c) }

func callerOf(by events.SessionJoined) person.Caller {
	return person.Caller{PID: by.PID, Start: uint64(by.Start)}
}
