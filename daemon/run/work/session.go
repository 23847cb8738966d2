package work

import (
	"crypto/rand"
	"fmt"

	"autopilot/events"
)

// before is the session's usage before this process, for programs that go on counting.
func (t *turn) before() events.Usage {
	if !t.start.Resumes {
		return events.Usage{}
	}
	return t.s.Loop.Session
}

// newUUID is a random UUID (version 4), the form of agent programs' session names.
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
