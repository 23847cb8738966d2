package daemon

import (
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// flowSite is a site with one workflow of its own, that a person trusts, and a
// commit to begin from.
func flowSite(t *testing.T, source string) *site {
	t.Helper()
	s := trustSite(t, "setup: 'true'\n")
	name, _, _ := strings.Cut(strings.TrimPrefix(source, "name: "), "\n")
	s.write(map[string]string{".autopilot/workflows/" + name + ".yaml": source})
	s.trust()
	s.committed()
	return s
}

// flowSpec is a run by that workflow without gates of its own.
func (s *site) flowSpec(name, agent string, edit ...func(*wire.RunSpec)) wire.StartRequest {
	return s.spec("", agent, append([]func(*wire.RunSpec){func(r *wire.RunSpec) { r.Workflow, r.Gates = name, nil }}, edit...)...)
}

func TestAWorkflowWithoutGoalsNeedsNoGateOfTheRun(t *testing.T) {
	t.Parallel()
	s := flowSite(t, `name: own
version: 1
phases: [{name: work, prompt: converge.md, gates: [{name: there, kind: command, run: test -f there}]}]
`)
	st := s.play(s.flowSpec("own", "touch there"))
	s.wants(st, "done")
	for _, g := range s.d.api.View(st).Gates { // no phase has it judged, so the baseline is all that is known
		if g.Kind == string(events.GateProtected) && (g.Verdict != "pass" || !g.Baseline) || g.Name == "there" && g.Baseline {
			t.Errorf("%+v", g)
		}
	}
	_, err := s.d.api.RunStart(t.Context(), s.request(), s.flowSpec("converge", "true"))
	if codeOf(err) != wire.Usage || !strings.Contains(err.Error(), "the run has no gate") {
		t.Error(err)
	}
	green := s.spec("true", "true", func(r *wire.RunSpec) { r.Workflow, r.Start = "own", events.UntilGreen })
	if _, err := s.d.api.RunStart(t.Context(), s.request(), green); codeOf(err) != wire.Usage || !strings.Contains(err.Error(), "has no goal that could be green") {
		t.Error(err)
	}
	if v, err := s.d.api.RunPreview(t.Context(), s.request(), s.flowSpec("own", "true")); err != nil || len(v.Gates) != 0 {
		t.Errorf("%+v %v", v, err)
	}
}

const toldFlow = `name: told
version: 1
phases: [{name: work, prompt: converge.md, gates: [{name: how, kind: session, carryover: 25}, {name: there, kind: command, run: test -f there}]}]
`

// reports is an agent that writes what it is given as the member session.
func reports(session string) string {
	return `date +%N > there; printf '{"v":1,"claim":"done","session":%s}' '` + session + `' > "$AUTOPILOT_RESULT_FILE"`
}

func report(spiral, failed, carryover string) string {
	return `{"agent_summary":{"complete":3,"partial":0,"failed":` + failed + `,"spiral":` + spiral +
		`},"effectiveness":{"planned_issues":4,"completed":3,"carryover":` + carryover + `}}`
}

// Seeds 2.1.4: each switch of a real session, with what was compared; no report
// and a report that is none fail the gate, and the next session is told.
func TestASessionIsJudgedByWhatItTells(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ agent, state, because, finding string }{
		"all is well":           {reports(report("0", "0", "1")), "done", "", ""},
		"a spiral":              {reports(report("2", "1", "4")), "halted:spiral", "2 in a spiral", ""},
		"a failed wave":         {reports(report("0", "1", "4")), "halted:failed-wave", "1 failed", ""},
		"a carryover":           {reports(report("0", "0", "2")), "halted:carryover-too-high", "2 of 4 planned issues, more than 25 %", ""},
		"Q20: a text no number": {reports(report(`"0"`, "0", "0")), "halted:iterations", "", "cannot be read"},
		"no result file":        {"date +%N > there", "halted:iterations", "", "no report of the session"},
		"a result that is none": {`date +%N > there; echo fine > "$AUTOPILOT_RESULT_FILE"`, "halted:iterations", "", "cannot be read"},
		"a session that failed": {"date +%N > there; exit 3", "halted:failed-wave", "reported nothing", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := flowSite(t, toldFlow)
			st := s.play(s.flowSpec("told", tt.agent, func(r *wire.RunSpec) { r.MaxIterations = 2 }))
			s.wants(st, tt.state)
			w := s.why(st.ID)
			if !strings.Contains(w.Because, tt.because) {
				t.Errorf("because %q, want %q", w.Because, tt.because)
			}
			if prompt := s.d.api.Text(st.Last.Start.Prompt); !strings.Contains(prompt, `"planned_issues":3`) || !strings.Contains(prompt, tt.finding) {
				t.Errorf("prompt without %q:\n%s", tt.finding, prompt)
			}
		})
	}
}

func TestAChatTellsHowItsSessionWent(t *testing.T) {
	t.Parallel()
	s := flowSite(t, toldFlow)
	c := s.chat()
	q := s.flowSpec("told", "", func(r *wire.RunSpec) { r.Agent = wire.AgentSpec{} })
	v := c.joins(&q)
	w := c.work()
	if !strings.Contains(w.Prompt, "apctl session submit --file") || !strings.Contains(w.Prompt, wire.SessionReportForm) {
		t.Error(w.Prompt)
	}
	s.write(map[string]string{"there": "x"})
	_, err := c.submit(delivery(w, "done", func(sub *wire.Submission) { sub.Session = &wire.SessionReport{} }))
	refusedAs(t, "a report without numbers", err, wire.Usage, "lacks agent_summary")
	c.submits(w, "done")
	if w = c.work(); len(w.Findings) != 1 || !strings.Contains(w.Findings[0].Text, "no report of the session") {
		t.Errorf("%+v", w.Findings)
	}
	body := delivery(w, "done")
	body.Submission = strings.Replace(body.Submission, `"claim"`, `"session":`+report("1", "0", "0")+`,"claim"`, 1)
	if _, err := c.submit(body); err != nil {
		t.Fatal(err)
	}
	s.wants(s.until(v.Run.ID, settled), "halted:spiral")
}

const thenFlow = `name: then
version: 1
phases:
  - {name: build, prompt: converge.md, gates: [goals, protected]}
  - {name: tidy, prompt: converge.md, gates: [{name: tidied, kind: command, run: test -f tidy}]}
  - {name: look, gates: [{name: reviewed, kind: review, role: reviewer}], unclean: build}
roles: {reviewer: {prompt: look.md}}
limits: {cycles: 2}
`

// inPhases is an agent that does something in each phase, and approves.
func inPhases(build, tidy string) string {
	return `case $AUTOPILOT_PHASE in
build) ` + build + `;;
tidy) ` + tidy + `;;
*) printf '{"v":1,"verdict":"approve","architecture":"clear"}' > "$AUTOPILOT_RESULT_FILE";;
esac`
}

func TestAReviewAfterTheBuildHasTheGoalsProvenAgain(t *testing.T) {
	t.Parallel()
	s := flowSite(t, thenFlow)
	q := s.spec("test -f there", inPhases("touch there", "touch tidy"), func(r *wire.RunSpec) {
		r.Workflow = "then"
		r.Gates = append(r.Gates, wire.GateSpec{Name: "report", Role: events.RoleGoal, Kind: events.GateArtifact, Files: []string{"there*"}})
	})
	q.Spec.Agent.Command = strings.Replace(q.Spec.Agent.Command, "touch there", "echo x > there", 1)
	st := s.play(q)
	s.wants(st, "done")
	got := map[events.Name]events.Verdict{}
	for _, r := range st.Last.Results {
		got[r.Gate] = r.Verdict
	}
	for _, gate := range []events.Name{"goal", "report", "protected", "reviewed"} {
		if got[gate] != events.Pass {
			t.Errorf("the last phase has no proof of %s: %v", gate, got)
		}
	}
}

func TestAGoalThatALaterPhaseBreaksIsNotDone(t *testing.T) {
	t.Parallel()
	s := flowSite(t, thenFlow)
	q := s.spec("test -f there", inPhases("touch there; echo x >> n", "rm there; touch tidy"), func(r *wire.RunSpec) { r.Workflow, r.MaxIterations = "then", 2 })
	st := s.play(q)
	s.wants(st, "halted:cycles")
	if r := st.Last.Results[0]; st.Loop.Phase != "look" || r.Gate != "goal" || r.Verdict != events.Fail {
		t.Errorf("in phase %s: %+v", st.Loop.Phase, st.Last.Results)
	}
	if looks := len(st.Looks); looks != 0 {
		t.Errorf("somebody looked %d times at work that does not pass", looks)
	}
}

// AL-2: an anchor is what a person approved of these very files. An approval of
// other files, later, does not take in what was changed meanwhile.
func TestAnApprovalOfOtherFilesMovesNoAnchor(t *testing.T) {
	t.Parallel()
	s := flowSite(t, `name: anchored
version: 1
phases:
  - {name: plan, prompt: converge.md, produces: [plan.md], gates: [{name: planned, kind: approval, of: [plan.md]}]}
  - {name: notes, prompt: converge.md, produces: [notes.md], gates: [{name: noted, kind: approval, of: [notes.md]}]}
  - {name: end, prompt: converge.md, gates: [{name: kept, kind: anchor, of: [plan.md]}]}
`)
	st := s.asked(s.start(s.flowSpec("anchored", `case $AUTOPILOT_PHASE in
plan) echo plan > plan.md;;
notes) echo other > plan.md; echo notes > notes.md;;
*) echo end > end;;
esac`)).ID, 1)
	s.must(s.answer(say(st, "ok")))
	st = s.asked(st.ID, 2)
	s.must(s.answer(say(st, "ok")))
	s.wants(s.until(st.ID, settled), "halted:drift")
}

func TestQAIsSkippedWhereTheDiffHasOnlyDocumentation(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]events.Verdict{"echo x > README.md": events.Skipped, "echo x > README.md; echo x > run.sh": events.Pass} {
		s := flowSite(t, `name: used
version: 1
phases:
  - {name: build, prompt: converge.md, gates: [{name: there, kind: command, run: test -f README.md}]}
  - {name: use, gates: [{name: used, kind: qa, role: user, skip: [docs-only]}], unclean: build}
roles: {user: {prompt: look.md}}
limits: {cycles: 2}
`)
		st := s.play(s.flowSpec("used", `if [ "$AUTOPILOT_ROLE" = user ]; then printf '{"v":1,"verdict":"passed"}' > "$AUTOPILOT_RESULT_FILE"; else `+agent+`; fi`))
		s.wants(st, "done")
		for _, r := range st.Last.Results {
			if r.Gate == "used" && r.Verdict != want {
				t.Errorf("%s: %+v", agent, r)
			}
		}
	}
}

// 3.4 stage 3: who looks leaves out a criterion that was approved.
func TestACriterionThatIsLeftOutGoesBack(t *testing.T) {
	t.Parallel()
	s := flowSite(t, `name: covered
version: 1
phases:
  - {name: build, prompt: converge.md, gates: [{name: there, kind: command, run: test -f there}]}
  - {name: look, gates: [{name: all, kind: coverage, role: checker, of: [stories.md]}], unclean: build}
roles: {checker: {prompt: look.md}}
limits: {cycles: 2}
`)
	s.write(map[string]string{"stories.md": "AC1: it starts\nAC2: it stops\n"})
	const one = `{"id":"AC1","covered":true,"by":"T1"}`
	st := s.play(s.flowSpec("covered", `if [ "$AUTOPILOT_ROLE" = checker ]; then
if [ $(cat there) = 1 ]; then echo '{"v":1,"criteria":[`+one+`]}'; else echo '{"v":1,"criteria":[`+one+`,{"id":"AC-2","covered":true,"by":"T2"}]}'; fi > "$AUTOPILOT_RESULT_FILE"
else echo $(( $(cat there 2>/dev/null || echo 0) + 1 )) > there; cat > .told; fi`))
	s.wants(st, "done")
	if len(st.Looks) != 2 || st.Looks[0].Opinion.Uncovered != 1 || !strings.Contains(s.d.api.Text(st.Last.Start.Prompt)+s.read(".told"), "criterion AC2 is not covered") {
		t.Errorf("%+v", st.Looks)
	}
}

const boundFlow = `name: bound
version: 1
phases:
  - {name: plan, prompt: converge.md, gates: [{name: there, kind: command, run: test -f n}, {name: agreed, kind: consensus, roles: [critic, second], of: ["docs/**"]}]}
  - {name: build, prompt: converge.md, gates: [{name: kept, kind: anchor, of: ["docs/**"]}, {name: built, kind: command, run: test -f built}]}
roles: {critic: {prompt: look.md}, second: {prompt: look.md}}
limits: {iterations: 2}
`

// What is read behind a link, in another repository or in a very large file can be
// changed without a trace, so nobody looks at it, and no anchor holds it.
func TestOnlyPlainFilesAreLookedAtAndPinned(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		plan, build, state string
		odd                string
	}{
		"a file":                        {"echo 1 > docs/plan.md", "", "done", ""},
		"a link to one of the set":      {"echo 1 > docs/plan.md; ln -sf plan.md docs/now.md", "", "done", ""},
		"a link out of the tree":        {"ln -sf /etc/hostname docs/plan.md", "", "halted:iterations", "docs/plan.md"},
		"a link to what nobody records": {"ln -sf ../.git/plan docs/plan.md", "", "halted:iterations", "docs/plan.md"},
		"a link by another one":         {"echo 1 > docs/plan.md; ln -sfn /tmp x; ln -sf ../x/../docs/plan.md docs/now.md", "", "halted:iterations", "docs/now.md"},
		"another repository":            {"echo 1 > docs/plan.md; git init -q docs/sub; git -C docs/sub -c user.name=u -c user.email=u@x commit -q --allow-empty -m x", "", "halted:iterations", "docs/sub"},
		"a link in the place of a file": {"printf other > docs/plan.md; echo 2 > docs/other", "ln -sf other docs/plan.md", "halted:drift", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := flowSite(t, boundFlow)
			s.write(map[string]string{".autopilot/prompts/look.md": "{{with .Look}}LOOK {{.Form}}{{end}} {{.ResultFile}}"})
			s.trust()
			st := s.play(s.flowSpec("bound", `in=$(cat)
case $in in LOOK*) echo '{"v":1,"verdict":"approve"}' > "$AUTOPILOT_RESULT_FILE"; exit ;; esac
mkdir -p docs; date +%N > n
case $in in
*'phase `+"`build`"+`'*) touch built; `+tt.build+` ;;
*) `+tt.plan+` ;;
esac`))
			s.wants(st, tt.state)
			if tt.odd == "" {
				return
			}
			r := st.Last.Results[1]
			if files := s.d.api.Text(r.Files); r.Reason != events.ReasonNoFile || files != tt.odd+"\n" {
				t.Errorf("%+v names %q", r, files)
			}
		})
	}
}

// A result that is there and cannot be read is not taken for none: who reads of it
// knows what to mend.
func TestAResultThatCannotBeReadIsNamed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		look string
		void events.Void
		says string
	}{
		"none":             {"true", events.VoidNoResult, ""},
		"an empty one":     {`: > "$AUTOPILOT_RESULT_FILE"`, events.VoidNoResult, ""},
		"one that is huge": {`head -c 70000 /dev/zero > "$AUTOPILOT_RESULT_FILE"`, events.VoidBadResult, "more than 64 KiB"},
		"a link":           {`echo '{"v":1,"verdict":"approve"}' > "$AUTOPILOT_RESULT_FILE.x"; ln -s "$AUTOPILOT_RESULT_FILE.x" "$AUTOPILOT_RESULT_FILE"`, events.VoidBadResult, "a link"},
		"a folder":         {`mkdir "$AUTOPILOT_RESULT_FILE"`, events.VoidBadResult, "a folder"},
		"a pipe":           {`mkfifo "$AUTOPILOT_RESULT_FILE"`, events.VoidBadResult, "a pipe"},
		"a member twice":   {`echo '{"v":1,"verdict":"reject","verdict":"approve"}' > "$AUTOPILOT_RESULT_FILE"`, events.VoidBadResult, "appears twice"},
		"no verdict":       {`echo '{"v":1,"summary":"approve"}' > "$AUTOPILOT_RESULT_FILE"`, events.VoidBadResult, "verdict is"},
		"a failure":        {`echo '{"v":1,"verdict":"approve"}' > "$AUTOPILOT_RESULT_FILE"; exit 1`, events.VoidNotEnded, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := flowSite(t, boundFlow)
			s.write(map[string]string{".autopilot/prompts/look.md": "{{with .Look}}LOOK {{.Form}}{{end}} {{.ResultFile}}"})
			s.trust()
			st := s.play(s.flowSpec("bound", `case $(cat) in
LOOK*) `+tt.look+` ;;
*) mkdir -p docs; echo 1 > docs/plan.md; date +%N > n ;;
esac`))
			s.wants(st, "halted:gate-unverifiable")
			l := st.Looks[len(st.Looks)-1]
			if said := s.d.api.Text(l.Agent.Excerpt); l.Void != tt.void || !strings.Contains(said, tt.says) {
				t.Errorf("%s: %q", l.Void, said)
			}
		})
	}
}

// lookFlow has somebody look who also writes to the work.
func (s *site) lookFlow(box events.Sandbox) run.State {
	s.write(map[string]string{".autopilot/prompts/look.md": "{{with .Look}}LOOK {{.Form}}{{end}} {{.ResultFile}}"})
	s.trust()
	return s.play(s.flowSpec("bound", `in=$(cat)
case $in in
LOOK*) echo more >> n; echo '{"v":1,"verdict":"approve","findings":[]}' > "$AUTOPILOT_RESULT_FILE" ;;
*) mkdir -p docs; echo 1 > docs/plan.md; test -f n || echo 1 > n; test "$AUTOPILOT_PHASE" = plan || echo 1 > built ;;
esac`, func(r *wire.RunSpec) { r.Sandbox = box }))
}

// Where no sandbox keeps it from that. Twice is enough: it would do so for ever.
func TestALookThatChangesTheWorkDoesNotCount(t *testing.T) {
	t.Parallel()
	s := flowSite(t, boundFlow)
	st := s.lookFlow(events.SandboxOff)
	s.wants(st, "halted:gate-unverifiable")
	if len(st.Looks) != rule.MostVoid || st.Looks[0].Void != events.VoidChanged || st.Looks[0].Opinion.Verdict != "" {
		t.Errorf("%+v", st.Looks)
	}
}
