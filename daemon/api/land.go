package api

import (
	"context"
	"errors"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Landings bring the work of done runs onto branches.
type Landings struct{ *Runs }

// LandOrder asks for a landing.
type LandOrder struct {
	Runs   []string        // ids of done runs, in order: several are one batch
	Target string          // local branch, without refs/heads/; made at Base where it does not exist
	Base   string          // branch or commit
	How    string          // merge, rebase or squash; empty is land.how of the settings
	Gates  []wire.GateSpec // more invariants
}

// Begin starts a landing run: it brings the work onto the newest tip of the target in a
// repository of its own, and lets the gates of the runs judge that tree. A repeated request
// finds its run. Errors that a caller can act on are *land.ConflictError, land.ErrNoGates,
// land.ErrNothing, and *RunError of a run whose work cannot land.
func (a *Landings) Begin(ctx context.Context, q auth.Request, o LandOrder) (run.State, error) {
	return run.State{}, errors.New("landing is not built yet")
}

// Landed says what became of a landing run. It is not ok while the run goes on. With an
// empty problem the target has the commit.
func Landed(s run.State) (commit string, problem string, ok bool) { return "", "", false }

// RunError says why the work of a run cannot land.
type RunError struct{ Run, Why string }

func (e *RunError) Error() string { return "run " + e.Run + " " + e.Why }
