package events

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// A sample is frozen: once its type is released it is never written again, and
// what it decodes to below never changes.

func sampleRef(first string) Ref { return Ref(first + strings.Repeat("0", 64-len(first))) }

func sampleFile(t testing.TB, typ string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", typ+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestEveryTypeHasASample(t *testing.T) {
	t.Parallel()
	var files []string
	for _, f := range must(filepath.Glob("testdata/*.json"))(t) {
		files = append(files, strings.TrimSuffix(filepath.Base(f), ".json"))
	}
	known := slices.Sorted(maps.Keys(decoders))
	for typ := range upcasters {
		known = append(known, typ) // a retired type keeps its sample
	}
	slices.Sort(known)
	if d := cmp.Diff(known, files); d != "" {
		t.Fatalf("registered types without a sample, or the reverse (-types +samples):\n%s", d)
	}
	for typ := range sampleData {
		if _, ok := decoders[typ]; !ok {
			t.Errorf("a value is expected for %s, which is not registered", typ)
		}
	}
}

func TestSamplesDecodeToTheSameValuesAndBackToTheSameBytes(t *testing.T) {
	t.Parallel()
	for typ := range decoders {
		t.Run(typ, func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(filepath.Join("testdata", typ+".json"))
			if errors.Is(err, fs.ErrNotExist) {
				e := sampleEvent(typ, 2)
				e.Data = sampleData[typ]
				b, err := Encode(e)
				t.Fatalf("testdata/%s.json is missing (%v); a new type's sample is\n%s", typ, err, b)
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			want, ok := sampleData[typ]
			if !ok {
				t.Fatal("no value is expected for it")
			}
			if d := cmp.Diff(want, got.Data); d != "" {
				t.Errorf("data (-want +got):\n%s", d)
			}
			got.Data = nil
			if d := cmp.Diff(sampleEvent(typ, got.Seq), got); d != "" {
				t.Errorf("envelope (-want +got):\n%s", d)
			}
			got.Data = want
			again, err := Encode(got)
			if err != nil {
				t.Fatal(err)
			}
			if string(again) != string(raw) {
				t.Errorf("encoded again:\n%s\nsample:\n%s", again, raw)
			}
		})
	}
}

// sampleOwner is a holder of a claim with all that can be known of one.
var sampleOwner = ClaimOwner{
	Host: "01JH4Z9QW3E8N5T7V2X0Y6H0S1", Run: "01JH4Z9QW3E8N5T7V2X0Y6P4F2", PID: 4711, Start: 8812345,
	Boot: "0f3b8c1a-5d2e-4f60-9a7b-1c2d3e4f5061", Program: "claude",
}

func TestSamplesHaveAValueInEveryMember(t *testing.T) {
	t.Parallel()
	for typ, data := range sampleData {
		seen := map[string]bool{}
		setMembers(reflect.ValueOf(data), reflect.TypeOf(data).Name(), seen)
		for member, set := range seen {
			if !set {
				t.Errorf("the sample of %s has nothing in %s, so a change of that member would not be noticed", typ, member)
			}
		}
	}
}

// setMembers notes for each member below v whether it has a value anywhere.
func setMembers(v reflect.Value, path string, seen map[string]bool) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			setMembers(v.Field(i), path+"."+v.Type().Field(i).Name, seen)
		}
	case reflect.Slice:
		seen[path] = seen[path] || v.Len() > 0
		for i := range v.Len() {
			setMembers(v.Index(i), path+"[]", seen)
		}
	default:
		seen[path] = seen[path] || !v.IsZero()
	}
}

// sampleEvent is the envelope of the sample of a type, in an aggregate that it
// belongs to.
func sampleEvent(typ string, seq uint64) Event {
	e := sampleEnvelope(seq)
	switch typ {
	case TypeConfigTrusted, TypeWorkspaceRestored, TypeRunErased, TypeTextsPruned, TypeWorktreePruned, TypeLogRolled, TypeBundleImported:
		e.Aggregate = Host("9c1f03ab77d2e640")
	case TypeAccountLimited, TypeAccountRefused, TypeAccountWorked:
		e.Aggregate = Account("3f2a9d1c5b7e8046")
	case TypePeerJoined, TypePeerLeft, TypePeerMessaged, TypePeerRead:
		e.Aggregate = Peer("p3f2a9d1c5b7e8046")
	case TypeClaimAcquired, TypeClaimRenewed, TypeClaimReleased, TypeClaimExpired, TypeClaimForced:
		e.Aggregate = ClaimOf("7c41d09be2f8a3567c41d09be2f8a356")
	case TypeQueueCreated, TypeQueueOpened, TypeQueueClosed, TypeItemsAdded, TypeItemRemoved, TypeItemStarted, TypeItemEnded, TypeItemRetried,
		TypeBlockerFound, TypeLandingStarted, TypeLandingEnded:
		e.Aggregate = Queue("01JH4Z9QW3E8N5T7V2X0Y6Q0E1")
	}
	return e
}

// sampleEnvelope is what the samples have in common.
func sampleEnvelope(seq uint64) Event {
	e := Event{
		ID:        "01JH4Z9QW3E8N5T7V2X0Y6A1B0",
		Source:    "autopilot/9c1f03ab77d2e640",
		Aggregate: Run("01JH4Z9QW3E8N5T7V2X0Y6P4F2"),
		Time:      time.Date(2026, 11, 27, 21, 49, 42, 123456789, time.UTC),
		Seq:       seq,
		Actor:     "daemon:9c1f03ab77d2e640",
		Causation: "01JH4Z9QW3E8N5T7V2X0Y6REQ1",
		Trace:     "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
	}
	if seq > 1 {
		e.PrevHash = string(sampleRef("abc0"))
	}
	return e
}

const sampleEffect = "01JH4Z9QW3E8N5T7V2X0Y6EFF1"

var sampleStarted = IterationStarted{
	Capped: true, Cap: 2,
	Phase: "work", Iteration: 2, Attempt: 1, Effect: sampleEffect, Prompt: sampleRef("21"),
	Tree: sampleTree("01"), Work: sampleTree("02"), WallMS: 3600000, IdleMS: 600000,
	Session: "6f1c0a52-8d3e-4b7a-9c15-2e4f60718293", Resumes: true, Tokens: 1500000, MicroUSD: 3100000, Turns: 120,
	Agent: "codex", Level: 2, Account: "77aa9d1c5b7e8046",
	Warned: Warning{Rail: HaltSignature, Times: 3, First: 4, Halts: 5},
}

var sampleEnded = AgentEnded{
	Phase: "work", Iteration: 2, Attempt: 1, Effect: sampleEffect, Outcome: Signaled, Exit: -1, Signal: 9,
	DurationMS: 91342, OutputBytes: 209715200, Truncated: true, Killed: 2, Left: 1, Excerpt: sampleRef("31"), Fault: sampleRef("3f"),
	Claim: ClaimBlocked, Summary: sampleRef("32"), Question: sampleRef("33"), Asks: Asks{Kind: AskChoice, Options: 3, Recommended: 2, Class: "preference"}, Misasked: sampleRef("36"), Evidence: sampleRef("35"),
	Tree: sampleTree("03"), Work: sampleTree("04"), Files: 7, Head: sampleHead, Git: sampleRef("38"), GitDenied: true,
	Result: ResultRateLimited, By: FromStream, Conflicts: []Signal{{By: FromExit, Result: ResultEnded}}, Cut: CutRepetition,
	ResetMS: 1893470400000, Gauge: Gauge{Window: "five_hour", Percent: 91, ResetMS: 1893470400000}, Session: "6f1c0a52-8d3e-4b7a-9c15-2e4f60718293", Model: "claude-test-1",
	Usage: Usage{
		Input: 120, CacheRead: 16000, CacheWrite: 900, Output: 2210, TokensFrom: Reported, MicroUSD: 421300, CostFrom: Computed,
		Prices: "2026-11-01", Turns: 11,
	},
	Repeats: 58, Repeat: sampleRef("34"), Pending: 1, Refused: 2, Redacted: 3, Sandbox: SandboxGuard, Lacking: []Name{"signals"},
	LeftPIDs: []int{4711}, SilentMS: 612000, BadReport: sampleRef("36"), Red: sampleRef("37"),
	Report: SessionReport{V: 1, Complete: 4, Partial: 1, Failed: 2, Spiral: 3, Planned: 8, Completed: 3, Carryover: 5, ID: sampleRef("b4"), Tokens: 48000},
}

// sampleData holds every member of every type with a value that is not zero.
var sampleData = map[string]Data{
	TypeRunStarted: RunStarted{
		Handle: "p4f2", Owner: "local:1000@9c1f03ab77d2e640/4711", Home: "9c1f03ab77d2e640", Project: "5e2b9d7714c0a8f3",
		Workspace: sampleRef("01"), Task: sampleRef("02"), Workflow: "converge", Phase: "work", Source: sampleRef("03"), Prompts: sampleRef("0b"),
		Spec: sampleRef("04"), Ignore: sampleRef("05"), Env: sampleRef("06"), Tools: sampleRef("07"), Pins: sampleRef("08"),
		Gates: []Gate{
			{Name: "test", Kind: GateCommand, Role: RoleGoal},
			{Name: "protected", Kind: GateProtected, Role: RoleInvariant},
			{Name: "clear", Kind: GateInterview, Role: RoleCheck, Phase: "talk", Roles: []Name{"asker"}, Most: 12, Clear: 20},
			{Name: "agreed", Kind: GateApproval, Role: RoleCheck, Phase: "plan", Handoff: true},
		},
		Limits: Limits{
			Iterations: 50, ActiveMS: 14400000, UntilMS: 1893488400000, Tokens: 2000000, MicroUSD: 5000000, Turns: 400, NoWait: true,
			IdleMS: 720000, AttemptMS: 7200000, GateMS: 1800000,
		},
		Series:   Series{Sessions: 5, HoursMS: 14400000, Confidence: RatioOf(0.85), Tokens: 500000, Peers: 6, Name: sampleRef("b5"), HostClass: sampleRef("b6")},
		Priority: PriorityHigh, Start: StartGreen, Driver: DriverSession, Answers: AssuredSession, Handoff: "person:1000@9c1f03ab77d2e640/pts-3", Findings: sampleRef("0c"), Count: 3, Agent: "claude", Account: "3f2a9d1c5b7e8046", Issue: 24, Head: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", Dirty: true, Git: sampleRef("0d"), Nested: 2,
		Crews:  []Crew{{Role: "coder", Phases: []Name{"build"}, Level: 2, Hands: []Hand{{Agent: "claude", Account: "3f2a9d1c5b7e8046"}, {Agent: "codex", Account: "77aa9d1c5b7e8046"}}}},
		Idle:   []Name{"review"},
		Proves: []Name{"build"}, Budgets: []Budget{{Phase: "build", Iterations: 8}},
		Config: sampleRef("09"), Branch: sampleRef("0a"), From: "9d2e4b6c8a1f3057",
		Tree: sampleTree("01"), Work: sampleTree("02"), Version: "0.1.0", Holdout: sampleRef("1d"), InSight: true, Language: Japanese,
		Land: Land{Of: []string{"01JZ8YQ5W3N6T4V2X0B1C9D8E7"}, Onto: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", Commit: "8c1f0a7d3b5e29460f1a2b3c4d5e6f708192a3b4"},
	},
	TypeGatesStarted: GatesStarted{
		Phase: "work", Iteration: 2, Entry: true, Effects: []EffectRef{{Gate: "test", Effect: sampleEffect}},
	},
	TypeGatesJudged: GatesJudged{
		Phase: "work", Iteration: 2, Entry: true,
		Results: []GateResult{
			{
				Gate: "test", Kind: GateCommand, Role: RoleGoal, Verdict: Fail, Reason: ReasonExit, Exit: 1, DurationMS: 8123,
				Held: sampleRef("1e"), Failing: 3, FailingIDs: sampleRef("11"), FailingSum: string(sampleRef("11")), OutputSum: string(sampleRef("12")), Shape: string(sampleRef("1c")),
				Excerpt: sampleRef("13"), Effect: sampleEffect, Argv: string(sampleRef("14")), Env: string(sampleRef("15")),
				Elsewhere: Pass, Set: string(sampleRef("19")), Tool: string(sampleRef("16")),
				Control: string(sampleRef("1a")), Evidence: sampleRef("1b"), Used: 5, Of: 8, Limit: 50, Refused: 2, Rate: Rate{3, 10}, After: Rate{1, 4},
				Tests: Executed{Passed: 40, Failed: 3, Skipped: 2, Named: true}, Ran: sampleRef("1f"),
			},
			{
				Gate: "protected", Kind: GateProtected, Role: RoleInvariant, Verdict: Fail, Reason: ReasonPinChanged,
				Exit: -1, DurationMS: 4, Files: sampleRef("17"),
			},
		},
		Tree: sampleTree("03"), Work: sampleTree("04"), Head: sampleHead, Git: sampleRef("1d"), Created: sampleRef("18"), Repeated: true, Checkout: CheckoutClean, Added: sampleRef("20"),
		Foreign: ForeignSeen{Files: sampleRef("21"), Count: 2, By: sampleRef("22")},
	},
	TypeIterationStarted: sampleStarted,
	TypeAgentEnded:       sampleEnded,
	TypePhaseEntered: PhaseEntered{
		Phase: "plan", From: "review", Way: WayBack, Cycle: 2, Iteration: 4, Plan: string(sampleRef("a1")), Tree: sampleTree("03"), Work: sampleTree("04"),
	},
	TypeRoleStarted: RoleStarted{Gate: "review", Role: "reviewer", Set: string(sampleRef("a2")), Round: 1, Agent: sampleStarted},
	TypeRoleEnded: RoleEnded{
		Gate: "review", Role: "reviewer", Set: string(sampleRef("a2")), Round: 1, Void: VoidChanged,
		Opinion: Opinion{
			Verdict: RulingChanges, Architecture: RulingWatch, Findings: 3, Blocking: 1, Covered: 8, Uncovered: 2, UncoveredSum: "3b8a", Ambiguity: 35,
			Question: sampleRef("a3"), Source: "6f1c0a52", List: sampleRef("a4"), Result: sampleRef("a5"),
		},
		Agent: sampleEnded,
	},
	TypeQuestionAsked: QuestionAsked{
		Number: 2, Phase: "plan", Iteration: 4, Gate: "approved", Kind: AskApproval, Set: string(sampleRef("a6")), Files: sampleRef("a7"), Tree: sampleTree("06"),
		Text: sampleRef("a8"), Options: 4, Recommended: 1, Again: true, Assurance: AssuredPIN, ExpiresMS: 1893470400000, Link: sampleRef("c7"), Handoff: true,
		Opaque: sampleRef("e7"),
	},
	TypeQuestionAnswered: QuestionAnswered{
		Number: 2, Gate: "approved", Choice: ChoiceNo, Text: sampleRef("a9"), Findings: sampleRef("aa"), Count: 2,
		Set: string(sampleRef("a6")), Shown: sampleRef("a8"), Changed: sampleRef("ab"), Assurance: AssuredTTY, Phase: "plan",
		Moved: HeadMove{From: Head{Commit: "d3", Branch: sampleRef("ac")}, To: Head{Commit: "d4", Branch: sampleRef("ad")}},
	},
	TypeModeSelected: ModeSelected{
		Session: 2, Mode: "deep", Confidence: RatioOf(0.85), Why: sampleRef("b3"), Failed: true, Verdict: "critical", Peers: 7, Cap: 4, Records: 12,
	},
	TypeForeignSeen: ForeignSeen{Files: sampleRef("b1"), Count: 2, By: sampleRef("b2")},
	TypeAgentEscalated: AgentEscalated{
		Role: "coder", From: 1, To: 2, Reason: HaltStuck, Phase: "build", Iteration: 5, Gate: "test", Iterations: []int{3, 5},
		Value: string(sampleRef("41")), Limit: 10, Tree: sampleTree("05"),
	},
	TypeWorkPublished:   WorkPublished{Phase: "handover", Iteration: 6, Commit: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", Link: sampleRef("c8"), Problem: sampleRef("c9"), Ready: true, Landing: LandMoved},
	TypeQuestionExpired: QuestionExpired{Number: 2, Changed: true, Moved: HeadMove{From: Head{Commit: "d3", Branch: sampleRef("ac")}, To: Head{Commit: "d4", Branch: sampleRef("ad")}}, Others: sampleRef("ab")},
	TypeSessionJoined:   SessionJoined{Program: "claude", PID: 4711, Start: 8812345, Boot: "0f3b8c1a-5d2e-4f60-9a7b-1c2d3e4f5061"},
	TypeSessionLeft:     SessionLeft{},
	TypeLimitWaiting: LimitWaiting{
		Cause: LimitRate, Account: "3f2a9d1c5b7e8046", UntilMS: 1893470407000, ResetMS: 1893470400000, Source: Reported, Place: 2,
		Limit: 10000000, Used: 9800000, By: "verdict", Signal: Pressure{Of: "memory_available_bytes", Value: 3221225472, Limit: 4294967296},
	},
	TypeLimitLifted: LimitLifted{},
	TypeAccountLimited: AccountLimited{
		Cause: LimitRate, UntilMS: 1893470400000, Source: Reported, Streak: 1, Slots: 2, Run: "01JH4Z9QW3E8N5T7V2X0Y6P4F2", Effect: sampleEffect,
	},
	TypeAccountRefused: AccountRefused{Cause: ResultAuthFailed, Run: "01JH4Z9QW3E8N5T7V2X0Y6P4F2", Effect: sampleEffect},
	TypePeerJoined: PeerJoined{
		Program: "claude", PID: 4711, Start: 90210, Boot: "5d2b0c1e", Host: "01JH4Z9QW3E8N5T7V2X0Y6P4F2", Via: PeerByHook, Repository: "7b0cd1e2f3a49586",
		Directory: sampleRef("d1"), Label: sampleRef("1a"), Mode: "deep", Class: PeerParallelOK, Assumed: true,
		Outcome: PromotionOffer, Beside: "p0123456789abcdef", Reason: sampleRef("4e"),
	},
	TypePeerLeft:      PeerLeft{Cause: PeerSilent},
	TypePeerMessaged:  PeerMessaged{No: 3, From: "p0123456789abcdef", Text: sampleRef("7e")},
	TypePeerRead:      PeerRead{UpTo: 3},
	TypeAccountWorked: AccountWorked{Slots: 3, Run: "01JH4Z9QW3E8N5T7V2X0Y6P4F2", Effect: sampleEffect},
	TypeClaimAcquired: ClaimAcquired{Kind: ClaimBranch, Key: sampleRef("61"), TTLMS: 7200000, Owner: sampleOwner},
	TypeClaimRenewed: ClaimRenewed{
		Fence: 4, TTLMS: 7200000, Kind: ClaimBranch, Key: sampleRef("61"), Owner: sampleOwner, SinceMS: 1795816182123,
	},
	TypeClaimReleased: ClaimReleased{Fence: 4, Left: true},
	TypeClaimExpired:  ClaimExpired{Fence: 4},
	TypeClaimForced:   ClaimForced{Fence: 4, Assurance: AssuredTTY},
	TypeQueueCreated: QueueCreated{
		Name: "night", Project: "3f2a9d1c5b7e8046", Workspace: sampleRef("62"), Land: LandBranch, Target: sampleRef("63"), Batch: 4, Deliveries: 2, Returns: 3,
		Settings: sampleRef("64"),
	},
	TypeQueueOpened: QueueOpened{Parallel: 2, UntilMS: 1893470400000, MaxMicroUSD: 5000000},
	TypeQueueClosed: QueueClosed{Why: QueueDrained},
	TypeItemsAdded: ItemsAdded{Items: []QueueItem{
		{Name: "parser", Spec: sampleRef("65"), Priority: PriorityHigh, Issue: 24}, {Name: "printer", Spec: sampleRef("66"), After: []Name{"parser"}},
	}},
	TypeItemRemoved:    ItemRemoved{Item: "parser"},
	TypeItemStarted:    ItemStarted{Item: "parser", Run: "01JH4Z9QW3E8N5T7V2X0Y6P4F2"},
	TypeItemEnded:      ItemEnded{Item: "parser", Run: "01JH4Z9QW3E8N5T7V2X0Y6P4F2", End: ItemLost, Detail: sampleRef("67")},
	TypeItemRetried:    ItemRetried{Item: "parser"},
	TypeBlockerFound:   BlockerFound{Blocker: "issue-7", Done: true},
	TypeLandingStarted: LandingStarted{Items: []Name{"parser", "printer"}, Run: "01JH4Z9QW3E8N5T7V2X0Y6P4F3"},
	TypeLandingEnded: LandingEnded{
		Items: []Name{"parser"}, Run: "01JH4Z9QW3E8N5T7V2X0Y6P4F3", End: Landed, Commit: "9fceb02d0ae598e95dc970b74767f19372d61af8", Detail: sampleRef("68"),
	},
	TypeIterationRecorded: IterationRecorded{
		Phase: "work", Iteration: 2, Attempt: 1, Verdict: Fail, Fingerprint: string(sampleRef("41")),
		Signature: string(sampleRef("42")), Tree: sampleTree("03"), Work: sampleTree("04"), Files: 7, Again: true,
	},
	TypeResourcesJudged: ResourcesJudged{
		Policy: "signals", Verdict: "warn", Before: "green", Slots: 2, By: "verdict", Axis: "memory", Signal: Pressure{Of: "memory_available_bytes", Value: 3221225472, Limit: 4294967296}, Reading: sampleRef("36"),
	},
	TypeRunSuspended:  RunSuspended{MS: 28800000},
	TypeStopRequested: StopRequested{Mode: StopAfterIteration, Reason: HaltClaimLost, By: sampleRef("b3")},
	TypeRunHalted: RunHalted{
		Reason: HaltSameness, Phase: "work", Iteration: 4, Gate: "test", Iterations: []int{3, 4},
		Value: string(sampleRef("41")), Files: sampleRef("51"), Question: sampleRef("52"), Error: sampleRef("53"), Limit: 50, Used: 51, Of: 52,
		Account: "3f2a9d1c5b7e8046", Cause: "01JH4Z9QW3E8N5T7V2X0Y6P4F3", UntilMS: 1893470400000, By: sampleRef("54"), Head: sampleHead,
		Bound: "memory", Signal: Pressure{Of: "memory_available_bytes", Value: 1073741824, Limit: 2147483648}, Tree: sampleTree("05"),
	},
	TypeConfigTrusted: ConfigTrusted{
		Repository: "5e2b9d7714c0a8f3", Config: sampleRef("81"), File: sampleRef("82"), Assurance: AssuredTTY,
	},
	TypeWorkspaceRestored: WorkspaceRestored{
		Run: "01JH4Z9QW3E8N5T7V2X0Y6P4F2", Project: "5e2b9d7714c0a8f3", To: "2", Tree: sampleTree("02"),
		Before: sampleTree("03"), Kept: "before-2",
	},
	TypeRunErased:   RunErased{Run: "01JH4Z9QW3E8N5T7V2X0Y6P4F2", Texts: 12, Assurance: AssuredTTY},
	TypeTextsPruned: TextsPruned{BeforeMS: 1893470400000, Runs: 31, Texts: 480},
	TypeWorktreePruned: WorktreePruned{
		Project: "0f1e2d3c4b5a6978", Repository: "8796a5b4c3d2e1f0", Salvage: "01JH4Z9QW3E8N5T7V2X0Y6A1B0", Tree: Tree(strings.Repeat("ab", 20)),
		Commit: strings.Repeat("cd", 20), Branch: Ref(strings.Repeat("ef", 32)), Directory: Ref(strings.Repeat("01", 32)),
	},
	TypeLogRolled:      LogRolled{From: 1, To: 2, Bundle: Digest(sampleRef("91")), Runs: 31, Events: 940, Carried: 58},
	TypeBundleImported: BundleImported{Bundle: Digest(sampleRef("92")), Runs: 2, Events: 61},
	TypeRunResumed: RunResumed{
		Note: sampleRef("61"), Findings: sampleRef("62"), Count: 2, Phase: "plan", Assurance: AssuredPIN, Changed: sampleRef("63"),
		Moved: HeadMove{From: Head{Commit: "d1", Branch: sampleRef("64")}, To: Head{Commit: "d2", Branch: sampleRef("65")}}, Git: sampleRef("66"),
	},
	TypeRunEnded: RunEnded{
		State: EndRefused, Iteration: 1, Tree: sampleTree("01"), Gate: "test", Reason: RefusedGoalGreen, Error: sampleRef("71"),
	},
}

var sampleHead = Head{Commit: string(sampleTree("06")), Branch: sampleRef("55")}

func sampleTree(first string) Tree { return Tree(first + strings.Repeat("0", 40-len(first))) }

func must[T any](v T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
