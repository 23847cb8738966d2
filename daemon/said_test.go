package daemon

import (
	"fmt"
	"strings"
	"testing"

	"autopilot/daemon/auth"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/events/wire"
)

// What a gate says reaches who works next: whole, or with how much is left out
// and where all of it is.

// A5: an output that is cut says so, and all of it is beside the prompt.
func TestNothingThatACommandPrintsIsCutSilently(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		lines int
		want  string // of the file beside the prompt
	}{
		"as much as is copied": {20_000, "\n10000\n"},
		"more than is copied":  {400_000, " bytes were not kept "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			st := s.play(s.spec(fmt.Sprintf("seq %d; test -f ok", tt.lines), `cat > .told; cp "$(sed -n 's/^The whole output is in .\(.*\).$/\1/p' .told)" .whole; touch ok`))
			s.wants(st, "done")
			told, whole := s.read(".told"), s.read(".whole")
			if !strings.Contains(told, " bytes left out") || len(told) > 3*gate.ExcerptBytes {
				t.Errorf("a cut that does not say so: %s", told)
			}
			if !strings.HasPrefix(whole, "1\n2\n") || !strings.HasSuffix(whole, fmt.Sprintf("\n%d\n", tt.lines)) || !strings.Contains(whole, tt.want) {
				t.Errorf("beside the prompt are %d bytes, %.20q to %q", len(whole), whole, whole[max(0, len(whole)-20):])
			}
		})
	}
}

// Seeds 9, what those who look have found goes back verbatim: not one byte in the
// middle is left out, however long it is.
func TestFindingsOfThoseWhoLookArriveVerbatim(t *testing.T) {
	t.Parallel()
	long := "  indented \"first\" `line`\n" + strings.Repeat("and one more — ü\n\n", 2000) + "the last line"
	finding := gate.Finding{Priority: 1, EvidenceRef: "there:1", Detail: long}
	for kind, o := range map[events.GateKind]gate.Opinion{
		events.GateReview:   {V: 1, Verdict: events.RulingChanges, Architecture: events.RulingClear, Findings: []gate.Finding{finding}},
		events.GateCoverage: {V: 1, Findings: []gate.Finding{finding}, Criteria: []gate.Criterion{{ID: "AC1"}}},
	} {
		t.Run(string(kind), func(t *testing.T) {
			t.Parallel()
			of := map[events.GateKind]string{events.GateCoverage: ", of: [stories.md]"}[kind]
			s := flowSite(t, `name: seen
version: 1
phases:
  - {name: build, prompt: converge.md, gates: [{name: there, kind: command, run: test -f there}]}
  - {name: tidy, prompt: converge.md, gates: [{name: tidied, kind: command, run: test -f there}]}
  - {name: look, gates: [{name: looked, kind: `+string(kind)+`, role: critic`+of+`}], unclean: build}
roles: {critic: {prompt: look.md}}
limits: {cycles: 1}
`)
			b, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			s.write(map[string]string{"stories.md": "AC1: it starts\n", "opinion.json": string(b)})
			st := s.play(s.flowSpec("seen", `if [ "$AUTOPILOT_ROLE" = critic ]; then cp opinion.json "$AUTOPILOT_RESULT_FILE"
else echo x >> there; cat >> .told-$AUTOPILOT_PHASE; fi`))
			s.wants(st, "halted:cycles")
			if told := s.read(".told-build"); !strings.Contains(told, "[P1] there:1\n"+long+"\n") {
				t.Errorf("the finding is not what it was: %.2000s", told)
			}
			if told := s.read(".told-tidy"); !strings.Contains(told, "[P1] there:1\n") {
				t.Error("a phase on the way back is not told of it")
			}
		})
	}
}

// A role that writes no result, or one that misses its schema, has said nothing:
// its gate stays closed, and an author is none who looks.
// Lessons A23 and A24; seeds 3.4 stage 3: no answer, and an answer in prose, are closed.
func TestAResultOfARoleThatMissesItsSchemaOpensNoGate(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file string
		void events.Void
	}{
		"no result":              {"", events.VoidNoResult},
		"a role of another kind": {`{"v":1,"verdict":"passed"}`, events.VoidBadResult},
		"a verdict alone":        {`{"v":1,"verdict":"approve"}`, events.VoidBadResult},
		"a member twice":         {`{"v":1,"verdict":"request-changes","verdict":"approve","architecture":"clear"}`, events.VoidBadResult},
		"a member that is none":  {`{"v":1,"verdict":"approve","architecture":"clear","role":"author"}`, events.VoidBadResult},
		"more than is read":      {`{"v":1,"verdict":"approve","architecture":"clear","summary":"` + strings.Repeat("x", gate.MaxOpinion) + `"}`, events.VoidBadResult},
		"an empty finding":       {`{"v":1,"verdict":"request-changes","architecture":"clear","findings":[{}]}`, events.VoidBadResult},
		"a finding of nothing":   {`{"v":1,"verdict":"approve","architecture":"clear","findings":[{"priority":1,"evidence_ref":" ","detail":"x"}]}`, events.VoidBadResult},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := flowSite(t, strings.ReplaceAll(thenFlow, "limits: {cycles: 2}", "limits: {cycles: 1}"))
			q := s.spec("test -f there", `case $AUTOPILOT_PHASE in
build) echo x >> there;;
tidy) touch tidy;;
*) printf '%s' '`+tt.file+`' > "$AUTOPILOT_RESULT_FILE"; [ -s "$AUTOPILOT_RESULT_FILE" ] || rm "$AUTOPILOT_RESULT_FILE";;
esac`, func(r *wire.RunSpec) { r.Workflow = "then" })
			st := s.play(q)
			if len(st.Looks) == 0 || st.Looks[0].Void != tt.void {
				t.Fatalf("looks: %+v", st.Looks)
			}
			if v := s.d.api.View(st); v.State == "done" {
				t.Errorf("done without a review")
			}
		})
	}
}

// What a session of a role prints is kept, and shown apart from who works.
func TestLogsShowWhoLookedAndForWhat(t *testing.T) {
	t.Parallel()
	s := flowSite(t, thenFlow)
	st := s.play(s.spec("test -f there", "echo I am in $AUTOPILOT_PHASE; "+inPhases("touch there", "touch tidy"), func(r *wire.RunSpec) { r.Workflow = "then" }))
	s.wants(st, "done")
	shown := func(q wire.LogsRequest) (out string) {
		q.Run, q.Iteration = st.ID, -1
		if err := s.d.api.RunLogs(t.Context(), auth.Request{}, q, func(f wire.LogFrame) error {
			out += fmt.Sprintf("%s %s %s: %s", f.Source, f.Role, f.Gate, f.Data)
			return nil
		}); err != nil {
			t.Error(err)
		}
		return out
	}
	const look = "role reviewer reviewed: I am in look\n"
	for _, q := range []wire.LogsRequest{{Role: "reviewer"}, {Gate: "reviewed"}} {
		if got := shown(q); got != look {
			t.Errorf("%+v: %q", q, got)
		}
	}
	if got := shown(wire.LogsRequest{}); !strings.HasSuffix(got, look) || !strings.HasPrefix(got, "agent  : I am in build\n") {
		t.Errorf("%q", got)
	}
	if got := shown(wire.LogsRequest{Only: "agent"}); got != "agent  : I am in build\nagent  : I am in tidy\n" {
		t.Errorf("%q", got)
	}
	err := s.d.api.RunLogs(t.Context(), auth.Request{}, wire.LogsRequest{RunRef: wire.RunRef{Run: st.ID}, Role: "nobody"}, func(wire.LogFrame) error { return nil })
	if codeOf(err) != wire.NotFound || !strings.Contains(err.Error(), "no session of role nobody") {
		t.Error(err)
	}
}
