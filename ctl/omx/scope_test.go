package omx_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/ctl/omx"
	rules "autopilot/projections/omx"
)

func TestRootsOfTheState(t *testing.T) {
	t.Parallel()
	dir, other := t.TempDir(), t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, "sub"), 0o755))
	for _, tt := range []struct {
		name    string
		environ []string
		want    string
	}{
		{"the working directory", nil, dir + "/.omx/state"},
		{"OMX_STATE_ROOT", []string{"OMX_STATE_ROOT=" + other}, other + "/.omx/state"},
		{"OMX_ROOT before it", []string{"OMX_STATE_ROOT=/x", "OMX_ROOT=" + other}, other + "/.omx/state"},
		{"OMX_TEAM_STATE_ROOT as it is", []string{"OMX_ROOT=/x", "OMX_TEAM_STATE_ROOT=" + other}, other},
		{"one below the working directory", []string{"OMX_ROOT=sub"}, dir + "/sub/.omx/state"},
		{"blanks are none", []string{"OMX_ROOT= "}, dir + "/.omx/state"},
	} {
		s := open(t, dir, tt.environ...)
		if s.Base != tt.want || s.Dir != dir {
			t.Errorf("%s: %s", tt.name, s.Base)
		}
	}
}

func TestO7WorkingDirectoriesThatAreNone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "file"), "x")
	must(t, os.Symlink(dir, filepath.Join(dir, "link")))
	for _, tt := range []struct{ name, of, roots string }{
		{"a NUL", "a\x00b", ""},
		{"a path of Windows", `C:\work`, ""},
		{"one that is not there", "none", ""},
		{"a file", "file", ""},
		{"one outside of the roots", "", "/usr"},
		{"roots behind a link", "", filepath.Join(dir, "link")},
	} {
		if _, err := omx.Open(omx.Options{Dir: dir, Of: tt.of, Environ: []string{"OMX_MCP_WORKDIR_ROOTS=" + tt.roots}}); err == nil {
			t.Errorf("%s is opened", tt.name)
		}
	}
	if _, err := omx.Open(omx.Options{Dir: dir, Environ: []string{"OMX_MCP_WORKDIR_ROOTS=/usr:" + dir}}); err != nil {
		t.Error(err)
	}
	if _, err := omx.Open(omx.Options{Dir: dir, Environ: []string{"OMX_MCP_WORKDIR_ROOTS=" + dir, "OMX_ROOT=/usr"}}); err == nil {
		t.Error("a state directory outside of the roots is opened")
	}
}

func TestAPointerThatCannotBeUsedStopsTheWrite(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut":                       `{"session_id":"s-1","cwd":`,
		"without its directory":     `{"session_id":"s-1","pid":1}`,
		"of another directory":      `{"session_id":"s-1","cwd":"/elsewhere","pid":1}`,
		"with a session that walks": `{"session_id":"../x","cwd":"DIR","pid":1}`,
		"of another state":          `{"session_id":"s-1","cwd":"DIR","state_root":"/other","pid":1}`,
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, ".omx/state/session.json"), strings.ReplaceAll(text, "DIR", dir))
		s := open(t, dir)
		if _, err := s.Write(object(t, begin), rules.Strict); err == nil {
			t.Errorf("%s: it is written", name)
		}
		write(t, s, `{"mode":"ralph","active":true,"session_id":"s-7"}`)
	}
}

func TestSeeds43TheScopeOfARead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, dir)
	base := filepath.Join(dir, ".omx/state")
	put(t, filepath.Join(base, "ralph-state.json"), `{"where":"root"}`)
	put(t, filepath.Join(base, "sessions/s-1/ralph-state.json"), `{"where":"s-1"}`)
	put(t, filepath.Join(base, "sessions/s-2/team-state.json"), `{"where":"s-2"}`)
	where := func(session string) string {
		o, there, err := s.Read("ralph", session)
		if err != nil {
			t.Fatal(err)
		}
		if !there {
			return "nowhere"
		}
		return o.Text("where")
	}
	for session, want := range map[string]string{"": "root", "s-1": "s-1", "s-2": "nowhere", "s-3": "root"} {
		if got := where(session); got != want {
			t.Errorf("with session %q it is read from %s, and not %s", session, got, want)
		}
	}
	for _, mode := range []string{"", "..", "a/b", "pipeline", strings.Repeat("a", 65)} {
		if _, _, err := s.Read(mode, ""); err == nil {
			t.Errorf("%q is read", mode)
		}
	}
}

func TestASessionWhoseDirectoryLeadsElsewhereIsRefused(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), t.TempDir()
	must(t, os.MkdirAll(filepath.Join(dir, ".omx/state/sessions"), 0o755))
	must(t, os.Symlink(out, filepath.Join(dir, ".omx/state/sessions/s-1")))
	if _, err := open(t, dir).Write(object(t, `{"mode":"ralph","active":true,"session_id":"s-1"}`), rules.Strict); err == nil {
		t.Error("it is written")
	}
	if left, _ := os.ReadDir(out); len(left) > 0 {
		t.Errorf("there is %v", left)
	}
}

func TestEvidenceIsWhereItsPathLeads(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), t.TempDir()
	s := open(t, dir)
	put(t, filepath.Join(dir, ".omx/plans/prd.md"), "plan")
	put(t, filepath.Join(dir, ".omx/plans/blank.md"), " \n")
	put(t, filepath.Join(dir, "README.md"), "read")
	put(t, filepath.Join(out, "evil.md"), "evil")
	must(t, os.Symlink(filepath.Join(out, "evil.md"), filepath.Join(dir, ".omx/plans/link.md")))
	must(t, os.Symlink(filepath.Join(dir, "README.md"), filepath.Join(dir, ".omx/plans/inner.md")))
	must(t, os.Symlink(out, filepath.Join(dir, ".omx/specs")))
	must(t, os.Symlink(filepath.Join(dir, ".omx/plans"), filepath.Join(dir, "alias")))
	for _, tt := range []struct {
		path, folder  string
		there, inside bool
	}{
		{".omx/plans/prd.md", "plans", true, true},
		{filepath.Join(dir, ".omx/plans/prd.md"), "plans", true, true},
		{".omx/plans/../plans/prd.md", "plans", true, true},
		{".omx/plans/blank.md", "plans", false, true},
		{".omx/plans/none.md", "plans", false, true},
		{".omx/plans", "", false, true},
		{".omx/plans/../../README.md", "", true, true},
		{"README.md", "", true, true},
		{"alias/prd.md", "", true, true},
		{".omx/plans/link.md", "", false, false},
		{".omx/plans/inner.md", "", true, true},
		{".omx/specs/evil.md", "", false, false},
		{filepath.Join(out, "evil.md"), "", false, false},
		{"../../etc/passwd", "", false, false},
		{"a\x00b", "", false, false},
	} {
		f := s.File(tt.path)
		if f.Folder != tt.folder || f.There != tt.there || f.Inside != tt.inside || f.There != (f.SHA256 != "") {
			t.Errorf("%q: %+v", tt.path, f)
		}
	}
}

// TestAWholeRunOnFiles goes from the interview to the end with files, a tracker and a
// question, and meets an edit of the approved plan on its way.
func TestAWholeRunOnFiles(t *testing.T) {
	t.Parallel()
	wholeRun(t, t.TempDir(), "s-1")
}

// wholeRun is a run in session s-1, whose sub-agents the tracker has under a name.
func wholeRun(t *testing.T, dir, tracked string) {
	t.Helper()
	old := noon.Add(-time.Hour)
	file := func(path, text string) {
		put(t, filepath.Join(dir, path), text)
		must(t, os.Chtimes(filepath.Join(dir, path), old, old))
	}
	file(".omx/specs/deep-interview-x.md", "spec")
	file(".omx/plans/prd-x.md", "plan")
	file(".omx/plans/test-spec-x.md", "tests")
	file(".omx/ultragoal/ledger.jsonl", "{}\n")
	file("reviews/code-review-1.md", "fine")
	file("qa/ultraqa-1.md", "green")
	file(".omx/state/sessions/s-1/questions/q-1.json", `{"question_id":"q-1","session_id":"s-1","status":"answered"}`)
	file(".omx/state/subagent-tracking.json", `{"schemaVersion":1,"sessions":{"`+tracked+`":{"leader_thread_id":"lead","threads":{
		"lead":{"thread_id":"lead","kind":"leader"},
		"a":{"thread_id":"a","kind":"subagent","mode":"architect","provenance_kind":"native_subagent","completed_at":"2026-05-01T11:10:00Z"},
		"c":{"thread_id":"c","kind":"subagent","mode":"critic","provenance_kind":"native_subagent","completed_at":"2026-05-01T11:20:00Z"}}}}}`)
	s := open(t, dir)
	call := func(members string) string { return `{"mode":"autopilot","session_id":"s-1",` + members + `}` }
	write(t, s, call(`"active":true,"current_phase":"deep-interview"`))
	write(t, s, call(`"current_phase":"ralplan","deep_interview_gate":{"status":"complete","rationale":"clear","question_id":"q-1"},"handoff_artifacts":{"deep_interview":".omx/specs/deep-interview-x.md"}`))
	review := func(role, id string, n int) string {
		return fmt.Sprintf(`{"role":%q,"verdict":"approve","sequence_index":%d,"session_id":"s-1","review_cycle":0,"provenance_kind":"native_subagent","thread_id":%q,"completed_at":"2026-05-01T11:%d0:00Z"}`, role, n, id, n)
	}
	write(t, s, call(`"handoff_artifacts":{"ralplan":{"plan_path":".omx/plans/prd-x.md"}},"ralplan_consensus_gate":{"complete":true,"ralplan_architect_review":`+review("architect", "a", 1)+`,"ralplan_critic_review":`+review("critic", "c", 2)+`}`))
	goal := call(`"current_phase":"ultragoal","ralplan_execution_handoff":{"authorized":true,"authorized_at":"2026-05-01T11:30:00Z","session_id":"s-1","review_cycle":0,"source":"autopilot"}`)
	file(".omx/plans/prd-x.md", "plaN")
	if _, err := s.Write(object(t, goal), rules.Strict); err == nil || !strings.Contains(err.Error(), "the plan was changed after it") {
		t.Fatalf("an edited plan: %v", err)
	}
	file(".omx/plans/prd-x.md", "plan")
	write(t, s, goal)
	write(t, s, call(`"current_phase":"code-review","handoff_artifacts":{"ultragoal":{"implementation":"x","tests":["go test"]}}`))
	write(t, s, call(`"current_phase":"ultraqa","review_verdict":{"clean":true,"recommendation":"APPROVE","architectural_status":"CLEAR","artifact_path":"reviews/code-review-1.md"}`))
	v := write(t, s, call(`"active":false,"current_phase":"complete","qa_verdict":{"clean":true,"artifact_path":"qa/ultraqa-1.md"}`))
	if v.State.Text("run_outcome") != "finish" {
		t.Errorf("%s", v.State.Compact())
	}
	if run := get(t, filepath.Join(dir, ".omx/state/sessions/s-1/run-state.json")); !strings.Contains(run, `"outcome": "finish"`) {
		t.Errorf("%s", run)
	}
}
