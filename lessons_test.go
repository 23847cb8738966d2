package autopilot_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	aRail  = "projections/atdd/atdd_test.go#TestSeeds35SamenessAndStuck"
	aRow   = "projections/atdd/atdd_test.go#TestSeeds35RecordIteration"
	aCell  = "cmd/apctl/compat_cells_test.go#TestSeeds35EveryCellOfEveryFunction"
	aJudge = "projections/atdd/judge_test.go#TestARowIsJudgedByWhatWouldHaveBeenWrittenHere"
	aHalt  = "daemon/atdd_test.go#TestAnImplementationThatDoesNotGetThereHaltsWithItsReason"
	aRed   = "daemon/run/gate/red_test.go#TestRedIsClosedByWhatTheHistoryLacks"
	aSteps = "daemon/run/workflow/atdd_test.go#TestSeeds31TheStepsOfTheStandardRoute"
	aGates = "daemon/run/workflow/atdd_test.go#TestA62EveryRouteHasItsTwoGatesOfAPerson"
	aSeed  = "daemon/seed_test.go#TestFindingsOfAResumeGoToTheEarliestPhaseThatWorks"
	aSet   = "daemon/answer_test.go#TestAnswersThatAreNone"
	queue  = "-: there is no queue and no merge yet"
)

// lessonsOfAtddKit are what its users have run into (seeds 6.2) and its quirks (8), with
// the tests that show it here; behind a dash why there is none.
var lessonsOfAtddKit = map[string]string{
	"A1": aRail + ", " + aHalt, "A2": aRow + ", ctl/atdd/watch_test.go#TestA2WhatIsForgedWhileASkillWorksIsSeen", "A3": aRow + ", ctl/atdd/rails_test.go#TestRefusedRowsLeaveNoTrace",
	"A4": aRow + ", daemon/run/engine/atdd_test.go#TestSeeds34TheFirstRailThatFiresHalts", "A5": aRail, "A6": aRow, "A7": "projections/atdd/atdd_test.go#TestSeeds35Fingerprint", "A8": aRail + ", " + aJudge,
	"A9": aSteps, "A10": "projections/atdd/atdd_test.go#TestSeeds35Fingerprint, projections/rule/fingerprint_test.go#TestSeeds34FingerprintOfVerdicts",
	"A11": "daemon/run_test.go#TestFindingsReachTheNextPromptVerbatim", "A12": aSteps, "A13": aSeed, "A14": "events/wire/findings_test.go#TestFindingsThatAreNone",
	"A15": "projections/atdd/atdd_test.go#TestSeeds35CheckLogIntegrity, daemon/run/engine/next_test.go#TestNextHaltsALogThatIsNotWhole, ctl/atdd/copy_test.go#TestA15WhatOthersDoWhileARunIsFollowedEndsThat",
	"A16": aRail + ", " + aSeed, "A17": "projections/rule/fingerprint_test.go#TestSeeds34FingerprintOfVerdicts", "A18": aRail + ", daemon/atdd_lesson_test.go#TestA18AFailureThatComesBackAfterAPassIsTheSame",
	"A19": "daemon/sim_cheat_test.go#TestNothingThatAnAgentSideDoesMakesARunDoneWithoutAllItsEvidence, " + aJudge,
	"A20": "daemon/atdd_lesson_test.go#TestA20ARollbackErasesNoRecord, ctl/atdd/copy_test.go#TestA20EachRowIsCommittedAlone",
	"A21": "daemon/seed_test.go#TestFindingsHandedToANewRunReachItsFirstWorkVerbatim, daemon/atdd_gate_test.go#TestA21FindingsOfAPersonRestartTheBudgetAndOpenAFreshWindow",
	"A22": "events/wire/findings_test.go#TestFindingsThatAreNone", "A23": "daemon/run/gate/judge_test.go#TestFR66EveryEndHasItsReason, daemon/run/gate/opinion_test.go#TestAResultOfARoleIsReadStrictly",
	"A24": "daemon/run/gate/coverage_test.go#TestA24CriteriaThatAreWrittenOtherwiseAreTheSame, " + aRow, "A25": "daemon/atdd_gate_test.go#TestA25FilesOfOthersStopAnIssueWithTheirNames",
	"A26": "projections/atdd/mirror/mirror_test.go#TestA26EveryReasonOfAtddKitIsARow, daemon/ends_test.go#TestEachEndOfARunIsShownByATest",
	"A27": "daemon/run/engine/escalate_test.go#TestARailOfConvergenceHandsTheWorkToTheNextAgentAndNoOtherRailDoes", "A28": "daemon/red_test.go#TestTheTestsHaveToBeSeenRedBeforeTheWork, " + aRed,
	"A29": "daemon/sim_cheat_test.go#TestNothingThatAnAgentSideDoesMakesARunDoneWithoutAllItsEvidence, " + aGates, "A30": aRed + ", projections/atdd/atdd_test.go#TestSeeds35FindRed",
	"A31": aHalt + ", daemon/run/engine/red_test.go#TestWorkThatWasNeverRedHaltsAtOnceWhereTheWorkflowSaysSo", "A32": "daemon/run/workflow/atdd_test.go#TestA32WordsOfAnOracleThatIsGoneAreRefused",
	"A33": "daemon/run/engine/economy_test.go#TestA33AtAGateOneQuestionIsOpenAndItIsAskedOnce", "A34": "daemon/report/draft/draft_test.go#TestASetIsCommittedOnItsBranchPushedAndShownAsADraft",
	"A35": "daemon/run/work/hunk_test.go#TestOfAFindingTheHunksAtItsPlaceAreShown, daemon/run/work/present_test.go#TestGatesSayWhatIsDecidedInBothLanguages", "A36": aSet,
	"A37": queue, "A38": "daemon/exec/effect/runner_test.go#TestB8TreeIsEndedOnRequest", "A39": queue, "A40": "daemon/coord/claim/claim_test.go#TestTwoKeysThatDifferAreTwoClaims", "A41": queue,
	"A42": "ctl/atdd/rails_test.go#TestA42WhatCannotBeReadIsNoEmptyLog", "A43": "projections/claim/claim_test.go#TestAPersonForcesTheClaimThatWasShown", "A44": queue, "A45": queue, "A46": queue,
	"A47": "daemon/report/notify/command_test.go#TestCommandsThatFailAreLoggedAndHoldNobodyUp", "A48": "daemon/handoff_test.go#TestNobodyButAPersonHandsApprovalsOver",
	"A49": "daemon/claims_test.go#TestAChatThatEndsGivesItsClaimsBack", "A50": queue, "A51": queue, "A52": queue, "A53": "ctl/worktree/seed_test.go#TestIgnoredFilesThatAreWantedAreCopiedWithTheirModesAndThroughNoLink",
	"A54": queue, "A55": queue, "A56": "daemon/report/draft/draft_test.go#TestWhatCannotBeShownIsSaidAndNothingIsPushed", "A57": "daemon/claims_test.go#TestTheHookGuardsTheBranchOfAnotherSession",
	"A58": "projections/claim/claim_test.go#TestTheAgeOfTheLastBeatSaysHowAClaimStands", "A59": "daemon/ends_test.go#TestEachEndOfARunIsShownByATest, " + aSeed, "A60": "daemon/run/workflow/input_test.go#TestA60AFoundNameIsNoOption",
	"A61": "daemon/atdd_flaky_test.go#TestA61OneRunIsTooFew, daemon/run/gate/series_test.go#TestA61ASeriesEndsWhenNothingMoreIsToBeSeen", "A62": aGates, "A63": "projections/route/suggest_test.go#TestOnlyWhatIsThereIsRecommended",
	"Q22": aRed + ", " + "projections/atdd/atdd_test.go#TestSeeds35RecordRedEvidence", "Q23": "daemon/red_test.go#TestARedRowHasToAgreeWithTheHistory, ctl/atdd/rails_test.go#TestSeeds35CheckRedEvidence",
	"Q24": "projections/atdd/atdd_test.go#TestSeeds35Fingerprint, " + aJudge, "Q25": aRail, "Q26": "projections/atdd/atdd_test.go#TestSeeds35RecordHalt", "Q27": aRow, "Q28": aRail, "Q29": queue, "Q30": queue, "Q31": queue,
	"Q32": "projections/claim/claim_test.go#TestAClaimIsTakenFromNobodyWhoIsLive", "Q33": "projections/rule/send_test.go#TestWhatACommandSendsToABranch", "Q34": "projections/atdd/atdd_test.go#TestSeeds35FindRed", "Q35": queue,
}

// rowsOfAtddKit are the rules of seeds 3.1 to 3.8.
var rowsOfAtddKit = map[string]string{
	"3.1 steps, budgets, anchors": aSteps, "3.1 gates and their owners": aGates + ", daemon/handoff_test.go#TestAnIssueWhoseApprovalsWereHandedOverIsBuiltWithoutAPerson",
	"3.1 directory by its number": "daemon/run/workflow/input_test.go#TestInputsThatStopARun, daemon/atdd_test.go#TestWithoutRequirementsAnIssueIsNotBegun",
	"3.1 an unknown step":         aJudge, "3.1 the express check": "projections/route/suggest_test.go#TestExpressIsForSmallAndHarmlessTexts",
	"3.2 args and issue": "daemon/input_test.go#TestARunIsFilledWithItsInputs", "3.2 phase": aSeed, "3.2 findings": "events/wire/findings_test.go#TestFindingsThatAreNone", "3.2 priority of a seed": "events/wire/findings_test.go#TestThePriorityOfAFinding",
	"3.2 the step of the tests": "-: a run goes through the phases of its workflow, in their order",
	"3.3 a pin is written once": "ctl/atdd/rails_test.go#TestAnAnchorIsPinnedOnce", "3.3 and compared": "projections/atdd/atdd_test.go#TestSeeds35CheckPin, daemon/atdd_lesson_test.go#TestAL2AnAnchorThatIsChangedRemovedOrRenamedHalts",
	"3.3 no answer": "daemon/atdd_gate_test.go#TestNobodyAtAGateApprovesNothing", "3.3 rows that are expected": "daemon/run/engine/next_test.go#TestNextHaltsALogThatIsNotWhole",
	"3.4.1 generate": "daemon/run_test.go#TestFindingsReachTheNextPromptVerbatim, daemon/tamper_test.go#TestTamperMatrix", "3.4.2 green": "daemon/run/gate/judge_test.go#TestFR66EveryEndHasItsReason, daemon/atdd_accept_test.go#TestAcceptanceCommandsThatProveNothing",
	"3.4.3 coverage": "daemon/run/gate/coverage_test.go#TestACriterionThatALookIsSilentOnIsNotCovered", "3.4.4 red": "daemon/run/gate/red_test.go#TestARowThatDisagreesWithTheHistoryClosesTheGate", "3.4.5 oracle": "daemon/sim_cheat_test.go#TestAnHonestRunWithEveryKindOfGateIsDone",
	"3.4.6 audit": "projections/atdd/mirror/mirror_test.go#TestSeeds34TheFingerprintIsThatOfAtddKit, ctl/atdd/copy_test.go#TestA20EachRowIsCommittedAlone", "3.4.7 bookkeeping": "daemon/run/engine/next_test.go#TestNextHaltsALogThatIsNotWhole",
	"3.4.8 converged": "daemon/atdd_test.go#TestAnIssueIsBuiltFromItsRequirementsToAProvenEnd", "3.4.9 unverifiable": aHalt, "3.4.10 rails, 11 halt, precedence": "daemon/run/engine/atdd_test.go#TestSeeds34TheFirstRailThatFiresHalts",
	"3.4.12 reseed": "daemon/atdd_test.go#TestWhatOnlyTheWholeSuiteFindsIsWorkedOn, " + aSeed, "3.4 outcomes": aHalt + ", projections/atdd/mirror/mirror_test.go#TestA26EveryReasonOfAtddKitIsARow",
	"3.4 escalation": "daemon/run/engine/escalate_test.go#TestARailOfConvergenceHandsTheWorkToTheNextAgentAndNoOtherRailDoes",
	"3.5 every cell": aCell, "3.5 without a tool": "cmd/apctl/compat_cells_test.go#TestWithoutTheProgramEveryFunctionHalts",
	"3.6 AL-1": aGates, "3.6 AL-2": "daemon/atdd_lesson_test.go#TestAL2AnAnchorThatIsChangedRemovedOrRenamedHalts", "3.6 AL-3, AL-4": "daemon/sim_cheat_test.go#TestNothingThatAnAgentSideDoesMakesARunDoneWithoutAllItsEvidence",
	"3.6 AL-5": aHalt, "3.6 AL-5b, AL-6": "-: what people do between issues", "3.6 efficiency": aRed,
	"3.7 question": "daemon/run/work/present_test.go#TestGatesSayWhatIsDecidedInBothLanguages", "3.7 approval": aSet, "3.7 rejection": "daemon/atdd_test.go#TestARejectedDesignIsWorkedOnAgain, daemon/atdd_gate_test.go#TestA21FindingsOfAPersonRestartTheBudgetAndOpenAFreshWindow",
	"3.7 evidence": "daemon/run/work/hunk_test.go#TestOfAFindingTheHunksAtItsPlaceAreShown, daemon/run/work/present_test.go#TestKeyDecisionsAreLinesThatNameAPlace", "3.7 hand-off message": "daemon/handoff_test.go#TestAnIssueWhoseApprovalsWereHandedOverIsBuiltWithoutAPerson",
	"3.7 dialogue": "daemon/run/engine/economy_test.go#TestA33AtAGateOneQuestionIsOpenAndItIsAskedOnce", "3.7 bodies": "daemon/report/draft/draft_test.go#TestASetIsCommittedOnItsBranchPushedAndShownAsADraft, daemon/report/notify/comment/golden_test.go#TestRequestsReadAsTheyDidInBothLanguages",
	"3.8 bugfix": "daemon/atdd_bugfix_test.go#TestABugIsMendedFromItsDiagnosis", "3.8 flaky": "daemon/run/workflow/atdd_test.go#TestA61TheTermsOfTheFlakyRoute, daemon/atdd_flaky_test.go#TestWhatFailsAtTimesIsMendedFromItsDiagnosis",
	"3.8 route": "projections/route/suggest_test.go#TestARouteIsDecidedInItsOrder",
}

// TestEachLessonOfAtddKitIsShownByATest: one that names it.
func TestEachLessonOfAtddKitIsShownByATest(t *testing.T) {
	t.Parallel()
	var all []string
	for _, ids := range []struct {
		letter   string
		from, to int
	}{{"A", 1, 63}, {"Q", 22, 35}} {
		for n := ids.from; n <= ids.to; n++ {
			all = append(all, fmt.Sprint(ids.letter, n))
		}
	}
	slices.Sort(all)
	if have := slices.Sorted(maps.Keys(lessonsOfAtddKit)); !slices.Equal(have, all) {
		t.Errorf("lessons are %v, want %v", have, all)
	}
	for id, shown := range lessonsOfAtddKit {
		showing(t, id, shown, regexp.MustCompile(`\b(Test)?`+id+`([^0-9a-z]|$)`))
	}
	for row, shown := range rowsOfAtddKit {
		showing(t, row, shown, nil)
	}
}

// showing says that the tests are there, and that their files name what they show.
func showing(t *testing.T, what, shown string, names *regexp.Regexp) {
	t.Helper()
	if strings.HasPrefix(shown, "-") {
		return
	}
	for where := range strings.SplitSeq(shown, ", ") {
		file, test, _ := strings.Cut(where, "#")
		text, err := os.ReadFile(file)
		switch {
		case err != nil || !strings.Contains(string(text), "\nfunc "+test+"("):
			t.Errorf("%s: %s has no %s: %v", what, file, test, err)
		case names != nil && !names.Match(text):
			t.Errorf("%s: %s does not name it", what, file)
		}
	}
}
