package peer

import (
	"time"

	"autopilot/projections/orchestrator"
)

// Trace is that a session works in a directory, or did.
type Trace struct {
	Name string // as others call it, or the start of its id
	Here bool   // it may still be there: its process lives, or it is not gone
	Seen time.Time
}

// In are the sessions on the bus that work in a directory, or did.
func (ps *Sessions) In(dir string) []Trace {
	var out []Trace
	for id, n := range ps.all() {
		switch {
		case ps.cfg.Text(n.Directory) != dir:
		case n.Here() && (ps.lives(n.PeerJoined) || n.life(ps.Now()) != orchestrator.Gone):
			out = append(out, Trace{Name: ps.name(id), Here: true, Seen: n.beat})
		default:
			out = append(out, Trace{Name: id[:min(len(id), minHandle)], Seen: n.beat})
		}
	}
	return out
}

// Listed are the sessions that the registry of session-orchestrator has for a work
// tree and that are not gone, by what they call themselves.
func (ps *Sessions) Listed(tree string) []string {
	var out []string
	for _, s := range ps.registry(0).list {
		if entryTree(s, []string{tree}) != "" && entryLife(s, ps.Now()) != orchestrator.Gone {
			out = append(out, s.ID)
		}
	}
	return out
}
