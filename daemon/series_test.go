package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/orchestrator"
	"autopilot/projections/run"
)

// recordOf is a line of the ledger, as a session in shell writes it.
func recordOf(agents, effect, more string) string {
	return `printf '{"session_id":"s-%s","session_type":"%s","autopilot_run_id":"%s","agent_summary":{` + agents + `},"effectiveness":{` + effect + `}` + more + `}\n' "$AUTOPILOT_ITERATION" "$AUTOPILOT_MODE" "$AUTOPILOT_RUN_ID" >> "$ledger"`
}

const allComplete = `"complete":2,"partial":0,"failed":0,"spiral":0`

// aSession is a scripted session of session-orchestrator that does this in the end.
func aSession(end string) string {
	return `set -e
ledger=.orchestrator/metrics/sessions.jsonl
mkdir -p .orchestrator/metrics
test "$(cat)" = "/session $AUTOPILOT_MODE"
` + end
}

// inARow is a run of workflow sessions in a project that recommends a mode.
func (s *site) inARow(end string, edit ...func(*wire.RunSpec)) wire.StartRequest {
	s.write(map[string]string{".claude/STATE.md": "---\nrecommended-mode: deep\ncompletion-rate: 0.9\ncarryover-ratio: 0.1\n---\n"})
	half := 0.5
	return s.flowSpec("sessions", aSession(end), append([]func(*wire.RunSpec){func(r *wire.RunSpec) {
		r.Task, r.MaxIterations = "", 0
		r.Series = wire.SeriesSpec{Sessions: 2, Confidence: &half}
	}}, edit...)...)
}

// telemetry are the lines of the project's telemetry.
func (s *site) telemetry() []orchestrator.Record {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.work, orchestrator.TelemetryFile))
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return orchestrator.RecentRuns(text, 100)
}

// Seeds 2.1.3, 2.1.4, 2.1.6 and 2.1.7: a scripted session for each end of a run, with its
// line of telemetry.
func TestSeeds214EachEndOfSessionsInARow(t *testing.T) {
	t.Parallel()
	fine := recordOf(allComplete, `"planned_issues":2,"completed":2,"carryover":0,"completion_rate":1`, `,"usage":{"output_tokens":40}`)
	zero, most := 0.0, 0.9
	for name, tt := range map[string]struct {
		end  string
		edit func(*wire.RunSpec)
		want string // state, or state:reason
		kill string
		done float64
	}{
		"max-sessions":  {end: fine, want: "ended", kill: "max-sessions-reached", done: 2},
		"tokens":        {end: fine, edit: func(r *wire.RunSpec) { r.MaxTokens = 40 }, want: "halted:token-budget-exceeded", kill: "token-budget-exceeded", done: 1},
		"spiral":        {end: recordOf(`"complete":1,"spiral":"1"`, `"planned_issues":0`, ""), want: "halted:spiral", kill: "spiral", done: 1},
		"failed":        {end: recordOf(`"complete":1,"failed":true`, `"planned_issues":0`, ""), want: "halted:failed-wave", kill: "failed-wave", done: 1},
		"carryover":     {end: recordOf(allComplete, `"planned_issues":3,"carryover":2`, ""), want: "halted:carryover-too-high", kill: "carryover-too-high", done: 1},
		"no record":     {end: "true", want: "halted:failed-wave", kill: "failed-wave"},
		"record, rc 1":  {end: fine + "; exit 1", want: "halted:failed-wave", kill: "failed-wave"},
		"a cut record":  {end: `printf '{"session_id":"s"' >> "$ledger"`, want: "halted:failed-wave", kill: "failed-wave"},
		"a primitive":   {end: `echo 7 >> "$ledger"`, want: "halted:failed-wave", kill: "failed-wave"},
		"by hand":       {end: fine, edit: func(r *wire.RunSpec) { r.Series.Confidence = &most }, want: "halted:fallback-to-manual"},
		"any threshold": {end: fine, edit: func(r *wire.RunSpec) { r.Series.Confidence = &zero }, want: "ended", kill: "max-sessions-reached", done: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			q := s.inARow(tt.end)
			if tt.edit != nil {
				tt.edit(&q.Spec)
			}
			st := s.until(s.start(q).ID, settled)
			v := s.d.api.View(st)
			if got := strings.TrimSuffix(v.State+":"+v.Reason, ":"); got != tt.want && v.State != tt.want {
				t.Fatalf("%s, want %s", got, tt.want)
			}
			s.settled(st.ID)
			lines := s.telemetry()
			if len(lines) != 1 {
				t.Fatalf("%d lines: %v", len(lines), lines)
			}
			r := lines[0]
			if r.Text("kill_switch") != tt.kill || r.Number("iterations_completed") != tt.done || r.Number("schema_version") != 1 ||
				(string(r["fallback_to_manual"]) == "true") != (name == "by hand") || tt.kill != "" && r.Text("kill_switch_detail") == "" {
				t.Errorf("%s", r)
			}
			if tt.done == 2 {
				text, _ := os.ReadFile(filepath.Join(s.work, orchestrator.LedgerFile))
				for _, e := range orchestrator.RecentRuns(text, 9) {
					if e.Text("autopilot_run_id") != r.Text("autopilot_run_id") || e.Text("autopilot_run_id") == "" {
						t.Errorf("a session of %q in a run of %q", e.Text("autopilot_run_id"), r.Text("autopilot_run_id"))
					}
				}
				if string(r["sessions"]) != `["s-1","s-2"]` || r.Number("total_tokens_used") != 80 {
					t.Errorf("%s", r)
				}
			}
		})
	}
}

// settled waits until what the end of a run brings with it is done.
func (s *site) settled(id string) {
	s.t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for owes(s, id) { // the line is written behind the event, and nobody is told of it
		<-tick.C
	}
}

// owes says that the run owes its line.
func owes(s *site, id string) bool {
	_, err := os.Stat(filepath.Join(s.d.cfg.Places.State, "series", id))
	return err == nil
}

// A selector of the project that fails, or names what is no mode; seeds 2.1.3 rows 5 to 8.
func TestSeeds213BadSelectors(t *testing.T) {
	t.Parallel()
	flow := func(selector string) string {
		return "name: own\nversion: 1\nseries: {ledger: .orchestrator/metrics/sessions.jsonl, selector: '" + selector + "'}\n" +
			"phases: [{name: session, prompt: session.md, gates: [{name: record, kind: session}]}]\nlimits: {agent: {wall: 0s, idle: 0s}}\n"
	}
	for selector, want := range map[string]string{
		`exit 3`:                                 "halted:low-confidence-fallback",
		`echo no`:                                "halted:low-confidence-fallback",
		`echo "{\"mode\":7,\"confidence\":0.9}"`: "halted:fallback-to-manual",
		`echo "{\"mode\":\"deep\",\"confidence\":\"high\"}"`: "halted:fallback-to-manual",
		`echo "{\"mode\":\"deep\",\"confidence\":0.9}"`:      "halted:failed-wave",
	} {
		t.Run(selector, func(t *testing.T) {
			t.Parallel()
			s := flowSite(t, flow(selector))
			st := s.until(s.start(s.flowSpec("own", "true", func(r *wire.RunSpec) { r.MaxIterations = 0 })).ID, settled)
			if v := s.d.api.View(st); v.State+":"+v.Reason != want {
				t.Errorf("%s:%s, want %s", v.State, v.Reason, want)
			}
		})
	}
}

// What is already in the telemetry stays to the byte, also in 100,000 lines without an end
// of the last one, and in a file that may only be read; a resumed run keeps one line.
func TestSeeds216TheTelemetryKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	old := strings.Repeat("{\"autopilot_run_id\":\"old\",\"kill_switch\":null}\nno record\n", 50_000)
	old = strings.TrimSuffix(old, "\n")
	s.write(map[string]string{orchestrator.TelemetryFile: old})
	file := filepath.Join(s.work, orchestrator.TelemetryFile)
	if err := os.Chmod(file, 0o444); err != nil {
		t.Fatal(err)
	}
	st := s.until(s.start(s.inARow("true")).ID, settled)
	s.settled(st.ID)
	text, err := os.ReadFile(file)
	rest, ok := strings.CutPrefix(string(text), old+"\n")
	if err != nil || !ok || strings.Count(rest, "\n") != 1 || !strings.HasSuffix(rest, "\n") {
		t.Fatalf("%v, %.300q", err, rest)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o444 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "again"}); err != nil {
		t.Fatal(err)
	}
	s.until(st.ID, func(now run.State) bool { return settled(now) && now.Log.Seq > st.Log.Seq+2 })
	s.settled(st.ID)
	if text, err = os.ReadFile(file); err != nil || strings.Count(string(text), "\n") != 100_001 {
		t.Errorf("%d lines, %v", strings.Count(string(text), "\n"), err)
	}
}

// A link in the place of the telemetry leads nowhere out of the work tree.
func TestTheTelemetryLeavesTheWorkTreeByNoLink(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	out := t.TempDir()
	q := s.inARow("rm -rf .orchestrator; ln -s " + out + " .orchestrator")
	st := s.until(s.start(q).ID, settled)
	// What the first halt brings with it is done before the run is resumed.
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "again"}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(out); err != nil || len(left) > 0 {
		t.Errorf("%v %v", left, err)
	}
}
