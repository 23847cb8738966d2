package doctor

import (
	"context"
	"strings"
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
	if t.Reading {
		return a.find(Note, "ask again in a moment: apctl doctor", "the team at %s can be reached, and its log is being read: what other hosts hold is not known yet", t.Server)
	}
	if found := spread(a, t); found != nil {
		return found
	}
	if t.Bytes > t.Quota/10*8 {
		return a.find(Warning, "give the stream AP_TEAM_1 more room at the servers: nats stream edit AP_TEAM_1 --max-bytes SIZE, then apctl daemon restart",
			"the log of the team has used %d of %d MiB; when it is full, nothing can be claimed", t.Bytes>>20, t.Quota>>20)
	}
	return a.ok("claims and accounts are shared over %s%s, stored on %d of %d servers as configured", t.Server, how, t.Replicas, t.Wanted)
}

// spread says what is wrong with the servers that store the log of a team.
func spread(a about, t *wire.TeamView) []wire.DoctorFinding {
	if t.Quota == 0 {
		return nil // not known yet
	}
	if t.Replicas < t.Wanted {
		return a.find(Warning, "start the other servers, or write the number of servers that there are as team.replicas in the user's configuration",
			"the log of the team is stored on %d server(s), and %d are configured: without one of them nothing can be claimed. The daemon raises the number by itself as soon as the servers allow it%s", t.Replicas, t.Wanted, because(t.Raise))
	}
	var missing []string
	for _, s := range t.Servers {
		if s.Offline {
			missing = append(missing, s.Name)
		}
	}
	if len(missing) > 0 {
		return a.find(Warning, "start it again: without a majority of the servers nothing can be claimed",
			"of the %d servers that store the log of the team, %s is offline", len(t.Servers), strings.Join(missing, ", "))
	}
	return nil
}

func because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}
