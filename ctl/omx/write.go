package omx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"autopilot/projections/omx"
)

// Written is what a write has done.
type Written struct {
	Mode, Path string
	State      omx.Object
	Transition string
	Advisory   *omx.Gap
	Stop       *omx.Stop
}

// Write sets members of the state of a mode. The call has the mode, the session and the
// members, as oh-my-codex takes them.
func (s *Store) Write(call omx.Object, p omx.Profile) (Written, error) {
	mode, err := modeOf(call)
	if err != nil {
		return Written{}, err
	}
	return s.change(mode, call.Text("session_id"), func(stored omx.Object, w omx.World) (omx.Result, error) {
		r, err := omx.Write(stored, call, w, p)
		if err != nil || mode != "autopilot" || p == omx.Advisory || !r.State.True("active") || omx.HasSnapshot(r.State) {
			return r, err
		}
		path, err := s.snapshot(r.State.Text("task_description"))
		if err != nil {
			return r, err
		}
		kind, status := "recovery", "unavailable"
		if r.State.Text("task_description") != "" {
			kind, status = "canonical", "activation-prompt"
		}
		r.State = omx.WithSnapshot(r.State, path, kind, status)
		return r, nil
	})
}

func modeOf(call omx.Object) (string, error) {
	if call.Raw("mode").Kind() != '"' {
		return "", errors.New("mode has to be a text: name one, as in --mode autopilot")
	}
	if v := call.Raw("session_id"); v.Kind() != '"' && v.Kind() != 'n' {
		return "", errors.New("session_id has to be a text")
	}
	if v := call.Raw("session_id"); v.Kind() == '"' {
		if err := omx.CheckID(call.Text("session_id")); err != nil {
			return "", err
		}
	}
	mode := call.Text("mode")
	return mode, omx.CheckName(mode)
}

// Start begins a run of autopilot for a task. A run that is active stays as it is.
func (s *Store) Start(task, session string, p omx.Profile) (Written, error) {
	return s.change("autopilot", session, func(stored omx.Object, w omx.World) (omx.Result, error) {
		r, err := omx.Start(stored, task, "", w, p)
		if err != nil || p == omx.Advisory {
			return r, err
		}
		path, err := s.snapshot(task)
		if err != nil {
			return r, err
		}
		r.State = omx.WithSnapshot(r.State, path, "canonical", "activation-prompt")
		return r, nil
	})
}

// Put replaces the state of a mode by one that comes from elsewhere, as from the record
// of a run. It asks for no evidence, and refuses a state that contradicts itself.
func (s *Store) Put(mode, session string, state omx.Object) (Written, error) {
	if err := omx.CheckMode(mode); err != nil {
		return Written{}, err
	}
	return s.change(mode, session, func(stored omx.Object, w omx.World) (omx.Result, error) {
		if stored.True("active") && stored.Text(omx.RunID) != state.Text(omx.RunID) {
			return omx.Result{}, fmt.Errorf("%s is active in phase %s there, and is another run: end it first (apctl compat omx cancel)", mode, stored.Text("current_phase"))
		}
		state = omx.Flatten(state).Set("mode", mode)
		if w.Session != "" {
			state = state.Set("session_id", w.Session)
		}
		if mode == "autopilot" {
			if err := omx.Sound(state); err != nil {
				return omx.Result{}, err
			}
		}
		return omx.Result{State: state}, nil
	})
}

// snapshot writes the file with the context of a run, and returns its path in the
// working directory.
func (s *Store) snapshot(task string) (string, error) {
	dir := filepath.Join(s.Dir, ".omx", "context")
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // a directory of the project, readable as others are
		return "", err
	}
	if !below(canonical(filepath.Join(s.Dir, ".omx")), canonical(dir)) {
		return "", fmt.Errorf("%s is a link that leads out of .omx", dir)
	}
	name, text := omx.Snapshot(task, s.now)
	for n := 1; ; n++ {
		file := name + ".md"
		if n > 1 {
			file = fmt.Sprintf("%s-%d.md", name, n)
		}
		f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644) //nolint:gosec // as other files of the project
		if errors.Is(err, os.ErrExist) && n < 1000 {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.WriteString(text)
		return ".omx/context/" + file, errors.Join(err, f.Sync(), f.Close())
	}
}

// change writes the state of a mode under the lock, from what is stored. A stored state
// that cannot be read is left as it is.
func (s *Store) change(mode, session string, next func(stored omx.Object, w omx.World) (omx.Result, error)) (Written, error) {
	sc, err := s.ToWrite(session)
	if err != nil {
		return Written{}, err
	}
	unlock, err := s.lock()
	if err != nil {
		return Written{}, err
	}
	defer unlock()
	path := filepath.Join(sc.Dir, mode+ending)
	stored, _, err := readObject(path)
	if err != nil {
		return Written{}, err
	}
	w, err := s.world(sc, mode)
	if err != nil {
		return Written{}, err
	}
	r, err := next(stored, w)
	if err != nil {
		return Written{}, err
	}
	if now, err := s.ToWrite(session); err != nil || now != sc {
		return Written{}, errors.Join(errors.New("the session changed while the state was written: nothing was written"), err)
	}
	return s.commit(sc, mode, path, r, w)
}

// commit writes a state and the files beside it. The state is first: what is beside it
// is made from it, and again at the next write.
func (s *Store) commit(sc Scope, mode, path string, r omx.Result, w omx.World) (Written, error) {
	v := Written{Mode: mode, Path: path, State: r.State, Advisory: r.Advisory, Stop: r.Stop}
	if err := os.MkdirAll(sc.Dir, 0o755); err != nil { //nolint:gosec // a directory of the project, readable as others are
		return v, err
	}
	skills, err := s.skills(sc)
	if err != nil {
		return v, err
	}
	for _, from := range r.Completes {
		if err := s.complete(sc, from, mode, skills, w); err != nil {
			return v, err
		}
		if v.Transition == "" {
			v.Transition = omx.Transition(from, mode)
		}
	}
	if err := replace(path, r.State, true); err != nil {
		return v, fmt.Errorf("write the state of %s: %w", mode, err)
	}
	if mode == omx.SkillActive {
		return v, nil
	}
	if mode == "team" {
		if err := s.link(sc, r.State, skills, w); err != nil {
			return v, err
		}
	}
	skills.note(r.State, mode, sc.Session, omx.Stamp(s.now))
	return v, errors.Join(skills.write(), s.mirror(sc, r.State))
}

// complete ends a mode that another one follows.
func (s *Store) complete(sc Scope, mode, next string, sk *skills, w omx.World) error {
	path := filepath.Join(sc.Dir, mode+ending)
	o, there, err := readObject(path)
	if err != nil || !there {
		return err
	}
	o = omx.Transited(o, mode, next, w)
	sk.note(o, mode, sc.Session, omx.Stamp(s.now))
	return replace(path, o, true)
}

// link ends ralph with the team that it is linked to, in the same scope.
func (s *Store) link(sc Scope, team omx.Object, sk *skills, w omx.World) error {
	path := filepath.Join(sc.Dir, "ralph"+ending)
	o, there, err := readObject(path)
	if err != nil || !there {
		return nil //nolint:nilerr // what cannot be read is left as it is, and keeps no team from its end
	}
	next, is := omx.Linked(team, o, w)
	if !is {
		return nil
	}
	sk.note(next, "ralph", sc.Session, omx.Stamp(s.now))
	return replace(path, next, true)
}

// mirror writes run-state.json.
func (s *Store) mirror(sc Scope, state omx.Object) error {
	path := filepath.Join(sc.Dir, "run-state.json")
	old, _, _ := readObject(path) // it is made from the state, so a broken one is made anew
	return replace(path, omx.RunState(state, old, omx.Stamp(s.now)), false)
}

// skills are the files of active skills of a scope: its own, and that of the root.
type skills struct {
	paths []string
	files []omx.Object
}

// skills reads them. One that cannot be read is refused before anything is written.
func (s *Store) skills(sc Scope) (*skills, error) {
	sk := &skills{paths: []string{filepath.Join(s.Base, omx.SkillActive+ending)}}
	if sc.Session != "" {
		sk.paths = append(sk.paths, filepath.Join(sc.Dir, omx.SkillActive+ending))
	}
	for _, p := range sk.paths {
		o, _, err := readObject(p)
		if err != nil {
			return nil, err
		}
		sk.files = append(sk.files, o)
	}
	return sk, nil
}

func (sk *skills) note(state omx.Object, mode, session, now string) {
	for i, o := range sk.files {
		if len(o) > 0 || state.True("active") {
			sk.files[i] = omx.Skills(o, state, mode, session, now)
		}
	}
}

func (sk *skills) write() error {
	var all error
	for i, o := range sk.files {
		if len(o) > 0 {
			all = errors.Join(all, replace(sk.paths[i], o, false))
		}
	}
	return all
}
