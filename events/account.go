package events

// The events of an account: what providers said of one login, by all its runs.
const (
	TypeAccountLimited = "account.limited.v1"
	TypeAccountRefused = "account.refused.v1"
	TypeAccountWorked  = "account.worked.v1"
)

// AccountLimited says that the provider takes no more for a while.
type AccountLimited struct {
	Cause   Limit  `json:"cause"`          // rate-limited or overloaded
	UntilMS int64  `json:"until_ms"`       // Unix milliseconds, wall clock
	Source  Source `json:"source"`         // of that time
	Streak  int    `json:"streak"`         // times in a row, from 1
	Slots   int    `json:"slots,omitzero"` // agents that may work at once from now on; zero is any number
	Run     string `json:"run"`            // whose agent met it
	Effect  string `json:"effect"`         // that agent
}

// AccountRefused says that the provider lets nobody in until a person has done
// something.
type AccountRefused struct {
	Cause  Result `json:"cause"` // auth-failed or billing
	Run    string `json:"run"`
	Effect string `json:"effect"`
}

// AccountWorked says that an agent worked after the provider had said no.
type AccountWorked struct {
	Slots  int    `json:"slots,omitzero"` // as with AccountLimited
	Run    string `json:"run"`
	Effect string `json:"effect"`
}

// EventType is the stored name of the type.
func (AccountLimited) EventType() string { return TypeAccountLimited }

// EventType is the stored name of the type.
func (AccountRefused) EventType() string { return TypeAccountRefused }

// EventType is the stored name of the type.
func (AccountWorked) EventType() string { return TypeAccountWorked }
