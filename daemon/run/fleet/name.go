package fleet

import (
	"strings"

	"autopilot/daemon/store/snapshot"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Resolve finds the run that a request names: an exact id or handle, an
// unambiguous suffix of an id, or for no name the latest of the workspace
// project.
func (f *Fleet) Resolve(ref wire.RunRef, project string) (run.State, error) {
	if s, ok := f.State(strings.ToUpper(ref.Run)); ok {
		return s, nil // what programs ask by needs no list of all
	}
	if ref.Run == "" {
		return f.latest(f.Heads(), ref, project)
	}
	all := f.AllHeads()
	want := strings.ToLower(ref.Run)
	var hits []snapshot.Head
	for _, h := range all {
		if h.Handle == want {
			return f.Read(h)
		}
		if n := len(h.ID) - len(want); len(want) >= 4 && n >= 0 && strings.EqualFold(h.ID[n:], want) {
			hits = append(hits, h)
		}
	}
	switch len(hits) {
	case 1:
		return f.Read(hits[0])
	case 0:
		return run.State{}, wire.Errorf(wire.NotFound, "no run %q", ref.Run).
			WithHint("apctl ls --all   lists the runs")
	}
	return run.State{}, wire.Errorf(wire.Usage, "%q matches %d runs: %s", ref.Run, len(hits), handles(hits)).
		WithHint("give more characters of the id")
}

// Read is the state of a run that is in the list.
func (f *Fleet) Read(h snapshot.Head) (run.State, error) {
	s, ok := f.State(h.ID)
	if !ok {
		return s, wire.Errorf(wire.Failed, "run %s cannot be read", h.Handle).WithHint("apctl daemon logs")
	}
	return s, nil
}

func (f *Fleet) latest(all []snapshot.Head, ref wire.RunRef, project string) (run.State, error) {
	var here []snapshot.Head
	for _, h := range all {
		if h.Belongs(project) && (!ref.LiveOnly || h.Status == run.Live) {
			here = append(here, h)
		}
	}
	switch {
	case len(here) == 0 && ref.LiveOnly:
		return run.State{}, wire.Errorf(wire.NotFound, "no live run in %s", ref.Workspace).
			WithHint("apctl ls   lists the runs; name one")
	case len(here) == 0:
		return run.State{}, wire.Errorf(wire.NotFound, "no run in %s", ref.Workspace).
			WithHint("apctl ls   lists the runs; name one")
	case ref.LiveOnly && len(here) > 1:
		return run.State{}, wire.Errorf(wire.Usage, "%d live runs in %s: %s", len(here), ref.Workspace, handles(here)).
			WithHint("name one")
	}
	return f.Read(here[0])
}

func handles(list []snapshot.Head) string {
	var out []string
	for _, h := range list {
		out = append(out, h.Handle)
	}
	return strings.Join(out, ", ")
}

// NewHandle is the shortest free suffix of a run id, at least four characters. It is
// taken from now on, also by a run that is not stored yet.
func (f *Fleet) NewHandle(id string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	id = strings.ToLower(id)
	if len(f.handles) == 0 {
		for _, m := range f.runs {
			f.handles[m.head.Handle] = true
		}
		for _, h := range f.imported {
			f.handles[h.Handle] = true
		}
	}
	h := id
	for n := 4; n < len(id); n++ {
		if h = id[len(id)-n:]; !f.handles[h] {
			break
		}
	}
	f.handles[h] = true
	return h
}
