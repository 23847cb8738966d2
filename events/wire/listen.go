package wire

// SchemaKey is the schema of daemon key.
const SchemaKey = "autopilot.key"

// ListenView is where other NATS clients may connect.
type ListenView struct {
	Address    string         `json:"address"`
	TLS        bool           `json:"tls"`
	Problem    string         `json:"problem,omitzero"` // why none can connect now; it is tried again
	Clients    int            `json:"clients"`          // connections now
	Identities []IdentityView `json:"identities"`
}

// IdentityView is an identity that may connect.
type IdentityView struct {
	Name string `json:"name"` // in its subjects: ap.cmd.NAME.VERB and _INBOX.NAME
	May  string `json:"may"`  // read or operate
	Key  string `json:"key"`  // public
}

// KeyView is a new key.
type KeyView struct {
	File   string `json:"file"`   // with the private key
	Name   string `json:"name"`   // of the identity
	Key    string `json:"key"`    // public
	Config string `json:"config"` // file that admits the key, on the daemon's host
}
