package omx_test

import (
	"strings"
	"testing"

	"autopilot/projections/omx"
)

func TestMergeIsStoredThenFieldsThenStateFlattened(t *testing.T) {
	t.Parallel()
	b := honest()
	o := walk(t, b, nil, `{"mode":"team","active":true,"a":1,"b":1,"state":{"b":2,"c":2}}`, `{"mode":"team","c":3,"state":{"d":4}}`)
	for name, want := range map[string]string{"a": "1", "b": "2", "c": "3", "d": "4", "mode": `"team"`, "session_id": `"s-1"`} {
		if got := string(o.Raw(name)); got != want {
			t.Errorf("%s is %s, and not %s", name, got, want)
		}
	}
	if o.Has("state") {
		t.Error("there are two layouts")
	}
}

func TestHandOversAreMergedOneByOne(t *testing.T) {
	t.Parallel()
	b := honest()
	o := walk(t, b, in(t, b, omx.Plan),
		`{"mode":"autopilot","handoff_artifacts":{"ralplan":{"plan_path":"`+prd+`"}},"state":{"handoff_artifacts":{"note":"n"}}}`,
		`{"mode":"autopilot","handoff_artifacts":null}`)
	h := o.Sub("handoff_artifacts")
	if h.Null("deep_interview") || h.Null("ralplan") || h.Null("note") || h.Null("context_snapshot_path") {
		t.Errorf("%s", h.Compact())
	}
}

func TestMembersThatAreUnknownKeepTheirTextAndOrder(t *testing.T) {
	t.Parallel()
	b := honest()
	stored := object(t, `{"zz":12345678901234567890,"active":true,"mode":"team","aa":{"x":[1.50,1e400,"é\u00e9"]},"current_phase":"team-exec"}`)
	o := walk(t, b, stored, `{"mode":"team","note":1}`)
	for _, name := range []string{"zz", "aa"} {
		if string(o.Raw(name)) != string(stored.Raw(name)) {
			t.Errorf("%s is %s", name, o.Raw(name))
		}
	}
	if text := string(o.Compact()); strings.Index(text, `"zz"`) > strings.Index(text, `"aa"`) {
		t.Errorf("the order is %s", text)
	}
}

// TestQuirksOfTheRelease has the quirks of oh-my-codex 0.21.6 by their numbers.
func TestQuirksOfTheRelease(t *testing.T) {
	t.Parallel()
	t.Run("1: the file has its mode", func(t *testing.T) {
		t.Parallel()
		b := honest()
		o := in(t, b, omx.Interview)
		if o.Text("mode") != "autopilot" {
			t.Error("it has not")
		}
		if got := phaseOf(walk(t, b, o.Without("mode"), toPlan())); got != "ralplan true 1/0" {
			t.Errorf("a state without its mode goes on to %s", got)
		}
		refused(t, b, o.Without("mode"), toPlan("deep_interview_gate={}"), "the interview has not ended")
	})
	t.Run("2: a run that goes on has no completed_at", func(t *testing.T) {
		t.Parallel()
		b := honest()
		o, _ := omx.Cancel(in(t, b, omx.Plan), stamp(51))
		o = walk(t, b, o, `{"mode":"autopilot","active":true,"current_phase":"ralplan"}`)
		if o.Has("completed_at") {
			t.Error("it has one")
		}
		refused(t, b, o, toGoal("ralplan_consensus_gate=[]"), "has to be an object")
		o = walk(t, b, o, `{"mode":"autopilot","completed_at":"`+stamp(1)+`"}`)
		if o.Has("completed_at") {
			t.Error("a caller ended it")
		}
	})
	t.Run("3: not active and at work is refused", func(t *testing.T) {
		t.Parallel()
		b := honest()
		refused(t, b, in(t, b, omx.QA), `{"mode":"autopilot","active":false}`, "is at work")
		refused(t, b, in(t, b, omx.Goal), `{"mode":"autopilot","active":false,"current_phase":"code-review"}`, "is at work")
		refused(t, b, nil, `{"mode":"ralph","active":false,"current_phase":"executing"}`, "is at work")
		refused(t, b, nil, `{"mode":"ultrawork","active":false,"current_phase":"working"}`, "is at work")
	})
	t.Run("4: an unknown phase is refused", func(t *testing.T) {
		t.Parallel()
		b := honest()
		for _, phase := range []string{`"ship"`, `"starting"`, `7`, `""`, `"ralplan/../x"`} {
			refused(t, b, in(t, b, omx.Interview), `{"mode":"autopilot","current_phase":`+phase+`}`, "current_phase")
		}
		for _, phase := range []string{"planning", "Replan", "autopilot:ralplan", "RALPLAN"} {
			if got := walk(t, b, in(t, b, omx.Interview), toPlan(`current_phase="`+phase+`"`)).Text("current_phase"); got != omx.Plan {
				t.Errorf("%s is %s", phase, got)
			}
		}
	})
	t.Run("4: a stored phase that is unknown is no way round the gates", func(t *testing.T) {
		t.Parallel()
		b := honest()
		o := in(t, b, omx.Interview).Set("current_phase", "ship")
		refused(t, b, o, `{"mode":"autopilot","current_phase":"ultraqa"}`, "the interview has not ended")
		refused(t, b, o, toEnd(), "autopilot-phase")
		walk(t, b, o, `{"mode":"autopilot","current_phase":"deep-interview"}`)
		stale := in(t, b, omx.Goal).Set("active", false) // as the release leaves it
		refused(t, b, stale, toEnd(), "autopilot-phase")
		walk(t, b, stale, `{"mode":"autopilot","active":false,"current_phase":"failed"}`)
	})
	t.Run("what was skipped is not forgotten", func(t *testing.T) {
		t.Parallel()
		b := honest()
		o := in(t, b, omx.QA).Set("skipped_gates", []map[string]string{{"skippedGate": "ralplan", "missingEvidence": "m", "message": "m"}})
		o = walk(t, b, o, toEnd("skipped_gates=[]", `completion_status="clean"`, `stop_reason="max_iterations_reached"`))
		if o.Text("completion_status") != "complete-with-skipped-gates" || len(o.List("skipped_gates")) != 1 {
			t.Errorf("%s", o.Compact())
		}
		walk(t, b, o, `{"mode":"autopilot","note":1}`)
	})
	t.Run("6: what the hook nests is read, and written flat", func(t *testing.T) {
		t.Parallel()
		b := honest()
		hook := object(t, `{"mode":"autopilot","active":true,"current_phase":"deep-interview","iteration":1,"max_iterations":10,"review_cycle":0,
			"state":{"handoff_artifacts":{"deep_interview":"`+spec+`","context_snapshot_path":"`+context+`"},"deep_interview_gate":{"status":"complete","rationale":"r"}}}`)
		o := walk(t, b, hook, `{"mode":"autopilot","current_phase":"ralplan"}`)
		if o.Has("state") || o.Sub("handoff_artifacts").Text("deep_interview") != spec {
			t.Errorf("%s", o.Compact())
		}
		refused(t, b, hook, `{"mode":"autopilot","state":{"state":{"x":1}}}`, "one level up")
	})
}

func TestWaitingForAPersonIsNotLost(t *testing.T) {
	t.Parallel()
	b := honest()
	o := walk(t, b, in(t, b, omx.Interview), `{"mode":"autopilot","current_phase":"waiting-for-user","deep_interview_question":{"status":"waiting_for_user","obligation_id":"o-1","previous_phase":"deep-interview"}}`)
	if o.Text("run_outcome") != "blocked_on_user" || o.Text("lifecycle_outcome") != "askuserQuestion" || !o.True("active") || omx.Child(o) != omx.Interview {
		t.Fatalf("%s", o.Compact())
	}
	answer := func(q string) string {
		return `{"mode":"autopilot","current_phase":"deep-interview","deep_interview_question":{"obligation_id":"o-1","previous_phase":"deep-interview",` + q + `}}`
	}
	for name, write := range map[string]string{
		"any write":                                       `{"mode":"autopilot","note":"x"}`,
		"a write that goes on":                            `{"mode":"autopilot","current_phase":"deep-interview"}`,
		"a write that goes round the question":            toPlan(),
		"an answer that has no record":                    answer(`"status":"satisfied","question_id":"q-2"`),
		"an answer without a session":                     answer(`"status":"satisfied","question_id":"q-nobody"`),
		"an answer of another session":                    answer(`"status":"satisfied","question_id":"q-foreign"`),
		"a question that is withdrawn for no reason":      answer(`"status":"cleared"`),
		"another question":                                strings.Replace(answer(`"status":"satisfied","question_id":"q-1"`), "o-1", "o-2", 1),
		"an end that is none":                             toEnd(),
		"a wait of the release that has its own nesting":  `{"mode":"autopilot","state":{"x":1}}`,
		"a second question while the first one is open":   `{"mode":"autopilot","current_phase":"waiting-for-user","deep_interview_question":{"status":"waiting_for_user","obligation_id":"o-2","previous_phase":"deep-interview"}}`,
		"a wait that says nothing of where it came from ": `{"mode":"autopilot","current_phase":"waiting-for-user"}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, b, o, write, "")
		})
	}
	for _, write := range []string{answer(`"status":"satisfied","question_id":"q-1"`), answer(`"status":"cleared","clear_reason":"abort"`)} {
		if next := walk(t, b, o, write); phaseOf(next) != "deep-interview true 1/0" || next.Text("run_outcome") != "continue" {
			t.Errorf("%s: %s", write, next.Compact())
		}
	}
	if next := walk(t, b, o, `{"mode":"autopilot","active":false,"current_phase":"cancelled"}`); next.Text("run_outcome") != "cancelled" {
		t.Errorf("%s", next.Compact())
	}
}

// TestSeeds43RalphValidation has the rules of ralph, a row each.
func TestSeeds43RalphValidation(t *testing.T) {
	t.Parallel()
	audit := `,"completion_audit":{"passed":true,"checklist":["a"],"tests":["go test"]}`
	for _, tt := range []struct{ name, write, want string }{
		{"an active one is filled in", `"active":true`, "starting"},
		{"an alias is the phase", `"active":true,"current_phase":" Verification "`, "verifying"},
		{"start", `"active":true,"current_phase":"start"`, "starting"},
		{"execution", `"active":true,"current_phase":"execution"`, "executing"},
		{"execute", `"active":true,"current_phase":"execute"`, "executing"},
		{"fix", `"active":true,"current_phase":"fix"`, "fixing"},
		{"completed", `"active":false,"current_phase":"completed"` + audit, "complete"},
		{"error", `"active":false,"current_phase":"error"`, "failed"},
		{"cancel", `"active":false,"current_phase":"cancel"`, "cancelled"},
		{"an unknown phase is rejected", `"active":true,"current_phase":"dreaming"`, ""},
		{"O4: a fraction is rejected", `"active":true,"iteration":1.5`, ""},
		{"a counter below 0 is rejected", `"active":true,"iteration":-1`, ""},
		{"O4: a counter as text is rejected", `"active":true,"max_iterations":"10"`, ""},
		{"no iterations at all are rejected", `"active":true,"max_iterations":0`, ""},
		{"O4: an end that is active is rejected", `"active":true,"current_phase":"complete"` + audit, ""},
		{"a time that is none is rejected", `"active":true,"started_at":"yesterday"`, ""},
		{"O15: complete without an audit is rejected", `"active":false,"current_phase":"complete"`, ""},
		{"O15: an audit without evidence is rejected", `"active":false,"current_phase":"complete","completion_audit":{"passed":true,"checklist":["a"]}`, ""},
		{"O15: an audit that failed is rejected", `"active":false,"current_phase":"complete","completion_audit":{"passed":"true","checklist":["a"],"tests":["t"]}`, ""},
		{"an audit in a file is one", `"active":false,"current_phase":"complete","completion_audit_path":"audit.json"`, "complete"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := honest()
			b.audits["audit.json"] = object(t, `{"passed":true,"checklist":["a"],"evidence":"seen"}`)
			stored := object(t, `{"mode":"ralph","active":true,"current_phase":"executing","iteration":3,"max_iterations":50,"started_at":"2026-05-01T10:00:00Z"}`)
			write := `{"mode":"ralph",` + tt.write + `}`
			if tt.want == "" {
				refused(t, b, stored, write, "")
				return
			}
			o := walk(t, b, nil, write)
			if o.Text("current_phase") != tt.want {
				t.Errorf("the phase is %s", o.Text("current_phase"))
			}
			if o.True("active") == (o.Text("completed_at") != "") || o.Text("owner_omx_session_id") != session {
				t.Errorf("%s", o.Compact())
			}
			if o.True("active") && (!o.Has("iteration") || count(o, "max_iterations") != 50 || o.Text("started_at") == "") {
				t.Errorf("the defaults are missing: %s", o.Compact())
			}
			if was := string(o.Raw("ralph_phase_normalized_from")); strings.Contains(tt.write, "Verification") && was != `" Verification "` {
				t.Errorf("the phase as it was written is %s", was)
			}
		})
	}
}

func TestOutcomesAreReadByTheirWords(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ write, run, life string }{
		{`"active":true`, "continue", ""},
		{`"active":true,"run_outcome":"progress"`, "progress", ""},
		{`"active":true,"run_outcome":"Continued"`, "continue", ""},
		{`"active":false,"run_outcome":"done"`, "finish", "finished"},
		{`"active":false,"run_outcome":"aborted"`, "cancelled", "userinterlude"},
		{`"active":false,"run_outcome":"error"`, "failed", "failed"},
		{`"active":false,"lifecycle_outcome":"ask-user-question"`, "blocked_on_user", "askuserQuestion"},
		{`"active":false,"lifecycle_outcome":"interrupt"`, "cancelled", "userinterlude"},
		{`"active":false,"terminal_outcome":"blocked_on_user"`, "blocked_on_user", "blocked"},
		{`"active":false,"current_phase":"canceled"`, "cancelled", "userinterlude"},
		{`"current_phase":"completed","active":false`, "finish", "finished"},
		{`"current_phase":"exhausted","active":false`, "failed", "failed"},
		{`"run_outcome":"maybe"`, "", ""},
		{`"lifecycle_outcome":"maybe"`, "", ""},
		{`"run_outcome":7`, "", ""},
		{`"active":true,"run_outcome":"finish"`, "", ""},
		{`"active":true,"lifecycle_outcome":"finished"`, "", ""},
		{`"active":false,"run_outcome":"continue"`, "", ""},
	} {
		b := honest()
		write := `{"mode":"ultrawork",` + tt.write + `}`
		if tt.run == "" {
			refused(t, b, nil, write, "")
			continue
		}
		o := walk(t, b, nil, write)
		if o.Text("run_outcome") != tt.run || o.Text("lifecycle_outcome") != tt.life || (tt.life == "") != o.True("active") || (tt.life == "") == (o.Text("completed_at") != "") {
			t.Errorf("%s: %s", write, o.Compact())
		}
	}
}

func TestTheEndReleasesLocks(t *testing.T) {
	t.Parallel()
	b := honest()
	o := walk(t, b, nil, `{"mode":"deep-interview","active":true,"input_lock":{"active":true,"by":"x"},"approval":{"status":"pending"},"approvalLock":{"status":"old"}}`,
		`{"mode":"deep-interview","active":false,"current_phase":"cancelled"}`)
	if l := o.Sub("input_lock"); !l.False("active") || l.Text("status") != "released" || l.Text("by") != "x" || l.Text("released_at") == "" {
		t.Errorf("%s", l.Compact())
	}
	if o.Sub("approval").Text("status") != "released" || o.Sub("approvalLock").Text("status") != "old" {
		t.Errorf("%s", o.Compact())
	}
}

// TestBadInput has what issue and seeds name as bad.
func TestBadInput(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 65)
	for _, tt := range []struct{ name, write, want string }{
		{"Q39: an unknown mode", `{"mode":"pipeline","active":true}`, "mode must be one of"},
		{"no mode", `{"active":true}`, "no mode"},
		{"O6: a mode with dots", `{"mode":"..","active":true}`, ".."},
		{"O6: a mode that walks", `{"mode":"../../etc/passwd","active":true}`, ".."},
		{"O6: a mode with a separator", `{"mode":"a/b"}`, "separator"},
		{"O6: a mode with one of Windows", `{"mode":"a\\b"}`, "separator"},
		{"O6: a mode with a NUL", `{"mode":"a\u0000b"}`, "64"},
		{"a mode of 65 characters", `{"mode":"` + long + `"}`, "64"},
		{"O10: a session that is another one", `{"mode":"autopilot","active":true,"state":{"session_id":"s-2"}}`, "session_id"},
		{"O10: a directory that is another one", `{"mode":"autopilot","active":true,"state":{"workingDirectory":"/other"}}`, "workingDirectory"},
		{"a mode that is another one", `{"mode":"autopilot","active":true,"state":{"mode":"ralph"}}`, "mode"},
		{"a state that is a text", `{"mode":"autopilot","active":true,"state":"x"}`, "state has to be an object"},
		{"a state that is a list", `{"mode":"autopilot","active":true,"state":[]}`, "state has to be an object"},
		{"active as a text", `{"mode":"autopilot","active":"true"}`, "true or false"},
		{"O4: an end that is active", `{"mode":"autopilot","active":true,"current_phase":"complete"}`, "active has to be false"},
		{"a phase and an outcome that disagree", `{"mode":"autopilot","active":false,"current_phase":"failed","run_outcome":"finish"}`, "is not that of the phase"},
		{"an end by its outcome alone", `{"mode":"autopilot","active":true,"current_phase":"deep-interview","run_outcome":"finish"}`, "at work"},
		{"cleared, which is no end of a run", `{"mode":"autopilot","active":false,"current_phase":"cleared"}`, "cleared"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			refused(t, honest(), nil, tt.write, tt.want)
		})
	}
	for _, id := range []string{"", long, "a.b", "a/b", "../x", "a b", "a\x00b", "é"} {
		if omx.CheckID(id) == nil {
			t.Errorf("%q is a session id", id)
		}
	}
	if err := omx.CheckID(strings.Repeat("a", 64)); err != nil {
		t.Error(err)
	}
	for _, text := range []string{"", "null", "[]", `"x"`, `{"a":1,"a":2}`, `{"a":{"b":1,"b":2}}`, `{"a":1}}`, `{"a":1} x`, `{"a":`, "{\"a\":\"\xff\"}", `{'a':1}`} {
		if _, err := omx.Parse([]byte(text)); err == nil {
			t.Errorf("%q is an object", text)
		}
	}
}

func TestSeeds43ModesBesideEachOther(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, mode, phase         string
		active, elsewhere, broken []string
		ok                        bool
	}{
		{name: "a plan of its own over an active autopilot is refused", mode: "ralplan", phase: omx.Interview, active: []string{"autopilot"}},
		{name: "so is an interview", mode: "deep-interview", phase: omx.Interview, active: []string{"autopilot"}},
		{name: "so is ralph", mode: "ralph", phase: omx.Goal, active: []string{"autopilot"}},
		{name: "ralph within its phase is not", mode: "ralph", phase: omx.Ralph, active: []string{"autopilot"}, ok: true},
		{name: "a team within the work is not", mode: "team", phase: omx.Goal, active: []string{"autopilot"}, ok: true},
		{name: "a team within the plan is", mode: "team", phase: omx.Plan, active: []string{"autopilot"}},
		{name: "autopilot beside ralph is refused", mode: "autopilot", active: []string{"ralph"}},
		{name: "ultrawork beside ralph is refused", mode: "ultrawork", active: []string{"ralph"}},
		{name: "Q40: also where the other one is in another session", mode: "ultrawork", elsewhere: []string{"autopilot"}},
		{name: "O5: a file that cannot be read counts as busy", mode: "autopilot", broken: []string{"/w/ralph-state.json"}},
		{name: "autopilot follows an interview", mode: "autopilot", active: []string{"deep-interview"}, ok: true},
		{name: "a team is beside nothing", mode: "team", active: []string{"ralph"}, ok: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := honest()
			b.world.Active, b.world.Elsewhere, b.world.Broken, b.world.Phase = tt.active, tt.elsewhere, tt.broken, tt.phase
			_, err := omx.Write(nil, object(t, `{"mode":"`+tt.mode+`","active":true}`), b.world, omx.Strict)
			if (err == nil) != tt.ok {
				t.Errorf("%v", err)
			}
			if _, err := omx.Write(nil, object(t, `{"mode":"`+tt.mode+`","active":true}`), b.world, omx.Advisory); err != nil {
				t.Errorf("the release refuses nothing: %v", err)
			}
		})
	}
}

func TestAModeThatIsFollowedIsCompletedAndAnUnapprovedPlanIsNot(t *testing.T) {
	t.Parallel()
	b := honest()
	for mode, want := range map[string][]string{
		"autopilot": {"deep-interview", "ralplan"}, "autoresearch": {"deep-interview", "ralplan"}, "ralph": {"deep-interview", "ralplan"},
		"team": {"deep-interview", "ralplan"}, "ultragoal": {"deep-interview", "ralplan"}, "ultrawork": {"deep-interview"},
		"ralplan": {"deep-interview"}, "ultraqa": {"ultragoal"}, "deep-interview": nil,
	} {
		got := omx.Completes(mode, []string{"autopilot", "deep-interview", "ralplan", "ultragoal", "ultraqa", "team"})
		if strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%s completes %v", mode, got)
		}
	}
	o := omx.Transited(object(t, `{"active":true,"current_phase":"intent-first","question_enforcement":{"status":"pending","obligation_id":"o"}}`), "deep-interview", "ralplan", b.world)
	if o.Text("current_phase") != "completed" || !o.False("active") || o.Text("auto_completed_reason") != "mode transiting: deep-interview -> ralplan" || o.Sub("question_enforcement").Text("status") != "cleared" {
		t.Errorf("%s", o.Compact())
	}
	if o := omx.Transited(object(t, `{"active":true,"current_phase":"draft"}`), "ralplan", "team", b.world); o.Text("current_phase") != omx.Cancelled {
		t.Errorf("%s", o.Compact())
	}
	refused(t, b, nil, `{"mode":"ralplan","active":false,"current_phase":"complete"}`, "complete: true")
	walk(t, b, nil, `{"mode":"ralplan","active":false,"current_phase":"complete","latest_plan_path":"`+prd+`","ralplan_consensus_gate":`+gate(review("architect"), review("critic"))+`}`)
}
