package consent

import (
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// ToErase says how sure it is that a person has a run erased.
func (j *Judge) ToErase(s run.State, proven events.Assurance, body wire.EraseRequest) (events.Assurance, error) {
	return j.Decide(proven, Given{body.PIN, func() error { return typedHandle(s, body.Typed, "erased") }, "apctl archive erase " + s.Facts.Handle})
}

// ToResume says how sure it is that a person lets a run go on that needs one.
func (j *Judge) ToResume(s run.State, proven events.Assurance, body wire.ResumeRequest) (events.Assurance, error) {
	return j.Decide(proven, Given{body.PIN, func() error { return typedHandle(s, body.Typed, "resumed") }, "apctl resume " + s.Facts.Handle})
}

// ToAnswer says how sure it is that a person answers what a run asks, if that is
// enough.
func (j *Judge) ToAnswer(s run.State, proven events.Assurance, body wire.AnswerRequest) (events.Assurance, error) {
	st, err := j.pins.Status()
	if err != nil {
		return "", err
	}
	demanded, h := s.Question.Assurance, s.Facts.Handle
	switch {
	case demanded.Level() > events.AssuredPIN.Level():
		return "", wire.Errorf(wire.NeedsPerson, "gate %s of run %s needs assurance %s, which this host cannot give", s.Question.Gate, h, demanded)
	case !st.Set && demanded.Level() > proven.Level():
		return "", wire.Errorf(wire.NeedsPerson, "gate %s of run %s needs a PIN, and none is set", s.Question.Gate, h).
			WithHint("apctl pin set   sets one; then apctl answer %s", h)
	}
	return j.Decide(proven, Given{body.PIN, func() error { return typedAnswer(s, body.Typed) }, "apctl answer " + h})
}

// ToHandOver is nil if a person hands over the approvals of a run that is started:
// nothing of it was shown yet, so nothing is typed but the PIN.
func (j *Judge) ToHandOver(proven events.Assurance, body wire.StartRequest) error {
	_, err := j.Decide(proven, Given{body.PIN, func() error { return nil }, "apctl run"})
	return err
}

// typedHandle is nil if what was typed is the handle of the run.
func typedHandle(s run.State, typed, did string) error {
	if !strings.EqualFold(typed, s.Facts.Handle) {
		return wire.Errorf(wire.NeedsPerson, "the input is not %s, so nothing was %s", s.Facts.Handle, did)
	}
	return nil
}

// typedAnswer compares what was typed with what proves that the question was
// looked at.
func typedAnswer(s run.State, typed string) error {
	want, what := s.Facts.Handle, "the handle of the run"
	if s.Question.Kind == events.AskApproval {
		want, what = wire.Challenge(s.Question.Set), "the start of the hash that was shown"
	}
	if !strings.EqualFold(typed, want) {
		return wire.Errorf(wire.NeedsPerson, "the input is not %s, so nothing was answered", what).
			WithHint("apctl answer %s   asks again", s.Facts.Handle)
	}
	return nil
}
