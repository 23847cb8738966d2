package daemon

import (
	"testing"

	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
)

// staffed is a work tree with an issue whose project names two agents for who writes
// code: the first one never gets on.
func staffed(t *testing.T) *site {
	t.Helper()
	s := trustSite(t, `agents:
  cheap: {command: sh cheap.sh}
  strong: {command: sh strong.sh}
roles: {coder: [cheap, strong], critic: [strong, cheap]}
`)
	s.write(map[string]string{
		atddDir + "/prd.md": "Greet people by their name.\n", ".autopilot/notes/.keep": "",
		"cheap.sh": atddWork + "work() { date +%N > n; commit work; }\nimpl\n", "strong.sh": atddWork + "if test \"$AUTOPILOT_ROLE\" = critic; then covered > \"$AUTOPILOT_RESULT_FILE\"; else impl; fi\n",
	})
	s.trust()
	s.committed()
	return s
}

// Seeds 3.4, A27: the implementation begins with the cheaper agent, and what does not
// converge is the next one's, for the issue: a new run of it begins with that one. A
// run about another issue begins anew.
func TestWhoDidNotGetOnWithAnIssueDoesNotBeginWithItAgain(t *testing.T) {
	t.Parallel()
	s := staffed(t)
	st := s.approved(s.atdd("", func(r *wire.RunSpec) { r.Issue = "owner/name#24" }))
	s.wants(st, "done")
	c := st.Facts.Crews
	if len(c) != 2 || c[0].Role != "coder" || len(c[0].Hands) != 2 || c[0].Level != 0 || len(c[1].Hands) != 1 || st.Raised("coder") != "strong" {
		t.Fatalf("crews %+v, raised to %q", c, st.Raised("coder"))
	}
	started := func(flow events.Name, issue int, typed string) events.RunStarted {
		spec, err := s.d.Blobs.Put(t.Context(), []byte(`{"type":"`+stored.TypeSpec+`","issue":"`+typed+`"}`))
		if err != nil {
			t.Fatal(err)
		}
		d := st.Facts
		d.Workflow, d.Issue, d.Spec = flow, issue, spec
		d.Crews = []events.Crew{{Role: "coder", Phases: c[0].Phases, Hands: c[0].Hands}}
		s.d.api.Raise(&d)
		return d
	}
	for name, tt := range map[string]struct {
		flow  events.Name
		issue int
		typed string
		want  int
	}{
		"of the same issue":         {"atdd", 24, "24", 2},
		"of the same, named whole":  {"atdd", 24, "Owner/Name#24", 2},
		"of another repository's":   {"atdd", 24, "owner/other#24", 0},
		"of another one":            {"atdd", 25, "25", 0},
		"of none":                   {"atdd", 0, "", 0},
		"of another workflow's run": {"atdd-bugfix", 24, "24", 0},
	} {
		if got := started(tt.flow, tt.issue, tt.typed).Crews[0].Level; got != tt.want {
			t.Errorf("a run %s begins at %d, want %d", name, got, tt.want)
		}
	}
	s.git("rm", "-rq", atddDir, "tests", "greet.sh")
	s.write(map[string]string{atddDir + "/prd.md": "Greet people by their name.\n"})
	s.committed()
	st = s.approved(s.atdd(""))
	s.wants(st, "done")
	if st.Facts.Crews[0].Level != 2 || verdictOf(st, "green").Verdict != events.Pass || st.Raised("coder") != "strong" {
		t.Errorf("the second run: %+v", st.Facts.Crews)
	}
	if n := st.Loop.Iteration; n != 5 { // stories, plan, design, impl once, handover
		t.Errorf("it took %d iterations", n)
	}
}

// Without any profile one agent does all the work.
func TestAWorkflowWithRolesNeedsNoProfiles(t *testing.T) {
	t.Parallel()
	s := atddSite(t)
	st := s.approved(s.atdd(""))
	s.wants(st, "done")
	if len(st.Facts.Crews) > 0 || st.Raised("coder") != "" {
		t.Errorf("crews: %+v", st.Facts.Crews)
	}
}
