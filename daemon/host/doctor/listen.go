package doctor

import (
	"context"
	"strings"

	"autopilot/events/wire"
)

// listener says who is let in over the network.
func listener(_ context.Context, in Input, _ Probe) []wire.DoctorFinding {
	a := about("bus")
	l := in.Listen
	if l == nil {
		return nil
	}
	if l.Problem != "" {
		return a.find(Warning, "end what listens there, or change bus in the user's configuration and apctl daemon restart; the daemon tries again by itself",
			"other NATS clients cannot connect: %s: %s", l.Address, l.Problem)
	}
	var names []string
	for _, i := range l.Identities {
		names = append(names, i.Name+" ("+i.May+")")
	}
	if len(names) == 0 {
		return a.find(Warning, "apctl daemon key FILE   makes a key and says what to write into the configuration", "the daemon listens on %s and knows nobody, so nobody can connect", l.Address)
	}
	how := ""
	if l.TLS {
		how = " with TLS"
	}
	return a.ok("the daemon listens on %s%s for %s", l.Address, how, strings.Join(names, ", "))
}
