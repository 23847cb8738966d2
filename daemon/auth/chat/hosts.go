package chat

import (
	"sync"
	"time"

	"autopilot/daemon/auth/person"
	"autopilot/events/wire"
)

// hosts remembers of chats what their hosts tell of them. It is known of this
// daemon's life only: the next hook of a chat makes it known again.
type hosts struct {
	mu    sync.Mutex
	known map[person.Caller]*hooking
	beats map[string]beat // by run
}

// hooking is a host program that runs hooks.
type hooking struct {
	session string // as the host calls its chat: a label
	held    string // at what the chat was last kept from stopping
	times   int    // how often there
}

// beat is the last sign of life of the chat that drives a run.
type beat struct {
	effect string // the iteration
	at     time.Time
	calls  int // of tools, in this iteration
}

// Bounds of what is remembered; beyond them what is over is dropped.
const (
	mostHooked = 64
	mostBeats  = 256
	mostHolds  = 3
)

// has says that a process is a host.
func (h *hosts) has(p person.Process) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.known[person.Caller{PID: p.PID, Start: p.Start}] != nil
}

// note makes a host known. Where there are many, those that have ended are
// forgotten first.
func (h *hosts) note(c person.Caller, session string, alive func(person.Caller) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.known == nil {
		h.known = map[person.Caller]*hooking{}
	}
	is := h.known[c]
	if is == nil && len(h.known) >= mostHooked {
		for other := range h.known {
			if !alive(other) {
				delete(h.known, other)
			}
		}
	}
	switch {
	case is != nil:
		is.session = session
	case len(h.known) < mostHooked:
		h.known[c] = &hooking{session: session}
	}
}

// forget drops a host that has ended its chat.
func (h *hosts) forget(c person.Caller) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.known, c)
}

// session is how a host calls its chat, empty if it has not said so.
func (h *hosts) session(c person.Caller) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if k := h.known[c]; k != nil {
		return k.session
	}
	return ""
}

// holds notes that a chat is kept from stopping at a point of its run. Where it
// goes on only as it was kept before, it is not kept at the same point again; and
// at no point for long, as a host may not say that (gemini 0.61 does so only where
// no tool was used since).
func (h *hosts) holds(c person.Caller, point string, again bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := h.known[c]
	if k == nil || again && (k.held == point || k.held == "") || k.held == point && k.times >= mostHolds {
		return false
	}
	if k.held != point {
		k.held, k.times = point, 0
	}
	k.times++
	return true
}

// Beat notes a use of a tool in an iteration of a run.
func (h *hosts) Beat(run, effect string, at time.Time, live func(run string) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.beats == nil {
		h.beats = map[string]beat{}
	}
	b := h.beats[run]
	if b.effect != effect {
		b = beat{effect: effect}
	}
	b.at = at
	b.calls++
	h.beats[run] = b
	if len(h.beats) > mostBeats {
		for other := range h.beats {
			if !live(other) {
				delete(h.beats, other)
			}
		}
	}
}

// Life is the last sign of life in an iteration of a run, if there was one.
func (h *hosts) Life(run, effect string) *wire.LifeView {
	h.mu.Lock()
	defer h.mu.Unlock()
	b := h.beats[run]
	if b.effect != effect || b.at.IsZero() {
		return nil
	}
	return &wire.LifeView{At: b.at, Kind: sign, Calls: b.calls}
}

// sign is a use of a tool, as the host of a chat tells of it.
const sign = "chat"
