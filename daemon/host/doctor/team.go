package doctor

import (
	"context"
	"time"

	"autopilot/events/wire"
)

// shared says how it stands with the servers of the team.
func shared(_ context.Context, in Input, _ Probe) []wire.DoctorFinding {
	a := about("team")
	t := in.Team
	if t == nil {
		return nil
	}
	if t.Problem != "" {
		return a.find(Warning, "check team in the user's configuration, its credentials and the network; the daemon tries again by itself, and after a change of the file by apctl daemon restart",
			"the team at %s cannot be reached since %s: %s. Branches, issues and merge slots cannot be claimed; runs go on", t.URL, t.Since.Format(time.RFC3339), t.Problem)
	}
	how := ""
	if t.TLS {
		how = " with TLS"
	}
	return a.ok("claims and accounts are shared over %s%s", t.Server, how)
}
