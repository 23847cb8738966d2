package doctor

import (
	"fmt"

	"autopilot/events/wire"
)

// about makes findings of one topic.
type about string

func (a about) find(level, fix, format string, args ...any) []wire.DoctorFinding {
	return []wire.DoctorFinding{{Topic: string(a), Level: level, What: fmt.Sprintf(format, args...), Fix: fix}}
}

func (a about) ok(format string, args ...any) []wire.DoctorFinding {
	return a.find(OK, "", format, args...)
}

func (a about) unknown(what string, err error) []wire.DoctorFinding {
	return a.find(Unknown, "", "%s is not known: %v", what, err)
}
