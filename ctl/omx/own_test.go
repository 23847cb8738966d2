package omx_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"autopilot/ctl/omx"
)

// ownStore is a workspace with these files below .omx/state.
func ownStore(t *testing.T, files map[string]string) *omx.Store {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, ".omx", "state", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := omx.Open(omx.Options{Dir: dir, Now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestOnlyTheStateThatIsProvenItsOwnCountsForASession(t *testing.T) {
	t.Parallel()
	const active, root = `{"active":true}`, "autopilot-state.json"
	for name, c := range map[string]struct {
		files   map[string]string
		session string
		there   bool
		err     string
	}{
		"in its directory":                     {map[string]string{"sessions/s1/" + root: active}, "s1", true, ""},
		"in its directory, by its name":        {map[string]string{"sessions/s1/" + root: `{"active":true,"session_id":"s1"}`}, "s1", true, ""},
		"in its directory, of another session": {map[string]string{"sessions/s1/" + root: `{"active":true,"session_id":"s2"}`}, "s1", false, ""},
		"of the root, by its name":             {map[string]string{root: `{"active":true,"session_id":"s1"}`}, "s1", true, ""},
		"of the root, of nobody":               {map[string]string{root: active}, "s1", false, ""},
		"of the root, of another session":      {map[string]string{root: `{"session_id":"s2"}`}, "s1", false, ""},
		"of another session":                   {map[string]string{"sessions/s2/" + root: active}, "s1", false, ""},
		"none":                                 {nil, "s1", false, ""},
		"O6 a session that is a path":          {map[string]string{root: active}, "../x", false, "session id"},
		"O6 a session of 65 characters":        {map[string]string{root: active}, strings.Repeat("x", 65), false, "session id"},
		"no session":                           {map[string]string{root: active}, "", false, "session id"},
		"cut in the middle":                    {map[string]string{"sessions/s1/" + root: `{"active":tr`}, "s1", false, "not one JSON object"},
	} {
		o, there, err := ownStore(t, c.files).Own("autopilot", c.session)
		if (there && err == nil) != c.there || (err != nil) != (c.err != "") || err != nil && !strings.Contains(err.Error(), c.err) || c.there && len(o) == 0 {
			t.Errorf("%s: %v, %v", name, there, err)
		}
	}
}

func TestASessionHasItsDirectoryOrNone(t *testing.T) {
	t.Parallel()
	s := ownStore(t, map[string]string{"sessions/s1/x": "", "sessions/s2": ""})
	for session, want := range map[string]bool{"s1": true, "s2": false, "s3": false, "": false, "..": false, "../sessions/s1": false} {
		if s.HasSession(session) != want {
			t.Errorf("%q", session)
		}
	}
}

func TestAStopIsRememberedForItsSession(t *testing.T) {
	t.Parallel()
	s := ownStore(t, map[string]string{"native-stop-state.json": `{"kept":1,"sessions":{"s9":{"last_signature":"z"}}}`})
	for n, c := range []struct {
		session, signature string
		again              bool
	}{{"s1", "a", false}, {"s1", "a", true}, {"s2", "a", false}, {"s1", "b", false}, {"s1", "a", false}, {"s9", "z", true}} {
		again, err := s.Stopped(c.session, c.signature)
		if err != nil || again != c.again {
			t.Errorf("%d: %v, %v", n, again, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(s.Base, "native-stop-state.json"))
	if err != nil || !strings.Contains(string(text), `"kept": 1`) || !strings.Contains(string(text), `"s9"`) {
		t.Errorf("%v\n%s", err, text)
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := s.Stopped("s4", "x"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	broken := ownStore(t, map[string]string{"native-stop-state.json": `{`})
	if _, err := broken.Stopped("s1", "a"); err == nil {
		t.Error("a memory that cannot be read is written over")
	}
}
