package notify

import (
	"testing"

	"autopilot/events"
)

func TestEveryEventIsToldAsItsKind(t *testing.T) {
	t.Parallel()
	halt := func(r events.Halt) events.Data { return events.RunHalted{Reason: r} }
	end := func(s events.End) events.Data { return events.RunEnded{State: s} }
	for _, tc := range []struct {
		data events.Data
		want Kind // empty: nobody is told
	}{
		{halt(events.HaltNeedsPerson), NeedsPerson},
		{halt(events.HaltRebooted), NeedsPerson},
		{halt(events.HaltWorkspaceGone), NeedsPerson},
		{halt(events.HaltAgentLost), Died},
		{halt(events.HaltInternal), Died},
		{halt(events.HaltDrift), Halted},
		{halt(events.HaltLogIntegrity), Halted},
		{halt(events.HaltSameness), Halted},
		{halt(events.HaltStuck), Halted},
		{halt(events.HaltSignature), Halted},
		{halt(events.HaltUnverifiable), Halted},
		{halt(events.HaltIterations), Halted},
		{halt(events.HaltHours), Halted},
		{halt(events.HaltNoop), Halted},
		{halt(events.HaltAgentFailed), Halted},
		{halt("a-reason-of-a-later-version"), Halted},
		{halt(events.HaltStopped), ""},
		{end(events.EndDone), Done},
		{end(events.EndAlreadyGreen), Done},
		{end(events.EndGraceful), Done},
		{end(events.EndFailed), Halted},
		{end(events.EndRefused), Halted},
		{end(events.EndCancelled), ""},
		{events.AgentEnded{Outcome: events.Lost}, Died},
		{events.AgentEnded{Outcome: events.Exited, Exit: 1}, ""},
		{events.IterationRecorded{Verdict: events.Skipped}, WaitingLimit},
		{events.IterationRecorded{Verdict: events.Fail}, ""},
		{halt(events.HaltAuthFailed), NeedsPerson},
		{halt(events.HaltBilling), NeedsPerson},
		{events.LimitWaiting{Cause: events.LimitRate}, WaitingLimit},
		{events.LimitWaiting{Cause: events.LimitDayCost}, WaitingLimit},
		{events.LimitWaiting{Cause: events.LimitSlots}, ""},
		{events.QuestionAsked{}, NeedsPerson},
		{events.QuestionAsked{Handoff: true}, ""},
		{events.WorkPublished{Commit: "c"}, ""},
		{events.WorkPublished{Problem: "p"}, NeedsPerson},
		{events.RunStarted{}, ""},
		{events.RunResumed{}, ""},
	} {
		got, ok := KindOf(tc.data)
		if ok != (tc.want != "") || ok && got != tc.want {
			t.Errorf("%T %+v: got %q %v, want %q", tc.data, tc.data, got, ok, tc.want)
		}
	}
}
