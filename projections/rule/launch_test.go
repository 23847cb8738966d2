package rule

import (
	"testing"

	"autopilot/events"
)

// Q7: what fires is a rail, a limit or a switch, and no person's own stop.
func TestAHaltIsAFaultOrNone(t *testing.T) {
	t.Parallel()
	faults := []events.Halt{
		events.HaltDrift, events.HaltLogIntegrity, events.HaltSameness, events.HaltStuck, events.HaltSignature, events.HaltUnverifiable,
		events.HaltPlan, events.HaltForeign, events.HaltClaimLost, events.HaltGit, events.HaltIterations, events.HaltCycles, events.HaltHours,
		events.HaltTokens, events.HaltCost, events.HaltTurns, events.HaltNoop, events.HaltAgentLost, events.HaltAgentHung, events.HaltAgentFailed,
		events.HaltStall, events.HaltSpiral, events.HaltFailedWave, events.HaltCarryover, events.HaltInternal, "of-a-later-version",
	}
	none := []events.Halt{
		events.HaltStopped, events.HaltLimit, events.HaltNeedsPerson, events.HaltRebooted, events.HaltWorkspaceGone,
		events.HaltAuthFailed, events.HaltBilling, events.HaltEntry, events.HaltExpired,
	}
	for _, h := range faults {
		if !Fault(h) {
			t.Errorf("%s is no fault", h)
		}
	}
	for _, h := range none {
		if Fault(h) {
			t.Errorf("%s is a fault", h)
		}
	}
}

func TestARunCountsOnceItHasWorkedAndStands(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		state         string
		halt          events.Halt
		counts, fired bool
	}{
		"live":                                   {StateRunning, "", false, false},
		"waiting":                                {StateWaiting, "", false, false},
		"refused before any work":                {string(events.EndRefused), "", false, false},
		"nothing to do":                          {string(events.EndAlreadyGreen), "", false, false},
		"done":                                   {string(events.EndDone), "", true, false},
		"Q7: the sessions are used up":           {string(events.EndGraceful), "", true, false},
		"stopped by a person":                    {StateHalted, events.HaltStopped, true, false},
		"halted by a rail":                       {StateHalted, events.HaltStuck, true, true},
		"cancelled while it was live":            {string(events.EndCancelled), "", true, false},
		"given up after a rail has halted it":    {string(events.EndCancelled), events.HaltStuck, true, true},
		"given up after a person has stopped it": {string(events.EndCancelled), events.HaltStopped, true, false},
		"failed":                                 {string(events.EndFailed), "", true, true},
	} {
		if counts, fired := LaunchOutcome(tt.state, tt.halt); counts != tt.counts || fired != tt.fired {
			t.Errorf("%s: %t %t", name, counts, fired)
		}
	}
}
