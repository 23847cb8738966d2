package wire

import "time"

// TeamView is the state of the servers that daemons of several hosts share.
type TeamView struct {
	URL      string    `json:"url"`
	Server   string    `json:"server,omitzero"`  // with the connection
	TLS      bool      `json:"tls,omitzero"`     // the connection is encrypted
	Problem  string    `json:"problem,omitzero"` // why no server answers; the daemon tries again
	Since    time.Time `json:"since"`            // begin of this state
	Replicas int       `json:"replicas"`         // configured number
}
