package api

import (
	"github.com/go-json-experiment/json"

	"autopilot/events/wire"
	"autopilot/projections/run"
)

// added lists the additions of a run for display beside its verdict. It is nil where the
// run added nothing or the text is gone.
func (a *Views) added(s run.State) *wire.Additions {
	text := a.Text(s.Last.Added)
	var added wire.Additions
	if text == "" || json.Unmarshal([]byte(text), &added) != nil {
		return nil
	}
	return &added
}
