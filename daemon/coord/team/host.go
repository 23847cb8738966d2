package team

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/events/log"
	"autopilot/events/wire"
)

// Self is what this daemon says of itself to the others.
type Self struct {
	Host    string `json:"-"`      // id
	Name    string `json:"name"`   // of the host, for people
	Person  string `json:"person"` // login name of the user
	Version string `json:"version"`
}

func (s Self) text() []byte {
	b, _ := json.Marshal(s, json.Deterministic(true)) // strings alone: it cannot fail
	return b
}

// Host is a host of the team, as it said of itself.
type Host struct {
	Self
	Heard time.Time // when the servers heard of it, by their clock
}

// Words names it for people: its name, and who it belongs to.
func (h Host) Words() string {
	if h.Person == "" {
		return h.Name
	}
	return h.Name + " (" + h.Person + ")"
}

// sight is what was seen of the servers at the latest survey.
type sight struct {
	hosts  map[string]Host // every host that was ever seen, by id
	copies log.Copies
	known  bool  // copies were answered
	raise  error // why there are no more replicas
}

// Host is a host of the team that was seen; ok is false of one that was not.
func (t *Team) Host(id string) (h Host, ok bool) {
	if t == nil {
		return h, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	h, ok = t.seen.hosts[id]
	return h, ok
}

// surveys is the time between two surveys.
const surveys = 5 * time.Second

// survey looks again and again who is there, and where the log is stored; and has it
// stored on as many servers as it should.
func (t *Team) survey(ctx context.Context) {
	for {
		if !t.Lost() {
			asking, cancel := context.WithTimeout(ctx, opening)
			t.meet(asking)
			t.spread(asking)
			cancel()
		}
		if !pause(ctx, surveys) {
			return
		}
	}
}

func (t *Team) meet(ctx context.Context) {
	all, err := t.now().presence.All(ctx)
	if err != nil {
		return // it is looked at again, and what was seen stays
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range all {
		h := Host{Heard: p.At}
		if json.Unmarshal(p.Text, &h.Self) == nil {
			h.Host = p.Host
			h.Name, h.Person, h.Version = short(h.Name), short(h.Person), short(h.Version)
			t.seen.hosts[p.Host] = h
		}
	}
}

// short is a text of another host in one line.
func short(text string) string {
	const longest = 64
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	return text[:min(len(text), longest)]
}

func (t *Team) spread(ctx context.Context) {
	p, want := t.now(), t.cfg.Servers.Replicas
	c, err := p.stream.Copies(ctx)
	if err != nil {
		return
	}
	if c.Replicas < want {
		t.mu.Lock()
		link := t.link
		t.mu.Unlock()
		if err = p.stream.Raise(ctx, link.Conn(), want); err == nil {
			t.cfg.Log.Info("the log of the team is stored on more servers", "before", c.Replicas, "now", want)
			c, err = p.stream.Copies(ctx)
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.seen.raise = err; c.Replicas > 0 {
		t.seen.copies, t.seen.known = c, true
	}
}

// View is how it stands with the team; nil is nobody.
func (t *Team) View() *wire.TeamView {
	if t == nil {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	v := &wire.TeamView{URL: t.cfg.Servers.URL, Since: t.since.UTC(), Wanted: t.cfg.Servers.Replicas, Host: t.cfg.Self.Host, Hosts: t.hostsLocked()}
	if t.seen.known {
		c := t.seen.copies
		v.Replicas, v.Leader, v.Bytes, v.Quota, v.Events = c.Replicas, c.Leader, c.Bytes, c.Quota, c.Events
		for _, s := range c.Servers {
			v.Servers = append(v.Servers, wire.TeamServer{Name: s.Name, Current: s.Current, Offline: s.Offline, Lag: s.Lag})
		}
	}
	if t.seen.raise != nil {
		v.Raise = t.seen.raise.Error()
	}
	if t.away != nil {
		v.Problem = t.away.Error()
		return v
	}
	v.Server, v.TLS, v.Reading = t.link.Server(), t.link.TLS(), !t.at.known
	return v
}

func (t *Team) hostsLocked() (out []wire.TeamHost) {
	var newest time.Time
	for _, h := range t.seen.hosts {
		if h.Heard.After(newest) {
			newest = h.Heard
		}
	}
	for id, h := range t.seen.hosts {
		out = append(out, wire.TeamHost{
			ID: id, Name: h.Name, Person: h.Person, Version: h.Version, Heard: h.Heard, Here: id == t.cfg.Self.Host,
			Away: newest.Sub(h.Heard) > 2*late,
		})
	}
	slices.SortFunc(out, func(a, b wire.TeamHost) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	return out
}
