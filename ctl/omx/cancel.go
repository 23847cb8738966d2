package omx

import (
	"fmt"
	"path/filepath"
	"strings"

	"autopilot/projections/omx"
)

// Cancel ends all modes that are active in the scope of the caller, and returns them in
// the order in which they ended. Nothing is removed, and no other session is touched.
// It refuses the whole call if a state cannot be read, or belongs to another session.
// With force the memory of the stop hook of oh-my-codex forgets the session.
//
// Source: oh-my-codex, seeds 4.8; oh-my-codex 0.21.6, cancel; quirk Q42.
func (s *Store) Cancel(session string, force bool) (ended []string, err error) {
	sc, err := s.ToWrite(session)
	if err != nil {
		return nil, err
	}
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	defer unlock()
	states, broken, err := s.states(sc)
	if err != nil {
		return nil, err
	}
	for _, b := range broken {
		if omx.CheckMode(strings.TrimSuffix(filepath.Base(b), ending)) == nil {
			return nil, fmt.Errorf("%s is not one JSON object, so nothing was cancelled: mend it, or clear its mode (apctl compat omx state clear)", b)
		}
	}
	sk, err := s.skills(sc)
	if err != nil {
		return nil, err
	}
	by := map[string]omx.Object{}
	var modes []string
	for _, st := range states {
		if err := mine(st, sc); err != nil {
			return nil, err
		}
		if st.mode != omx.SkillActive && st.state.True("active") {
			by[st.mode] = st.state
			modes = append(modes, st.mode)
		}
	}
	if force {
		if err := s.forgetStops(sc); err != nil {
			return nil, err
		}
	}
	now := omx.Stamp(s.now)
	var last omx.Object
	for _, mode := range omx.Order(modes) {
		o, _ := omx.Cancel(by[mode].Set("mode", mode), now)
		if err := replace(filepath.Join(sc.Dir, mode+ending), o, true); err != nil {
			return ended, fmt.Errorf("cancel %s: %w", mode, err)
		}
		ended = append(ended, mode)
		sk.note(o, mode, sc.Session, now)
		last = o
	}
	if last == nil {
		return nil, nil
	}
	if err := sk.write(); err != nil {
		return ended, err
	}
	return ended, s.mirror(sc, last)
}

// mine refuses a state that says it is another one's.
func mine(st found, sc Scope) error {
	if m := st.state.Text("mode"); m != "" && m != st.mode && st.mode != omx.SkillActive {
		return fmt.Errorf("%s says that it is the state of %s, so nothing was cancelled", st.path, m)
	}
	for _, n := range []string{"session_id", "owner_omx_session_id"} {
		if id := st.state.Text(n); id != "" && sc.Session != "" && id != sc.Session && st.mode != omx.SkillActive {
			return fmt.Errorf("%s is the state of session %s, so nothing was cancelled", st.path, id)
		}
	}
	return nil
}

// forgetStops takes a session out of what the stop hook of oh-my-codex remembers. Files
// that cannot be read are left as they are.
func (s *Store) forgetStops(sc Scope) error {
	if sc.Session == "" {
		return nil
	}
	for _, dir := range []string{s.Base, sc.Dir} {
		path := filepath.Join(dir, "native-stop"+ending)
		o, there, err := readObject(path)
		if sessions := o.Sub("sessions"); err == nil && there && sessions.Has(sc.Session) {
			if err := replace(path, o.Set("sessions", sessions.Without(sc.Session)), true); err != nil {
				return err
			}
		}
	}
	return nil
}
