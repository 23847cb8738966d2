package daemon

import (
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/run"
)

// resolve finds the run that a request names: an exact id or handle, an
// unambiguous suffix of an id, or for no name the latest of the workspace
// project.
func (f *fleet) resolve(ref wire.RunRef, project string) (run.State, error) {
	if s, ok := f.state(strings.ToUpper(ref.Run)); ok {
		return s, nil // what programs ask by needs no list of all
	}
	all := f.states()
	if ref.Run == "" {
		return f.latest(all, ref, project)
	}
	want := strings.ToLower(ref.Run)
	var hits []run.State
	for _, s := range all {
		id := strings.ToLower(s.ID)
		if s.Facts.Handle == want || id == want {
			return s, nil
		}
		if len(want) >= 4 && strings.HasSuffix(id, want) {
			hits = append(hits, s)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return run.State{}, wire.Errorf(wire.NotFound, "no run %q", ref.Run).
			WithHint("apctl ls --all   lists the runs")
	}
	return run.State{}, wire.Errorf(wire.Usage, "%q fits %d runs: %s", ref.Run, len(hits), handles(hits)).
		WithHint("give more characters of the id")
}

// belongs says that a run works in the workspace, or in a work tree that was
// made from it for the run.
func belongs(s run.State, project string) bool {
	return project != "" && (s.Facts.Project == project || s.Facts.From == project)
}

func (f *fleet) latest(all []run.State, ref wire.RunRef, project string) (run.State, error) {
	var here []run.State
	for _, s := range all {
		if belongs(s, project) && (!ref.LiveOnly || s.Status == run.Live) {
			here = append(here, s)
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
	return here[0], nil
}

func handles(ss []run.State) string {
	var out []string
	for _, s := range ss {
		out = append(out, s.Facts.Handle)
	}
	return strings.Join(out, ", ")
}

// handle is the shortest free suffix of a run id, at least four characters.
func (f *fleet) handle(id string) string {
	id = strings.ToLower(id)
	taken := map[string]bool{}
	for _, s := range f.states() {
		taken[s.Facts.Handle] = true
	}
	for n := 4; n < len(id); n++ {
		if h := id[len(id)-n:]; !taken[h] {
			return h
		}
	}
	return id
}
