package peer

import (
	"testing"
	"time"

	"autopilot/daemon/auth/person"
	"autopilot/daemon/coord/peerfile"
	"autopilot/projections/orchestrator"
)

// S17, S18, S28, S50: what a file says, and when it was written, by clocks that are
// an hour off and more. Seeds 2.8.3 live, 2.8.4 fresh; the pid takes no part.
func TestTheLifeOfAFileByClocksThatDiffer(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 21, 0, 0, 0, time.UTC)
	const min, hour, year = time.Minute, time.Hour, 365 * 24 * time.Hour
	for name, tt := range map[string]struct {
		beat, written time.Duration // before now
		lock, entry   orchestrator.Life
	}{
		"just now":                                   {0, 0, orchestrator.Fresh, orchestrator.Fresh},
		"15 minutes are fresh":                       {15 * min, 15 * min, orchestrator.Fresh, orchestrator.Fresh},
		"more are not":                               {15*min + 1, 15*min + 1, orchestrator.Fresh, orchestrator.Stale},
		"an hour is stale":                           {hour, hour, orchestrator.Fresh, orchestrator.Stale},
		"more is gone":                               {hour + 1, hour + 1, orchestrator.Fresh, orchestrator.Gone},
		"up to four hours a lock holds":              {4*hour - 1, 4*hour - 1, orchestrator.Fresh, orchestrator.Gone},
		"exactly then it does not":                   {4 * hour, 4 * hour, orchestrator.Stale, orchestrator.Gone},
		"an hour behind, written now":                {hour, 0, orchestrator.Fresh, orchestrator.Fresh},
		"an hour behind, written 16 minutes ago":     {hour + 16*min, 16 * min, orchestrator.Fresh, orchestrator.Stale},
		"a lock that was copied is as old as it was": {5 * hour, 0, orchestrator.Stale, orchestrator.Fresh},
		"an hour ahead, written now":                 {-hour, 0, orchestrator.Fresh, orchestrator.Fresh},
		"an hour ahead, written 16 minutes ago":      {-hour + 16*min, 16 * min, orchestrator.Fresh, orchestrator.Stale},
		"years ahead, written 61 minutes ago":        {-70 * year, hour + min, orchestrator.Fresh, orchestrator.Gone},
		"years ahead, written four hours ago":        {-70 * year, 4 * hour, orchestrator.Stale, orchestrator.Gone},
	} {
		s := peerfile.Session{ID: "a", PID: 1 << 22, Beat: now.Add(-tt.beat), Written: now.Add(-tt.written)}
		if l, e := lockLife(s, now), entryLife(s, now); l != tt.lock || e != tt.entry {
			t.Errorf("%s: as a lock %s, want %s; as an entry %s, want %s", name, l, tt.lock, e, tt.entry)
		}
	}
	unreadable := peerfile.Session{ID: "a", Started: now, Written: now}
	if l, e := lockLife(unreadable, now), entryLife(unreadable, now); l != orchestrator.Stale || e != orchestrator.Gone {
		t.Errorf("a heartbeat that cannot be read: %s, %s", l, e)
	}
}

// A pid that a file names proves only a process that was there when the session began.
func TestAPidThatStartedAfterTheLockIsAnothersProcess(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 27, 21, 0, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		started time.Time
		age     time.Duration
		later   bool
	}{
		"it began before the session":                  {now.Add(-time.Hour), 2 * time.Hour, false},
		"it began with the session":                    {now.Add(-time.Hour), time.Hour, false},
		"clocks differ by seconds":                     {now.Add(-time.Hour), time.Hour - 30*time.Second, false},
		"it began half an hour later":                  {now.Add(-time.Hour), 30 * time.Minute, true},
		"it began just now":                            {now.Add(-time.Hour), 0, true},
		"the file says nothing":                        {time.Time{}, 0, false},
		"the session begins in the future, by a clock": {now.Add(time.Hour), 0, false},
	} {
		if got := beganLater(peerfile.Session{Started: tt.started}, now, tt.age); got != tt.later {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// Process 1 is above every process, so a lock that names it is nobody's own.
func TestALockOfProcessOneIsNobodysOwn(t *testing.T) {
	t.Parallel()
	if line := (&Sessions{}).lineOf(peerfile.Session{ID: "a", PID: 1}); line != nil {
		t.Errorf("%+v", line)
	}
	v := foreignView(foreign{Session: peerfile.Session{ID: "a", PID: 1}}, []person.Process{{PID: 9, Start: 3}, {PID: 1}})
	if v.You || v.Ended {
		t.Errorf("%+v", v)
	}
}
