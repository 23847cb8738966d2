package wire

import "time"

// TeamView is how it stands with the servers that daemons of several hosts share.
type TeamView struct {
	URL      string    `json:"url"`
	Server   string    `json:"server,omitzero"`  // that it is connected to
	TLS      bool      `json:"tls,omitzero"`     // nobody can read along
	Problem  string    `json:"problem,omitzero"` // why nobody answers; it is tried again
	Since    time.Time `json:"since"`            // it is so
	Replicas int       `json:"replicas"`         // asked for
}
