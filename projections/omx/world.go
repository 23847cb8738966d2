package omx

import (
	"fmt"
	"time"
)

// Profile says what becomes of a write that lacks evidence.
type Profile bool

const (
	// Strict refuses it; the state stays as it was.
	Strict Profile = false
	// Advisory does what the release does: it writes, and names the gate.
	Advisory Profile = true
)

// World is what a write has to know besides the state. A function that is nil finds
// nothing.
type World struct {
	Now     time.Time
	Session string // of the scope that is written, "" for the root
	Dir     string // the working directory
	Pane    string // of tmux, that the caller sits in

	// Active are the other modes that are active in this scope, and Phase is that of
	// autopilot among them. Elsewhere are those of other live scopes of the workspace,
	// Broken the files of modes that cannot be read.
	Active, Elsewhere, Broken []string
	Phase                     string

	File     func(path string) File
	Thread   func(id string) Thread
	Question func(id string) Question
	Audit    func(path string) Object
}

// File is a file that evidence names.
type File struct {
	There, Inside bool   // it is a file with something in it; it lies below the working directory
	Folder        string // specs, context, interviews, plans: the folder of .omx that it lies in, else ""
	SHA256        string
	Modified      time.Time
}

// Thread is a sub-agent as the tracker has it.
type Thread struct {
	Known, Leader, Native bool
	Role                  string
	Completed             time.Time
}

// Question is a question that a person was asked.
type Question struct {
	Answered bool
	Session  string
}

// Gap is the first evidence that a transition lacks.
type Gap struct {
	Gate    string `json:"skippedGate"`
	Missing string `json:"missingEvidence"`
	Message string `json:"message"`
}

func gap(gate, missing, message string) *Gap { return &Gap{gate, missing, message} }

// Error is the reason for which a write is refused.
func (g *Gap) Error() string {
	return fmt.Sprintf("%s; it lacks %s (gate %s)", g.Message, g.Missing, g.Gate)
}

// Stop is how a write ended a run that went back once too often.
type Stop struct {
	Phase   string `json:"current_phase"`
	Reason  string `json:"stop_reason"`
	Message string `json:"message"`
}

// Result is what a write makes of a state.
type Result struct {
	State     Object
	Advisory  *Gap     // what was skipped, in the advisory profile
	Stop      *Stop    // the run has ended instead of going back
	Completes []string // modes that this one completes by its begin
}

func (w World) file(path string) File {
	if path == "" || w.File == nil {
		return File{}
	}
	return w.File(path)
}

func (w World) thread(id string) Thread {
	if id == "" || w.Thread == nil {
		return Thread{}
	}
	return w.Thread(id)
}

func (w World) question(id string) Question {
	if id == "" || w.Question == nil {
		return Question{}
	}
	return w.Question(id)
}

func (w World) now() string { return Stamp(w.Now) }

// Stamp is a time as the files have it: UTC with milliseconds.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
