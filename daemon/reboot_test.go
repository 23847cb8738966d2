package daemon

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/daemon/store/durable"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// afterReboot serves the log in another boot of the host until the run is at a
// state, and dies there.
func afterReboot(t *testing.T, l log.Log, w *script, booted time.Time, anew string, until func(run.State) bool) run.State {
	t.Helper()
	ctx, die := context.WithCancel(t.Context())
	f := simFleet(ctx, l, w)
	if err := f.Load(ctx, engine.Reboot{Booted: booted, Anew: anew}); err != nil {
		t.Fatal(err)
	}
	for {
		changed := f.Wait()
		s, ok := f.State("01SIMR")
		if ok && until(s) {
			break
		}
		<-changed
	}
	die()
	f.Close()
	return reload(t, l)
}

func TestARunThatWasLiveBeforeAReboot(t *testing.T) {
	t.Parallel()
	const off = 8 * time.Hour
	for _, tc := range []struct {
		name string
		anew string
		cut  bool // the first daemon after the reboot dies between its two events
		halt events.Halt
	}{
		{"goes on by itself", "", false, ""},
		{"waits for a person if that is asked for", "boot-2", false, events.HaltRebooted},
		{"waits also if the daemon dies in between", "boot-2", true, events.HaltRebooted},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				w := &script{steps: []step{{Tree: 1, Failing: 1, Takes: time.Hour}, {Tree: 2, Takes: time.Hour}}}
				l := log.NewMemory(log.MemoryConfig{})
				ctx, die := context.WithCancel(t.Context())
				f := simFleet(ctx, l, w)
				if _, err := f.Begin(ctx, "01SIMR", simStart(), "local:0@sim/1", "req"); err != nil {
					t.Fatal(err)
				}
				time.Sleep(30 * time.Minute) // within the first agent, on the bubble's clock
				die()
				f.Close()
				time.Sleep(off)
				booted := time.Now()
				time.Sleep(time.Minute)
				if tc.cut {
					s := afterReboot(t, l, w, booted, tc.anew, func(s run.State) bool { return s.Clock.Suspended > 0 || s.Status == run.Halted })
					if s.Status != run.Live && s.Halt.Reason != events.HaltRebooted {
						t.Fatalf("cut: %+v", endOf(s))
					}
				}
				s := afterReboot(t, l, w, booted, tc.anew, func(s run.State) bool { return s.Status != run.Live })
				if tc.halt == "" {
					if s.Status != run.Over || s.End.State != events.EndDone {
						t.Fatalf("the end: %+v", endOf(s))
					}
					return
				}
				if s.Status != run.Halted || s.Halt.Reason != tc.halt || s.Halt.Value != tc.anew || s.Stage != run.Agent || s.Loop.Attempt != 1 {
					t.Fatalf("after the reboot: %+v, stage %s", endOf(s), s.Stage)
				}
				if n := rule.ExitCode(rule.StateHalted, s.Halt.Reason); n != 13 {
					t.Errorf("exit %d", n)
				}
				if active := s.Clock.Active(time.Now()); active > 35*time.Minute {
					t.Errorf("the run was active for %v", active)
				}
				resumeAfterReboot(t, l, w)
			})
		})
	}
}

// resumeAfterReboot is the next daemon of the same boot: it halts nobody, and a
// person's resume leads to the end.
func resumeAfterReboot(t *testing.T, l log.Log, w *script) {
	t.Helper()
	ctx, die := context.WithCancel(t.Context())
	f := simFleet(ctx, l, w)
	if err := f.Load(ctx, engine.Reboot{}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Do(ctx, "01SIMR", engine.Resume{}, "local:0@sim/1", "resume"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(10 * time.Hour)
	die()
	f.Close()
	if s := reload(t, l); s.Status != run.Over || s.End.State != events.EndDone {
		t.Errorf("resumed: %+v", endOf(s))
	}
}

func TestADaemonAsksAfterARebootOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.close()
	s.cfg.AskAfterReboot, s.cfg.Boot = true, "boot-1"
	s.open()
	v := s.start(s.spec("test -f ok", "while ! test -f go-on; do sleep 0.05; done; date +%s%N > ok"))
	s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	s.close()
	s.open() // the same boot: it goes on
	s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	s.close()
	s.write(map[string]string{"go-on": "x"}) // what a reboot would have ended ends by itself
	s.cfg.Boot = "boot-2"
	s.open()
	st := s.until(v.ID, settled)
	s.wants(st, "halted:rebooted")
	s.close()
	if b, err := os.ReadFile(bootFile(s.cfg.Places.State)); err != nil || string(b) != "boot-2" {
		t.Errorf("the boot is %q %v", b, err)
	}
	s.open()
	if _, err := s.d.Fleet.Do(t.Context(), v.ID, engine.Resume{}, "local:0@test/1", "r"); err != nil {
		t.Fatal(err)
	}
	s.wants(s.until(v.ID, func(st run.State) bool { return st.Status == run.Over }), "done")
}

func TestABootThatCannotBeStoredIsTriedAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.close()
	inTheWay := bootFile(s.cfg.Places.State) + ".new"
	if err := os.Mkdir(inTheWay, 0o700); err != nil {
		t.Fatal(err)
	}
	s.cfg.Boot = "boot-2"
	s.open()
	if err := os.Remove(inTheWay); err != nil {
		t.Fatal(err)
	}
	s.wants(s.play(s.spec("test -f ok", "touch ok")), "done")
	s.close()
	if b, err := os.ReadFile(bootFile(s.cfg.Places.State)); err != nil || string(b) != "boot-2" {
		t.Errorf("the boot is %q %v", b, err)
	}
}

func TestABootThatIsNotStoredYetIsAnotherOneAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if anew, err := rebooted(dir, "boot-1"); err != nil || anew != "" {
		t.Errorf("without a daemon before: %q %v", anew, err)
	}
	if err := durable.Replace(bootFile(dir), []byte("boot-1")); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the daemon that was to store it died
		if anew, err := rebooted(dir, "boot-2"); err != nil || anew != "boot-2" {
			t.Errorf("in another boot: %q %v", anew, err)
		}
	}
	if anew, err := rebooted(dir, "boot-1"); err != nil || anew != "" {
		t.Errorf("in the same boot: %q %v", anew, err)
	}
}
