package daemon

import (
	"context"

	"autopilot/daemon/bus"
	"autopilot/events/wire"
)

func (d *Daemon) agentList(_ context.Context, _ bus.Request, _ wire.AgentRequest) (wire.AgentsView, error) {
	return wire.AgentsView{}, errUnbuilt
}
