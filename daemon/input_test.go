package daemon

import (
	"errors"
	"strings"
	"testing"

	"autopilot/events/wire"
)

const inputFlow = `name: acceptance
version: 1
inputs:
  issue: {kind: issue}
  dir: {find: "docs/issues/${{issue}}-*", missing: "write docs/issues/24-SLUG/prd.md first"}
  accept: {kind: command, about: runs the acceptance tests}
task: ["${{dir}}/prd.md"]
phases:
  - name: build
    prompt: converge.md
    produces: ["${{dir}}/notes.md"]
    gates: [{name: green, kind: command, run: "${{accept}} ${{dir}}"}]
`

// TestARunIsFilledWithItsInputs: commands and globs of the stored workflow, also when
// it is read again.
func TestARunIsFilledWithItsInputs(t *testing.T) {
	t.Parallel()
	s := flowSite(t, inputFlow)
	s.write(map[string]string{"docs/issues/24-a b/prd.md": "Make done.", "docs/issues/25-x/y": "", ".autopilot/config.yaml": "inputs: {accept: ls done, other: x}\n"})
	s.trust()
	s.committed()
	start := func(edit ...func(*wire.RunSpec)) wire.StartRequest {
		return s.flowSpec("acceptance", `cat >prompt; touch done; echo n >"docs/issues/24-a b/notes.md"`, append([]func(*wire.RunSpec){func(r *wire.RunSpec) {
			r.Task, r.Issue = "", "24"
		}}, edit...)...)
	}
	for _, c := range []struct {
		name string
		edit func(*wire.RunSpec)
		code wire.Code
		want string
	}{
		{"no issue", func(r *wire.RunSpec) { r.Issue = "" }, wire.Usage, "needs an issue"},
		{"no directory", func(r *wire.RunSpec) { r.Issue = "26" }, wire.NeedsPerson, "docs/issues/26-*"},
		{"no task in it", func(r *wire.RunSpec) { r.Issue = "25" }, wire.NeedsPerson, "from docs/issues/25-x/prd.md, which is blank or missing"},
		{"unknown input", func(r *wire.RunSpec) { r.Inputs = map[string]string{"acept": "x"} }, wire.Usage, `no input "acept"`},
		{"path typed", func(r *wire.RunSpec) { r.Inputs = map[string]string{"dir": "/"} }, wire.Usage, "the run finds it by itself"},
	} {
		_, err := s.d.api.RunStart(t.Context(), s.request(), start(c.edit))
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != c.code || !strings.Contains(e.Message, c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	st := s.play(start())
	s.wants(st, "done")
	if prompt := s.read("prompt"); !strings.Contains(prompt, "Make done.") || !strings.Contains(prompt, "docs/issues/24-a b/notes.md") {
		t.Errorf("the prompt is %s", prompt)
	}
	s.again()
	flow, err := s.d.Worker.Flow(t.Context(), st)
	if err != nil {
		t.Fatal(err)
	}
	if got := flow.Phases[0].Gates[0].Run; got != "ls done 'docs/issues/24-a b'" {
		t.Errorf("the gate of the stored run is %q", got)
	}
}

// TestAPhaseOfCommandsAloneSendsTheWorkBack: the quick command in the loop, the whole
// one before the end. Source: atdd-kit, seeds 3.4.
func TestAPhaseOfCommandsAloneSendsTheWorkBack(t *testing.T) {
	t.Parallel()
	s := flowSite(t, `name: twice
version: 1
fingerprint: [verdicts]
limits: {cycles: 3}
phases:
  - {name: build, prompt: converge.md, gates: [{name: quick, kind: command, run: test -e quick}]}
  - {name: whole, gates: [{name: full, kind: command, run: test -e full}], unclean: build}
`)
	st := s.play(s.flowSpec("twice", "if test -e quick; then touch full; else touch quick; fi"))
	s.wants(st, "done")
	if st.Loop.Entered.Cycle != 1 {
		t.Errorf("it went back %d times", st.Loop.Entered.Cycle)
	}
}
