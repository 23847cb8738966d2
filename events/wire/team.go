package wire

import "time"

// TeamView is the state of the servers that daemons of several hosts share.
type TeamView struct {
	URL      string       `json:"url"`
	Server   string       `json:"server,omitzero"`  // with the connection
	TLS      bool         `json:"tls,omitzero"`     // the connection is encrypted
	Problem  string       `json:"problem,omitzero"` // why no majority of the servers answers; the daemon tries again
	Since    time.Time    `json:"since"`            // begin of this state
	Reading  bool         `json:"reading,omitzero"` // not all is read yet: what others hold is not known
	Replicas int          `json:"replicas"`         // servers that store the log; 0 is not known
	Wanted   int          `json:"wanted_replicas"`  // configured number
	Raise    string       `json:"raise,omitzero"`   // why the log is not stored on as many servers as configured
	Leader   string       `json:"leader,omitzero"`  // name of the server that leads
	Servers  []TeamServer `json:"servers,omitzero"` // servers that store the log
	Bytes    int64        `json:"bytes"`            // of the log
	Quota    int64        `json:"quota"`            // of the log; 0 is not known
	Events   uint64       `json:"events"`           // in the log
	Host     string       `json:"host"`             // id of this host
	Hosts    []TeamHost   `json:"hosts,omitzero"`   // hosts that share the log
}

// TeamServer is a server that stores the log of a team.
type TeamServer struct {
	Name    string `json:"name"`
	Current bool   `json:"current"` // it has all that the leader has
	Offline bool   `json:"offline,omitzero"`
	Lag     uint64 `json:"lag,omitzero"` // events that it lacks
}

// TeamHost is a host of a team, as its daemon says of itself.
type TeamHost struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Person  string    `json:"person,omitzero"` // login name of the user
	Version string    `json:"version,omitzero"`
	Heard   time.Time `json:"heard"`         // last sign of life, by the clock of the servers
	Here    bool      `json:"here,omitzero"` // this host
	Away    bool      `json:"away,omitzero"` // it gave no sign of life for a while
}

// TeamProof is what verify found in the log of a team.
type TeamProof struct {
	Aggregates int       `json:"aggregates"`
	Events     int       `json:"events"`
	Cut        int       `json:"cut"`             // claims and accounts whose earlier events the servers have dropped
	Unknown    int       `json:"unknown"`         // events of types unknown to this version
	Unread     string    `json:"unread,omitzero"` // why the log could not be read to its end
	Problems   []Problem `json:"problems"`
}
