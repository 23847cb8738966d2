package omx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"autopilot/projections/omx"
)

// Scope is where a state lies: at the root, or in the directory of a session.
type Scope struct {
	Session string // "" for the root
	Dir     string
}

func (s *Store) scope(session string) Scope {
	if session == "" {
		return Scope{Dir: s.Base}
	}
	return Scope{Session: session, Dir: filepath.Join(s.Base, "sessions", session)}
}

// ToWrite is the one scope that a write goes to: that of the session that the call
// names, else of the live session, else the root.
//
// Source: oh-my-codex 0.21.6, writable scope; seeds 4.3; lesson O10.
func (s *Store) ToWrite(session string) (Scope, error) {
	p := readPointer(s.Base, s.Dir)
	if session != "" {
		if err := omx.CheckID(session); err != nil {
			return Scope{}, err
		}
		if p.class == usable && p.is(session) {
			session = p.session
		}
		return s.safe(s.scope(session))
	}
	env := s.sessionOf("OMX_SESSION_ID")
	switch {
	case p.class == usable && env != "" && !p.is(env):
		return Scope{}, fmt.Errorf("OMX_SESSION_ID is %s, and the live session of session.json is %s: name the session in the call (session_id)", env, p.session)
	case p.class == usable:
		return s.safe(s.scope(p.session))
	case p.class == gone && env != "", p.class == unproven && env != "" && env == p.session:
		return s.safe(s.scope(env))
	case p.class != absent:
		return Scope{}, fmt.Errorf("the session of %s is not live, so the scope is not known: name the session in the call (session_id)", filepath.Join(s.Base, "session.json"))
	case env != "":
		return Scope{}, fmt.Errorf("OMX_SESSION_ID is %s, and no session.json binds it: name the session in the call (session_id)", env)
	}
	return s.safe(s.scope(""))
}

// safe refuses a scope that a link leads out of the state directory.
func (s *Store) safe(sc Scope) (Scope, error) {
	if !below(canonical(s.Base), canonical(sc.Dir)) {
		return Scope{}, fmt.Errorf("%s is a link that leads out of the state directory", sc.Dir)
	}
	return sc, nil
}

// toRead are the scopes that a read looks in, one after the other.
//
// Source: seeds 4.3, read scope.
func (s *Store) toRead(session string) ([]Scope, error) {
	p := readPointer(s.Base, s.Dir)
	root := s.scope("")
	switch {
	case session != "":
		if err := omx.CheckID(session); err != nil {
			return nil, err
		}
		if p.class == usable && p.is(session) {
			session = p.session
		}
		sc := s.scope(session)
		if _, err := os.Stat(sc.Dir); err == nil {
			return []Scope{sc}, nil
		} else if !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		return []Scope{sc, root}, nil
	case p.class == usable:
		return []Scope{s.scope(p.session), root}, nil
	}
	return []Scope{root}, nil
}

// toDecide is the scope whose active modes count: never the root beside a session.
func (s *Store) toDecide(session string) (Scope, error) {
	p := readPointer(s.Base, s.Dir)
	if session == "" {
		session = s.sessionOf("OMX_SESSION_ID", "CODEX_SESSION_ID", "SESSION_ID")
	} else if err := omx.CheckID(session); err != nil {
		return Scope{}, err
	}
	if p.class == usable && (session == "" || p.is(session)) {
		session = p.session
	}
	return s.scope(session), nil
}
