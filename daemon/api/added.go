package api

import (
	"github.com/go-json-experiment/json"

	"autopilot/events/wire"
	"autopilot/projections/run"
)

// added is what the work of a run added that is told beside its verdict; nil for
// nothing, and where the text is not kept any more.
func (a *Views) added(s run.State) *wire.Additions {
	text := a.Text(s.Last.Added)
	var added wire.Additions
	if text == "" || json.Unmarshal([]byte(text), &added) != nil {
		return nil
	}
	return &added
}
