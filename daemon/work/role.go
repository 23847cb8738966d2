package work

import (
	"context"
	"errors"

	"autopilot/daemon/engine"
	"autopilot/events"
	"autopilot/projections/run"
)

var errNoRoles = errors.New("sessions of roles are not started yet")

// BeginRole implements engine.Worker.
func (w *Worker) BeginRole(context.Context, run.State, engine.RunRole) (events.Data, error) {
	return nil, errNoRoles
}

// Role implements engine.Worker.
func (w *Worker) Role(context.Context, run.State, <-chan struct{}) (events.RoleEnded, error) {
	return events.RoleEnded{}, errNoRoles
}

// Ask implements engine.Worker.
func (w *Worker) Ask(context.Context, run.State, engine.Ask) (events.QuestionAsked, error) {
	return events.QuestionAsked{}, errNoRoles
}
