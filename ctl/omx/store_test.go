package omx_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"autopilot/ctl/omx"
	rules "autopilot/projections/omx"
)

// noon is when tests write.
var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func open(t testing.TB, dir string, environ ...string) *omx.Store {
	t.Helper()
	s, err := omx.Open(omx.Options{Dir: dir, Environ: environ, Now: noon})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func object(t testing.TB, text string) rules.Object {
	t.Helper()
	o, err := rules.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

func write(t testing.TB, s *omx.Store, call string) omx.Written {
	t.Helper()
	v, err := s.Write(object(t, call), rules.Strict)
	if err != nil {
		t.Fatalf("%s: %v", call, err)
	}
	return v
}

func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const begin = `{"mode":"autopilot","active":true,"current_phase":"deep-interview"}`

func TestAWriteIsThereWithAllFilesBesideIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	v := write(t, s, begin)
	if v.Path != filepath.Join(dir, ".omx/state/autopilot-state.json") || v.Mode != "autopilot" {
		t.Errorf("%+v", v)
	}
	text := get(t, v.Path)
	if !strings.HasPrefix(text, "{\n  \"active\": true,\n") || !strings.Contains(text, `"mode": "autopilot"`) {
		t.Errorf("the file is %s", text)
	}
	if run := get(t, filepath.Join(dir, ".omx/state/run-state.json")); !strings.Contains(run, `"outcome": "continue"`) {
		t.Errorf("the run state is %s", run)
	}
	if skills := get(t, filepath.Join(dir, ".omx/state/skill-active-state.json")); !strings.Contains(skills, `"skill": "autopilot"`) {
		t.Errorf("the skills are %s", skills)
	}
	o, there, err := s.Read("autopilot", "")
	if err != nil || !there || o.Text("current_phase") != "deep-interview" {
		t.Errorf("%v, %t, %s", err, there, o.Compact())
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".omx/state/.*.tmp")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestSeeds413ARunThatBeginsHasItsSnapshot(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	v, err := s.Start("Add a search box", "", rules.Strict)
	if err != nil {
		t.Fatal(err)
	}
	want := ".omx/context/add-a-search-box-20260501T120000Z.md"
	if got := v.State.Sub("handoff_artifacts").Text("context_snapshot_path"); got != want || v.State.Sub("context_snapshot").Text("kind") != "canonical" {
		t.Errorf("%s", v.State.Compact())
	}
	if text := get(t, filepath.Join(dir, want)); !strings.Contains(text, "task seed: Add a search box") {
		t.Errorf("%s", text)
	}
	if _, err := s.Cancel("", false); err != nil {
		t.Fatal(err)
	}
	v, err = s.Start("Add a search box", "", rules.Strict)
	if got := v.State.Text("context_snapshot_path"); err != nil || got != strings.Replace(want, "Z.md", "Z-2.md", 1) {
		t.Errorf("the second one is %s, %v", got, err)
	}
}

// TestO2WritersAtOnceLoseNothing sets a member each, from many goroutines and stores.
func TestO2Q41WritersAtOnceLoseNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const writers, each = 8, 5
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			s, err := omx.Open(omx.Options{Dir: dir, Now: noon})
			for i := range each {
				o, _ := rules.Parse(fmt.Appendf(nil, `{"mode":"team","active":true,"m%d_%d":1,"handoff_artifacts":{"h%d_%d":1}}`, w, i, w, i))
				if err == nil {
					_, err = s.Write(o, rules.Strict)
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	o, _, err := open(t, dir).Read("team", "")
	if err != nil {
		t.Fatal(err)
	}
	for w := range writers {
		for i := range each {
			name := fmt.Sprintf("m%d_%d", w, i)
			if !o.Has(name) || !o.Sub("handoff_artifacts").Has("h"+name[1:]) {
				t.Errorf("%s is lost", name)
			}
		}
	}
}

// TestQuirk5AFileThatWasCutIsRefusedAndLeft cuts a state at every byte.
func TestO5Quirk5AFileThatWasCutIsRefusedAndLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	path := filepath.Join(dir, ".omx/state/autopilot-state.json")
	whole := `{"mode":"autopilot","active":true,"current_phase":"deep-interview","max_iterations":10,"x":{"é":[1,null]}}` + "\n"
	for n := range len(whole) - 2 {
		put(t, path, whole[:n])
		_, err := s.Write(object(t, `{"mode":"autopilot","note":1}`), rules.Strict)
		if err == nil {
			t.Fatalf("cut at byte %d it is written", n)
		}
		if _, _, err := s.Read("autopilot", ""); err == nil {
			t.Fatalf("cut at byte %d it is read", n)
		}
		if get(t, path) != whole[:n] {
			t.Fatalf("cut at byte %d it was changed", n)
		}
	}
	if _, err := s.Write(object(t, `{"mode":"autopilot","note":1}`), rules.Advisory); err == nil {
		t.Error("in the advisory profile it is written")
	}
	if _, err := s.Start("x", "", rules.Strict); err == nil {
		t.Error("it is started over")
	}
	if _, err := s.Cancel("", false); err == nil || !strings.Contains(err.Error(), "nothing was cancelled") {
		t.Errorf("cancel: %v", err)
	}
	if _, err := s.Write(object(t, `{"mode":"ralph","active":true}`), rules.Strict); err == nil {
		t.Error("ralph begins beside a state that cannot be read")
	}
	if _, err := s.Clear("autopilot", ""); err != nil {
		t.Errorf("a clear is the way out: %v", err)
	}
	put(t, path, whole)
	write(t, s, `{"mode":"autopilot","note":1}`)
}

func TestFilesThatAreNoneAreRefusedAndLeft(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(t *testing.T, path string){
		"a link":              func(t *testing.T, p string) { put(t, p+".to", begin); must(t, os.Symlink(p+".to", p)) },
		"a directory":         func(t *testing.T, p string) { must(t, os.MkdirAll(p, 0o755)) },
		"a list":              func(t *testing.T, p string) { put(t, p, "[]") },
		"text behind":         func(t *testing.T, p string) { put(t, p, "{}{}") },
		"a member twice":      func(t *testing.T, p string) { put(t, p, `{"active":true,"active":false}`) },
		"bytes":               func(t *testing.T, p string) { put(t, p, "\x00\xff\xfe") },
		"nothing":             func(t *testing.T, p string) { put(t, p, "") },
		"hand-overs as text":  func(t *testing.T, p string) { put(t, p, `{"active":true,"handoff_artifacts":"x"}`) },
		"hand-overs in state": func(t *testing.T, p string) { put(t, p, `{"active":true,"state":{"handoff_artifacts":[]}}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			s := open(t, dir)
			path := filepath.Join(dir, ".omx/state/autopilot-state.json")
			must(t, os.MkdirAll(filepath.Dir(path), 0o755))
			make(t, path)
			before, _ := os.ReadFile(path)
			for _, p := range []rules.Profile{rules.Strict, rules.Advisory} {
				if _, err := s.Write(object(t, `{"mode":"autopilot","note":1}`), p); err == nil {
					t.Error("it is written")
				}
			}
			if after, _ := os.ReadFile(path); string(after) != string(before) {
				t.Errorf("it was changed to %q", after)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestARefusedWriteLeavesNoTrace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	if _, err := s.Write(object(t, `{"mode":"autopilot","active":false,"current_phase":"complete"}`), rules.Strict); err == nil {
		t.Fatal("a run that is not there ends")
	}
	for _, f := range []string{".omx/state/autopilot-state.json", ".omx/state/run-state.json", ".omx/context"} {
		if _, err := os.Lstat(filepath.Join(dir, f)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", f, err)
		}
	}
	write(t, s, begin)
	before := map[string]string{}
	for _, f := range []string{"autopilot-state.json", "run-state.json", "skill-active-state.json"} {
		before[f] = get(t, filepath.Join(dir, ".omx/state", f))
	}
	var g *rules.Gap
	if _, err := s.Write(object(t, `{"mode":"autopilot","current_phase":"ralplan"}`), rules.Strict); !errors.As(err, &g) || g.Gate != "deep-interview-handoff" {
		t.Errorf("%v", err)
	}
	for f, text := range before {
		if get(t, filepath.Join(dir, ".omx/state", f)) != text {
			t.Errorf("%s was changed", f)
		}
	}
	v, err := s.Write(object(t, `{"mode":"autopilot","current_phase":"ralplan"}`), rules.Advisory)
	if err != nil || v.Advisory == nil || v.State.Text("current_phase") != "ralplan" {
		t.Errorf("advisory: %v, %+v", err, v)
	}
}

func TestO3AStateFromElsewhereIsPutWhereItIsSound(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	for text, ok := range map[string]bool{
		`{"active":true,"current_phase":"ultragoal","iteration":3,"review_cycle":2,"max_iterations":10}`: true,
		`{"active":false,"current_phase":"exhausted","run_outcome":"failed"}`:                            true,
		`{"active":true,"current_phase":"complete"}`:                                                     false,
		`{"active":false,"current_phase":"ultragoal"}`:                                                   false,
		`{"active":false,"current_phase":"exhausted","run_outcome":"finish"}`:                            false,
		`{"active":true,"current_phase":"ship"}`:                                                         false,
	} {
		v, err := s.Put("autopilot", "s-1", object(t, text))
		if (err == nil) != ok || ok && (v.State.Text("session_id") != "s-1" || !strings.Contains(get(t, v.Path), `"mode": "autopilot"`)) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestAModeThatFollowsAnotherCompletesIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	write(t, s, `{"mode":"deep-interview","active":true,"current_phase":"intent-first"}`)
	v := write(t, s, `{"mode":"ralplan","active":true,"current_phase":"draft"}`)
	if v.Transition != "mode transiting: deep-interview -> ralplan" {
		t.Errorf("%+v", v)
	}
	o, _, _ := s.Read("deep-interview", "")
	if o.True("active") || o.Text("transition_target_mode") != "ralplan" {
		t.Errorf("%s", o.Compact())
	}
	if modes, err := s.Active(""); err != nil || strings.Join(modes, " ") != "ralplan" {
		t.Errorf("%v, %v", modes, err)
	}
	if skills := get(t, filepath.Join(dir, ".omx/state/skill-active-state.json")); strings.Contains(skills, "deep-interview") {
		t.Errorf("%s", skills)
	}
}

func TestO9ATeamThatEndsTakesRalphAlong(t *testing.T) {
	t.Parallel()
	s := open(t, t.TempDir())
	write(t, s, `{"mode":"ralph","active":true,"linked_team":true}`)
	write(t, s, `{"mode":"team","active":true,"linked_ralph":true,"current_phase":"team-exec"}`)
	write(t, s, `{"mode":"team","active":false,"current_phase":"failed"}`)
	o, _, _ := s.Read("ralph", "")
	if o.Text("current_phase") != "failed" || o.True("active") {
		t.Errorf("%s", o.Compact())
	}
	if modes, _ := s.Active(""); len(modes) != 0 {
		t.Errorf("%v are active", modes)
	}
}

func TestStatusesOfAllModes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	write(t, s, `{"mode":"ralph","active":true,"session_id":"s-1"}`)
	write(t, s, `{"mode":"team","active":true}`)
	put(t, filepath.Join(dir, ".omx/state/ultraqa-state.json"), "{")
	put(t, filepath.Join(dir, ".omx/ultragoal/goals.json"), `{"goals":[{"id":"G001","status":"complete"},{"id":"G002","status":"in_progress"}]}`)
	all, err := s.Statuses("", "")
	if err != nil {
		t.Fatal(err)
	}
	got := string(all.Compact())
	for _, want := range []string{`"team":{"active":true,`, `"ultraqa":{"error":"malformed state file"}`, `"source":"ultragoal-artifacts"`, `"active_goal_id":"G002"`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s lacks %s", got, want)
		}
	}
	for _, not := range []string{"ralph", "skill-active", `"run"`} {
		if strings.Contains(got, not) {
			t.Errorf("%s has %s", got, not)
		}
	}
	if one, err := s.Statuses("s-1", "ralph"); err != nil || !one.Has("ralph") || len(one) != 1 {
		t.Errorf("%v, %s", err, one.Compact())
	}
}

func TestClearIsDoneOnceAndLeavesAMarkWhereTheRootHasAState(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	write(t, s, `{"mode":"ralph","active":true,"session_id":"s-1"}`)
	for range 2 {
		v, err := s.Clear("ralph", "s-1")
		if err != nil || v.Path != filepath.Join(dir, ".omx/state/sessions/s-1/ralph-state.json") {
			t.Fatalf("%v, %+v", err, v)
		}
		if _, err := os.Lstat(v.Path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("it is still there: %v", err)
		}
	}
	write(t, s, `{"mode":"ralph","active":true}`)
	if _, err := s.Clear("ralph", "s-1"); err != nil {
		t.Fatal(err)
	}
	if o, there, _ := s.Read("ralph", "s-1"); !there || o.Text("current_phase") != "cleared" || o.True("active") {
		t.Errorf("%s", o.Compact())
	}
	if o, _, _ := s.Read("ralph", ""); !o.True("active") {
		t.Errorf("the root was cleared too: %s", o.Compact())
	}
	v, err := s.ClearAll("ralph")
	if err != nil || len(v.Paths) != 2 {
		t.Errorf("%v, %+v", err, v)
	}
	if skills := get(t, filepath.Join(dir, ".omx/state/skill-active-state.json")); strings.Contains(skills, `"active": true`) {
		t.Errorf("%s", skills)
	}
}
