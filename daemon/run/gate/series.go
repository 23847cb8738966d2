package gate

import (
	"fmt"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Series is several runs of one command, one behind the other. In a row ends it with
// the first that does not pass. Else all of them run, and those that fail are
// counted; what is neither a pass nor a failure by exit code ends it.
//
// Source: atdd-kit, seeds 3.8, lesson A61: one green of a test that fails at times
// says nothing.
type Series struct {
	Times int
	InRow bool
	Found bool // its first word is there, so the exit codes for what is missing are failures too

	Rate   events.Rate
	Result events.GateResult // of the first that failed, else of the latest
	Texts  Texts
	broken bool
	took   int64
}

// More says that the command has to run once more.
func (s *Series) More() bool {
	return s.Rate.Runs < s.Times && !s.broken && (!s.InRow || s.Rate.Failed == 0)
}

// Add takes the next run.
func (s *Series) Add(r events.GateResult, t Texts) {
	s.Rate.Runs++
	s.took += r.DurationMS
	failed := s.Rate.Failed > 0
	switch {
	case r.Verdict == events.Pass:
	case r.Verdict == events.Fail && r.Reason == events.ReasonExit && (s.InRow || s.Found || r.Exit != exitNotExecutable && r.Exit != exitNotFound):
		s.Rate.Failed++
	default:
		s.broken, failed = true, false
	}
	if !failed {
		s.Result, s.Texts = r, t
	}
	s.Result.DurationMS = s.took
	if s.Times > 1 && !s.broken {
		s.Result.Rate = s.Rate
	}
}

// Repeat is the verdict on a command that has to pass every time.
func (s *Series) Repeat() (events.GateResult, Texts) {
	r := s.Result
	r.Kind = events.GateRepeat
	if r.Verdict == events.Fail && r.Reason == events.ReasonExit && s.Rate.Runs > 1 {
		r.Reason = events.ReasonUncertain
	}
	return r, s.Texts
}

// Flaky is the verdict on a command that has to fail at least once, and to pass at
// least once. It needs failures that are those of tests.
func (s *Series) Flaky() (events.GateResult, Texts) {
	r, t := s.Result, s.Texts
	r.Kind = events.GateFlaky
	switch {
	case s.broken:
		t.Excerpt = Headed(fmt.Sprintf("Run %d of %d neither passed nor failed, so no run counts. Let the command end by itself.\n", s.Rate.Runs, s.Times), t.Excerpt)
	case s.Rate.Failed == 0:
		text := fmt.Sprintf("The command passes %d of %d times, so it does not look flaky. More runs find rarer failures; the run's start sets their number.\n", s.Rate.Runs, s.Times)
		r.Verdict, r.Reason, r.OutputSum = events.Fail, events.ReasonSteady, rule.OutputSum([]byte(text))
		t.Excerpt = Headed(text, t.Excerpt)
	case s.Rate.Failed == s.Rate.Runs && s.Rate.Runs > 1:
		text := fmt.Sprintf("The command fails %d of %d times, so it is not flaky but a bug. Let it show what fails at times; for a bug, a person starts the workflow atdd-bugfix.\n", s.Rate.Failed, s.Rate.Runs)
		r.Verdict, r.Reason = events.Fail, events.ReasonConstant
		t.Excerpt = Headed(text, t.Excerpt)
	default:
		r.Verdict, r.Reason = events.Pass, events.ReasonFlaky
		r.Failing, r.FailingSum, r.OutputSum = 0, "", "" // as of a test commit: nothing of the work fails by it
		t.Excerpt = Headed(fmt.Sprintf("The command fails %d of %d times. The first of them:\n", s.Rate.Failed, s.Rate.Runs), t.Excerpt)
	}
	return r, t
}
