package daemon

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/auth"
	"autopilot/daemon/host/sdnotify"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// rules writes the user's file.
func (s *site) rules(yaml string) {
	s.t.Helper()
	path := s.cfg.Places.Config
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

const tellAll = "notify:\n  rules:\n    - run: cat >> told\n"

// toldKinds waits until nothing is left to be told and so many were, and names
// their kinds.
func (s *site) toldKinds(want int) []string {
	s.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		b, _ := os.ReadFile(filepath.Join(s.cfg.Home, "told")) // not there before the first
		lines := strings.Split(strings.TrimSpace(string(b)), "\n")
		if string(b) != "" && len(lines) >= want && !s.d.Notes.Busy() {
			var kinds []string
			for _, l := range lines {
				_, after, _ := strings.Cut(l, `"kind":"`)
				kind, _, _ := strings.Cut(after, `"`)
				kinds = append(kinds, kind)
			}
			return kinds
		}
		select {
		case <-tick.C:
		case <-s.t.Context().Done():
			s.t.Fatalf("told %q", b)
		}
	}
}

func TestWhatBecomesOfARunIsTold(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.rules(tellAll)
	s.play(s.spec("test -f ok", "touch ok"))
	if diff := cmp.Diff([]string{"done"}, s.toldKinds(1)); diff != "" {
		t.Error(diff)
	}
	s.play(s.spec("test -f ok2", `echo '{"v":1,"claim":"blocked","summary":"","reason":"which?"}' > "$AUTOPILOT_RESULT_FILE"`))
	if diff := cmp.Diff([]string{"done", "needs_person"}, s.toldKinds(2)); diff != "" {
		t.Error(diff)
	}
}

func TestWhatHappenedWithoutADaemonThatTellsIsToldByTheNextOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	// A daemon that dies right after the end of a run has not looked at it yet:
	// its place in the log is that of before.
	box := filepath.Join(s.cfg.Places.State, "notify", "outbox.json")
	before, err := os.ReadFile(box)
	if err != nil {
		t.Fatal(err)
	}
	s.play(s.spec("test -f ok", "touch ok"))
	s.close()
	if err := os.WriteFile(box, before, 0o600); err != nil {
		t.Fatal(err)
	}
	s.rules(tellAll)
	s.open()
	s.toldKinds(1)
	for range 2 {
		s.close()
		s.open()
	}
	s.play(s.spec("test -f ok2", "touch ok2"))
	if diff := cmp.Diff([]string{"done", "done"}, s.toldKinds(2)); diff != "" {
		t.Error(diff)
	}
}

func TestNobodyIsToldOfWhatWasBeforeTheFirstDaemonThatTells(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.rules(tellAll)
	s.play(s.spec("test -f ok", "touch ok"))
	s.toldKinds(1)
	s.close()
	if err := os.RemoveAll(filepath.Join(s.cfg.Places.State, "notify")); err != nil {
		t.Fatal(err)
	}
	s.open()
	s.play(s.spec("test -f ok2", "date +%N > work", func(r *wire.RunSpec) { r.MaxIterations = 1 }))
	if diff := cmp.Diff([]string{"done", "halted"}, s.toldKinds(2)); diff != "" {
		t.Error(diff)
	}
}

func TestABrokenFileOfTheUserStopsNobody(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.rules(tellAll)
	s.close()
	s.open()
	s.rules("notify:\n  rules:\n    - on: [hallted]\n      bell: true\n")
	v, err := s.d.api.DaemonStatus(t.Context(), auth.Request{}, struct{}{})
	if err != nil || !strings.Contains(v.Settings, "hallted") || v.Notify == nil || v.Notify.Rules != 1 {
		t.Errorf("status: %+v %v", v, err)
	}
}

func TestTheTerminalThatFollowsIsRungForWhatHappensNow(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.rules("notify:\n  rules:\n    - {on: [done], bell: true}\n")
	v := s.start(s.spec("test -f ok", "while ! test -f go-on; do sleep 0.05; done; touch ok"))
	s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	watch := func(each func(wire.WatchFrame)) {
		err := s.d.api.RunWatch(t.Context(), auth.Request{}, wire.WatchRequest{RunRef: wire.RunRef{Run: v.ID}}, func(f wire.WatchFrame) error {
			each(f)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var rung []string
	watch(func(f wire.WatchFrame) {
		if f.View.Stage == "agent" {
			s.write(map[string]string{"go-on": "x"})
		}
		if f.Bell {
			rung = append(rung, f.View.State)
		}
	})
	if diff := cmp.Diff([]string{"done"}, rung); diff != "" {
		t.Error(diff)
	}
	watch(func(f wire.WatchFrame) {
		if f.Bell {
			t.Error("rung for what is past")
		}
	})
}

func TestANotifierSeesNothingThatIsTheDaemonsAlone(t *testing.T) {
	t.Parallel()
	got := notifierEnv([]string{
		"PATH=/bin", "AUTOPILOT_STATE=/s", "AUTOPILOT_EFFECT=e", "AUTOPILOT_READY_FD=3", "NOTIFY_SOCKET=/n", "WATCHDOG_USEC=1", "DISPLAY=:0",
	})
	if diff := cmp.Diff([]string{"PATH=/bin", "AUTOPILOT_STATE=/s", "DISPLAY=:0"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestAStalledDaemonGivesNoSignOfLife(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	if err := s.d.stalled(); err != nil {
		t.Errorf("a daemon that has just begun: %v", err)
	}
	s.d.tended.at.Store(time.Now().Add(-2 * tendStalls).UnixMilli())
	if err := s.d.stalled(); err == nil || !strings.Contains(err.Error(), "looked after") {
		t.Errorf("a daemon that looks after nothing: %v", err)
	}
}

func TestTheServiceManagerHearsOfStartLifeAndEnd(t *testing.T) {
	s := newSite(t, nil)
	heard, address := listen(t)
	t.Setenv("NOTIFY_SOCKET", address)
	t.Setenv("WATCHDOG_USEC", "40000")
	m := sdnotify.Find()
	s.d.report(m)
	for _, want := range []string{sdnotify.Ready, sdnotify.Watchdog, sdnotify.Watchdog} {
		if got := heard(); got != want {
			t.Errorf("heard %q, want %q", got, want)
		}
	}
	s.close()
	s.open()
	s.d.say(m, sdnotify.Stopping)
	for {
		got := heard()
		if got == sdnotify.Stopping {
			return
		}
		if got != sdnotify.Watchdog {
			t.Fatalf("heard %q", got)
		}
	}
}

func TestOnlyWhatARuleNamesIsRung(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.rules("notify:\n  rules:\n    - {on: [died], bell: true}\n")
	if !s.d.api.Rings(events.Event{Data: events.RunHalted{Reason: events.HaltInternal}}) {
		t.Error("not rung for a run that died")
	}
	if s.d.api.Rings(events.Event{Data: events.RunHalted{Reason: events.HaltStuck}}) || s.d.api.Rings(events.Event{Data: events.RunStarted{}}) {
		t.Error("rung for what no rule names")
	}
}

// listen is a service manager that hears what is said.
func listen(t *testing.T) (heard func() string, address string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "sd") // short: a socket path has 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	address = filepath.Join(dir, "n")
	l, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: address, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return func() string {
		b := make([]byte, 100)
		n, err := l.Read(b)
		if err != nil {
			t.Fatal(err)
		}
		return string(b[:n])
	}, address
}
