package daemon

import (
	"errors"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/person"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// chats is a table of processes in which chats live: a host program, below which
// each call is a process of its own.
type chats struct {
	mu    sync.Mutex
	procs map[int]person.Process
}

func (c *chats) Process(pid int) (person.Process, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.procs[pid]
	if !ok {
		return p, errors.New("process is gone")
	}
	return p, nil
}

func (*chats) Namespaces(int) (person.Namespaces, error) { return person.Namespaces{}, nil }

func (c *chats) add(p person.Process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.procs[p.PID] = p
}

func (c *chats) end(pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.procs, pid)
}

// talk is one chat.
type talk struct {
	s     *site
	table *chats
	pid   int
	calls int
}

// Pids that no host has: the table is asked, and the kernel knows none of them.
const firstChat = 1 << 23

// chat opens a chat of claude.
func (s *site) chat() *talk {
	table, ok := s.d.Consent.People.(*chats)
	if !ok {
		table = &chats{procs: map[int]person.Process{}}
		s.d.Consent.People = table
	}
	pid := firstChat + 1000*len(table.procs)
	table.add(person.Process{PID: pid, Start: uint64(pid), UID: os.Getuid(), Program: "/home/me/.local/share/claude/versions/2.0.1"})
	return &talk{s: s, table: table, pid: pid}
}

// request is a call of the chat: a process that is there for this one.
func (c *talk) request() auth.Request {
	q := c.s.request()
	c.calls++
	q.PID = c.pid + c.calls
	q.Start = uint64(q.PID)
	c.table.add(person.Process{PID: q.PID, Parent: c.pid, Start: q.Start, Program: "/usr/bin/apctl"})
	return q
}

func (c *talk) join(start *wire.StartRequest) (wire.SessionView, error) {
	return c.s.d.Sessions.Join(c.s.t.Context(), c.request(), wire.SessionJoinRequest{RunRef: wire.RunRef{Workspace: c.s.work}, Start: start})
}

func (c *talk) joins(start *wire.StartRequest) wire.SessionView {
	c.s.t.Helper()
	v, err := c.join(start)
	if err != nil {
		c.s.t.Fatal(err)
	}
	return v
}

// next waits for work, or the end.
func (c *talk) next() wire.SessionView {
	c.s.t.Helper()
	v, err := c.s.d.Sessions.Next(c.s.t.Context(), c.request(), wire.SessionNextRequest{RunRef: wire.RunRef{Workspace: c.s.work}, WaitMS: 600_000})
	if err != nil {
		c.s.t.Fatal(err)
	}
	return v
}

// work is what next says is to be done.
func (c *talk) work() wire.SessionWork {
	c.s.t.Helper()
	v := c.next()
	if v.Work == nil {
		w := c.s.why(v.Run.ID)
		c.s.t.Fatalf("there is nothing to do: %s %s %s", v.Waits, v.Says, w.LastError)
	}
	return *v.Work
}

// delivery is a submit of that work.
func delivery(w wire.SessionWork, claim string, edit ...func(*wire.Submission)) wire.SessionSubmitRequest {
	sub := wire.Submission{V: 1, Effect: w.Effect, Phase: w.Phase, Iteration: w.Iteration, Claim: claim}
	for _, f := range edit {
		f(&sub)
	}
	b, err := json.Marshal(sub)
	if err != nil {
		panic(err)
	}
	return wire.SessionSubmitRequest{Submission: string(b)}
}

func (c *talk) submit(body wire.SessionSubmitRequest) (wire.SessionView, error) {
	return c.submitAs(c.request(), body)
}

func (c *talk) submitAs(q auth.Request, body wire.SessionSubmitRequest) (wire.SessionView, error) {
	body.Workspace = c.s.work
	return c.s.d.Sessions.Submit(c.s.t.Context(), q, body)
}

func (c *talk) submits(w wire.SessionWork, claim string) {
	c.s.t.Helper()
	if _, err := c.submit(delivery(w, claim)); err != nil {
		c.s.t.Fatal(err)
	}
}

// ordered is a run that a chat drives.
func (s *site) ordered(edit ...func(*wire.RunSpec)) *wire.StartRequest {
	q := s.spec("test -f ok", "", append([]func(*wire.RunSpec){func(spec *wire.RunSpec) { spec.Driver = events.DriverSession }}, edit...)...)
	return &q
}

func refusedAs(t *testing.T, what string, err error, code wire.Code, says string) {
	t.Helper()
	if codeOf(err) != code || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: %v, want %s %q", what, err, code, says)
	}
}

// state is a run as it is now.
func (s *site) state(id string) run.State {
	s.t.Helper()
	st, ok := s.d.Fleet.State(id)
	if !ok {
		s.t.Fatalf("no run %s", id)
	}
	return st
}
