package omx

import (
	"os"
	"path/filepath"

	"autopilot/projections/omx"
)

// Own is the state of a mode that is proven to be of a session: it is in the directory of
// the session, or says itself that it is the session's. The state of the root, of nobody
// or of another session is none.
//
// Source: oh-my-codex 0.21.6, stop hook: a session that is not proven is not held.
func (s *Store) Own(mode, session string) (o omx.Object, there bool, err error) {
	if err := omx.CheckID(session); err != nil {
		return nil, false, err
	}
	bound := readPointer(s.Base, s.Dir)
	own := session
	if bound.class == usable && bound.is(session) {
		own = bound.session
	}
	for _, id := range []string{own, ""} {
		sc, err := s.safe(s.scope(id))
		if err != nil {
			return nil, false, err
		}
		o, there, err := readObject(filepath.Join(sc.Dir, mode+ending))
		if err != nil {
			return nil, there, err
		}
		says := o.Text("session_id")
		if there && (says == own || says == session || says == "" && id != "") {
			return o, true, nil
		}
		if there && id != "" {
			return nil, false, nil
		}
	}
	return nil, false, nil
}

// HasSession says that a session has a directory of its own.
func (s *Store) HasSession(session string) bool {
	if omx.CheckID(session) != nil {
		return false
	}
	if p := readPointer(s.Base, s.Dir); p.class == usable && p.is(session) {
		session = p.session
	}
	sc, err := s.safe(s.scope(session))
	if err != nil {
		return false
	}
	st, err := os.Stat(sc.Dir)
	return err == nil && st.IsDir()
}

// Stopped remembers the signature of a stop that is held, and says whether the last one
// of the session was the same. The file is that of the release.
func (s *Store) Stopped(session, signature string) (again bool, err error) {
	unlock, err := s.lock()
	if err != nil {
		return false, err
	}
	defer unlock()
	path := filepath.Join(s.Base, "native-stop"+ending)
	o, _, err := readObject(path)
	if err != nil {
		return false, err
	}
	sessions := o.Sub("sessions")
	last := sessions.Sub(session)
	if last.Text("last_signature") == signature {
		return true, nil
	}
	last = last.Set("last_signature", signature).Set("updated_at", omx.Stamp(s.now))
	return false, replace(path, o.Set("sessions", sessions.Set(session, last)), false)
}
