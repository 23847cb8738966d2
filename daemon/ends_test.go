package daemon

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// fourFlow has a plan that a person approves, the work, a review and a look in use.
const fourFlow = `name: four
version: 1
phases:
  - name: plan
    prompt: converge.md
    changes: ["docs/**"]
    produces: [docs/plan.md]
    gates: [{name: agreed, kind: approval, of: [docs/plan.md], assurance: tty}]
  - name: build
    prompt: converge.md
    gates:
      - goals
      - invariants
      - protected
      - {name: plan-kept, kind: anchor, of: [docs/plan.md]}
      - {name: told, kind: session, stall: 1h}
  - name: review
    gates: [{name: reviewed, kind: review, role: reviewer}]
    unclean: build
  - name: use
    gates: [{name: used, kind: qa, role: user}]
    unclean: build
roles: {reviewer: {prompt: look.md}, user: {prompt: look.md}}
limits: {iterations: 4, cycles: 2, noop: {within: 10s, backoff: [1s], halt: 2}}
`

// four is an agent for all of them, with what is special in one phase.
func four(special string) string {
	return `case $AUTOPILOT_PHASE in ` + special + `
plan) mkdir -p docs; date +%s%N > docs/n; echo plan > docs/plan.md;;
build) echo blue > colour; date +%s%N > n; printf '{"v":1,"claim":"done","session":%s}' '` + report("0", "0", "0") + `' > "$AUTOPILOT_RESULT_FILE";;
review) printf '{"v":1,"verdict":"approve","architecture":"clear","findings":[]}' > "$AUTOPILOT_RESULT_FILE";;
use) printf '{"v":1,"verdict":"passed","findings":[]}' > "$AUTOPILOT_RESULT_FILE";;
esac`
}

// stray is work that fails in the same way whatever it changes.
const stray = `date +%s%N > n; printf '{"v":1,"claim":"progress","session":%s}' '{"agent_summary":{"complete":1,"partial":0,"failed":0,"spiral":0},"effectiveness":{"planned_issues":0,"completed":0,"carryover":0}}' > "$AUTOPILOT_RESULT_FILE";;`

const rejects = `review) printf '{"v":1,"verdict":"comment","architecture":"clear","findings":[{"evidence_ref":"n:1","priority":0,"detail":"no"}]}' > "$AUTOPILOT_RESULT_FILE";;`

// ending is a run of four phases that ends in one way.
type ending struct {
	flow    []string // replaced in the workflow
	special string   // of the agent
	spec    func(*wire.RunSpec)
	says    string // why it says
}

func green(start events.Start) func(*wire.RunSpec) {
	return func(r *wire.RunSpec) { r.Start, r.Gates[0].Command = start, "true" }
}

var endings = map[string]ending{
	"done":                      {says: "every gate passed"},
	"already-green":             {spec: green(events.UntilGreen), says: "already"},
	"refused:goal-green":        {spec: green(""), says: "passes already"},
	"refused:invariant-red":     {spec: func(r *wire.RunSpec) { r.Gates[1].Command = "false" }, says: "invariant"},
	"halted:sameness":           {flow: []string{"limits:", "fingerprint: [gates, tests]\nlimits:"}, special: "build) " + stray, says: "same way"},
	"halted:stuck":              {special: `build) test "$(cat colour)" = red && c=green || c=red; echo $c > colour; rm -f n; printf '{"v":1,"claim":"done","session":%s}' '` + report("0", "0", "0") + `' > "$AUTOPILOT_RESULT_FILE";;`, says: "same way"},
	"halted:signature":          {flow: []string{"limits:", "rails: {signature: {count: 3, then: halt}}\nlimits:"}, special: "build) " + stray, says: "3"},
	"halted:iterations":         {special: "build) " + stray, says: "iterations"},
	"halted:cycles":             {special: rejects, says: "sent back"},
	"halted:plan":               {flow: []string{"unclean: build", "unclean: plan", "limits:", "rails: {plan: {cycles: 1}}\nlimits:"}, special: rejects, says: "plan"},
	"halted:drift":              {special: "build) echo other > docs/plan.md; echo blue > colour;;", says: "plan-kept"},
	"halted:gate-unverifiable":  {special: "review) echo none > \"$AUTOPILOT_RESULT_FILE\";;", says: "got no valid result"},
	"halted:noop":               {special: "build) exit 3;;", says: "nothing"},
	"halted:needs-person":       {special: `build) date +%s%N > n; printf '{"v":1,"claim":"blocked","reason":"no key"}' > "$AUTOPILOT_RESULT_FILE";;`, says: "blocked"},
	"halted:hours":              {special: "build) sleep 1.2; " + stray, spec: func(r *wire.RunSpec) { r.ForMS = 1000 }, says: "time"},
	"halted:expired":            {flow: []string{"assurance: tty", "assurance: pin, expires: 1s"}, says: "in time"},
	"halted:entry":              {flow: []string{"    unclean: build\n  - name: use\n", "    unclean: build\n  - name: use\n    entry: [{name: ready, kind: command, run: test -f ready}]\n"}, says: "begin"},
	"halted:unclear":            {flow: []string{"{name: reviewed, kind: review, role: reviewer}", "{name: reviewed, kind: interview, role: reviewer, rounds: 1, ambiguity: 20, weights: {goal: 100}}"}, special: `review) printf '{"v":1,"clarity":{"goal":40},"question":"which?","about":"goal","changes":"all"}' > "$AUTOPILOT_RESULT_FILE";;`, says: "after 1 of 1 rounds gate reviewed finds 60 % unclear, and allows 20 %"},
	"halted:spiral":             {special: "build) date +%s%N > n; printf '{\"v\":1,\"claim\":\"done\",\"session\":%s}' '" + report("1", "0", "0") + "' > \"$AUTOPILOT_RESULT_FILE\";;", says: "spiral"},
	"halted:failed-wave":        {special: "build) date +%s%N > n; exit 3;;", says: "reported nothing"},
	"halted:carryover-too-high": {special: "build) date +%s%N > n; printf '{\"v\":1,\"claim\":\"done\",\"session\":%s}' '" + report("0", "0", "3") + "' > \"$AUTOPILOT_RESULT_FILE\";;", says: "planned issues"},
}

// ended plays a run to where it is not live. A person approves what is asked.
func (s *site) ended(q wire.StartRequest) run.State {
	s.t.Helper()
	id := s.start(q).ID
	for {
		st := s.until(id, func(st run.State) bool { return settled(st) || st.Stage == run.Asking })
		if settled(st) {
			return st
		}
		if s.answer(say(st, "ok")) != nil { // a gate that wants more than this person has
			return s.until(id, settled)
		}
	}
}

func TestARunOfFourPhasesGetsToEachOfItsEnds(t *testing.T) {
	t.Parallel()
	for want, tt := range endings {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			s := flowSite(t, strings.NewReplacer(tt.flow...).Replace(fourFlow))
			q := s.flowSpec("four", four(tt.special), func(r *wire.RunSpec) {
				r.Gates = []wire.GateSpec{
					{Name: "blue", Role: events.RoleGoal, Command: "grep -q blue colour"},
					{Name: "kept", Role: events.RoleInvariant, Command: "test -f deep/er/file"},
				}
				r.MaxIterations = 4
				if tt.spec != nil {
					tt.spec(r)
				}
			})
			st := s.ended(q)
			v := s.d.api.View(st)
			if got := strings.TrimSuffix(v.State+":"+v.Reason, ":"); got != want {
				t.Fatalf("%s, want %s: %s", got, want, s.why(st.ID).Because)
			}
			if w := s.why(st.ID); !regexp.MustCompile(tt.says).MatchString(w.Because) {
				t.Errorf("because %q, want %q", w.Because, tt.says)
			}
		})
	}
}

// What a person says at a halt reaches who works, also where the gates of a phase
// in which nobody does have halted the run.
func TestARunThatAReviewHaltedGoesOnWithWhatAPersonSays(t *testing.T) {
	t.Parallel()
	const look = `review) v=comment; f='{"evidence_ref":"colour:1","priority":0,"detail":"no shade"}'; grep -q dark colour && v=approve f=
printf '{"v":1,"verdict":"%s","architecture":"clear","findings":[%s]}' $v "$f" > "$AUTOPILOT_RESULT_FILE";;
`
	const build = `build) mkdir -p .autopilot/notes; cat > .autopilot/notes/told-$AUTOPILOT_ITERATION; c=blue; grep -q 'make it dark' .autopilot/notes/told-$AUTOPILOT_ITERATION && c='blue dark'
echo $c > colour; printf '{"v":1,"claim":"done","session":%s}' '`
	for want, more := range map[string]string{"halted:sameness": "", "halted:cycles": "date +%s%N > n; "} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			s := flowSite(t, fourFlow)
			st := s.ended(s.flowSpec("four", four(look+strings.Replace(build, "build) ", "build) "+more, 1)+report("0", "0", "0")+`' > "$AUTOPILOT_RESULT_FILE";;`), func(r *wire.RunSpec) {
				r.Gates = []wire.GateSpec{{Name: "blue", Role: events.RoleGoal, Command: "grep -q blue colour"}}
			}))
			s.wants(st, want)
			if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "make it dark"}); err != nil {
				t.Fatal(err)
			}
			s.wants(s.until(st.ID, settled), "done")
		})
	}
}

// A run of four phases that is stopped keeps its work, and can be cancelled then.
func TestARunOfFourPhasesIsStoppedAndCancelled(t *testing.T) {
	t.Parallel()
	s := flowSite(t, fourFlow)
	st := s.asked(s.start(s.flowSpec("four", four(""), func(r *wire.RunSpec) {
		r.Gates = []wire.GateSpec{{Name: "blue", Role: events.RoleGoal, Command: "grep -q blue colour"}}
	})).ID, 1)
	st = s.stop(st.ID, events.StopNow)
	s.wants(st, "halted:stopped")
	if files := s.tree(st); !slices.Contains(files, "docs/plan.md") {
		t.Errorf("the plan is not kept: %v", files)
	}
	s.wants(s.stop(st.ID, events.StopCancel), "cancelled")
}

// shownElsewhere are the ends that TestARunOfFourPhasesGetsToEachOfItsEnds cannot
// have for little: where they are shown.
var shownElsewhere = map[string]string{
	"cancelled":                      "ends_test.go#TestARunOfFourPhasesIsStoppedAndCancelled",
	"refused:goal-unready":           "control_test.go#TestAGoalThatIsRedAsItIsTypedElsewhereIsRefused",
	"halted:unproven":                "control_test.go#TestWhatTurnsTheFilesOfTheStartGreenIsAskedOfAPerson",
	"halted:stopped":                 "ends_test.go#TestARunOfFourPhasesIsStoppedAndCancelled",
	"ended":                          "series_test.go#TestSeeds214EachEndOfSessionsInARow",
	"failed":                         "no rule ends a run so: what the daemon cannot do halts as internal",
	"refused:gate-unverifiable":      "../projections/rule/decide_test.go#RefusedUnverifiable",
	"refused:tree-changed":           "run_test.go#TestGatesThatAlwaysChangeRecordedFilesAreRefused",
	"refused:setup-failed":           "clean_test.go#TestASetUpThatFailsRefusesTheRun",
	"halted:log-integrity":           "tamper_test.go#TestTamperMatrix",
	"halted:tokens":                  "run/engine/limit_test.go#TestNextKeepsToLimitsAndWaitsForThem",
	"halted:cost":                    "../cmd/apctl/testdata/script/usage.txtar",
	"halted:turns":                   "run/engine/phase_test.go#TestPhasesFollowTheirGates",
	"halted:limit":                   "accounts_test.go#TestARunThatDoesNotWaitHaltsAtALimit",
	"halted:auth-failed":             "accounts_test.go#TestARefusedLoginHaltsEveryRunOnceAndAResumeTriesAgain",
	"halted:billing":                 "run/engine/limit_test.go#TestNextKeepsToLimitsAndWaitsForThem",
	"halted:agent-lost":              "run_test.go#TestAnAgentThatCannotKillItsSupervisorIsNotLost",
	"halted:git":                     "gitrules_test.go#TestAPushThatIsNotAllowedHaltsAtOnceAndIsNamed",
	"halted:agent-hung":              "timeout_test.go#TestAnAgentThatAlwaysHangsHaltsAfterTheSecond",
	"halted:agent-failed":            "run/engine/next_test.go#TestNextNamesTheOneThingToDo",
	"halted:stall-timeout":           "run/engine/kill_test.go#TestAKillSwitchHaltsAtOnce",
	"halted:user-abort":              "run/engine/series_test.go#TestSeeds213BetweenTwoSessions",
	"halted:max-hours-exceeded":      "run/engine/series_test.go#TestSeeds213BetweenTwoSessions",
	"halted:resource-overload":       "run/engine/series_test.go#TestSeeds213BetweenTwoSessions",
	"halted:token-budget-exceeded":   "series_test.go#TestSeeds214EachEndOfSessionsInARow",
	"halted:low-confidence-fallback": "series_test.go#TestSeeds213BadSelectors",
	"halted:fallback-to-manual":      "series_test.go#TestSeeds214EachEndOfSessionsInARow",
	"halted:internal":                "look_test.go#TestARunWhoseWorkflowCannotBeReadIsHalted",
	"halted:rebooted":                "reboot_test.go#TestARunThatWasLiveBeforeAReboot",
	"halted:foreign-change":          "foreign_test.go#TestWhatAPersonDoesBetweenTwoIterationsHaltsTheRunWithTheFilesNamed",
	"halted:claim-lost":              "claims_run_test.go#TestAPersonClearsWhatAnotherStateDirectoryLeft",
	"halted:workspace-gone":          "run_test.go#TestTheWorkspaceThatIsGoneHaltsAndComesBack",
}

// ends are all that the vocabulary has.
func ends(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "../events/enum.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, h := range events.Halts() {
		out = append(out, "halted:"+string(h.Reason))
	}
	ast.Inspect(f, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || v.Type == nil || len(v.Values) == 0 {
			return true
		}
		kind, _ := v.Type.(*ast.Ident)
		lit, ok := v.Values[0].(*ast.BasicLit)
		prefix, known := map[string]string{"End": "", "Refusal": "refused:"}[kind.Name]
		if ok && known {
			word, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, prefix+word)
		}
		return true
	})
	return slices.DeleteFunc(out, func(e string) bool { return e == "refused" }) // its reasons are listed
}

// Lessons A26 and A59: every reason of a halt is in the log, and none is without a test.
func TestEachEndOfARunIsShownByATest(t *testing.T) {
	t.Parallel()
	all := ends(t)
	for _, end := range all {
		if _, played := endings[end]; !played && shownElsewhere[end] == "" {
			t.Errorf("%s is shown nowhere", end)
		}
	}
	for _, end := range slices.Concat(slices.Collect(maps.Keys(endings)), slices.Collect(maps.Keys(shownElsewhere))) {
		if !slices.Contains(all, end) {
			t.Errorf("%s is no end of a run", end)
		}
	}
	for end, where := range shownElsewhere {
		file, test, _ := strings.Cut(where, "#")
		if filepath.Ext(file) == "" {
			continue // why there is none
		}
		text, err := os.ReadFile(file)
		if err != nil || !strings.Contains(string(text), test) {
			t.Errorf("%s: %s has no %s: %v", end, file, test, err)
		}
	}
}
