package engine

import (
	"context"
	"errors"

	"autopilot/events"
	"autopilot/projections/run"
)

// Worker does what Next asks for and cannot be computed. Each method makes one
// event and appends nothing. It is called again with the same state after a
// crash, and then finds what it began before.
//
// When ctx ends the worker lets go: what it started lives on, to be found
// again. A receive on end means that what it started shall be ended.
type Worker interface {
	// BeginAgent prepares an iteration: start tree, prompt, limits. With
	// act.Restore the workspace is first taken back to the start tree of the
	// lost attempt. Where no agent may start now it says why not: the answer is
	// events.IterationStarted, events.LimitWaiting or events.RunHalted.
	BeginAgent(ctx context.Context, s run.State, act RunAgent) (events.Data, error)
	// Agent runs the announced agent, or finds it, to its end and records the
	// tree that it left.
	Agent(ctx context.Context, s run.State, end <-chan struct{}) (events.AgentEnded, error)
	// BeginGates names the effects of the gates.
	BeginGates(ctx context.Context, s run.State, act RunGates) (events.GatesStarted, error)
	// Gates judges every gate on the recorded tree.
	Gates(ctx context.Context, s run.State, end <-chan struct{}) (events.GatesJudged, error)
	// BeginRole prepares a session of a role, and answers as BeginAgent does:
	// events.RoleStarted, events.LimitWaiting or events.RunHalted.
	BeginRole(ctx context.Context, s run.State, act RunRole) (events.Data, error)
	// Role runs the announced session, or finds it, to its end. It may change
	// nothing; what it says counts only if it kept to that.
	Role(ctx context.Context, s run.State, end <-chan struct{}) (events.RoleEnded, error)
	// Ask writes what a person is asked.
	Ask(ctx context.Context, s run.State, act Ask) (events.QuestionAsked, error)
	// Publish pushes what has passed and shows it as a draft, where that is wanted. What
	// cannot be done is said in its event.
	Publish(ctx context.Context, s run.State, act Publish) (events.WorkPublished, error)
	// SelectMode looks at the machine and the other sessions, and selects the mode of the
	// next session. A selector that fails says so in the event.
	SelectMode(ctx context.Context, s run.State, act SelectMode) (events.ModeSelected, error)
	// Recorded is told of a state whose iteration or run was just closed, to
	// keep the tree and to clean up. It may be told twice.
	Recorded(ctx context.Context, s run.State) error
	// Text stores an error for a halt.
	Text(ctx context.Context, text string) events.Ref
}

// ErrWorkspaceGone is wrapped by a Worker whose workspace is no longer there.
var ErrWorkspaceGone = errors.New("the workspace is gone")

// ErrRepositoryGone is wrapped by a Worker whose workspace is there, and its repository
// is not, or not whole.
var ErrRepositoryGone = errors.New("the repository is damaged")
