package daemon

import (
	"strings"
	"testing"

	"autopilot/events/wire"
)

// flowSite is a site with one workflow of its own, that a person trusts, and a
// commit to begin from.
func flowSite(t *testing.T, source string) *site {
	t.Helper()
	s := trustSite(t, "setup: 'true'\n")
	name, _, _ := strings.Cut(strings.TrimPrefix(source, "name: "), "\n")
	s.write(map[string]string{".autopilot/workflows/" + name + ".yaml": source})
	s.git("config", "user.name", "u")
	s.git("config", "user.email", "u@x")
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
	s.wants(s.play(s.flowSpec("own", "touch there")), "done")
	_, err := s.d.runStart(t.Context(), s.request(), s.flowSpec("converge", "true"))
	if codeOf(err) != wire.Usage || !strings.Contains(err.Error(), "no gate is given") {
		t.Error(err)
	}
	if v, err := s.d.runPreview(t.Context(), s.request(), s.flowSpec("own", "true")); err != nil || len(v.Gates) != 0 {
		t.Errorf("%+v %v", v, err)
	}
}
