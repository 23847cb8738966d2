package daemon

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"autopilot/daemon/transport/bus"
	"autopilot/daemon/transport/bus/clustertest"
	"autopilot/events"
	"autopilot/events/wire"
	lease "autopilot/projections/claim"
	"autopilot/projections/run"
)

// on opens the daemon again, as one of a team.
func (s *site) on(team bus.Team) {
	s.t.Helper()
	s.close()
	s.cfg.Team = &team
	s.cfg.patience = 5 * time.Second // a busy machine answers late
	s.open()
}

// remote is where both hosts push to.
func (s *site) remote(url string) {
	s.t.Helper()
	if out, err := exec.Command("git", "-C", s.work, "remote", "add", "origin", url).CombinedOutput(); err != nil {
		s.t.Fatalf("%s: %v", out, err)
	}
}

// comes waits until something is so: nothing tells of what another host does.
func comes(t testing.TB, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for limit := time.Now().Add(time.Minute); !is(); {
		if time.Now().After(limit) {
			t.Fatalf("%s does not come to be", what)
		}
		<-tick.C
	}
}

// Two daemons with state directories of their own, on three servers.
func TestTwoDaemonsOfATeam(t *testing.T) {
	t.Parallel()
	c := clustertest.Start(t, 1)
	a, b := newSite(t, nil), newSite(t, nil)
	a.remote("git@github.com:owner/name.git")
	b.remote("https://github.com/owner/name")
	for _, s := range []*site{a, b} {
		s.on(bus.Team{URL: c.URLs(), Credentials: c.KeyFile(t, 0), Replicas: 3})
		comes(t, "the team", func() bool { return s.d.Team.View().Problem == "" })
	}
	h := &hosts{t: t, c: c, a: a, b: b, one: a.chat(), two: b.chat()}
	t.Run("a claim taken on one host is seen and kept to on the other", h.seen)
	t.Run("an account's limit that one met holds back the other", h.limited)
	t.Run("a clock behind by an hour steals nothing", h.clock)
	t.Run("of two takers in one millisecond one wins, also while the leader dies", h.race)
	t.Run("a daemon that comes back finds its claims again", h.found)
	t.Run("without the team claims fail closed, and nothing else does", h.away)
}

type hosts struct {
	t        *testing.T
	c        *clustertest.Cluster
	a, b     *site
	one, two *talk
}

func listed(s *site, key string) (out wire.ClaimView) {
	for _, v := range s.held() {
		if v.Key == key {
			out = v
		}
	}
	return out
}

func (h *hosts) seen(t *testing.T) {
	if _, err := h.one.takes("branch:fix/x"); err != nil {
		t.Fatal(err)
	}
	comes(t, "the claim on the other host", func() bool { return listed(h.b, "branch:fix/x").State == wire.ClaimHeld })
	v := listed(h.b, "branch:fix/x")
	if v.Of != "github.com/owner/name" || v.Host != h.a.d.HostID || v.Mine || v.Alive || !strings.Contains(v.Holder, "of host") {
		t.Errorf("there it is %+v", v)
	}
	_, err := h.two.takes("branch:fix/x")
	refusedAs(t, "taken there", err, wire.Conflict, fmt.Sprintf("branch:fix/x of github.com/owner/name is held by a chat of claude, process %d of host ", h.one.pid))
	refusedAs(t, "given back there", h.two.drops("branch:fix/x"), wire.Conflict, "is held by")
	h.b.saysAll("a push there", h.two.hook(wire.HookCalls, runs("git push origin fix/x")), "branch fix/x is held by")
	// Each has its own work tree, and the claim on it is in no log but its own.
	for _, chat := range []*talk{h.one, h.two} {
		if _, err := chat.takes("workspace"); err != nil {
			t.Error(err)
		}
	}
	comes(t, "the name of the other host", func() bool { return listed(h.b, "branch:fix/x").HostName != "" })
	if v := listed(h.b, "branch:fix/x"); !strings.Contains(v.Holder, "of host "+v.HostName+" (") || v.Person == "" {
		t.Errorf("it is held by %q, of %q", v.Holder, v.Person)
	}
	if err := h.one.drops("branch:fix/x"); err != nil {
		t.Fatal(err)
	}
	if v, err := h.two.takes("branch:fix/x"); err != nil || v.Fence < 3 {
		t.Errorf("free, and taken there: %+v, %v", v, err)
	}
	if v, err := h.a.d.api.Verify(t.Context(), h.a.request(), wire.VerifyRequest{Every: true}); err != nil || len(v.Problems) > 0 || v.Team == nil || len(v.Team.Problems) > 0 || v.Team.Events == 0 || v.Team.Unread != "" {
		t.Errorf("verify: %+v, %+v, %v", v, v.Team, err)
	}
}

func (h *hosts) limited(t *testing.T) {
	if err := errors.Join(h.one.drops("workspace"), h.two.drops("workspace")); err != nil {
		t.Fatal(err)
	}
	start := func(s *site) wire.RunView {
		q := s.spec("false", "", func(r *wire.RunSpec) { r.Agent = wire.AgentSpec{Profile: "mine"} })
		q.Env = append(q.Env, "MINE_API_KEY=one-of-us")
		return s.start(q)
	}
	for _, s := range []*site{h.a, h.b} {
		s.write(map[string]string{"agent.sh": fmt.Sprintf(`#!/bin/sh
touch began
echo '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%d,"rateLimitType":"five_hour"}}'
echo '{"type":"result","subtype":"success","is_error":true,"result":"API Error: Rate limit reached","num_turns":1,"session_id":"7b0c","api_error_status":429}'
exit 1
`, time.Now().Add(time.Hour).Unix())})
		path := filepath.Join(filepath.Dir(s.cfg.Places.Config), "config.yaml")
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(s.cfg.Places.Config, []byte("agents:\n  mine: {command: ./agent.sh, stream: claude, account: ours}\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	waits := func(s run.State) bool { return s.WaitsForLimit() || settled(s) }
	met := h.a.until(start(h.a).ID, waits)
	h.a.read("began")
	held := h.b.until(start(h.b).ID, waits)
	if met.Waiting == nil || held.Waiting == nil || held.Waiting.Account != met.Waiting.Account || held.Waiting.Source != events.Reported {
		t.Fatalf("it waits for %+v, there for %+v", met.Waiting, held.Waiting)
	}
	if _, err := os.Stat(filepath.Join(h.b.work, "began")); err == nil {
		t.Error("the agent began there nevertheless")
	}
	for s, id := range map[*site]string{h.a: met.ID, h.b: held.ID} {
		if _, err := s.d.api.RunCancel(t.Context(), s.request(), wire.StopRequest{RunRef: wire.RunRef{Run: id}}); err != nil {
			t.Error(err)
		}
		comes(t, "that the work tree is given back", func() bool { return listed(s, "workspace").State == "" })
	}
}

// clock puts the clock of the second host back by an hour.
func (h *hosts) clock(t *testing.T) {
	behind := func() time.Time { return time.Now().Add(-time.Hour) }
	h.b.d.Claims.Now, h.b.d.teamLog.Now = behind, behind
	defer func() { h.b.d.Claims.Now, h.b.d.teamLog.Now = time.Now, time.Now }()
	if _, err := h.one.takes("issue:24"); err != nil {
		t.Fatal(err)
	}
	_, err := h.two.takes("issue:24")
	refusedAs(t, "whose clock is behind", err, wire.Conflict, "is held by")
	if _, err := h.two.takes("issue:25"); err != nil {
		t.Fatal(err)
	}
	_, err = h.one.takes("issue:25") // by its clock nothing was heard for an hour, and for --ttl 10s
	refusedAs(t, "of one whose clock is behind", err, wire.Conflict, "is held by")
	k := h.b.key("issue:25")
	s, at, err := h.a.d.Claims.Peek(t.Context(), k)
	if err != nil || at.Now.Sub(s.Beat) < 59*time.Minute || s.Standing(at) != lease.Live {
		t.Errorf("it is %+v, %s, %v", s, s.Standing(at), err)
	}
	if err := errors.Join(h.one.drops("issue:24"), h.two.drops("issue:25")); err != nil {
		t.Error(err)
	}
}

// race has both take what is free at once, and the leader of the log dies meanwhile.
func (h *hosts) race(t *testing.T) {
	const rounds = 100
	fence := map[string]uint64{}
	for round := range rounds {
		if round == 50 {
			dead := h.c.Leader(0, "AP_TEAM_1")
			h.c.Down(dead)
			defer h.c.Up(h.t, dead)
			comes(t, "another leader", func() bool { return h.c.Leader(0, "AP_TEAM_1") >= 0 })
		}
		key := fmt.Sprintf("branch:round-%d", round%10)
		took := make([]wire.ClaimView, 2)
		errs := make([]error, 2)
		var wg sync.WaitGroup
		for i, chat := range []*talk{h.one, h.two} {
			q, work := chat.request(), chat.s.work
			wg.Go(func() {
				v, err := chat.s.d.Claims.Take(t.Context(), q, wire.ClaimRequest{Workspace: work, Key: key})
				if errs[i] = err; err == nil {
					took[i] = v.Claims[0]
				}
			})
		}
		wg.Wait()
		winner := 0
		if errs[0] != nil {
			winner = 1
		}
		if (errs[0] == nil) == (errs[1] == nil) || codeOf(errs[1-winner]) != wire.Conflict {
			t.Fatalf("round %d: %v", round, errs)
		}
		if took[winner].Fence <= fence[key] {
			t.Fatalf("round %d: fence %d behind %d", round, took[winner].Fence, fence[key])
		}
		fence[key] = took[winner].Fence
		if err := []*talk{h.one, h.two}[winner].drops(key); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
}

// found lets a daemon go, as one that was killed: it says nothing to the team.
func (h *hosts) found(t *testing.T) {
	if _, err := h.one.takes("merge:main"); err != nil {
		t.Fatal(err)
	}
	people := h.a.d.Consent.People
	h.a.close()
	_, err := h.two.takes("merge:main")
	refusedAs(t, "while its daemon is away", err, wire.Conflict, "is held by")
	h.a.open()
	h.a.d.Consent.People = people
	comes(t, "its own claim", func() bool { v := listed(h.a, "merge:main"); return v.State == wire.ClaimHeld && v.Alive })
	if v, err := h.one.takes("merge:main"); err != nil || !v.Mine {
		t.Errorf("renewed: %+v, %v", v, err)
	}
	if err := h.one.drops("merge:main"); err != nil {
		t.Error(err)
	}
}

// away has all servers end, and come back.
func (h *hosts) away(t *testing.T) {
	if _, err := h.one.takes("issue:7"); err != nil {
		t.Fatal(err)
	}
	v := h.b.start(h.b.spec("test -f ok", "while ! test -f go; do sleep 0.02; done; touch ok"))
	for i := range clustertest.Size {
		h.c.Down(i)
	}
	for _, s := range []*site{h.a, h.b} {
		comes(t, "that the team is away", func() bool { return s.d.Team.View().Problem != "" })
	}
	_, err := h.two.takes("issue:8")
	refusedAs(t, "taken", err, wire.Failed, "the holder of issue:8 of github.com/owner/name is unknown, so nothing was changed: the team at "+h.c.URLs())
	refusedAs(t, "given back", h.one.drops("issue:7"), wire.Failed, "is unknown")
	h.b.silent("a push", h.two.hook(wire.HookCalls, runs("git push")))
	// A daemon begins without it too, and says so.
	h.a.close()
	h.a.open()
	h.a.d.Consent.People = h.one.table
	status, err := h.a.d.api.DaemonStatus(t.Context(), h.a.request(), struct{}{})
	if err != nil || status.Team == nil || status.Team.Problem == "" {
		t.Errorf("status: %+v, %v", status.Team, err)
	}
	if got, err := h.a.d.Claims.List(t.Context(), h.a.request(), wire.ClaimsRequest{Workspace: h.a.work}); err != nil || got.Team == nil || got.Team.Problem == "" || !got.Unknown {
		t.Errorf("list: %+v, %v", got, err)
	}
	h.a.saysAll("a push of which nothing is known", h.one.hook(wire.HookCalls, runs("git push origin fix/x")), "who holds branch fix/x is not known")
	h.a.silent("a push to where its host guards", h.one.hook(wire.HookCalls, runs("git push origin main")))
	h.b.write(map[string]string{"go": ""})
	h.b.wants(h.b.until(v.ID, settled), "done")
	h.a.wants(h.a.play(h.a.spec("test -f ok", "touch ok")), "done")
	for i := range clustertest.Size {
		h.c.Up(h.t, i)
	}
	comes(t, "the team again", func() bool { _, err := h.two.takes("issue:8"); return err == nil })
	comes(t, "what was held before", func() bool {
		return listed(h.b, "issue:7").State == wire.ClaimHeld && listed(h.a, "issue:7").State == wire.ClaimHeld
	})
	_, err = h.two.takes("issue:7")
	refusedAs(t, "it stays with who had it", err, wire.Conflict, "is held by")
	comes(t, "that it is given back", func() bool { return h.one.drops("issue:7") == nil })
}
