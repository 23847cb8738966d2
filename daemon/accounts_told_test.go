package daemon

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"autopilot/daemon/api"
	"autopilot/daemon/config"
	"autopilot/daemon/host/budget"
	"autopilot/daemon/report/notify"
	"autopilot/events"
	"autopilot/events/wire"
)

// told are the keys and lines of what is told of all that is stored, each key
// once.
func (w *ward) told() map[string]string {
	w.t.Helper()
	d := &Daemon{Rooms: &api.Rooms{Fleet: w.fleet, Log: w.log, Accounts: w.accounts, Limits: budget.NewLimits(config.Hold(""), nil, nil)}}
	d.api = api.New(d.Rooms)
	out := map[string]string{}
	for st, err := range w.log.ReadAll(context.Background(), "") {
		if err != nil {
			w.t.Fatal(err)
		}
		kind, ok := notify.KindOf(st.Event.Data)
		if !ok || st.Event.Aggregate.Kind != events.KindRun {
			continue
		}
		s, err := d.stateAt(context.Background(), st.Event)
		if err != nil {
			w.t.Fatal(err)
		}
		n := notify.NewNotice(kind, wire.RunView{ID: s.ID}, st.Event.Seq, st.Event.Time, "run "+s.Facts.Handle, "")
		if d.together(context.Background(), &n, s, st.Event) && out[n.Key] == "" {
			out[n.Key] = n.Line
		}
	}
	return out
}

func TestManyRunsThatAnAccountHaltsAreToldOnce(t *testing.T) {
	t.Parallel()
	for name, runs := range map[string]int{"5 runs": 5, "2 runs": 2, "1 run": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := newWard(t, &provider{works: time.Minute, result: events.ResultAuthFailed, closed: func() bool { return true }})
				for i := range runs {
					w.begin(i)
				}
				w.until(time.Hour, w.every(halted))
				told := w.told()
				if len(told) != 1 {
					t.Fatalf("told %q, want one notice", told)
				}
				want := map[int]string{1: "", 2: "; another run of the account halts with it", 5: "; 4 other runs of the account halt with it"}[runs]
				for _, line := range told {
					if !strings.HasPrefix(line, "run r00") || line[len("run r000"):] != want {
						t.Errorf("told %q, want it to end with %q", line, want)
					}
				}
			})
		})
	}
}

func TestALimitIsToldOncePerAccountHoweverOftenItIsMet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun := time.Now()
		w := newWard(t, &provider{
			works: time.Minute, result: events.ResultRateLimited,
			closed: func() bool { return time.Since(begun) < 3*time.Hour },
		})
		for i := range 4 {
			w.begin(i)
		}
		time.Sleep(2 * time.Hour)
		if told := w.told(); len(told) != 1 {
			t.Errorf("told %q, want one notice", told)
		}
		w.until(12*time.Hour, w.every(over))
	})
}
