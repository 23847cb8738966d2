package wire

import "time"

// PINRequest sets a PIN, or removes it.
type PINRequest struct {
	Old    string `json:"old,omitzero"` // the present PIN
	New    string `json:"new,omitzero"`
	Remove bool   `json:"remove,omitzero"`
}

// PINView says whether a PIN is set.
type PINView struct {
	Set   bool       `json:"set"`
	At    *time.Time `json:"at,omitzero"`    // when it was set
	Wrong int        `json:"wrong,omitzero"` // tries since the last right one
	Until *time.Time `json:"until,omitzero"` // the daemon looks at no PIN before that
}

// SchemaPIN is the schema of pin status, set and remove.
const SchemaPIN = "autopilot.pin"
