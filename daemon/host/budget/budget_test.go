package budget

import (
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"autopilot/daemon/agent/meter"
	"autopilot/daemon/agent/price"
	"autopilot/daemon/config"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/projections/ledger"
	"autopilot/projections/run"
)

// A bench is the limits of a day over runs that are made up.
type bench struct {
	*Keeper
	config string // the user's file
	usage  *Usage
	runs   *madeUp
}

// madeUp are runs that nobody serves.
type madeUp struct {
	Runs
	heads  map[string]snapshot.Head
	states map[string]run.State
}

func (m *madeUp) Look(ids map[string]bool, see func(snapshot.Head, *run.State)) {
	for id, h := range m.heads {
		if ids != nil && !ids[id] {
			continue
		}
		if s, ok := m.states[id]; ok {
			see(h, &s)
		} else {
			see(h, nil)
		}
	}
}

func (m *madeUp) State(id string) (run.State, bool) {
	s, ok := m.states[id]
	return s, ok
}

func (m *madeUp) Heads() []snapshot.Head { return slices.Collect(maps.Values(m.heads)) }

func counting(t testing.TB, user string) *bench {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(user), 0o600); err != nil {
		t.Fatal(err)
	}
	prices, err := price.Shipped()
	if err != nil {
		t.Fatal(err)
	}
	runs := &madeUp{heads: map[string]snapshot.Head{}, states: map[string]run.State{}}
	limits, day := NewLimits(config.Hold(path), prices, nil), NewDay(runs)
	k := New(Config{
		Limits: limits, Day: day, Runs: runs, Actor: "daemon:sim", Log: slog.New(slog.DiscardHandler),
		Live:     func(string) (meter.Reading, bool) { return meter.Reading{}, false },
		Language: func(run.State) events.Language { return events.English },
	})
	return &bench{k, path, &Usage{Limits: limits, Day: day, Runs: runs}, runs}
}

// add gives the bench a run; one with an effect has an agent at work.
func (b *bench) add(id, project, effect string, at time.Time, ends ...events.AgentEnded) run.State {
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
	b.runs.heads[id], b.runs.states[id] = snapshot.HeadOf(s, ""), s
	b.cfg.Day.Changed(id)
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
	a, not, err := d.Allowance(s, now)
	if err != nil || not != nil || a.MicroUSD != 500_000 || a.Tokens != 96_500 || a.Turns != 0 || a.Active != 0 {
		t.Errorf("%+v %v %v", a, not, err)
	}
	d.add("other", "p", "e1", now)
	d.Over("other", "e1", events.Usage{MicroUSD: 400_000, CostFrom: events.Reported})
	if a, _, _ = d.Allowance(s, now); a.MicroUSD != 100_000 {
		t.Errorf("beside an agent at work: %+v", a)
	}
	d.add("other", "p", "e2", now)
	if a, _, _ = d.Allowance(s, now); a.MicroUSD != 500_000 {
		t.Errorf("what an agent has told that is over counts no more: %+v", a)
	}
}

func TestWithoutAnythingLeftARunWaitsForMidnight(t *testing.T) {
	t.Parallel()
	d, now := counting(t, "limits: {day: {usd: 5}}\n"), noonToday()
	d.add("over", "p", "", now, usd(5_200_000))
	s := d.add("this", "p", "", now)
	_, midnight := ledger.Day(now)
	_, not, err := d.Allowance(s, now)
	want := events.LimitWaiting{Cause: events.LimitDayCost, UntilMS: midnight.UnixMilli(), Limit: 5_000_000, Used: 5_200_000}
	if not != want || err != nil {
		t.Errorf("%+v %v, want %+v", not, err, want)
	}
	if a, not, _ := d.Allowance(s, midnight); not != nil || a.MicroUSD != 5_000_000 {
		t.Errorf("on the next day: %+v %+v", a, not)
	}
	s.Facts.Limits.NoWait = true
	if _, not, _ = d.Allowance(s, now); not.(events.RunHalted).Reason != events.HaltLimit || not.(events.RunHalted).Used != 5_200_000 { //nolint:forcetypeassert // no error
		t.Errorf("a run that must not wait: %+v", not)
	}
	s.Stage = run.Ended
	if a, not, _ := d.Allowance(s, now); not != nil || a.MicroUSD != 1 {
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
			if c := d.Over(id, "e"+id, line); c != "" {
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
	if a, not, _ := d.Allowance(s, now); not != nil || a.Active != 30*time.Minute {
		t.Errorf("%+v %+v", a, not)
	}
	d.add("third", "q", "e3", now.Add(-30*time.Minute))
	_, not, _ := d.Allowance(s, now)
	if w, ok := not.(events.LimitWaiting); !ok || w.Cause != events.LimitDayHours || w.UntilMS != now.Add(30*time.Minute).UnixMilli() || w.Used != 3600_000 {
		t.Errorf("all is given: it waits for the first to end: %+v", not)
	}
}

func TestALimitOfTheDayHaltsWhatDoesNotTell(t *testing.T) {
	t.Parallel()
	d, now := counting(t, "limits: {day: {usd: 5}}\n"), noonToday()
	s := d.add("this", "p", "", now, events.AgentEnded{})
	if _, not, _ := d.Allowance(s, now); not != nil {
		t.Errorf("one agent that nobody knows of is borne: %+v", not)
	}
	s = d.add("this", "p", "", now, events.AgentEnded{}, events.AgentEnded{})
	_, not, _ := d.Allowance(s, now)
	if h, ok := not.(events.RunHalted); !ok || h.Reason != events.HaltCost || h.Limit != 5_000_000 {
		t.Errorf("%+v", not)
	}
}

func TestAFileThatCannotBeReadLiftsNoLimit(t *testing.T) {
	t.Parallel()
	d, now := counting(t, "limits: {day: {usd: 5}}\n"), noonToday()
	s := d.add("this", "p", "", now)
	if a, _, err := d.Allowance(s, now); err != nil || a.MicroUSD != 5_000_000 {
		t.Fatal(a, err)
	}
	write := func(text string) {
		if err := os.WriteFile(d.config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("limits: {day: {usd: oops}}\n")
	if a, _, err := d.Allowance(s, now); err != nil || a.MicroUSD != 5_000_000 {
		t.Error("the last that could be read counts:", a, err)
	}
	write("limits: {day: {usd: 7.25}}\n# more\n")
	if a, _, err := d.Allowance(s, now); err != nil || a.MicroUSD != 7_250_000 {
		t.Error("it is read anew:", a, err)
	}
	if _, _, err := counting(t, "limits: oops\n").Allowance(s, now); err == nil || !strings.Contains(err.Error(), "limits of the day") {
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

// A day that was told of each change is the same as one that looks at all runs.
func TestADayThatIsToldOfChangesIsWhatItIsAnew(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		d, now := counting(t, ""), noonToday()
		for range rapid.IntRange(1, 30).Draw(rt, "changes") {
			now = now.Add(time.Duration(rapid.IntRange(0, 8).Draw(rt, "hours")) * time.Hour)
			id := fmt.Sprint(rapid.IntRange(0, 4).Draw(rt, "run"))
			ends := slices.Repeat([]events.AgentEnded{usd(1000)}, rapid.IntRange(0, 2).Draw(rt, "ends"))
			d.add(id, "p"+id, rapid.SampledFrom([]string{"", "e"}).Draw(rt, "effect"), now, ends...)
			if rapid.Bool().Draw(rt, "nobody looks") {
				continue
			}
			kept, anew := d.cfg.Day.sum(now), NewDay(d.runs).sum(now)
			if kept.all.stored != anew.all.stored || len(kept.all.working) != len(anew.all.working) || len(kept.projects) != len(anew.projects) {
				rt.Fatalf("%+v, anew %+v", kept.all, anew.all)
			}
		}
	})
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
		d.runs.heads[s.ID] = snapshot.HeadOf(s, "")
	}
	b.Run("anew", func(b *testing.B) {
		for b.Loop() {
			d.cfg.Day.Changed(fmt.Sprintf("%026d", 1))
			d.cfg.Day.sum(now)
		}
	})
	b.Run("again", func(b *testing.B) {
		for b.Loop() {
			d.cfg.Day.sum(now)
		}
	})
	b.Run("report", func(b *testing.B) {
		for b.Loop() {
			ledger.Report(d.usage.spent(ledger.ByDay, "", time.Time{}), time.Time{}, time.UTC, ledger.ByDay)
		}
	})
}
