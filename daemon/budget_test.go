package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/agent/price"
	"autopilot/daemon/snapshot"
	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
	"autopilot/projections/ledger"
	"autopilot/projections/run"
)

// counting is a daemon that has only what the limits of the day are about.
func counting(t testing.TB, user string) *Daemon {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(user), 0o600); err != nil {
		t.Fatal(err)
	}
	prices, err := price.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	return &Daemon{cfg: Config{Places: place.Places{Config: path}}, fleet: &fleet{runs: map[string]*member{}, open: map[string]*member{}}, prices: prices, worker: work.New(work.Config{})}
}

// add gives the daemon a run; one with an effect has an agent at work.
func (d *Daemon) add(id, project, effect string, at time.Time, ends ...events.AgentEnded) run.State {
	s := run.State{ID: id, Status: run.Live, Stage: run.Ready}
	s.Facts.Project = project
	for _, e := range ends {
		s = run.Evolve(s, events.Event{Time: at, Data: e})
	}
	s.Stage = run.Ready
	if effect != "" {
		s.Stage, s.Clock.Agent = run.Agent, at
		s.Last.Session = events.IterationStarted{Effect: effect, WallMS: time.Hour.Milliseconds()}
	}
	d.fleet.putLocked(&member{head: snapshot.HeadOf(s, ""), state: &s})
	d.fleet.changedLocked(id)
	return s
}

func usd(micro int64) events.AgentEnded {
	return events.AgentEnded{Model: "m", DurationMS: 60_000, Usage: events.Usage{
		MicroUSD: micro, CostFrom: events.Reported, Input: micro / 1000, TokensFrom: events.Reported, Turns: 1,
	}}
}

func noonToday() time.Time {
	y, m, day := time.Now().In(zone()).Date()
	return time.Date(y, m, day, 12, 0, 0, 0, zone())
}

func TestADayLeavesWhatItsRunsHaveNotUsed(t *testing.T) {
	t.Parallel()
	d, now := counting(t, "limits: {day: {usd: 5, tokens: 100k}, project: {usd: 3}}\n"), noonToday()
	d.add("over", "p", "", now, usd(2_000_000), usd(500_000))
	d.add("long-ago", "p", "", now.AddDate(0, 0, -1), usd(90_000_000))
	d.add("elsewhere", "q", "", now, usd(1_000_000))
	s := d.add("this", "p", "", now)
	a, not, err := d.allowance(s, now)
	if err != nil || not != nil || a.MicroUSD != 500_000 || a.Tokens != 96_500 || a.Turns != 0 || a.Active != 0 {
		t.Errorf("%+v %v %v", a, not, err)
	}
	d.add("other", "p", "e1", now)
	d.over("other", "e1", events.Usage{MicroUSD: 400_000, CostFrom: events.Reported})
	if a, _, _ = d.allowance(s, now); a.MicroUSD != 100_000 {
		t.Errorf("beside an agent at work: %+v", a)
	}
	d.add("other", "p", "e2", now)
	if a, _, _ = d.allowance(s, now); a.MicroUSD != 500_000 {
		t.Errorf("what an agent has told that is over counts no more: %+v", a)
	}
}

func TestWithoutAnythingLeftARunWaitsForMidnight(t *testing.T) {
	t.Parallel()
	d, now := counting(t, "limits: {day: {usd: 5}}\n"), noonToday()
	d.add("over", "p", "", now, usd(5_200_000))
	s := d.add("this", "p", "", now)
	_, midnight := ledger.Day(now)
	_, not, err := d.allowance(s, now)
	want := events.LimitWaiting{Cause: events.LimitDayCost, UntilMS: midnight.UnixMilli(), Limit: 5_000_000, Used: 5_200_000}
	if not != want || err != nil {
		t.Errorf("%+v %v, want %+v", not, err, want)
	}
	if a, not, _ := d.allowance(s, midnight); not != nil || a.MicroUSD != 5_000_000 {
		t.Errorf("on the next day: %+v %+v", a, not)
	}
	s.Facts.Limits.NoWait = true
	if _, not, _ = d.allowance(s, now); not.(events.RunHalted).Reason != events.HaltLimit || not.(events.RunHalted).Used != 5_200_000 { //nolint:forcetypeassert // no error
		t.Errorf("a run that must not wait: %+v", not)
	}
	s.Stage = run.Ended
	if a, not, _ := d.allowance(s, now); not != nil || a.MicroUSD != 1 {
		t.Errorf("an attempt that was lost is repeated at once, and cut at its first line: %+v %+v", a, not)
	}
}

func TestAgentsThatWorkAtOnceAreCutTogether(t *testing.T) {
	t.Parallel()
	d, now := counting(t, "limits: {day: {usd: 1}}\n"), time.Now()
	d.add("a", "p", "ea", now)
	d.add("b", "q", "eb", now)
	line := events.Usage{CostFrom: events.Reported}
	var total int64
	cut := map[string]events.Cut{}
	for n := int64(1); len(cut) < 2 && n < 100; n++ { // each line tells 10 cents more
		for _, id := range []string{"a", "b"} {
			if cut[id] != "" {
				continue
			}
			line.MicroUSD = n * 100_000
			total += 100_000
			if c := d.over(id, "e"+id, line); c != "" {
				cut[id] = c
			}
		}
	}
	if cut["a"] != events.CutCost || cut["b"] != events.CutCost || total > 1_200_000 {
		t.Errorf("%v after %d, want at most a line each beyond the limit", cut, total)
	}
}

func TestHoursAreGivenOnce(t *testing.T) {
	t.Parallel()
	d, now := counting(t, "limits: {day: {hours: 1.5}}\n"), noonToday()
	d.add("other", "p", "e", now.Add(-30*time.Minute)) // was given an hour
	s := d.add("this", "p", "", now)
	if a, not, _ := d.allowance(s, now); not != nil || a.Active != 30*time.Minute {
		t.Errorf("%+v %+v", a, not)
	}
	d.add("third", "q", "e3", now.Add(-30*time.Minute))
	_, not, _ := d.allowance(s, now)
	if w, ok := not.(events.LimitWaiting); !ok || w.Cause != events.LimitDayHours || w.UntilMS != now.Add(30*time.Minute).UnixMilli() || w.Used != 3600_000 {
		t.Errorf("all is given: it waits for the first to end: %+v", not)
	}
}

func TestALimitOfTheDayHaltsWhatDoesNotTell(t *testing.T) {
	t.Parallel()
	d, now := counting(t, "limits: {day: {usd: 5}}\n"), noonToday()
	s := d.add("this", "p", "", now, events.AgentEnded{})
	if _, not, _ := d.allowance(s, now); not != nil {
		t.Errorf("one agent that nobody knows of is borne: %+v", not)
	}
	s = d.add("this", "p", "", now, events.AgentEnded{}, events.AgentEnded{})
	_, not, _ := d.allowance(s, now)
	if h, ok := not.(events.RunHalted); !ok || h.Reason != events.HaltCost || h.Limit != 5_000_000 {
		t.Errorf("%+v", not)
	}
}

func TestAFileThatCannotBeReadLiftsNoLimit(t *testing.T) {
	t.Parallel()
	d, now := counting(t, "limits: {day: {usd: 5}}\n"), noonToday()
	s := d.add("this", "p", "", now)
	if a, _, err := d.allowance(s, now); err != nil || a.MicroUSD != 5_000_000 {
		t.Fatal(a, err)
	}
	write := func(text string) {
		if err := os.WriteFile(d.cfg.Places.Config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("limits: {day: {usd: oops}}\n")
	if a, _, err := d.allowance(s, now); err != nil || a.MicroUSD != 5_000_000 {
		t.Error("the last that could be read counts:", a, err)
	}
	write("limits: {day: {usd: 7.25}}\n# more\n")
	if a, _, err := d.allowance(s, now); err != nil || a.MicroUSD != 7_250_000 {
		t.Error("it is read anew:", a, err)
	}
	if _, _, err := counting(t, "limits: oops\n").allowance(s, now); err == nil || !strings.Contains(err.Error(), "limits of the day") {
		t.Error("without one before, no agent begins:", err)
	}
}

func TestMostOfALimitIsSaidOnce(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		used, limit int64
		want        bool
	}{{0, 5, false}, {3, 5, false}, {4, 5, true}, {799, 1000, false}, {800, 1000, true}, {7, 9, false}, {8, 9, true}, {1, 1, true}, {0, 1, false}, {1 << 62, 1<<63 - 1, false}} {
		if isLow(tt.used, tt.limit) != tt.want {
			t.Errorf("%d of %d: %v", tt.used, tt.limit, !tt.want)
		}
	}
	d, now := counting(t, "limits: {day: {usd: 5}, project: {tokens: 1k}}\n"), noonToday()
	s := d.add("this", "p", "", now, usd(4_000_000))
	var got []string
	for _, l := range d.lows(s, now, false) {
		got = append(got, l.what)
	}
	if len(got) != 2 || got[0] != "goes on, but $4.00 of the $5.00 that all runs may use today are gone" {
		t.Errorf("%q", got)
	}
}

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
	before, err := s.d.usageShow(t.Context(), s.request(), wire.UsageRequest{})
	if err != nil || before.Total.MicroUSD != 990_000 || before.Total.Tokens != 100_010 || before.Limits[0].Used != 990_000 {
		t.Fatalf("%+v %v", before, err)
	}
	s.close()
	s.open()
	after, err := s.d.usageShow(t.Context(), s.request(), wire.UsageRequest{})
	if err != nil || after.Total != before.Total || after.Limits[0].Used != 990_000 {
		t.Errorf("%+v %v, want %+v", after, err, before)
	}
	st := s.start(s.spec("grep -q 9 n", "", func(r *wire.RunSpec) { r.Agent = wire.AgentSpec{Profile: "mine"} }))
	got := s.until(st.ID, func(st run.State) bool { return st.Waiting != nil || settled(st) })
	if got.Last.Session.MicroUSD != 10_000 || got.Waiting == nil || got.Waiting.Cause != events.LimitDayCost {
		t.Errorf("given %d, waits for %+v", got.Last.Session.MicroUSD, got.Waiting)
	}
	v := s.d.view(got)
	if v.State != "waiting" || v.Waiting == nil || v.Waiting.Limit != 1_000_000 || v.Usage == nil || v.Usage.MicroUSD != 990_000 {
		t.Errorf("%+v", v)
	}
	s.configure(strings.Replace(tellingUser, "usd: 1}", "usd: 100}", 1))
	s.d.tendBudgets(t.Context(), time.Now())
	s.until(st.ID, func(st run.State) bool { return st.Loop.Iteration > got.Loop.Iteration || settled(st) })
}

func TestARunWhoseAgentDoesNotTellIsRefusedBeforeItBegins(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	q := s.spec("false", "true", func(r *wire.RunSpec) { r.MaxMicroUSD = 1_000_000 })
	_, err := s.d.runStart(t.Context(), s.request(), q)
	if err == nil || !strings.Contains(err.Error(), "--max-usd cannot be kept") {
		t.Error(err)
	}
	s.configure("limits: {day: {tokens: 5M}}\n")
	q.Spec.MaxMicroUSD = 0
	for _, ask := range []func() error{
		func() error { _, err := s.d.runStart(t.Context(), s.request(), q); return err },
		func() error { _, err := s.d.runPreview(t.Context(), s.request(), q); return err },
	} {
		if err := ask(); err == nil || !strings.Contains(err.Error(), "limits.day.tokens cannot be kept") {
			t.Error(err)
		}
	}
	if n := s.d.fleet.Count(); n != 0 {
		t.Errorf("%d runs were begun", n)
	}
}

func BenchmarkTheDayOfTenThousandRuns(b *testing.B) {
	d, now := counting(b, ""), noonToday()
	for i := range 10_000 {
		s := run.State{ID: fmt.Sprintf("%026d", i), Status: run.Over}
		for q := range 10 {
			e := usd(1000)
			s = run.Evolve(s, events.Event{Time: now.AddDate(0, 0, -i/30).Add(time.Duration(q) * run.Quarter), Data: e})
		}
		s.Status = run.Over
		d.fleet.putLocked(&member{head: snapshot.HeadOf(s, "")})
	}
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			d.fleet.changedLocked(fmt.Sprintf("%026d", 1))
			d.today(now)
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			d.today(now)
		}
	})
	b.Run("report", func(b *testing.B) {
		for b.Loop() {
			ledger.Report(d.spent(ledger.ByDay, "", time.Time{}), time.Time{}, time.UTC, ledger.ByDay)
		}
	})
}
