//go:build linux

package crashtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/coord/claim"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/transport/bus/clustertest"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	lease "autopilot/projections/claim"
)

// Exit codes of apctl: it was asked wrongly, and another has what was asked for.
const (
	exitUsage    = 2
	exitConflict = 5
)

// teamTTL is for how long a claim is taken here: the shortest time that there is.
const teamTTL = 10 * time.Second

// member is a host of a team: a world with a clone of the repository that all have.
type member struct{ *world }

func newMember(t testing.TB, urls, key string) member {
	m := member{newWorld(t)}
	m.repo(m.path("ws"), map[string]string{"a.txt": "a\n"})
	if a := m.command(m.path("ws"), nil, "git", "remote", "add", "origin", "https://github.com/owner/name"); a.code != 0 {
		t.Fatalf("%v", a)
	}
	text := fmt.Sprintf("team: {url: %q, credentials: %q, replicas: 3}\n", urls, key)
	if err := errors.Join(os.MkdirAll(m.path("config/autopilot"), 0o700), os.WriteFile(m.path("config/autopilot/config.yaml"), []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
	return m
}

// meets waits until the daemon has found the team. It starts one where there is none.
func (m member) meets() {
	m.t.Helper()
	m.must("ls", "--all")
	m.polls("the team", func() bool {
		v := data[wire.DaemonView](m.t, m.must("daemon", "status", "--json"))
		return v.Team != nil && v.Team.Problem == ""
	})
}

// polls asks until something is so: nothing tells of what another host does.
func (m member) polls(what string, is func() bool) {
	m.t.Helper()
	for limit := time.Now().Add(patience); !is(); <-time.After(50 * time.Millisecond) {
		if time.Now().After(limit) {
			m.t.Fatalf("%s does not come to be", what)
		}
	}
}

func (m member) takes(key string) answer {
	m.t.Helper()
	a := m.here("peer", "take", key, "--ttl", teamTTL.String(), "--json")
	if a.code == exitUsage {
		m.t.Fatalf("%v", a)
	}
	return a
}

// here is apctl in the clone.
func (m member) here(args ...string) answer {
	m.t.Helper()
	return m.command(m.path("ws"), nil, filepath.Join(bin, "apctl"), args...)
}

// shared is the log of the team, beside all daemons.
func shared(t *testing.T, c *clustertest.Cluster) log.Log {
	t.Helper()
	l, err := log.Open(t.Context(), c.Connect(t, 0, 0), log.Config{Quota: 256 << 20, Reserve: 16 << 20, Replicas: clustertest.Size, AckTimeout: 5 * time.Second, Shared: &log.Sharing{Host: "beside"}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// claims are the events of each claim of a log.
func claims(t *testing.T, l log.Log) map[string][]events.Event {
	t.Helper()
	out := map[string][]events.Event{}
	for st, err := range l.ReadKind(context.Background(), events.KindClaim) {
		if err != nil {
			t.Fatal(err)
		}
		out[st.Event.Aggregate.ID] = append(out[st.Event.Aggregate.ID], st.Event)
	}
	return out
}

// holders folds a claim, and proves that it never had two, and that none was gone
// before its time.
func holders(t *testing.T, list []events.Event) (s lease.State, hosts []string) {
	t.Helper()
	for _, e := range list {
		switch d := e.Data.(type) {
		case events.ClaimAcquired:
			if s.Held() {
				t.Errorf("event %d: taken by host %s while host %s has it", e.Seq, d.Owner.Host, s.Owner.Host)
			}
			hosts = append(hosts, d.Owner.Host)
		case events.ClaimExpired:
			if age := e.Time.Sub(s.Beat); age < s.TTL {
				t.Errorf("event %d: over after %v, and it was for %v", e.Seq, age, s.TTL)
			}
		case events.ClaimForced:
			t.Errorf("event %d: forced, and nobody has", e.Seq)
		}
		before := s.Fence
		if s = lease.Evolve(s, e); s.Held() && s.Fence < before {
			t.Errorf("event %d: fence %d behind %d", e.Seq, s.Fence, before)
		}
	}
	return s, hosts
}

// One daemon of a team is killed while it takes or renews a claim: the other has it
// when its time is over, and never before; and never have two.
//
// Source: session-orchestrator, seeds 6.1, S17 to S20.
func TestCrashOfAHolderOnATeamsLog(t *testing.T) {
	t.Parallel()
	c := clustertest.Start(t, 1)
	key, l := c.KeyFile(t, 0), shared(t, c)
	other := newMember(t, c.URLs(), key)
	other.meets()
	t.Run("points", func(t *testing.T) {
		for i, point := range []string{failpoint.BeforeClaim + ":1", failpoint.AfterClaim + ":1", failpoint.BeforeClaim + ":2", failpoint.AfterClaim + ":2", ""} {
			t.Run(cmp.Or(strings.ReplaceAll(point, ":", "-"), "while-it-holds"), func(t *testing.T) {
				t.Parallel()
				(&crashed{newMember(t, c.URLs(), key), member{other.as(t)}, l, fmt.Sprintf("issue:%d", i+1), point}).plays(t)
			})
		}
	})
	for id, list := range claims(t, l) {
		if s, hosts := holders(t, list); !s.Held() || len(hosts) == 0 || len(hosts) > 2 {
			t.Errorf("claim %s was had by %d and is held: %v", id, len(hosts), s.Held())
		}
	}
	if v := data[wire.ClaimsView](t, other.here("peer", "claims", "--json")); len(v.Claims) != 5 || slices.ContainsFunc(v.Claims, func(c wire.ClaimView) bool { return !c.Mine }) {
		t.Errorf("in the end the other has %+v", v.Claims)
	}
	other.close()
}

// crashed is a claim of a host that is killed at a point, without one while it holds
// the claim; and a host that waits for it.
type crashed struct {
	holder, other member
	log           log.Log
	key, point    string
}

func (c *crashed) plays(t *testing.T) {
	stored := c.killed(t)
	// What is not stored nobody has: the other gets it at once.
	before := 0
	c.other.polls(c.key+" for the other", func() bool {
		a := c.other.takes(c.key)
		if a.code != exitConflict && a.code != 0 {
			t.Errorf("%v", a)
		}
		before++
		return a.code == 0
	})
	if got := time.Now(); stored.Held() && got.Before(stored.Until()) {
		t.Errorf("the other has it at %v, and it was held until %v", got, stored.Until())
	}
	if held := before > 1; held != stored.Held() {
		t.Errorf("the other asked %d times; held when the daemon was killed: %v", before, stored.Held())
	}
	// Who comes back has lost it, and knows.
	c.holder.meets()
	if a := c.holder.takes(c.key); a.code != exitConflict || !strings.Contains(string(a.stdout)+a.stderr, "is held by") {
		t.Errorf("come back: %v", a)
	}
	c.holder.close()
}

// killed has the holder take the claim and its daemon killed, and answers how the
// claim is stored then.
func (c *crashed) killed(t *testing.T) (s lease.State) {
	var a *armed
	if c.point != "" {
		a = c.holder.arm(c.point)
	}
	c.holder.meets()
	if !strings.HasSuffix(c.point, ":1") {
		if got := c.holder.takes(c.key); got.code != 0 {
			t.Fatalf("%v", got)
		}
	}
	if c.point != "" {
		got := c.holder.takes(c.key) // its answer is lost with the daemon, or comes of the next one
		select {
		case <-a.ended:
		case <-time.After(patience):
			t.Fatalf("the daemon was not killed: %v", got)
		}
	}
	c.holder.killDaemon()
	id := claim.Key{Kind: events.ClaimIssue, Scope: "github.com/owner/name", Name: strings.TrimPrefix(c.key, "issue:")}.ID()
	s, _ = holders(t, claims(t, c.log)[id])
	return s
}
