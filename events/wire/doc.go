// Package wire is what clients and the daemon say to each other: verbs, their
// bodies, reply frames and error codes. It does no I/O.
//
// A request is one NATS message on ap.cmd.<C>.<verb>, where C is the client's
// own random name. Its payload is the JSON body of the verb, its headers carry
// the request id and the client's version. A reply is one or more frames on
// the client's inbox: each has a frame number from 1; the last has a code.
//
// A stream sends at most as many frames as the client gave credit for: 32 at
// the start, more through the verb credit.
package wire

import "time"

// Headers of requests and frames.
const (
	HeaderRequest = "Ap-Request" // ULID of the request; a repeated one gets the first answer
	HeaderVersion = "Ap-Version" // version of who sent it
	HeaderFrame   = "Ap-Frame"   // 1, 2, 3 ... within the reply
	HeaderCode    = "Ap-Code"    // on the last frame only
	HeaderMessage = "Ap-Message" // with a code other than ok
	HeaderHint    = "Ap-Hint"    // what to do next
	HeaderWriter  = "Ap-Writer"  // with the code conflict: who works in the work tree, a JSON object
	HeaderCursor  = "Ap-Cursor"  // with the code cursor-expired: the oldest place there is
)

// Bounds of the protocol.
const (
	MaxFrame      = 256 << 10 // bytes of payload in one frame
	MaxBody       = 64 << 10  // bytes of a request; larger texts go through blob.put first
	InitialCredit = 32        // frames that a stream may send at first
	CreditTimeout = 30 * time.Second
)

// Class says who may use a verb.
type Class string

// Everyone reads; processes of the user that no effect started operate; what a
// person has to decide is asked by such a process too, and its handler proves
// the person.
const (
	Read    Class = "read"
	Operate Class = "operate"
	Decide  Class = "decide" // a proven person
)

// Verb is one command of the daemon.
type Verb struct {
	Name   string // subject tokens after ap.cmd.<C>.
	Class  Class
	Stream bool // answers with frames until done or the client leaves
}

// The verbs.
var (
	Credit       = Verb{Name: "credit", Class: Read}
	BlobPut      = Verb{Name: "blob.put", Class: Operate}
	RunStart     = Verb{Name: "run.start", Class: Operate}
	RunPreview   = Verb{Name: "run.preview", Class: Operate}
	RunList      = Verb{Name: "run.list", Class: Read}
	RunGet       = Verb{Name: "run.get", Class: Read}
	RunWhy       = Verb{Name: "run.why", Class: Read}
	RunWatch     = Verb{Name: "run.watch", Class: Read, Stream: true}
	RunEvents    = Verb{Name: "run.events", Class: Read, Stream: true}
	RunLogs      = Verb{Name: "run.logs", Class: Read, Stream: true}
	RunDiff      = Verb{Name: "run.diff", Class: Read, Stream: true}
	RunStop      = Verb{Name: "run.stop", Class: Operate}
	RunCancel    = Verb{Name: "run.cancel", Class: Operate}
	RunResume    = Verb{Name: "run.resume", Class: Operate}
	RunRestore   = Verb{Name: "run.restore", Class: Operate}
	RunReplay    = Verb{Name: "run.replay", Class: Read, Stream: true}
	ConfigShow   = Verb{Name: "config.show", Class: Read}
	ConfigSet    = Verb{Name: "config.set", Class: Operate}
	TrustShow    = Verb{Name: "trust.show", Class: Read}
	TrustGive    = Verb{Name: "trust.give", Class: Decide}
	AgentList    = Verb{Name: "agent.list", Class: Operate}
	ProjectFind  = Verb{Name: "project.find", Class: Operate} // asks the programs of agents for their versions
	GateTry      = Verb{Name: "gate.try", Class: Operate, Stream: true}
	Doctor       = Verb{Name: "doctor", Class: Operate}
	NotifyTest   = Verb{Name: "notify.test", Class: Operate}
	Verify       = Verb{Name: "verify", Class: Read}
	ReportMade   = Verb{Name: "report", Class: Read}
	InboxList    = Verb{Name: "inbox", Class: Read}
	StatusLine   = Verb{Name: "status.line", Class: Read}
	DaemonStatus = Verb{Name: "daemon.status", Class: Read}
	DaemonStop   = Verb{Name: "daemon.stop", Class: Operate}
)

// Verbs lists every verb once.
func Verbs() []Verb {
	return []Verb{
		Credit, BlobPut, RunStart, RunPreview, RunList, RunGet, RunWhy, RunWatch, RunEvents,
		RunLogs, RunDiff, RunStop, RunCancel, RunResume, RunRestore, RunReplay, Retro, ConfigShow, ConfigSet,
		TrustShow, TrustGive, AgentList, AgentClassify, AgentSandbox, ProjectFind, GateTry, Doctor, NotifyTest, Verify, DaemonStatus, DaemonStop,
		UsageShow, ProbeShow, ProbeLaunch, RunQuestion, RunAnswer, PINStatus, PINSet,
		SessionJoin, SessionNext, SessionSubmit, SessionAsk, SessionAnswer, SessionLeave, SessionHook,
		PeerList, PeerCheck, PeerJoin, PeerLeave, PeerSend, PeerRead,
		WorktreeAsk,
		ReportMade, InboxList, StatusLine,
		PeerClaims, PeerTake, PeerDrop, PeerForce, WorktreeList, WorktreePrune,
		WorkflowList, WorkflowLint, WorkflowGraph, WorkflowSchema, WorkflowSuggest, WorkflowNew,
		ArchiveList, ArchiveRoll, ArchivePrune, ArchiveErase, ArchiveExport, ArchiveImport,
		CompatAtdd,
	}
}
