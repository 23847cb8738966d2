package wire

// SchemaKey is of the answer of daemon key.
const SchemaKey = "autopilot.key"

// ListenView is where other NATS clients are let in.
type ListenView struct {
	Address    string         `json:"address"`
	TLS        bool           `json:"tls"`
	Problem    string         `json:"problem,omitzero"` // why nobody is let in now; it is tried again
	Clients    int            `json:"clients"`          // connections now
	Identities []IdentityView `json:"identities"`
}

// IdentityView is who may connect.
type IdentityView struct {
	Name string `json:"name"` // of its subjects: ap.cmd.NAME.VERB and _INBOX.NAME
	May  string `json:"may"`  // read or operate
	Key  string `json:"key"`  // public
}

// KeyView is a key that was made.
type KeyView struct {
	File   string `json:"file"`   // with the private key
	Name   string `json:"name"`   // of the identity
	Key    string `json:"key"`    // public
	Config string `json:"config"` // file that lets it in, on the daemon's host
}
