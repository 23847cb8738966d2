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
	} {
		text := phrase.Reason(events.English, events.GateResult{Reason: r})
		if text == "" || text == string(r) || said[text] != "" {
			t.Errorf("%s reads %q, as %q does", r, text, said[text])
		}
		said[text] = r
	}
}

func TestTheCodesOfTheShellAreExplained(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		1: "exit 1", 126: "exit 126: something in it cannot be executed", 127: "exit 127: something in it was not found",
	} {
		if got := phrase.Reason(events.English, events.GateResult{Reason: events.ReasonExit, Exit: code}); got != want {
			t.Errorf("%d: %q, want %q", code, got, want)
		}
	}
}
