package peerfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"autopilot/daemon/test/proctest"
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
		"a folder":       {func(p string) { _ = os.MkdirAll(p, 0o755) }, Unreadable, "not a file but a folder"},
		"a pipe": {func(p string) {
			_ = os.MkdirAll(filepath.Dir(p), 0o755)
			_ = syscall.Mkfifo(p, 0o600)
		}, Unreadable, "not a file but a pipe"},
		"a loop of links": {func(p string) {
			_ = os.MkdirAll(filepath.Dir(p), 0o755)
			_ = os.Symlink(p, p)
		}, Unreadable, "not a file but a link"},
		"a link out": {func(p string) {
			_ = os.MkdirAll(filepath.Dir(p), 0o755)
			write(t, p+".other", lock)
			_ = os.Symlink(p+".other", p)
		}, Unreadable, "not a file but a link"},
		"a link to a device": {func(p string) {
			_ = os.MkdirAll(filepath.Dir(p), 0o755)
			_ = os.Symlink("/dev/zero", p)
		}, Unreadable, "not a file but a link"},
		"100 MB": {func(p string) {
			write(t, p, lock)
			_ = os.Truncate(p, 100<<20)
		}, Unreadable, "it has 104857600 bytes; the limit is 65536"},
		"a long name":     {func(p string) { write(t, p, `{"session_id":"`+strings.Repeat("a", maxText+1)+`"}`) }, Corrupt, "more than 200 bytes"},
		"huge":            {func(p string) { write(t, p, `{"session_id":"`+strings.Repeat("a", maxFile)+`"}`) }, Unreadable, "the limit is"},
		"empty":           {func(p string) { write(t, p, "") }, Corrupt, "not a JSON object"},
		"half of one":     {func(p string) { write(t, p, lock[:40]) }, Corrupt, "not a JSON object"},
		"null":            {func(p string) { write(t, p, "null") }, Corrupt, "not a JSON object"},
		"a list":          {func(p string) { write(t, p, "[]") }, Corrupt, "not a JSON object"},
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

// Seeds 2.8.3, a row each: what a lock says, in every wrong form.
func TestALockInWrongForms(t *testing.T) {
	t.Parallel()
	start, beat := time.Date(2026, 11, 27, 21, 0, 0, 0, time.UTC), time.Date(2026, 11, 27, 21, 30, 0, 0, time.UTC)
	for name, tt := range map[string]struct {
		more string // members beside id and start
		beat time.Time
		pid  int
		ttl  time.Duration
	}{
		"whole":                        {`"last_heartbeat":"2026-11-27T21:30:00Z","pid":7,"ttl_hours":4`, beat, 7, 4 * time.Hour},
		"in another zone":              {`"last_heartbeat":"2026-11-27T23:30:00+02:00"`, beat, 0, 0},
		"no heartbeat: the start":      {`"pid":7`, start, 7, 0},
		"heartbeat null: the start":    {`"last_heartbeat":null`, start, 0, 0},
		"heartbeat empty":              {`"last_heartbeat":""`, time.Time{}, 0, 0},
		"heartbeat no time":            {`"last_heartbeat":"soon"`, time.Time{}, 0, 0},
		"heartbeat without a zone":     {`"last_heartbeat":"2026-11-27T21:30:00"`, time.Time{}, 0, 0},
		"heartbeat a number":           {`"last_heartbeat":1764279000`, time.Time{}, 0, 0},
		"heartbeat a list":             {`"last_heartbeat":["2026-11-27T21:30:00Z"]`, time.Time{}, 0, 0},
		"heartbeat twice: the last":    {`"last_heartbeat":"soon","last_heartbeat":"2026-11-27T21:30:00Z"`, beat, 0, 0},
		"numbers as text":              {`"pid":"7","ttl_hours":"4"`, start, 0, 0},
		"numbers that are none":        {`"pid":null,"ttl_hours":true`, start, 0, 0},
		"a fraction of an hour":        {`"ttl_hours":0.5`, start, 0, 30 * time.Minute},
		"no hours":                     {`"ttl_hours":0`, start, 0, 0},
		"less than no hours":           {`"ttl_hours":-4`, start, 0, 0},
		"more hours than there are":    {`"ttl_hours":1e99`, start, 0, 0},
		"a pid that no process has":    {`"pid":-1`, start, 0, 0},
		"a pid over all":               {`"pid":4294967296`, start, 0, 0},
		"what is not known is nothing": {`"session":{"pid":9},"PID":8`, start, 0, 0},
	} {
		dir := t.TempDir()
		write(t, LockPath(dir), `{"session_id":"a","started_at":"2026-11-27T21:00:00Z",`+tt.more+`}`)
		if s, f := ReadLock(dir); f.State != OK || !s.Beat.Equal(tt.beat) || s.PID != tt.pid || s.TTL != tt.ttl {
			t.Errorf("%s: %+v %+v", name, f, s)
		}
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

// An entry of the registry has an id, a start and a heartbeat that are text, and a
// mode that is text, null or absent. Seeds 2.8.4, valid entry and id safety; S25.
func TestWhatAnEntryOfTheRegistryHas(t *testing.T) {
	t.Parallel()
	times := `"started_at":"2026-11-27T21:00:00Z","last_heartbeat":"2026-11-27T21:30:00Z"`
	for text, want := range map[string]bool{
		`{"session_id":"a",` + times + `}`:                                                          true,
		`{"session_id":"a",` + times + `,"mode":null}`:                                              true,
		`{"session_id":"a",` + times + `,"mode":"deep"}`:                                            true,
		`{"session_id":"a",` + times + `,"mode":7}`:                                                 false,
		`{"session_id":"a",` + times + `,"mode":{"deep":1}}`:                                        false,
		`{"session_id":"",` + times + `}`:                                                           false,
		`{"session_id":".",` + times + `}`:                                                          false,
		`{"session_id":"..",` + times + `}`:                                                         false,
		`{"session_id":"a/b",` + times + `}`:                                                        false,
		`{"session_id":"a\\b",` + times + `}`:                                                       false,
		`{"session_id":"a\u0000b",` + times + `}`:                                                   false,
		`{"session_id":null,` + times + `}`:                                                         false,
		`{` + times + `}`:                                                                           false,
		`{"session_id":"a","last_heartbeat":"2026-11-27T21:30:00Z"}`:                                false,
		`{"session_id":"a","started_at":"2026-11-27T21:00:00Z"}`:                                    false,
		`{"session_id":"a","started_at":1,"last_heartbeat":"2026-11-27T21:30:00Z"}`:                 false,
		`{"session_id":"a","started_at":"2026-11-27T21:00:00Z","last_heartbeat":1}`:                 false,
		`{"session_id":"a","started_at":"yesterday","last_heartbeat":"never"}`:                      true, // and infinitely old
		`{"session_id":"a",` + times + `,"pid":"7","status":[1],"current_wave":-3,"host_class":{}}`: true,
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, "a.json"), text)
		list, junk, f := ReadRegistry(dir)
		if f.State != OK || len(list)+len(junk) != 1 || (len(list) == 1) != want {
			t.Errorf("%s: %+v %+v %+v", text, list, junk, f)
		}
	}
}

// A registry in which somebody has put what they could: the sessions that were heard
// of lately are found, and what was left out is said.
func TestAHostileRegistryHidesNobody(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := filepath.Join(dir, "f00000.json")
	write(t, first, "{")
	if old := time.Now().Add(-3 * time.Hour); os.Chtimes(first, old, old) != nil {
		t.Fatal("the file cannot be made old")
	}
	for i := range 9_999 {
		if err := os.Link(first, filepath.Join(dir, fmt.Sprintf("f%05d.json", i+1))); err != nil {
			t.Fatal(err)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside.json")
	write(t, outside, `{"session_id":"outside","started_at":"2026-11-27T21:00:00Z","last_heartbeat":"2026-11-27T21:30:00Z"}`)
	at := func(name string) string { return filepath.Join(dir, name+".json") }
	write(t, at("big"), "{")
	write(t, at("a\nb"), `{"session_id":"x\ny","started_at":"2026-11-27T21:00:00Z","last_heartbeat":"2026-11-27T21:30:00Z"}`)
	write(t, at("real"), `{"session_id":"real","started_at":"2026-11-27T21:00:00Z","last_heartbeat":"2026-11-27T21:30:00Z"}`)
	err := errors.Join(os.Truncate(at("big"), 1<<30), os.Symlink(outside, at("link")), os.Symlink("/dev/zero", at("zero")), os.Symlink(dir, at("itself")),
		syscall.Mkfifo(at("pipe"), 0o600), os.Mkdir(at("folder"), 0o700), os.Link(at("real"), at("again")))
	if err != nil {
		t.Fatal(err)
	}
	list, junk, f := ReadRegistry(dir)
	var ids []string
	for _, s := range list {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	if f.State != OK || !slices.Equal(ids, []string{"real", "real", "x\ny"}) {
		t.Errorf("%+v %q", f, ids)
	}
	says := map[string]string{}
	for _, j := range junk {
		says[strings.TrimSuffix(filepath.Base(j.Path), ".json")] = string(j.State) + ": " + j.Problem
	}
	for name, want := range map[string]string{
		"big": "unreadable: it has 1073741824 bytes", "link": "unreadable: it is not a file but a link", "zero": "but a link", "itself": "but a link",
		"pipe": "but a pipe", "folder": "but a folder", filepath.Base(dir): "unreadable: it holds more than 512 entries, and 9497 that were written before",
	} {
		if !strings.Contains(says[name], want) {
			t.Errorf("%s: %q", name, says[name])
		}
	}
	if len(list)+len(junk) != maxEntries+1 {
		t.Errorf("%d sessions, %d that are none", len(list), len(junk))
	}
}

const lockedDir = "AUTOPILOT_TEST_LOCKED"

// What may not be read is not nothing.
func TestWhatMayNotBeReadIsUnreadable(t *testing.T) {
	if dir := os.Getenv(lockedDir); dir != "" {
		if _, f := ReadLock(dir); f.State != Unreadable || f.Problem != "permission denied" {
			t.Errorf("a lock: %+v", f)
		}
		if list, junk, f := ReadRegistry(filepath.Join(dir, "open")); f.State != OK || len(list) != 0 || len(junk) != 1 || junk[0].Problem != "permission denied" {
			t.Errorf("an entry: %+v %+v %+v", list, junk, f)
		}
		if _, _, f := ReadRegistry(filepath.Join(dir, "shut")); f.State != Unreadable || f.Problem != "permission denied" {
			t.Errorf("a registry: %+v", f)
		}
		return
	}
	t.Parallel()
	base, err := os.MkdirTemp("/tmp", "peerfile-test-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	write(t, LockPath(base), lock)
	write(t, filepath.Join(base, "open", "a.json"), lock)
	err = errors.Join(os.Chmod(LockPath(base), 0), os.Chmod(filepath.Join(base, "open", "a.json"), 0), os.Mkdir(filepath.Join(base, "shut"), 0), os.Chmod(base, 0o755))
	if err != nil {
		t.Fatal(err)
	}
	proctest.AsNobody(t, base, lockedDir+"="+base)
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
