package phrase_test

import (
	"testing"

	"autopilot/events"
	"autopilot/projections/phrase"
)

func TestEveryReasonHasWordsOfItsOwn(t *testing.T) {
	t.Parallel()
	said := map[string]events.Reason{}
	for _, r := range []events.Reason{
		events.ReasonExit, events.ReasonSignal, events.ReasonTimeout, events.ReasonSilent, events.ReasonNotFound,
		events.ReasonNoShell, events.ReasonNoDirectory, events.ReasonToolChanged, events.ReasonTreeChanged,
		events.ReasonUnchanged, events.ReasonPinChanged, events.ReasonWritten, events.ReasonMissing, events.ReasonBlank,
		events.ReasonStale, events.ReasonSetup, events.ReasonNoFile,
		events.ReasonNamesFailing, events.ReasonNoTests, events.ReasonMissingTests, events.ReasonNotSeen,
		events.ReasonGitKept, events.ReasonPushed, events.ReasonHistory, events.ReasonUnread,
	} {
		text := phrase.Reason(events.English, events.GateResult{Reason: r})
		if text == "" || text == string(r) || said[text] != "" {
			t.Errorf("%s reads %q, as %q does", r, text, said[text])
		}
		said[text] = r
	}
}

// atdd-kit, seeds 3.8: the failure rate before and after.
func TestWhatRanSeveralTimesSaysHowOftenItFailed(t *testing.T) {
	t.Parallel()
	before, after := events.Rate{Failed: 3, Runs: 10}, events.Rate{Runs: 10}
	for want, r := range map[string]events.GateResult{
		"failed 3 of 10": {Kind: events.GateFlaky, Verdict: events.Pass, Reason: events.ReasonFlaky, Rate: before},
		"failed 0 of 9":  {Kind: events.GateFlaky, Verdict: events.Fail, Reason: events.ReasonSteady, Rate: events.Rate{Runs: 9}},
		"failed 9 of 9":  {Kind: events.GateFlaky, Verdict: events.Fail, Reason: events.ReasonConstant, Rate: events.Rate{Failed: 9, Runs: 9}},
		"failed 0 of 10": {Kind: events.GateRepeat, Verdict: events.Pass, Reason: events.ReasonExit, Rate: after},
		"failed in run 4, but must pass every time":             {Kind: events.GateRepeat, Verdict: events.Fail, Reason: events.ReasonUncertain, Rate: events.Rate{Failed: 1, Runs: 4}},
		"failed in run 1, but must pass every time":             {Kind: events.GateRepeat, Verdict: events.Fail, Reason: events.ReasonExit, Rate: events.Rate{Failed: 1, Runs: 1}},
		"files changed while it ran":                            {Kind: events.GateRepeat, Verdict: events.Fail, Reason: events.ReasonTreeChanged, Rate: after},
		"failed 3 of 10 before the work":                        {Kind: events.GateRed, Verdict: events.Pass, Reason: events.ReasonSeenRed, Rate: before},
		"failed 3 of 10 before, 0 of 10 after":                  {Kind: events.GateRed, Verdict: events.Pass, Reason: events.ReasonSeenRed, Rate: before, After: after},
		"failed 3 of 10 before, 1 of 2 after":                   {Kind: events.GateRed, Verdict: events.Fail, Reason: events.ReasonControl, Rate: before, After: events.Rate{Failed: 1, Runs: 2}},
		"the test fails as often with the work":                 {Kind: events.GateRed, Verdict: events.Fail, Reason: events.ReasonControl, Rate: before},
		"failed 0 of 10 without the work":                       {Kind: events.GateRed, Verdict: events.Fail, Reason: events.ReasonNotRed, Rate: after},
		"the commit of the test is not before that of the work": {Kind: events.GateRed, Verdict: events.Fail, Reason: events.ReasonAncestry, Rate: after},
	} {
		if got := phrase.Reason(events.English, r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if phrase.Reason(events.Japanese, r) == want {
			t.Errorf("%q is not translated", want)
		}
	}
}

func TestTheCodesOfTheShellAreExplained(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		1: "exit 1", 126: "exit 126: the gate runs a file that cannot be executed", 127: "exit 127: the gate runs something that was not found",
	} {
		if got := phrase.Reason(events.English, events.GateResult{Reason: events.ReasonExit, Exit: code}); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
}
