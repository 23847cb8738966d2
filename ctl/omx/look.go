package omx

import (
	"path/filepath"

	"autopilot/projections/omx"
)

// Unproven is the state of autopilot and what it lacks for the phases behind it.
func (s *Store) Unproven(session string) (o omx.Object, there bool, gaps []omx.Gap, err error) {
	if o, there, err = s.Read("autopilot", session); err != nil || !there {
		return nil, false, nil, err
	}
	w, err := s.world(s.scope(session), "autopilot")
	if err != nil {
		return nil, false, nil, err
	}
	return o, true, omx.Unproven(o.Set("mode", "autopilot"), w), nil
}

// Watch reads the state of autopilot once more. It says whether that changed since was,
// and what the change would have been refused for.
func (s *Store) Watch(session string, was omx.Object) (next omx.Object, changed bool, refused, err error) {
	sc := s.scope(session)
	next, there, err := readObject(filepath.Join(sc.Dir, "autopilot"+ending))
	if err != nil || !there || string(next.Compact()) == string(was.Compact()) {
		return was, false, nil, err
	}
	w, err := s.world(sc, "autopilot")
	if err != nil {
		return was, false, nil, err
	}
	return next, true, omx.Judge(omx.Flatten(was).Set("mode", "autopilot"), omx.Flatten(next).Set("mode", "autopilot"), w), nil
}
