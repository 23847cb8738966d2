package realtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// caseOmx is a run of workflow omx: the program asks, plans, builds, reviews and tries in
// sessions of its own, through all five phases.
const caseOmx = "omx"

// omxScript is what the model says in each session, in the order in which the phases
// begin them.
func omxScript() (script []step) {
	session := func(steps ...step) { script = append(append(script, steps...), step{text: "That is all."}) }
	says := func(result string) step {
		return step{edit: true, into: `(/[A-Za-z0-9._-]+)+/result\.json`, writes: result}
	}
	file := func(name, text string) step { return step{edit: true, file: name, writes: text} }
	var context strings.Builder
	for _, key := range []string{
		"activation prompt", "original task status", "desired outcome", "known facts", "constraints", "unknowns", "touchpoints", "scope note",
	} {
		fmt.Fprintf(&context, "- %s: as asked\n", key)
	}
	session(says(`{"v":1,"clarity":{"goal":95,"constraints":95,"criteria":95,"context":95}}`))
	session(file(".omx/specs/deep-interview-greet.md", "Greet.\n"), file(".omx/context/greet-20261130T080000Z.md", context.String()))
	session(file(".omx/plans/prd-greet.md", "AC1: it greets\n"), file(".omx/plans/test-spec-greet.md", "AC1: test -f\n"))
	session(says(`{"v":1,"verdict":"approve"}`))
	session(says(`{"v":1,"verdict":"approve"}`))
	session(step{edit: true}, file(".omx/ultragoal/changes-greet.md", edited+": greets\n- team: not needed, one story\n"))
	session(says(`{"v":1,"criteria":[{"id":"AC1","covered":true,"by":"test -f"}]}`))
	session(says(`{"v":1,"verdict":"approve","architecture":"clear"}`))
	session(says(`{"v":1,"verdict":"passed"}`))
	return script
}

// omx plays that case.
func (s *stage) omx(r *row) error {
	s.provider.play(s.c.script...)
	args := []string{"run", "--workflow", "omx", "--agent", s.in.name, "--input", "ground=brownfield", "--input", "tests=test -f " + edited}
	for _, check := range []string{"build", "lint", "typecheck"} {
		args = append(args, "--input", check+"=true")
	}
	out, exit, err := s.apctl(s.w.ctx, append(args, "greet")...)
	why, _, werr := s.apctl(s.w.ctx, "why")
	if err := errors.Join(err, werr, s.stopDaemon()); err != nil {
		return err
	}
	if r.got = wantDone; exit != 0 {
		r.got = "not done"
		r.faults = append(r.faults, lastLine(out), why)
	}
	r.seen = seen{exit: strconv.Itoa(exit), tries: len(s.provider.asked())}
	for _, phase := range []string{"deep-interview", "ralplan", "ultragoal", "reviewed", "used"} {
		if !strings.Contains(why, phase) {
			r.faults = append(r.faults, "no sign of "+phase)
		}
	}
	return nil
}
