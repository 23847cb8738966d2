package snapshot

import (
	"autopilot/projections/run"
)

// Head is what is known of a run without its state: what lists of all runs need.
type Head struct {
	ID        string
	Handle    string
	Project   string
	From      string // project that its work tree was made from
	Agent     string // profile; empty for a command or script
	Requested string // id of the request that started it
	Status    run.Status
	Seq       uint64 // of its last event
	Hash      string // of that event
	Settled   string // reason of the halt, or state of the end
	Latest    int64  // when the last event was, in Unix milliseconds
	Spent     Spent
}

// Belongs says that the run works in a project, or in a work tree that was made
// from it for the run.
func (h Head) Belongs(project string) bool {
	return project != "" && (h.Project == project || h.From == project)
}

// HeadOf is the head of a state whose last event has that hash.
func HeadOf(s run.State, hash string) Head {
	return Head{
		ID: s.ID, Handle: s.Facts.Handle, Project: s.Facts.Project, From: s.Facts.From, Agent: string(s.Facts.Agent),
		Requested: s.Requested, Status: s.Status, Seq: s.Log.Seq, Hash: hash,
		Settled: settled(s), Latest: s.Clock.Latest.UnixMilli(), Spent: Pack(s.Spent.List()),
	}
}

func settled(s run.State) string {
	switch {
	case s.Status == run.Halted && s.Halt != nil:
		return string(s.Halt.Reason)
	case s.Status == run.Over && s.End != nil:
		return string(s.End.State)
	}
	return ""
}
