package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

const tellingAgent = `#!/bin/sh
echo '::autopilot {"v":1,"type":"usage","input_tokens":100000,"output_tokens":10,"cost_usd":0.99}'
echo x >> n
`

func (s *site) configure(user string) {
	s.t.Helper()
	path := s.cfg.Places.Config
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(user), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

const tellingUser = "agents: {mine: {command: ./agent.sh, reports: [tokens, cost]}}\nlimits: {day: {usd: 1}}\n"

func TestB72ARestartAtTheEndOfADaysBudgetChangesNothing(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"agent.sh": tellingAgent})
	s.configure(tellingUser)
	first := s.play(s.spec("test -f n", "", func(r *wire.RunSpec) { r.Agent = wire.AgentSpec{Profile: "mine"} }))
	s.wants(first, "done")
	before, err := s.d.Usage.Show(t.Context(), s.request(), wire.UsageRequest{})
	if err != nil || before.Total.MicroUSD != 990_000 || before.Total.Tokens != 100_010 || before.Limits[0].Used != 990_000 {
		t.Fatalf("%+v %v", before, err)
	}
	s.close()
	s.open()
	after, err := s.d.Usage.Show(t.Context(), s.request(), wire.UsageRequest{})
	if err != nil || after.Total != before.Total || after.Limits[0].Used != 990_000 {
		t.Errorf("%+v %v, want %+v", after, err, before)
	}
	st := s.start(s.spec("grep -q 9 n", "", func(r *wire.RunSpec) { r.Agent = wire.AgentSpec{Profile: "mine"} }))
	got := s.until(st.ID, func(st run.State) bool { return st.Waiting != nil || settled(st) })
	if got.Last.Session.MicroUSD != 10_000 || got.Waiting == nil || got.Waiting.Cause != events.LimitDayCost {
		t.Errorf("given %d, waits for %+v", got.Last.Session.MicroUSD, got.Waiting)
	}
	v := s.d.api.View(got)
	if v.State != "waiting" || v.Waiting == nil || v.Waiting.Limit != 1_000_000 || v.Usage == nil || v.Usage.MicroUSD != 990_000 {
		t.Errorf("%+v", v)
	}
	s.configure(strings.Replace(tellingUser, "usd: 1}", "usd: 100}", 1))
	s.d.budget.Tend(t.Context(), time.Now())
	s.until(st.ID, func(st run.State) bool { return st.Loop.Iteration > got.Loop.Iteration || settled(st) })
}

func TestARunWhoseAgentDoesNotTellIsRefusedBeforeItBegins(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	q := s.spec("false", "true", func(r *wire.RunSpec) { r.MaxMicroUSD = 1_000_000 })
	_, err := s.d.api.RunStart(t.Context(), s.request(), q)
	if err == nil || !strings.Contains(err.Error(), "--max-usd cannot be enforced") {
		t.Error(err)
	}
	s.configure("limits: {day: {tokens: 5M}}\n")
	q.Spec.MaxMicroUSD = 0
	for _, ask := range []func() error{
		func() error { _, err := s.d.api.RunStart(t.Context(), s.request(), q); return err },
		func() error { _, err := s.d.api.RunPreview(t.Context(), s.request(), q); return err },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), "limits.day.tokens cannot be enforced") {
			t.Error(err)
		}
	}
	if n := s.d.Fleet.Count(); n != 0 {
		t.Errorf("%d runs were begun", n)
	}
}
