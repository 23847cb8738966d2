package run

import (
	"time"

	"autopilot/events"
	"autopilot/projections/chain"
	"autopilot/projections/rule"
)

// Status says whether a run is going on.
type Status string

// The statuses. None is before the first event.
const (
	None   Status = ""
	Live   Status = "live"
	Halted Status = "halted"
	Over   Status = "over"
)

// Stage says what of an iteration has happened.
type Stage string

// The stages, in the order in which an iteration goes through them. Iteration
// 0, the baseline, has only gates.
const (
	Started Stage = ""        // nothing yet
	Agent   Stage = "agent"   // an agent is announced
	Ended   Stage = "ended"   // it has ended, and its tree is recorded
	Gates   Stage = "gates"   // gates are announced
	Judged  Stage = "judged"  // and have been judged, as far as commands and files say
	Looking Stage = "looking" // a session of a role is announced
	Asking  Stage = "asking"  // a person is asked
	Ready   Stage = "ready"   // the iteration is recorded: time to decide
)

// FoldVersion names what State holds and how Evolve makes it. States that were
// kept are believed by a fold of the same version only, so it is raised with
// every change of either.
const FoldVersion = 14

// State is a run, folded from its own log alone.
type State struct {
	ID        string
	Facts     events.RunStarted // what it was started as
	Requested string            // id of the request that started it
	Asked     string            // id of the latest request that changed it
	Status    Status
	Stage     Stage
	Loop      Loop
	Last      Last
	Clock     Clock
	Log       Log
	Stop      events.StopMode      // asked for and not yet carried out
	Stopping  events.StopRequested // what asked for it
	Halt      *events.RunHalted    // of a halted run
	End       *events.RunEnded     // of a run that is over
	Note      events.Ref           // what a person said last, until an iteration was told it
	Findings  events.Ref           // that a person handed over last, the same way
	InPrompt  bool                 // the prompt of the announced iteration holds both
	SendTo    events.Name          // the earlier phase that shall work on them; empty for the present one
	Waiting   *Waiting             // for a limit, since the latest iteration
	Spent     Spending             // what agents used
	Looks     []events.RoleEnded   // of roles, oldest first, without what is known of their sessions
	Question  *Question            // that waits for a person
	Questions int                  // that were asked
	Answers   []Answer             // of people, oldest first
	Handed    []Question           // that were accepted by hand-off, and that nobody has answered since; one for each gate
	Driver    *Driver              // the chat that drives the run; nil for none
	Refused   Refused
	Published *events.WorkPublished // what became of showing work that has passed, the latest
	Foreign   *events.ForeignSeen   // somebody else writes to the work tree; until the run is resumed
	Others    []events.Ref          // lists of files that others have changed, as a person let them be
	Changed   events.Ref            // files that others have changed, taken as they are, until an iteration was told of them
	Moved     events.HeadMove       // by others, the same way
	Series    Series                // of sessions, where its iterations are those
	Ahead     bool                  // HEAD is elsewhere than where the run began, when it was last looked at
}

// Refused counts requests to the daemon that who asked may not make.
type Refused struct {
	Agents int // and sessions of roles
	Gates  int
}

// Sum is all of them.
func (r Refused) Sum() int { return r.Agents + r.Gates }

// Question waits for a person.
type Question struct {
	events.QuestionAsked
	Since   time.Time
	Expired bool
}

// Answer is what a person said.
type Answer struct {
	events.QuestionAnswered
	Kind      events.QuestionKind
	Of        events.Ref  // the question, as it was asked
	Iteration int         // that asked it
	Tree      events.Tree // that its set is of
	At        time.Time
	By        string // the actor
}

// Driver is the chat that drives a run.
type Driver struct {
	events.SessionJoined
	Since time.Time
	By    string // the actor
}

// Waiting is a wait for a limit.
type Waiting struct {
	events.LimitWaiting
	Since  time.Time
	InLine time.Time               // since when it stands in line for the machine, also if it waits for something else meanwhile
	Lifted bool                    // it was ended before its time
	Judged *events.ResourcesJudged // of the machine, while it waited for that
}

// Loop counts.
type Loop struct {
	Phase     events.Name
	Iteration int                          // the latest one announced
	Attempt   int                          // of that iteration, counting every start of an agent
	Spent     int                          // iterations recorded since the budget began
	Losses    int                          // in a row, of this iteration
	Noops     int                          // in a row
	Hung      int                          // agents in a row that showed no sign of life
	Accepted  events.Tree                  // that a person has accepted without a proof
	Drifts    int                          // recorded iterations that left a pinned path changed
	Git       events.Ref                   // state of the repository when a person let the run go on: what was done there counts no more
	Redo      bool                         // the next agent works on the same iteration: it was not spent
	Unmoved   bool                         // the latest agent resumed a session and left the tree as it was
	Fresh     bool                         // an iteration was recorded since the run was last resumed
	Unfed     int                          // agents in a row whose tokens are not known
	Unpriced  int                          // agents in a row whose cost is not known
	Used      events.Usage                 // since the budget began
	Session   events.Usage                 // in the session of the latest agent, over all that went on in it
	History   rule.History                 // of the phase
	Left      map[events.Name]rule.History // of other phases, as they were left
	Entered   events.PhaseEntered          // zero in the first phase, until it is gone back to
	AtEntry   bool                         // what is judged is what the phase needs to begin
	EnteredAt time.Time
	Begun     bool                   // the phase has begun: what it needs was there
	Made      map[events.Name]string // what the files of a phase hash to, by phase
	Sender    events.Name            // the phase that the run went back from, until it is entered again
	Seeds     events.Ref             // findings of a person that it went back for, the same way
	Others    []events.Ref           // lists of files that others have changed since the phase was entered, as a person let them be
	Asks      bool                   // the latest iteration ended with a question that nobody has answered yet
	Plans     []string               // what a plan hashed to when it was sent back, in a row
	Levels    map[events.Name]int    // of the agents of roles, by role; absent is 1
	Raised    events.Name            // role whose next agent goes on, until an iteration of it is recorded
}

// Last holds the latest of each event that decisions look at.
type Last struct {
	Start    events.IterationStarted
	Agent    events.AgentEnded
	Gates    events.GatesStarted
	Results  []events.GateResult // latest judged ones
	Baseline []events.GateResult
	Before   []events.GateResult // judged ones of the iteration before
	Seen     []events.GateResult // of each gate the latest one of the phases before
	Sent     []events.GateResult // that sent the run back to this phase, or to one on the way here
	Role     events.RoleStarted
	Session  events.IterationStarted // the latest one that was announced: of the agent, or of a role
	End      events.AgentEnded       // how the latest one ended, of either
	Record   events.IterationRecorded
	Checkout events.Checkout // where the latest results come from
	Reds     []events.Ref    // test commits that were named as seen to fail, oldest first
	Created  events.Ref      // files that gates have made
	Tree     events.Tree     // as it was seen last
	Work     events.Tree
	Head     events.Head // as it was seen last; zero where it is taken as it is
	Git      events.Ref  // state of the repository, as it was seen last; the start is in Facts
	Added    events.Ref  // what the work added that is told beside the verdict; of a pass
}

// Clock accounts time.
type Clock struct {
	Started   time.Time
	Since     time.Time // of the present stretch of activity; zero while halted or over
	Before    time.Duration
	Suspended time.Duration // within the present stretch, and waited for limits
	Waits     time.Time     // since when the run waits for a limit, a person or the end of a pause; zero when it does not
	Latest    time.Time     // of the latest event
	Recorded  time.Time     // of the latest recorded iteration
	Taken     time.Time     // since when the work tree is to stay as it was seen, between iterations; zero before the first
	Agent     time.Time     // of the latest agent's announcement
}

// Log is what the fold knows of the log itself.
type Log = chain.Log

// Driven says that a chat does the work of the run.
func (s State) Driven() bool { return s.Facts.Driver == events.DriverSession }

// ChatAnswers says that the chat which drives the run may answer the question that
// waits: its settings let it, and the gate wants no more.
func (s State) ChatAnswers() bool {
	return s.Driven() && s.Facts.Answers == events.AssuredSession && s.Question != nil && s.Question.Assurance.Level() <= events.AssuredSession.Level()
}

// AtWork says that a session of the agent, or of a role, is announced.
func (s State) AtWork() bool { return s.Stage == Agent || s.Stage == Looking }

// Active is how long agents and gates have worked for the run, without time in which
// the host slept or the run was halted, waited or paused.
func (c Clock) Active(now time.Time) time.Duration {
	if c.Since.IsZero() {
		return c.Before
	}
	if !c.Waits.IsZero() && c.Waits.Before(now) {
		now = c.Waits
	}
	d := now.Sub(c.Since) - c.Suspended
	if d < 0 {
		d = 0 // the clock went back
	}
	return c.Before + d
}

// Role is the role of the gate as it is now: a goal that was green at the
// baseline has become an invariant.
func (s State) Role(gate events.Name) events.GateRole {
	for _, r := range s.Last.Baseline {
		if r.Gate == gate && r.Role == events.RoleGoal && r.Verdict == events.Pass {
			return events.RoleInvariant
		}
	}
	for _, g := range s.Facts.Gates {
		if g.Name == gate {
			return g.Role
		}
	}
	return ""
}

// Unchanged says that a run which was started green has changed nothing yet,
// so that its green gates prove nothing.
func (s State) Unchanged() bool {
	return s.Facts.Start == events.StartGreen && s.Last.Work == s.Facts.Work
}

// WaitsForLimit says that the run lets no agent begin before a limit is over, and
// could be let go.
func (s State) WaitsForLimit() bool {
	return s.Status == Live && (s.Stage == Ready || s.Stage == Judged) && s.Waiting != nil && !s.Waiting.Lifted
}

// LastIteration is the number of the last iteration that the budget allows. New
// findings of a person begin a new budget, and the numbers go on.
func (s State) LastIteration() int {
	open := 0
	recorded := s.Stage == Ready || s.Stage == Asking && s.Question != nil && s.Question.Gate == ""
	if s.Loop.Iteration > 0 && (!recorded || s.Loop.Redo) {
		open = 1 // announced, and not spent yet
	}
	return s.Budget() + s.Loop.Iteration - s.Loop.Spent - open
}

// Budget is how many iterations the present phase has.
func (s State) Budget() int {
	for _, b := range s.Facts.Budgets {
		if b.Phase == s.Loop.Phase {
			return b.Iterations
		}
	}
	return s.Facts.Limits.Iterations
}
