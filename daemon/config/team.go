package config

import (
	"errors"
	"path/filepath"
	"strings"

	"autopilot/daemon/transport/bus"
)

// Team is the NATS cluster that claims and accounts are shared over with the
// daemons of other hosts. It is the user's alone.
type Team struct {
	URL         string `yaml:"url"`         // of its servers, with commas between them; empty is no team
	Credentials string `yaml:"credentials"` // file
	CA          string `yaml:"ca"`          // file
	Replicas    int    `yaml:"replicas"`    // 0 is DefaultReplicas
}

// DefaultReplicas is how many servers keep what is shared: a majority of them has
// to be there.
const DefaultReplicas = 3

func (f *faults) team(t Team) {
	if !f.file.sets("team") {
		return
	}
	switch err := bus.CheckTeamURL(t.URL); {
	case t.URL == "":
		f.add("team", "write team: {url: \"nats://HOST:4222\", credentials: FILE}", "the url is missing")
	case errors.Is(err, bus.ErrTeamSecret):
		f.add("team.url", "put the credentials into a file, and write team: {url: URL, credentials: FILE}; change that password if others have read this file", "this is %v", err)
		for one := range strings.SplitSeq(t.URL, ",") {
			f.hide(strings.TrimSpace(one))
		}
	case err != nil:
		f.add("team.url", "write it as nats://HOST:4222 or tls://HOST:4222, several with commas between them", "%.100q is %v", t.URL, err)
	}
	for _, m := range []struct{ key, path string }{{"team.credentials", t.Credentials}, {"team.ca", t.CA}} {
		if m.path != "" && !filepath.IsAbs(m.path) && !strings.HasPrefix(m.path, "~/") {
			f.add(m.key, "write it as /etc/autopilot/team.creds or ~/team.creds", "%.100q is not an absolute path", m.path)
		}
	}
	if f.file.sets("team.replicas") && (t.Replicas < 1 || t.Replicas > 5) {
		f.add("team.replicas", "write 3, or 1 for a single server", "%d is not from 1 to 5", t.Replicas)
	}
}

// Sharing is the team that the daemon joins, nil for none. Paths that begin with ~
// are below home.
func (t Team) Sharing(home string) *bus.Team {
	if t.URL == "" {
		return nil
	}
	s := &bus.Team{URL: t.URL, Credentials: below(home, t.Credentials), CA: below(home, t.CA), Replicas: t.Replicas}
	if s.Replicas == 0 {
		s.Replicas = DefaultReplicas
	}
	return s
}
