package daemon

import (
	"github.com/go-json-experiment/json"

	"autopilot/events/wire"
	"autopilot/projections/run"
)

// added is what the work of a run added that is told beside its verdict; nil for
// nothing, and where the text is not kept any more.
func (d *Daemon) added(s run.State) *wire.Additions {
	text := d.text(s.Last.Added)
	var a wire.Additions
	if text == "" || json.Unmarshal([]byte(text), &a) != nil {
		return nil
	}
	return &a
}
