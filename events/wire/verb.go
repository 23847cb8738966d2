package wire

// Class says which callers may use a verb.
type Class string

// Every caller may read. Processes of the user that no effect started may operate.
// Decisions come from such a process too, and the handler proves the person.
const (
	Read    Class = "read"
	Operate Class = "operate"
	Decide  Class = "decide" // a proven person
)

// Trait sets a verb apart from the others of its class.
type Trait uint8

// The traits.
const (
	// Remote verbs serve clients on other hosts whose key has the class. All others serve
	// the host alone. Some take files, programs, environment or the terminal of the
	// caller. Some end the daemon, and a remote client could not start it again. All
	// decisions are local, as the network proves no person.
	Remote Trait = 1 << iota
	Slow         // takes any time: clients set no deadline
	Idle         // keeps no daemon from its idle end: a frequent call, or an end
	Exact        // read by ReadExactly: unknown and repeated members are refused
)

// Spec holds what clients, doors and docs know of a verb besides its bodies.
type Spec struct {
	Name   string // subject tokens after ap.cmd.<C>.
	Class  Class
	Stream bool // answers with frames until done or the client leaves
	Traits Trait
}

// Has reports whether the verb has the trait.
func (s Spec) Has(t Trait) bool { return s.Traits&t != 0 }

// Verb is a command of the daemon that answers a request Q with one A.
type Verb[Q, A any] struct{ Spec }

// Stream is a command of the daemon that answers a request Q with frames F. It ends when
// it is done or the client leaves. Frames of type Raw are pieces of one text.
type Stream[Q, F any] struct{ Spec }

func verb[Q, A any](name string, c Class, traits ...Trait) Verb[Q, A] {
	return Verb[Q, A]{spec(name, c, false, traits)}
}

func stream[Q, F any](name string, c Class, traits ...Trait) Stream[Q, F] {
	return Stream[Q, F]{spec(name, c, true, traits)}
}

func spec(name string, c Class, stream bool, traits []Trait) Spec {
	s := Spec{Name: name, Class: c, Stream: stream}
	for _, t := range traits {
		s.Traits |= t
	}
	return s
}

// None is the body of a request or an answer without content.
type None = struct{}

// Raw is a piece of a text.
type Raw []byte

// Credit lets a stream send more frames. The transport answers it, so it is neither a
// Verb nor a Stream.
var Credit = spec("credit", Read, false, []Trait{Remote})

// The verbs. A released verb keeps its name and class.
var (
	BlobPut = verb[BlobChunk, BlobReply]("blob.put", Operate)

	RunStart    = verb[StartRequest, RunView]("run.start", Operate)
	RunPreview  = verb[StartRequest, Preview]("run.preview", Operate)
	RunProgress = verb[ProgressRequest, ProgressView]("run.progress", Read)
	RunList     = verb[ListRequest, ListReply]("run.list", Read, Remote)
	RunGet      = verb[RunRef, RunView]("run.get", Read, Remote)
	RunWhy      = verb[RunRef, WhyView]("run.why", Read, Remote)
	RunWatch    = stream[WatchRequest, WatchFrame]("run.watch", Read, Remote)
	RunEvents   = stream[EventsRequest, EventFrame]("run.events", Read, Remote)
	RunLogs     = stream[LogsRequest, LogFrame]("run.logs", Read, Remote)
	RunDiff     = stream[DiffRequest, Raw]("run.diff", Read, Remote)
	RunStop     = verb[StopRequest, StopReply]("run.stop", Operate, Remote)
	RunCancel   = verb[StopRequest, StopReply]("run.cancel", Operate, Remote)
	RunResume   = verb[ResumeRequest, RunView]("run.resume", Operate, Remote)
	RunRestore  = verb[RestoreRequest, RestoreView]("run.restore", Operate, Remote)
	RunAccept   = verb[AcceptRequest, AcceptView]("run.accept", Operate, Slow)
	RunDiscard  = verb[DiscardRequest, DiscardView]("run.discard", Operate, Slow)
	RunReplay   = stream[ReplayRequest, Raw]("run.replay", Read, Remote)
	RunRetro    = stream[RetroRequest, Raw]("run.retro", Read, Remote)
	RunQuestion = verb[QuestionRequest, RunView]("run.question", Operate)
	RunAnswer   = verb[AnswerRequest, RunView]("run.answer", Decide)

	ConfigShow = verb[ConfigRequest, ConfigView]("config.show", Read)
	ConfigSet  = verb[ConfigSetRequest, ConfigView]("config.set", Operate)
	TrustShow  = verb[TrustRequest, TrustView]("trust.show", Read)
	TrustGive  = verb[TrustRequest, TrustView]("trust.give", Decide)
	PINStatus  = verb[None, PINView]("pin.status", Read)
	PINSet     = verb[PINRequest, PINView]("pin.set", Decide)

	AgentList     = verb[AgentRequest, AgentsView]("agent.list", Operate)
	AgentClassify = verb[ClassifyRequest, OutcomeView]("agent.classify", Read)
	AgentSandbox  = verb[SandboxRequest, SandboxView]("agent.sandbox", Operate)
	ProjectFind   = verb[ProjectRequest, ProjectView]("project.find", Operate) // asks the programs of agents for their versions
	GateTry       = stream[GateTryRequest, GateTryFrame]("gate.try", Operate)

	Doctor     = verb[DoctorRequest, DoctorView]("doctor", Operate)
	NotifyTest = verb[NotifyTestRequest, NotifyView]("notify.test", Operate, Remote)
	Verify     = verb[VerifyRequest, VerifyReply]("verify", Read, Remote, Slow)
	UsageShow  = verb[UsageRequest, UsageReport]("usage.show", Read, Remote)
	ProbeShow  = verb[ProbeRequest, ProbeView]("probe.show", Read)
	// ProbeLaunch is for sessions that start their own agents.
	ProbeLaunch = verb[LaunchRequest, LaunchView]("probe.launch", Read)

	ReportMake = verb[ReportRequest, ReportView]("report", Read, Remote)
	InboxList  = verb[InboxRequest, InboxView]("inbox", Read, Remote)
	StatusLine = verb[LineRequest, LineView]("status.line", Read, Remote, Idle)

	DaemonStatus = verb[None, DaemonView]("daemon.status", Read, Remote)
	DaemonStop   = verb[DaemonStopRequest, DaemonView]("daemon.stop", Operate, Idle)

	SessionJoin   = verb[SessionJoinRequest, SessionView]("session.join", Operate, Slow)
	SessionNext   = verb[SessionNextRequest, SessionView]("session.next", Operate, Slow)
	SessionSubmit = verb[SessionSubmitRequest, SessionView]("session.submit", Operate)
	SessionAsk    = verb[SessionAskRequest, SessionView]("session.ask", Operate, Exact)
	SessionAnswer = verb[SessionAnswerRequest, SessionView]("session.answer", Operate, Exact)
	SessionLeave  = verb[RunRef, SessionView]("session.leave", Operate)
	SessionHook   = verb[HookRequest, HookView]("session.hook", Operate, Idle)

	PeerList      = verb[PeersRequest, PeersView]("peer.list", Read)
	PeerCheck     = verb[PeerJoinRequest, PeerCheckView]("peer.check", Read)
	PeerJoin      = verb[PeerJoinRequest, PeerCheckView]("peer.join", Operate)
	PeerLeave     = verb[None, None]("peer.leave", Operate)
	PeerSend      = verb[PeerSendRequest, PeerSentView]("peer.send", Operate)
	PeerRead      = verb[PeerReadRequest, PeerMailView]("peer.read", Operate)
	PeerClaims    = verb[ClaimsRequest, ClaimsView]("peer.claims", Read)
	PeerTake      = verb[ClaimRequest, ClaimsView]("peer.take", Operate)
	PeerDrop      = verb[ClaimRequest, ClaimsView]("peer.drop", Operate)
	PeerForce     = verb[ClaimRequest, ClaimsView]("peer.force", Decide)
	WorktreeAsk   = verb[WorktreeRequest, WorktreeSettings]("worktree.ask", Read)
	WorktreeList  = verb[WorktreesRequest, WorktreesView]("worktree.list", Read)
	WorktreePrune = verb[WorktreePruneRequest, WorktreesView]("worktree.prune", Operate)

	QueueNew    = verb[QueueNewRequest, QueueView]("queue.new", Operate)
	QueueAdd    = verb[QueueAddRequest, QueueView]("queue.add", Operate)
	QueueList   = verb[QueueListRequest, QueuesView]("queue.list", Read)
	QueueShow   = verb[QueueRef, QueueView]("queue.show", Read)
	QueueOpen   = verb[QueueOpenRequest, QueueView]("queue.open", Operate)
	QueuePause  = verb[QueueRef, QueueView]("queue.pause", Operate)
	QueueRemove = verb[QueueItemRequest, QueueView]("queue.remove", Operate)
	QueueRetry  = verb[QueueItemRequest, QueueView]("queue.retry", Operate)

	WorkflowList    = verb[WorkflowRequest, WorkflowsView]("workflow.list", Read)
	WorkflowLint    = verb[WorkflowTextRequest, LintView]("workflow.lint", Read)
	WorkflowGraph   = verb[WorkflowTextRequest, GraphView]("workflow.graph", Read)
	WorkflowSchema  = verb[None, WorkflowSchemaView]("workflow.schema", Read, Remote)
	WorkflowSuggest = verb[SuggestRequest, SuggestionView]("workflow.suggest", Read)
	WorkflowNew     = verb[WorkflowRequest, WorkflowsView]("workflow.new", Operate)

	ArchiveList   = verb[None, ArchiveView]("archive.list", Read, Remote)
	ArchiveRoll   = verb[RollRequest, RollView]("archive.roll", Operate)
	ArchivePrune  = verb[PruneRequest, PruneView]("archive.prune", Operate, Remote, Slow)
	ArchiveErase  = verb[EraseRequest, EraseView]("archive.erase", Decide, Slow)
	ArchiveExport = stream[ExportRequest, Raw]("archive.export", Read, Remote)
	ArchiveImport = verb[ImportRequest, ImportView]("archive.import", Operate, Slow)
	CompatAtdd    = stream[AtddRequest, AtddPiece]("compat.atdd", Read)
)

// Verbs lists every verb once.
func Verbs() []Spec {
	return []Spec{
		Credit,
		BlobPut.Spec,
		RunStart.Spec, RunPreview.Spec, RunProgress.Spec, RunList.Spec, RunGet.Spec, RunWhy.Spec, RunWatch.Spec, RunEvents.Spec, RunLogs.Spec,
		RunDiff.Spec, RunStop.Spec, RunCancel.Spec, RunResume.Spec, RunRestore.Spec, RunAccept.Spec, RunDiscard.Spec, RunReplay.Spec, RunRetro.Spec, RunQuestion.Spec,
		RunAnswer.Spec,
		ConfigShow.Spec, ConfigSet.Spec, TrustShow.Spec, TrustGive.Spec, PINStatus.Spec, PINSet.Spec,
		AgentList.Spec, AgentClassify.Spec, AgentSandbox.Spec, ProjectFind.Spec, GateTry.Spec,
		Doctor.Spec, NotifyTest.Spec, Verify.Spec, UsageShow.Spec, ProbeShow.Spec, ProbeLaunch.Spec,
		ReportMake.Spec, InboxList.Spec, StatusLine.Spec,
		DaemonStatus.Spec, DaemonStop.Spec,
		SessionJoin.Spec, SessionNext.Spec, SessionSubmit.Spec, SessionAsk.Spec, SessionAnswer.Spec, SessionLeave.Spec, SessionHook.Spec,
		PeerList.Spec, PeerCheck.Spec, PeerJoin.Spec, PeerLeave.Spec, PeerSend.Spec, PeerRead.Spec, PeerClaims.Spec, PeerTake.Spec,
		PeerDrop.Spec, PeerForce.Spec, WorktreeAsk.Spec, WorktreeList.Spec, WorktreePrune.Spec,
		QueueNew.Spec, QueueAdd.Spec, QueueList.Spec, QueueShow.Spec, QueueOpen.Spec, QueuePause.Spec, QueueRemove.Spec, QueueRetry.Spec,
		WorkflowList.Spec, WorkflowLint.Spec, WorkflowGraph.Spec, WorkflowSchema.Spec, WorkflowSuggest.Spec, WorkflowNew.Spec,
		ArchiveList.Spec, ArchiveRoll.Spec, ArchivePrune.Spec, ArchiveErase.Spec, ArchiveExport.Spec, ArchiveImport.Spec, CompatAtdd.Spec,
	}
}
