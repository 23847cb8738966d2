package api

import (
	"cmp"

	"autopilot/events"
	"autopilot/projections/run"
)

// Language is the language of texts about a run: the user's setting, else the run's own.
func (a *Views) Language(s run.State) events.Language {
	return cmp.Or(a.userLanguage(), s.Facts.Language, events.English)
}

// ScreenLanguage is the language of texts about no run, or about several.
func (a *Views) ScreenLanguage() events.Language {
	return cmp.Or(a.userLanguage(), events.English)
}

// userLanguage is the user's setting; empty without one. An unreadable file has no
// setting: other verbs report its fault.
func (a *Views) userLanguage() events.Language {
	if u, err := a.Limits.User(); err == nil {
		return u.Language
	}
	return ""
}

// Spoken returns a run with the language of texts about it.
func (a *Views) Spoken(s run.State) run.State {
	s.Facts.Language = a.Language(s)
	return s
}
