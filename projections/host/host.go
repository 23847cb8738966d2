package host

import (
	"maps"
	"slices"
	"time"

	"autopilot/events"
	"autopilot/projections/chain"
)

// State is a host, folded from its own log alone.
type State struct {
	Trusted  map[string][]Trust                // by repository id, latest first, each content once
	Restored map[string]Restore                // by workspace id, the latest
	Erased   map[string]Erasure                // by run id, the latest
	Pruned   time.Time                         // texts of runs that were over before are gone; zero is none
	Prunes   []Prune                           // those that moved it, in their order
	Trees    []PrunedTree                      // work trees that were removed, in their order
	Rolled   []Roll                            // in their order
	Imported []Import                          // in their order
	Judged   map[string]events.ResourcesJudged // by policy: what the machine bears, as it was told last
	Log      Log
}

// Trust is a person's agreement to the content of a configuration file.
type Trust struct {
	Config    events.Ref
	File      events.Ref
	At        time.Time
	By        string // the actor
	Assurance events.Assurance
}

// Restore is a workspace that was taken back.
type Restore struct {
	events.WorkspaceRestored
	At time.Time
	By string
}

// Erasure is that the texts of a run were removed because a person asked.
type Erasure struct {
	events.RunErased
	At time.Time
	By string
}

// Prune is that the texts of runs which were over before a moment were removed.
type Prune struct {
	Before time.Time
	At     time.Time
	By     string
}

// PrunedTree is a work tree that was removed.
type PrunedTree struct {
	events.WorktreePruned
	At time.Time
	By string
}

// Roll is that the log began a new generation.
type Roll struct {
	events.LogRolled
	At time.Time
}

// Import is that a bundle was taken in.
type Import struct {
	events.BundleImported
	At time.Time
	By string
}

// Log is what the fold knows of the log itself.
type Log = chain.Log

// Evolve adds one event to a state.
func Evolve(s State, e events.Event) State {
	s.Log = s.Log.Next(e.Seq)
	switch d := e.Data.(type) {
	case events.ConfigTrusted:
		s.Trusted = with(s.Trusted, d.Repository, latest(s.Trusted[d.Repository], Trust{
			Config: d.Config, File: d.File, At: e.Time, By: e.Actor, Assurance: d.Assurance,
		}))
	case events.WorkspaceRestored:
		s.Restored = with(s.Restored, d.Project, Restore{d, e.Time, e.Actor})
	case events.RunErased:
		s.Erased = with(s.Erased, d.Run, Erasure{d, e.Time, e.Actor})
	case events.TextsPruned:
		if t := time.UnixMilli(d.BeforeMS).UTC(); t.After(s.Pruned) {
			s.Pruned, s.Prunes = t, append(slices.Clip(s.Prunes), Prune{t, e.Time, e.Actor})
		}
	case events.WorktreePruned:
		s.Trees = append(slices.Clip(s.Trees), PrunedTree{d, e.Time, e.Actor})
	case events.LogRolled:
		s.Rolled = append(slices.Clip(s.Rolled), Roll{d, e.Time})
	case events.BundleImported:
		s.Imported = append(slices.Clip(s.Imported), Import{d, e.Time, e.Actor})
	case events.ResourcesJudged:
		s.Judged = with(s.Judged, string(d.Policy), d)
	default:
		s.Log.Unknown++
	}
	return s
}

// with is a copy of m in which key has a value.
func with[V any](m map[string]V, key string, v V) map[string]V {
	out := make(map[string]V, len(m)+1)
	maps.Copy(out, m)
	out[key] = v
	return out
}

// latest puts t first, and takes an earlier trust in the same content out.
func latest(list []Trust, t Trust) []Trust {
	out := append(make([]Trust, 0, len(list)+1), t)
	return append(out, slices.DeleteFunc(slices.Clone(list), func(o Trust) bool { return o.Config == t.Config })...)
}

// Find is the trust in a content within a repository. A content that was
// trusted stays so when another is: branches have their own, and to go back to
// one is no new decision.
func (s State) Find(repository string, config events.Ref) (Trust, bool) {
	list := s.Trusted[repository]
	i := slices.IndexFunc(list, func(t Trust) bool { return t.Config == config })
	if i < 0 {
		return Trust{}, false
	}
	return list[i], true
}

// Latest is what was trusted last within a repository.
func (s State) Latest(repository string) (Trust, bool) {
	if list := s.Trusted[repository]; len(list) > 0 {
		return list[0], true
	}
	return Trust{}, false
}

// Gone says since when the texts of a run that was over at that time are
// removed, and by whom; erased is because a person asked for that run, else it
// was for its age. What came from elsewhere came at a time, and no removal before
// that counts.
func (s State) Gone(id string, over, came time.Time) (at time.Time, by string, erased, ok bool) {
	if e, ok := s.Erased[id]; ok {
		return e.At, e.By, true, true
	}
	if !over.IsZero() {
		for _, p := range s.Prunes {
			if over.Before(p.Before) && p.At.After(came) {
				return p.At, p.By, false, true
			}
		}
	}
	return time.Time{}, "", false, false
}
