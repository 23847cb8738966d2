package autopilot_test

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	omxGuards = "projections/omx/guard_test.go#TestSeeds412Guards"
	omxScope  = "ctl/omx/session_linux_test.go#TestSeeds43TheScopeOfAWrite"
	omxLanes  = "-: a team has no lanes of its own here yet; whether one was used is on the record"
	omxEnd    = "daemon/exec/effect/runner_test.go#TestB8TreeIsEndedOnRequest"
	omxKinds  = "projections/omx/write_test.go#TestSeeds43RalphValidation"
)

// lessonsOfOmx are what the users of oh-my-codex have run into (seeds 6.3) and its quirks
// (8), with the tests that show it here; behind a dash why there is none. A test with an
// asterisk shows it without its id.
var lessonsOfOmx = map[string]string{
	"O1": "projections/omx/cycle_test.go#TestO1Q36Q45ASpentBudgetIsExhaustedAndNeverComplete, *daemon/run/workflow/omx_test.go#TestTheBoundsOfOmx",
	"O2": "ctl/omx/store_test.go#TestO2Q41WritersAtOnceLoseNothing", "O3": "ctl/omx/store_test.go#TestO3AStateFromElsewhereIsPutWhereItIsSound",
	"O4": "projections/omx/write_test.go#TestQuirksOfTheRelease, " + omxKinds,
	"O5": "ctl/omx/store_test.go#TestO5Quirk5AFileThatWasCutIsRefusedAndLeft, *ctl/omx/goals/store_test.go#TestALockHoldsWhileItsProcessLives",
	"O6": "projections/omx/write_test.go#TestBadInput", "O7": "ctl/omx/scope_test.go#TestO7WorkingDirectoriesThatAreNone",
	"O8": "*deps_test.go#TestImportsPointOneWay", "O9": "projections/omx/mirror_test.go#TestO9RalphEndsWithTheTeamThatItIsLinkedTo, ctl/omx/store_test.go#TestO9ATeamThatEndsTakesRalphAlong",
	"O10": "projections/omx/mirror_test.go#TestO10TheSkillsOfSessionsStayApart, ctl/omx/turned_test.go#TestAScopeThatChangesDuringAWriteStopsIt, *" + omxScope,
	"O11": "projections/omx/cycle_test.go#TestSeeds412AReturnIsCountedAndClearsTheApprovals",
	"O12": "*projections/claim/claim_test.go#TestAClaimIsTakenFromNobodyWhoIsLive", "O13": omxLanes, "O14": omxLanes, "O15": omxGuards, "O16": omxLanes, "O17": omxLanes, "O18": omxLanes,
	"O19": "*" + omxEnd, "O20": "projections/omx/resume_test.go#TestSeeds412ResumeTable", "O21": "*" + omxEnd + ", *daemon/exec/effect/runner_test.go#TestDaemonizedChildIsFoundAndEnded",
	"O22": "*daemon/omx_test.go#TestOmxResumesInItsPhase, *daemon/omx_test.go#TestOmxCancelKeepsAll", "O23": omxScope, "O24": "*daemon/report/notify/webhook_test.go#TestAWebhookIsToldUnderOneKeyUntilItTakesIt",
	"O25": "*daemon/agent/meter/meter_test.go#TestAnAgentThatWaitsForAnAnswerIsCut", "O26": "*ctl/omx/goals/store_test.go#TestAWriterWaitsForTheOneBefore",
	"O27": "*daemon/report/notify/webhook_test.go#TestAThousandHaltsAreOneMessage", "O28": "*daemon/report/notify/queue_test.go#TestAWebhookIsTriedEightTimesOverAboutAnHour",
	"O29": "-: nothing answers from a channel: a person answers by apctl", "O30": "ctl/compat_omx_hook_test.go#TestO30WhateverAHostSendsItGetsOneLineOfJSON",
	"O31": "projections/omx/mirror_test.go#TestO31TheTimeOfActivationIsThatOfTheSkill", "O32": "*ctl/render/hostile_test.go#TestNoTextOfOthersSteersATerminal",
	"O33": "-: the HUD is that of oh-my-codex, and its times are written by this host", "O34": "projections/route/seeds_test.go#TestO34OrdinaryWordsStartNoTeam",
	"O35": "projections/route/seeds_test.go#TestO35ExplicitTokensComeFirstAndInTheirOrder", "O36": omxGuards, "O37": omxGuards, "O38": omxGuards,
	"O39": omxGuards + ", daemon/omx_test.go#TestOmxInterviewIsSkippedByAPersonAlone", "O40": "*events/log/conformance_test.go#TestStreamConforms",
	"O41": "*projections/omx/turn/turn_test.go#TestAStopIsTheSameWhileNothingMoved", "O42": "ctl/compat_omx_test.go#TestO42ValuesOfOptionsAreNoWordsOfTheTask", "O43": "ctl/compat_omx_test.go#TestO43HelpHasNoEffectOnTheStatesOfOmx",
	"O44": "*daemon/report/notify/command_test.go#TestCommandsThatFailAreLoggedAndHoldNobodyUp", "O45": "projections/omx/cycle_test.go#TestQuirk7OfTheReleaseCountersAreCountedHere",
	"Q36": "projections/omx/cycle_test.go#TestO1Q36Q45ASpentBudgetIsExhaustedAndNeverComplete, *projections/omx/run_test.go#TestEachEndOfARunHasAValueOfItsOwn",
	"Q37": "*" + omxGuards, "Q38": "*daemon/omx_test.go#TestOmxResumesInItsPhase", "Q39": "projections/omx/write_test.go#TestQuirksOfTheRelease",
	"Q40": "ctl/omx/session_linux_test.go#TestQ40AModeThatIsActiveInAnotherLiveSessionCounts", "Q41": "ctl/omx/store_test.go#TestO2Q41WritersAtOnceLoseNothing",
	"Q42": "ctl/omx/cancel_test.go#TestSeeds48Q42CancelEndsAllOfItsSessionAndNothingElse", "Q43": "projections/omx/turn/turn_test.go#TestAStopIsHeldWhileAGateOfAutopilotIsOpen",
	"Q44": "projections/omx/cycle_test.go#TestSeeds412Q44TheSameFindingThreeTimesHaltsUnlessThePlanChanged, daemon/omx_test.go#TestOmxGuardsEachPhase",
	"Q45": "projections/omx/cycle_test.go#TestO1Q36Q45ASpentBudgetIsExhaustedAndNeverComplete",
}

// TestEachLessonOfOmxIsShownByATest: one that names it, but for those with an asterisk.
func TestEachLessonOfOmxIsShownByATest(t *testing.T) {
	t.Parallel()
	var all []string
	for _, ids := range []struct {
		letter   string
		from, to int
	}{{"O", 1, 45}, {"Q", 36, 45}} {
		for n := ids.from; n <= ids.to; n++ {
			all = append(all, fmt.Sprint(ids.letter, n))
		}
	}
	slices.Sort(all)
	if have := slices.Sorted(maps.Keys(lessonsOfOmx)); !slices.Equal(have, all) {
		t.Errorf("lessons are %v, want %v", have, all)
	}
	for id, tests := range lessonsOfOmx {
		if strings.HasPrefix(tests, "-") {
			continue
		}
		for where := range strings.SplitSeq(tests, ", ") {
			if where, unnamed := strings.CutPrefix(where, "*"); unnamed {
				showing(t, id, where, nil)
			} else {
				showing(t, id, where, regexp.MustCompile(`(\b|Test|[0-9])`+id+`([^0-9a-z]|$)`))
			}
		}
	}
}
