package archive

import (
	"errors"
	"fmt"
	"time"

	"autopilot/events"
)

// What a manifest says that it is.
const (
	Schema = "autopilot.bundle"
	Format = 1
)

// What a caller can branch on.
var (
	// ErrDamaged says that a file is no bundle, or not what its manifest says.
	// The error is a *DamagedError.
	ErrDamaged = errors.New("the bundle is damaged")
	// ErrNewer says that a bundle has a format that this version does not know.
	ErrNewer = errors.New("the bundle is of a newer version")
	// ErrNoRun says that a run is not there.
	ErrNoRun = errors.New("run is not in the archive")
	// ErrNoText says that a text is not there.
	ErrNoText = errors.New("text is not in the bundle")
)

// DamagedError names the first bad thing of a bundle.
type DamagedError struct {
	Entry string // of the file, if it is one
	Run   string // id, if it is an event of a run
	Event uint64 // its place in the run, 1 is the first
	What  string
}

func (e *DamagedError) Error() string {
	switch {
	case e.Run != "" && e.Event > 0:
		return fmt.Sprintf("%v: run %s event %d: %s", ErrDamaged, e.Run, e.Event, e.What)
	case e.Run != "":
		return fmt.Sprintf("%v: run %s: %s", ErrDamaged, e.Run, e.What)
	case e.Entry != "":
		return fmt.Sprintf("%v: %.200q: %s", ErrDamaged, e.Entry, e.What)
	}
	return fmt.Sprintf("%v: %s", ErrDamaged, e.What)
}

// Is makes it ErrDamaged.
func (e *DamagedError) Is(target error) bool { return target == ErrDamaged }

// Manifest says what is in a bundle.
type Manifest struct {
	Schema     string       `json:"schema"`
	Format     int          `json:"format"`
	Made       time.Time    `json:"made"`
	Version    string       `json:"version"`             // of the program that made it
	Host       string       `json:"host"`                // id
	Generation int          `json:"generation,omitzero"` // of the log that it was rolled out of
	Runs       []Run        `json:"runs"`                // by id
	Texts      []Text       `json:"texts"`               // by ref
	Missing    []events.Ref `json:"missing"`             // texts that were gone when it was made
}

// Run is a run of a bundle. The maker of a bundle gives id, handle, state and
// reason; the rest follows from the events.
type Run struct {
	ID     string        `json:"id"`
	Handle string        `json:"handle"`
	State  string        `json:"state"`           // of its end, or "halted" or "live"
	Reason string        `json:"reason,omitzero"` // of that state
	Events uint64        `json:"events"`
	Head   string        `json:"head"`            // hash of the last event
	SHA256 events.Digest `json:"sha256"`          // of the entry, unpacked
	Bytes  int64         `json:"bytes"`           // of it
	Broken uint64        `json:"broken,omitzero"` // first event that did not follow the one before when the bundle was made
}

// Text is a text of a bundle. One that secrets were taken out of has another
// hash than its name.
type Text struct {
	Ref    events.Ref    `json:"ref"` // as events name it
	Bytes  int64         `json:"bytes"`
	SHA256 events.Digest `json:"sha256,omitzero"` // of what is here, if it is another than ref
}

// Events is how many events all runs have together.
func (m Manifest) Events() uint64 {
	var n uint64
	for _, r := range m.Runs {
		n += r.Events
	}
	return n
}

// Redacted is how many texts had secrets taken out.
func (m Manifest) Redacted() int {
	n := 0
	for _, t := range m.Texts {
		if t.SHA256 != "" {
			n++
		}
	}
	return n
}
