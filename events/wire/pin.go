package wire

import "time"

// PINRequest sets a PIN, or removes it.
type PINRequest struct {
	Old    string `json:"old,omitzero"` // that is set now
	New    string `json:"new,omitzero"`
	Remove bool   `json:"remove,omitzero"`
}

// PINView says whether a PIN is set.
type PINView struct {
	Set   bool       `json:"set"`
	At    *time.Time `json:"at,omitzero"`    // when it was set
	Wrong int        `json:"wrong,omitzero"` // tries since the last right one
	Until *time.Time `json:"until,omitzero"` // before which none is looked at
}

// SchemaPIN is the answer of pin status, set and remove.
const SchemaPIN = "autopilot.pin"
