package omx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	rules "autopilot/projections/omx"
)

// pointer is session.json of a state directory.
func pointer(t testing.TB, base, cwd, session string, pid int, ticks string) {
	t.Helper()
	put(t, filepath.Join(base, "session.json"),
		fmt.Sprintf(`{"session_id":%q,"native_session_id":"native-1","cwd":%q,"pid":%d,"pid_start_ticks":%s}`, session, cwd, pid, ticks))
}

// ticks is when this process started.
func ticks(t testing.TB) string {
	t.Helper()
	stat := get(t, "/proc/self/stat")
	return strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])[19]
}

func TestSeeds43TheScopeOfAWrite(t *testing.T) {
	t.Parallel()
	now := ticks(t)
	for _, tt := range []struct {
		name, session, env, pointer, ticks string
		pid                                int
		want                               string // of the session, "" for the root, "-" for none
	}{
		{name: "without a session it is the root", want: ""},
		{name: "the session of the call", session: "s-1", want: "s-1"},
		{name: "the session of the call wins over the live one", session: "s-1", pointer: "s-2", pid: os.Getpid(), ticks: now, want: "s-1"},
		{name: "another name of the live session is that session", session: "native-1", pointer: "s-2", pid: os.Getpid(), ticks: now, want: "s-2"},
		{name: "the live session", pointer: "s-2", pid: os.Getpid(), ticks: now, want: "s-2"},
		{name: "the live session by its other name", env: "native-1", pointer: "s-2", pid: os.Getpid(), ticks: now, want: "s-2"},
		{name: "another session than the live one", env: "s-9", pointer: "s-2", pid: os.Getpid(), ticks: now, want: "-"},
		{name: "a session that nothing binds", env: "s-9", want: "-"},
		{name: "O23: a pid that was used again is no live session", pointer: "s-2", pid: os.Getpid(), ticks: "1", want: "-"},
		{name: "a session whose process is gone yields to the one that is named", env: "s-9", pointer: "s-2", pid: 1 << 30, ticks: now, want: "s-9"},
		{name: "a process without its start proves nothing", env: "s-9", pointer: "s-2", pid: os.Getpid(), ticks: "null", want: "-"},
		{name: "it proves the session that both name", env: "s-2", pointer: "s-2", pid: os.Getpid(), ticks: "null", want: "s-2"},
		{name: "a session id of 65 characters", session: strings.Repeat("a", 65), want: "-"},
		{name: "O6: a session that walks", session: "../x", want: "-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if tt.pointer != "" {
				pointer(t, filepath.Join(dir, ".omx/state"), dir, tt.pointer, tt.pid, tt.ticks)
			}
			var environ []string
			if tt.env != "" {
				environ = append(environ, "OMX_SESSION_ID="+tt.env)
			}
			sc, err := open(t, dir, environ...).ToWrite(tt.session)
			if (err != nil) != (tt.want == "-") || err == nil && sc.Session != tt.want {
				t.Errorf("%+v, %v", sc, err)
			}
		})
	}
}

func TestTheStateOfASessionAboveIsThatOfItsDirectories(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	sub := filepath.Join(dir, "a/b")
	must(t, os.MkdirAll(sub, 0o755))
	pointer(t, filepath.Join(dir, ".omx/state"), dir, "s-1", os.Getpid(), ticks(t))
	if s := open(t, sub, "OMX_SESSION_ID=s-1"); s.Base != filepath.Join(dir, ".omx/state") {
		t.Errorf("it is %s", s.Base)
	}
	if s := open(t, sub, "OMX_SESSION_ID=s-2"); s.Base != filepath.Join(sub, ".omx/state") {
		t.Errorf("that of another session is %s", s.Base)
	}
}

func TestQ40AModeThatIsActiveInAnotherLiveSessionCounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	write(t, s, `{"mode":"ralph","active":true,"session_id":"s-1"}`)
	owner := filepath.Join(dir, ".omx/state/sessions/s-1/session-owner.json")
	put(t, owner, fmt.Sprintf(`{"pid":%d,"pid_start_ticks":1}`, os.Getpid()))
	write(t, s, `{"mode":"ultrawork","active":true,"session_id":"s-2"}`)
	put(t, owner, fmt.Sprintf(`{"pid":%d,"pid_start_ticks":%s}`, os.Getpid(), ticks(t)))
	if _, err := s.Write(object(t, `{"mode":"ultrawork","active":true,"session_id":"s-3"}`), rules.Strict); err == nil || !strings.Contains(err.Error(), "ralph is active in this workspace") {
		t.Errorf("%v", err)
	}
}

func TestSeeds43ALiveSessionIsReadFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	base := filepath.Join(dir, ".omx/state")
	put(t, filepath.Join(base, "ralph-state.json"), `{"where":"root","active":true}`)
	put(t, filepath.Join(base, "sessions/s-1/ralph-state.json"), `{"where":"s-1"}`)
	put(t, filepath.Join(base, "sessions/s-2/team-state.json"), `{"where":"s-2"}`)
	where := func(session string) string {
		o, _, err := s.Read("ralph", session)
		if err != nil {
			t.Fatal(err)
		}
		return o.Text("where")
	}
	pointer(t, base, dir, "s-1", os.Getpid(), ticks(t))
	if got := where(""); got != "s-1" {
		t.Errorf("the live session is read from %s", got)
	}
	pointer(t, base, dir, "s-2", os.Getpid(), ticks(t))
	if got := where(""); got != "root" {
		t.Errorf("a live session without a state is read from %s", got)
	}
	if modes, err := s.Active(""); err != nil || len(modes) != 0 {
		t.Errorf("the root counts beside a session: %v, %v", modes, err)
	}
}

func TestTheTrackerOfTheHostHasTheSessionByItsOwnName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pointer(t, filepath.Join(dir, ".omx/state"), dir, "s-1", os.Getpid(), ticks(t))
	wholeRun(t, dir, "native-1")
}
