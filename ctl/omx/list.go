package omx

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/projections/omx"
)

// ending is that of the files of modes.
const ending = "-state.json"

// found is the state of a mode in a scope.
type found struct {
	mode, path string
	state      omx.Object
}

// states are the modes of a scope, and the files that cannot be read.
func (s *Store) states(sc Scope) (all []found, broken []string, err error) {
	entries, err := os.ReadDir(sc.Dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		mode, is := strings.CutSuffix(e.Name(), ending)
		if !is || e.Name() == "run-state.json" || omx.CheckName(mode) != nil {
			continue
		}
		path := filepath.Join(sc.Dir, e.Name())
		o, there, err := readObject(path)
		switch {
		case err != nil:
			broken = append(broken, path)
		case there:
			all = append(all, found{mode, path, o})
		}
	}
	return all, broken, nil
}

// Read is the state of a mode, in the first scope that has one. It is as it is in its
// file.
func (s *Store) Read(mode, session string) (o omx.Object, there bool, err error) {
	if err := omx.CheckMode(mode); err != nil {
		return nil, false, err
	}
	scopes, err := s.toRead(session)
	if err != nil {
		return nil, false, err
	}
	for _, sc := range scopes {
		if o, there, err = readObject(filepath.Join(sc.Dir, mode+ending)); there || err != nil {
			return o, there, err
		}
	}
	return nil, false, nil
}

// Active are the modes that are active in the one scope that counts.
func (s *Store) Active(session string) ([]string, error) {
	sc, err := s.toDecide(session)
	if err != nil {
		return nil, err
	}
	states, _, err := s.states(sc)
	modes := []string{}
	for _, st := range states {
		if st.state.True("active") && st.mode != omx.SkillActive {
			modes = append(modes, st.mode)
		}
	}
	if goals, there := s.goals(); there && goals.state.True("active") && !slices.Contains(modes, omx.Goal) {
		modes = append(modes, omx.Goal)
	}
	return modes, err
}

// Statuses are the states of all modes, or of one, as get-status shows them.
func (s *Store) Statuses(session, mode string) (omx.Object, error) {
	if mode != "" {
		if err := omx.CheckName(mode); err != nil {
			return nil, err
		}
	}
	scopes, err := s.toRead(session)
	if err != nil {
		return nil, err
	}
	all := omx.Object{}
	for _, sc := range scopes {
		states, broken, err := s.states(sc)
		if err != nil {
			return nil, err
		}
		for _, b := range broken {
			if m := strings.TrimSuffix(filepath.Base(b), ending); !all.Has(m) && wanted(m, mode) {
				all = all.Set(m, omx.Object{}.Set("error", "malformed state file"))
			}
		}
		for _, st := range states {
			if !all.Has(st.mode) && wanted(st.mode, mode) {
				all = all.Set(st.mode, st.status())
			}
		}
	}
	if goals, there := s.goals(); there && (goals.state.True("active") || mode == omx.Goal && !all.Has(omx.Goal)) {
		if mode == "" || mode == omx.Goal {
			all = all.Set(omx.Goal, goals.status().Set("source", "ultragoal-artifacts"))
		}
	}
	return all, nil
}

func wanted(mode, only string) bool {
	if only == "" {
		return mode != omx.SkillActive
	}
	return mode == only
}

// status has only the members that the state has.
func (f found) status() omx.Object {
	o := omx.Object{}
	if f.state.Has("active") {
		o = o.Set("active", f.state.Raw("active"))
	}
	if f.state.Has("current_phase") {
		o = o.Set("phase", f.state.Raw("current_phase"))
	}
	return o.Set("path", f.path).Set("data", f.state)
}

// goals is the state of ultragoal as its stories say it.
func (s *Store) goals() (found, bool) {
	path := filepath.Join(s.Dir, ".omx", "ultragoal", "goals.json")
	o, there, err := readObject(path)
	if err != nil || !there {
		return found{}, false
	}
	total, done, failed, now := 0, 0, 0, ""
	for _, v := range o.List("goals") {
		g, err := omx.Parse(v)
		if err != nil || g.Text("steeringStatus") != "" {
			continue
		}
		total++
		switch g.Text("status") {
		case "complete":
			done++
		case "failed":
			failed++
		case "in_progress":
			now = g.Text("id")
		}
	}
	status := "pending"
	switch {
	case total > 0 && done == total:
		status = "complete"
	case now != "":
		status = "in_progress"
	case failed > 0:
		status = "failed"
	}
	state := omx.Object{}.Set("active", total > 0 && done < total).Set("current_phase", status).
		Set("status", status).Set("total", total).Set("complete", done).Set("failed", failed).Set("active_goal_id", now)
	return found{omx.Goal, path, state}, true
}
