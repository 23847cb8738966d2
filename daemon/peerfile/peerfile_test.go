package peerfile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

const lock = `{"session_id":"main-2026-11-27-deep-1","started_at":"2026-11-27T21:00:00.000Z","last_heartbeat":"2026-11-27T21:30:00Z",
"mode":"deep","pid":4711,"host":"desk","ttl_hours":4,"semantic_session_id":null,"more":[1]}`

// Seeds 2.8.3: absent, unreadable, corrupt and ok are four answers.
func TestALockFileHasFourAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		make  func(path string)
		state State
		says  string
	}{
		"no file":        {func(string) {}, Absent, ""},
		"a lock":         {func(p string) { write(t, p, lock) }, OK, ""},
		"a member twice": {func(p string) { write(t, p, `{"session_id":"a","session_id":"b"}`) }, OK, ""},
		"a folder":       {func(p string) { _ = os.MkdirAll(p, 0o755) }, Unreadable, "no file"},
		"a pipe": {func(p string) {
			_ = os.MkdirAll(filepath.Dir(p), 0o755)
			_ = syscall.Mkfifo(p, 0o600)
		}, Unreadable, "no file"},
		"a loop of links": {func(p string) {
			_ = os.MkdirAll(filepath.Dir(p), 0o755)
			_ = os.Symlink(p, p)
		}, Unreadable, "too many"},
		"huge":            {func(p string) { write(t, p, `{"session_id":"`+strings.Repeat("a", maxFile)+`"}`) }, Unreadable, "at most"},
		"empty":           {func(p string) { write(t, p, "") }, Corrupt, "no JSON object"},
		"half of one":     {func(p string) { write(t, p, lock[:40]) }, Corrupt, "no JSON object"},
		"null":            {func(p string) { write(t, p, "null") }, Corrupt, "no JSON object"},
		"a list":          {func(p string) { write(t, p, "[]") }, Corrupt, "no JSON object"},
		"no name":         {func(p string) { write(t, p, "{}") }, Corrupt, "session_id"},
		"a path for one":  {func(p string) { write(t, p, `{"session_id":"../x"}`) }, Corrupt, "session_id"},
		"a number for it": {func(p string) { write(t, p, `{"session_id":7}`) }, Corrupt, "session_id"},
		"mode smuggled":   {func(p string) { write(t, p, `{"session_id":"a","mode":["deep"]}`) }, Corrupt, "mode"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			tt.make(LockPath(dir))
			if _, f := ReadLock(dir); f.State != tt.state || !strings.Contains(f.Problem, tt.says) || f.Path != LockPath(dir) {
				t.Errorf("%+v", f)
			}
		})
	}
}

func TestALockSaysWhatItSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, LockPath(dir), lock)
	s, _ := ReadLock(dir)
	at := func(h, m int) time.Time { return time.Date(2026, 11, 27, h, m, 0, 0, time.UTC) }
	if s.ID != "main-2026-11-27-deep-1" || s.Mode != "deep" || s.PID != 4711 || s.Host != "desk" || s.TTL != 4*time.Hour ||
		!s.Started.Equal(at(21, 0)) || !s.Beat.Equal(at(21, 30)) {
		t.Errorf("%+v", s)
	}
	// Seeds 2.8.3: without a heartbeat the start counts; one that cannot be read is none.
	write(t, LockPath(dir), `{"session_id":"a","started_at":"2026-11-27T21:00:00Z","pid":"7","ttl_hours":-1}`)
	if s, _ = ReadLock(dir); !s.Beat.Equal(at(21, 0)) || s.PID != 0 || s.TTL != 0 {
		t.Errorf("%+v", s)
	}
	write(t, LockPath(dir), `{"session_id":"a","started_at":"2026-11-27T21:00:00Z","last_heartbeat":"soon"}`)
	if s, _ = ReadLock(dir); !s.Beat.IsZero() {
		t.Errorf("%+v", s)
	}
}

func TestJunkInARegistryHidesNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	entry := func(id string) string {
		return `{"session_id":"` + id + `","started_at":"2026-11-27T21:00:00Z","last_heartbeat":"2026-11-27T21:30:00Z","mode":null,"pid":1e300}`
	}
	for name, text := range map[string]string{
		"a.json": entry("a"), "b.json": entry("b"), "empty.json": "", "bytes.json": "\x00\xff\xfe", "deep.json": strings.Repeat("[", 20000),
		"part.json": `{"session_id":"c","started_at":"2026-11-27T21:00:00Z"}`, "num.json": `{"session_id":"d","started_at":1,"last_heartbeat":2}`,
		"notes.txt": "x", "a.json.tmp-1": entry("t"),
	} {
		write(t, filepath.Join(dir, name), text)
	}
	if err := os.Mkdir(filepath.Join(dir, "dir.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	list, junk, f := ReadRegistry(dir)
	var ids []string
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	if f.State != OK || !slices.Equal(ids, []string{"a", "b"}) || len(junk) != 6 || list[0].PID != 0 {
		t.Errorf("%+v %v, junk %+v", f, ids, junk)
	}
	if _, _, f := ReadRegistry(filepath.Join(dir, "none")); f.State != Absent {
		t.Errorf("none: %+v", f)
	}
	if _, _, f := ReadRegistry(filepath.Join(dir, "a.json")); f.State != Unreadable {
		t.Errorf("a file: %+v", f)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(lock))
	f.Add([]byte(`{"session_id":"a","pid":-1,"ttl_hours":1e99,"mode":null,"started_at":"\ud800"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		e, err := parse(text)
		if err == nil && (!safeID(e.ID) || e.PID < 0 || e.TTL < 0 || len(e.Mode) > maxText) {
			t.Errorf("%+v", e)
		}
	})
}
