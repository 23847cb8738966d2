package events

// The events of a run, in the order in which an ordinary run shows them.
// Fields that end in Ref, and all of type Ref, name a blob.
const (
	TypeRunStarted        = "run.started.v1"
	TypeGatesStarted      = "gates.started.v1"
	TypeGatesJudged       = "gates.judged.v1"
	TypeIterationStarted  = "iteration.started.v1"
	TypeAgentEnded        = "agent.ended.v1"
	TypeIterationRecorded = "iteration.recorded.v1"
	TypeRunSuspended      = "run.suspended.v1"
	TypeLimitWaiting      = "limit.waiting.v1"
	TypeLimitLifted       = "limit.lifted.v1"
	TypeStopRequested     = "stop.requested.v1"
	TypeRunHalted         = "run.halted.v1"
	TypeRunResumed        = "run.resumed.v1"
	TypeRunEnded          = "run.ended.v1"
)

// RunStarted is the first event of a run. All that shapes the run is in it or
// in blobs that it names, so an upgrade or an edit changes nothing for a run
// that has begun.
type RunStarted struct {
	Handle    string    `json:"handle"`    // shortest suffix of the id that was free, lower case, at least 4
	Owner     string    `json:"owner"`     // actor that asked for it
	Home      string    `json:"home"`      // host id of the daemon that runs it
	Project   string    `json:"project"`   // workspace id: 16 hex of the SHA-256 of its real path
	Workspace Ref       `json:"workspace"` // its real path
	Task      Ref       `json:"task"`
	Workflow  Name      `json:"workflow"`
	Phase     Name      `json:"phase"`           // the first phase
	Source    Ref       `json:"source"`          // the workflow's YAML
	Prompts   Ref       `json:"prompts"`         // its templates, by file: a JSON object
	Spec      Ref       `json:"spec"`            // a stored.Spec
	Ignore    Ref       `json:"ignore"`          // frozen ignore rules
	Config    Ref       `json:"config,omitzero"` // the project's configuration file, as it was trusted
	Env       Ref       `json:"env"`             // names and value hashes of the environment
	Tools     Ref       `json:"tools"`           // pinned PATH, resolved tools and their hashes
	Pins      Ref       `json:"pins"`            // pinned paths with their object ids
	Gates     []Gate    `json:"gates"`
	Limits    Limits    `json:"limits"`
	Priority  Priority  `json:"priority,omitzero"` // among those that wait for the machine: -1 low, 1 high
	Start     Start     `json:"start,omitzero"`
	Driver    Driver    `json:"driver,omitzero"`   // who does the work; empty is an agent of the daemon
	Answers   Assurance `json:"answers,omitzero"`  // session: the chat that drives it may answer its gates
	Handoff   string    `json:"handoff,omitzero"`  // actor: the person who started it, and handed its approvals over
	Findings  Ref       `json:"findings,omitzero"` // that a person handed over, for the first work
	Count     int       `json:"count,omitzero"`    // of them
	Agent     Name      `json:"agent,omitzero"`    // profile; empty for a command or script of the user
	Account   string    `json:"account,omitzero"`  // id of the account aggregate that the agent works on
	Crews     []Crew    `json:"crews,omitzero"`    // of the roles whose agents the workflow names
	Idle      []Name    `json:"idle,omitzero"`     // phases in which nobody works
	Proves    []Name    `json:"proves,omitzero"`   // phases that the gates of the run judge
	Budgets   []Budget  `json:"budgets,omitzero"`  // of several phases, of those in which somebody works
	Head      string    `json:"head,omitzero"`     // commit of the workspace, empty before the first
	Issue     int       `json:"issue,omitzero"`    // number of the issue that it is about; its repository is in Spec
	Branch    Ref       `json:"branch,omitzero"`   // of a work tree that was made for the run
	From      string    `json:"from,omitzero"`     // workspace id of the work tree that it was made from
	Dirty     bool      `json:"dirty,omitzero"`
	Git       Ref       `json:"git,omitzero"`    // state of the repository, as rule.GitState writes it
	Nested    int       `json:"nested,omitzero"` // repositories in the workspace: their files are recorded, their index and branches are not
	Tree      Tree      `json:"tree"`
	Work      Tree      `json:"work"`              // Tree without note paths
	Version   string    `json:"version"`           // of the daemon
	Holdout   Ref       `json:"holdout,omitzero"`  // held-out gates and where their files are, as JSON; for people only
	InSight   bool      `json:"in_sight,omitzero"` // nothing hides the held-out files from agents
	Series    Series    `json:"series,omitzero"`   // of a run whose iterations are whole sessions
	// Language is that of texts to people, as the workflow has it.
	Language Language `json:"language,omitzero"`
	Land     Land     `json:"land,omitzero"` // of a run that lands the work of others
}

// Land is what a landing run brings onto a branch, and what its gates judge.
type Land struct {
	Of     []string `json:"of,omitzero"`     // ids of the runs whose work it is
	Onto   string   `json:"onto,omitzero"`   // tip of the target at the start; empty where there was no such branch
	Commit string   `json:"commit,omitzero"` // the work on top of that tip
}

// Gate declares one gate of a run.
type Gate struct {
	Name  Name     `json:"name"`
	Kind  GateKind `json:"kind"`
	Role  GateRole `json:"role"`
	Phase Name     `json:"phase,omitzero"` // that alone has it; empty for one that the run brought along
	Roles []Name   `json:"roles,omitzero"` // who look, one behind the other
	Most  int      `json:"most,omitzero"`  // interview: rounds, and of ambiguity percent
	Clear int      `json:"clear,omitzero"`

	Handoff bool `json:"handoff,omitzero"` // approval: who starts the run may hand it over
}

// Limits end a run. Zero is no limit.
type Limits struct {
	Iterations int   `json:"iterations"`
	ActiveMS   int64 `json:"active_ms,omitzero"` // --for: excludes time that the host slept or the run waited for a provider
	UntilMS    int64 `json:"until_ms,omitzero"`  // --until: Unix milliseconds, wall clock
	Tokens     int64 `json:"tokens,omitzero"`    // --max-tokens: of all kinds
	MicroUSD   int64 `json:"micro_usd,omitzero"` // --max-usd: millionths of a dollar
	Turns      int   `json:"turns,omitzero"`     // --max-turns: of the agent, over all iterations
	NoWait     bool  `json:"no_wait,omitzero"`   // --no-wait: halt instead of waiting for a limit

	// Of one process tree, in effect: -1 is no limit, 0 is not known.
	IdleMS    int64 `json:"idle_ms,omitzero"`    // --idle: an agent without a sign of life
	AttemptMS int64 `json:"attempt_ms,omitzero"` // --iteration-timeout: one agent
	GateMS    int64 `json:"gate_ms,omitzero"`    // --gate-timeout: one command of a gate
}

// EffectRef ties a gate to the effect that runs it.
type EffectRef struct {
	Gate   Name   `json:"gate"`
	Effect string `json:"effect"`
}

// GatesStarted announces the gates of an iteration, of the baseline at iteration
// 0, or of what a phase needs at its entry.
type GatesStarted struct {
	Phase     Name        `json:"phase"`
	Iteration int         `json:"iteration"`
	Entry     bool        `json:"entry,omitzero"`
	Effects   []EffectRef `json:"effects"`
}

// Head is where the HEAD of a work tree is. The zero value is not known.
type Head struct {
	Commit string `json:"commit,omitzero"` // empty before the first
	Branch Ref    `json:"branch,omitzero"` // its full name; empty off a branch
}

// HeadMove is from where to where somebody else has moved HEAD. The zero value is no
// move.
type HeadMove struct {
	From Head `json:"from"`
	To   Head `json:"to"`
}

// GatesJudged holds every gate result of an iteration, or of the baseline.
type GatesJudged struct {
	Phase     Name         `json:"phase"`
	Iteration int          `json:"iteration"`
	Entry     bool         `json:"entry,omitzero"` // of what the phase needs to begin
	Results   []GateResult `json:"results"`
	Tree      Tree         `json:"tree"` // as the gates left it
	Work      Tree         `json:"work"`
	Head      Head         `json:"head,omitzero"`     // where it is after them
	Git       Ref          `json:"git,omitzero"`      // state of the repository after them
	Created   Ref          `json:"created,omitzero"`  // files that gates of this run made, as they left them: left out of its trees
	Repeated  bool         `json:"repeated,omitzero"` // the tree changed under the gates, so they ran twice
	Checkout  Checkout     `json:"checkout,omitzero"` // where the results come from
	Added     Ref          `json:"added,omitzero"`    // of a pass: what the work added that is told beside the verdict, as JSON
	Foreign   ForeignSeen  `json:"foreign,omitzero"`  // recorded files that another program or person changed while the gates ran
}

// GateResult is the verdict of one gate and its evidence.
type GateResult struct {
	Gate       Name     `json:"gate"`
	Kind       GateKind `json:"kind"`
	Role       GateRole `json:"role"`
	Verdict    Verdict  `json:"verdict"`
	Reason     Reason   `json:"reason"`
	Exit       int      `json:"exit"` // exit code of the command, -1 without one
	DurationMS int64    `json:"duration_ms"`
	Failing    int      `json:"failing,omitzero"`     // failing tests that the parser found
	FailingIDs Ref      `json:"failing_ids,omitzero"` // their ids, sorted, one a line
	FailingSum string   `json:"failing_sum,omitzero"` // SHA-256 of those ids
	OutputSum  string   `json:"output_sum,omitzero"`  // SHA-256 of the normalised output
	Shape      string   `json:"shape,omitzero"`       // SHA-256 of the same without where in files it is: a line more above moves nothing
	Excerpt    Ref      `json:"excerpt,omitzero"`     // what goes into the next prompt, up to 8 KiB
	Files      Ref      `json:"files,omitzero"`       // paths that the verdict names, one a line
	Held       Ref      `json:"held,omitzero"`        // holdout: what it printed, for people only
	Effect     string   `json:"effect,omitzero"`
	Argv       string   `json:"argv,omitzero"`      // SHA-256 of the argv, NUL between words
	Env        string   `json:"env,omitzero"`       // SHA-256 of the environment
	Elsewhere  Verdict  `json:"elsewhere,omitzero"` // of a goal that is red at the baseline: what it says in the user's own environment
	Set        string   `json:"set,omitzero"`       // SHA-256 of what the gate is about, for those who look or answer
	Control    string   `json:"control,omitzero"`   // red: SHA-256 of what its control run was about
	Evidence   Ref      `json:"evidence,omitzero"`  // red: what was seen red and what came after it, as a list of stored.RedRow
	Used       int64    `json:"used,omitzero"`      // session: what was compared with Limit: a count, seconds, or planned issues of Of
	Of         int64    `json:"of,omitzero"`
	Limit      int64    `json:"limit,omitzero"`   // of a timeout in milliseconds
	Tool       string   `json:"tool,omitzero"`    // SHA-256 of the program that the first word resolved to
	Refused    int      `json:"refused,omitzero"` // requests of its processes to the daemon that they may not make
	Rate       Rate     `json:"rate,omitzero"`    // repeat, flaky, red: of a command that runs more than once
	After      Rate     `json:"after,omitzero"`   // red: the same of its control run, with the work
	Tests      Executed `json:"tests,omitzero"`   // what the output says of its tests
	Ran        Ref      `json:"ran,omitzero"`     // the same with ids: a rule.Tests as JSON
}

// Executed is how many tests an output says were executed or skipped. The zero value
// says nothing.
type Executed struct {
	Passed  int  `json:"passed"`
	Failed  int  `json:"failed,omitzero"`
	Skipped int  `json:"skipped,omitzero"`
	Named   bool `json:"named,omitzero"` // each of them by its name
}

// Rate is how many runs of one command, one behind the other, failed.
type Rate struct {
	Failed int `json:"failed"`
	Runs   int `json:"runs"`
}

// IterationStarted announces an agent: the effect is started after it is
// stored.
type IterationStarted struct {
	Phase     Name   `json:"phase"`
	Iteration int    `json:"iteration"` // 1, 2, 3 ... within the phase
	Attempt   int    `json:"attempt"`   // 1, and one more for each loss or no-op
	Effect    string `json:"effect"`
	Prompt    Ref    `json:"prompt"`
	Tree      Tree   `json:"tree"` // where it starts from
	Work      Tree   `json:"work"`
	WallMS    int64  `json:"wall_ms"` // deadline of activity
	IdleMS    int64  `json:"idle_ms"` // longest time without a sign of life

	Session  string `json:"session,omitzero"`   // of the agent program, chosen before its start or gone on in
	Resumes  bool   `json:"resumes,omitzero"`   // goes on in that session
	Tokens   int64  `json:"tokens,omitzero"`    // that it may use at most; zero is no limit
	MicroUSD int64  `json:"micro_usd,omitzero"` // that it may cost at most
	Turns    int    `json:"turns,omitzero"`     // that it may take at most
	Capped   bool   `json:"capped,omitzero"`    // it is told how many sub-agents the machine bears
	Cap      int    `json:"cap,omitzero"`       // so many

	// Of the crew of its role; absent where the run's own agent is at work.
	Agent   Name   `json:"agent,omitzero"`   // profile
	Level   int    `json:"level,omitzero"`   // of the profile in its crew, from 1
	Account string `json:"account,omitzero"` // id of the account aggregate that it works on

	Warned Warning `json:"warned,omitzero"` // of what its prompt warns
}

// Warning says that a prompt asks for another approach.
type Warning struct {
	Rail  Halt `json:"rail,omitzero"`  // that halts next: sameness, stuck or signature
	Times int  `json:"times,omitzero"` // the failure was the same, the latest included
	First int  `json:"first,omitzero"` // iteration of it
	Halts int  `json:"halts,omitzero"` // of how many times halt; zero: none do
}

// Usage is what an agent used, as far as that is known. The kinds of tokens do
// not overlap.
type Usage struct {
	Input      int64  `json:"input,omitzero"`
	CacheRead  int64  `json:"cache_read,omitzero"`
	CacheWrite int64  `json:"cache_write,omitzero"`
	Output     int64  `json:"output,omitzero"`
	TokensFrom Source `json:"tokens_from,omitzero"`
	MicroUSD   int64  `json:"micro_usd,omitzero"` // cost, in millionths of a dollar
	CostFrom   Source `json:"cost_from,omitzero"`
	Prices     string `json:"prices,omitzero"` // date of the price table that a cost was computed from
	Turns      int    `json:"turns,omitzero"`
}

// Tokens is the sum of all kinds.
func (u Usage) Tokens() int64 { return u.Input + u.CacheRead + u.CacheWrite + u.Output }

// Signal is what one source says of the end of an agent.
type Signal struct {
	By     SignalSource `json:"by"`
	Result Result       `json:"result"`
}

// Asks is what the question of an agent asks for; the zero value asks nobody.
type Asks struct {
	Kind        QuestionKind `json:"kind,omitzero"` // choice or text
	Options     int          `json:"options,omitzero"`
	Recommended int          `json:"recommended,omitzero"` // from 1
	Class       Name         `json:"class,omitzero"`       // as the workflow wants it
}

// Gauge says how much of a limit was used when its provider spoke of it last. The zero
// value is a provider that says nothing.
type Gauge struct {
	Window  Name  `json:"window,omitzero"` // five_hour, seven_day ...
	Percent int   `json:"percent"`         // at most 100
	ResetMS int64 `json:"reset_ms,omitzero"`
}

// AgentEnded says how an agent ended and what tree it left.
type AgentEnded struct {
	Phase       Name    `json:"phase"`
	Iteration   int     `json:"iteration"`
	Attempt     int     `json:"attempt"`
	Effect      string  `json:"effect"`
	Outcome     Outcome `json:"outcome"`
	Exit        int     `json:"exit"` // -1 when it did not exit
	Signal      int     `json:"signal,omitzero"`
	DurationMS  int64   `json:"duration_ms"` // of activity
	OutputBytes int64   `json:"output_bytes,omitzero"`
	Truncated   bool    `json:"truncated,omitzero"` // the middle of the output was dropped
	Killed      int     `json:"killed,omitzero"`    // processes of its tree that had to be killed
	Left        int     `json:"left,omitzero"`      // processes that could not be ended
	Excerpt     Ref     `json:"excerpt,omitzero"`   // last output
	Fault       Ref     `json:"fault,omitzero"`     // what its provider or its program said of a failure
	Claim       Claim   `json:"claim,omitzero"`     // of its result file: never a verdict
	Summary     Ref     `json:"summary,omitzero"`
	Question    Ref     `json:"question,omitzero"` // to a person, or why it is blocked
	Asks        Asks    `json:"asks,omitzero"`     // what that asks for
	Misasked    Ref     `json:"misasked,omitzero"` // why what it wanted to ask was no question
	Evidence    Ref     `json:"evidence,omitzero"` // what a session refers to: a JSON list, never a verdict
	Tree        Tree    `json:"tree"`              // recorded after the whole process tree was reaped
	Work        Tree    `json:"work"`
	Files       int     `json:"files"`               // changed against the start of the run
	Head        Head    `json:"head,omitzero"`       // where it is then
	Git         Ref     `json:"git,omitzero"`        // state of the repository then
	GitDenied   bool    `json:"git_denied,omitzero"` // it has done in git what the run does not allow

	// What everything that is known of the end together says; absent in events
	// that were stored before it was decided.
	Result    Result       `json:"result,omitzero"`
	By        SignalSource `json:"by,omitzero"`        // the source that decided
	Conflicts []Signal     `json:"conflicts,omitzero"` // signals that say otherwise
	Cut       Cut          `json:"cut,omitzero"`       // why the daemon ended its turn
	ResetMS   int64        `json:"reset_ms,omitzero"`  // when a limit ends: Unix milliseconds, as the provider says
	Gauge     Gauge        `json:"gauge,omitzero"`     // how full a limit is, as its provider said last
	Session   string       `json:"session,omitzero"`   // as the program said
	Model     string       `json:"model,omitzero"`     // as the program said, else as it was asked for
	Usage     Usage        `json:"usage,omitzero"`     // of this process alone
	Repeats   int          `json:"repeats,omitzero"`   // how often the tool that was used most was used with the same input
	Repeat    Ref          `json:"repeat,omitzero"`    // that tool and its input, if it was repeated often
	Pending   int          `json:"pending,omitzero"`   // background tasks that it left without an end
	Refused   int          `json:"refused,omitzero"`   // requests to the daemon that it may not make
	Redacted  int          `json:"redacted,omitzero"`  // secrets that were kept out of its output
	Sandbox   Sandbox      `json:"sandbox,omitzero"`   // that it ran in
	Lacking   []Name       `json:"lacking,omitzero"`   // what of its sandbox this host could not enforce
	LeftPIDs  []int        `json:"left_pids,omitzero"` // the first of Left

	SilentMS  int64         `json:"silent_ms,omitzero"`  // before its end: without output, or a file or transcript that changed
	Report    SessionReport `json:"report,omitzero"`     // what it says of how its session went
	BadReport Ref           `json:"bad_report,omitzero"` // why what it says of that could not be read
	Red       Ref           `json:"red,omitzero"`        // test commits that it says it saw fail: a JSON list, never a verdict
}

// IterationRecorded closes an iteration, before anything is decided on it.
type IterationRecorded struct {
	Phase       Name    `json:"phase"`
	Iteration   int     `json:"iteration"`
	Attempt     int     `json:"attempt"`
	Verdict     Verdict `json:"verdict"`              // pass, fail, or skipped for a no-op, which counts as no iteration
	Fingerprint string  `json:"fingerprint,omitzero"` // of a fail: rule.Fingerprint
	Signature   string  `json:"signature,omitzero"`   // the same without the tree, with the failure text
	Tree        Tree    `json:"tree"`
	Work        Tree    `json:"work"`
	Files       int     `json:"files"`
	Again       bool    `json:"again,omitzero"` // the agent changed nothing, so the gates ran once more on a tree that they had failed
}

// RunSuspended says how long the host slept while the run was live.
type RunSuspended struct {
	MS int64 `json:"ms"`
}

// LimitWaiting says that the run starts no agent before a time. It counts for
// no iteration, and not as activity.
type LimitWaiting struct {
	Cause   Limit    `json:"cause"`
	Account string   `json:"account,omitzero"`  // whose limit it is, else the user's own
	UntilMS int64    `json:"until_ms"`          // Unix milliseconds, wall clock
	ResetMS int64    `json:"reset_ms,omitzero"` // when the limit itself ends, before the runs' order and jitter
	Source  Source   `json:"source,omitzero"`   // of the time of the reset
	Place   int      `json:"place,omitzero"`    // in the line of runs that wait for the same, from 1
	Limit   int64    `json:"limit,omitzero"`    // the user's own limit: tokens, millionths of a dollar, turns or milliseconds
	Used    int64    `json:"used,omitzero"`     // of it
	By      Name     `json:"by,omitzero"`       // of the machine: what bounds its agents: verdict, memory, max, project; empty: other runs come first
	Signal  Pressure `json:"signal,omitzero"`   // and the worst one, or what of memory one more needs
}

// LimitLifted ends a wait before its time.
type LimitLifted struct{}

// StopRequested asks the run to stop.
type StopRequested struct {
	Mode   StopMode `json:"mode"`
	Reason Halt     `json:"reason,omitzero"` // of the halt that it leads to, if nobody asked for it
	By     Ref      `json:"by,omitzero"`     // claim-lost: who has the work tree; for people
}

// GoneRepository is the value of a workspace-gone halt whose directory is there, and
// whose repository is not, or not whole.
const GoneRepository = "repository"

// RunHalted is a stop with its evidence. A person may resume it.
type RunHalted struct {
	Reason     Halt     `json:"reason"`
	Phase      Name     `json:"phase"`
	Iteration  int      `json:"iteration"`
	Gate       Name     `json:"gate,omitzero"`       // the gate that settled it
	Iterations []int    `json:"iterations,omitzero"` // that were compared and found equal
	Value      string   `json:"value,omitzero"`      // the fingerprint or signature that repeated; of what is gone, GoneRepository
	Files      Ref      `json:"files,omitzero"`
	Question   Ref      `json:"question,omitzero"`
	Error      Ref      `json:"error,omitzero"`    // of an internal halt
	Limit      int64    `json:"limit,omitzero"`    // the limit that was reached: iterations, milliseconds, tokens, millionths of a dollar or turns
	Used       int64    `json:"used,omitzero"`     // of it; of an interview, percent that is unclear
	Of         int64    `json:"of,omitzero"`       // planned issues, of which Used were carried over; rounds of an interview
	Account    string   `json:"account,omitzero"`  // that halted the run
	Cause      string   `json:"cause,omitzero"`    // id of the run whose agent met it first, if that is another
	UntilMS    int64    `json:"until_ms,omitzero"` // when a limit ends that was not waited for: Unix milliseconds, wall clock
	Bound      Name     `json:"bound,omitzero"`    // of the machine that was not waited for: what bounds its agents, as of limit.waiting
	Signal     Pressure `json:"signal,omitzero"`   // ditto
	By         Ref      `json:"by,omitzero"`       // who has changed the work tree, or has it now, as far as that is known: for people
	Head       Head     `json:"head,omitzero"`     // foreign-change: where HEAD is, if it was moved
	Tree       Tree     `json:"tree"`
}

// RunResumed continues a halted run.
type RunResumed struct {
	Note      Ref       `json:"note,omitzero"`      // of a person, on what to do differently: the budget starts again
	Findings  Ref       `json:"findings,omitzero"`  // that a person handed over: ditto
	Count     int       `json:"count,omitzero"`     // of them
	Phase     Name      `json:"phase,omitzero"`     // an earlier one, which works on them
	Assurance Assurance `json:"assurance,omitzero"` // after drift: how sure it is that a person resumed it
	Moved     HeadMove  `json:"moved,omitzero"`     // of HEAD meanwhile: it goes on from there
	Changed   Ref       `json:"changed,omitzero"`   // files that have changed since the run last saw its work tree, one a line: taken as they are
	Git       Ref       `json:"git,omitzero"`       // state of the repository: what git does not allow counts from here
}

// RunEnded is the last event of a run.
type RunEnded struct {
	State     End     `json:"state"`
	Iteration int     `json:"iteration"`
	Tree      Tree    `json:"tree"`
	Gate      Name    `json:"gate,omitzero"` // that refused the run
	Reason    Refusal `json:"reason,omitzero"`
	Error     Ref     `json:"error,omitzero"` // of a failed run
}

// EventType is the stored name of the type.
func (RunStarted) EventType() string { return TypeRunStarted }

// EventType is the stored name of the type.
func (GatesStarted) EventType() string { return TypeGatesStarted }

// EventType is the stored name of the type.
func (GatesJudged) EventType() string { return TypeGatesJudged }

// EventType is the stored name of the type.
func (IterationStarted) EventType() string { return TypeIterationStarted }

// EventType is the stored name of the type.
func (AgentEnded) EventType() string { return TypeAgentEnded }

// EventType is the stored name of the type.
func (IterationRecorded) EventType() string { return TypeIterationRecorded }

// EventType is the stored name of the type.
func (RunSuspended) EventType() string { return TypeRunSuspended }

// EventType is the stored name of the type.
func (LimitWaiting) EventType() string { return TypeLimitWaiting }

// EventType is the stored name of the type.
func (LimitLifted) EventType() string { return TypeLimitLifted }

// EventType is the stored name of the type.
func (StopRequested) EventType() string { return TypeStopRequested }

// EventType is the stored name of the type.
func (RunHalted) EventType() string { return TypeRunHalted }

// EventType is the stored name of the type.
func (RunResumed) EventType() string { return TypeRunResumed }

// EventType is the stored name of the type.
func (RunEnded) EventType() string { return TypeRunEnded }
