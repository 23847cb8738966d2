package api

import (
	"cmp"

	"autopilot/events"
	"autopilot/projections/run"
)

// Language is that in which a run is told of: what the user has set for all that
// they read, else that of the run.
func (a *Views) Language(s run.State) events.Language {
	return cmp.Or(a.userLanguage(), s.Facts.Language, events.English)
}

// ScreenLanguage is that of what is about no run, or about several.
func (a *Views) ScreenLanguage() events.Language {
	return cmp.Or(a.userLanguage(), events.English)
}

// userLanguage is the setting; empty for none. A file that cannot be read has
// none: other places say what is wrong with it.
func (a *Views) userLanguage() events.Language {
	if u, err := a.Limits.User(); err == nil {
		return u.Language
	}
	return ""
}

// Spoken is a run as it is put into words: in the language in which it is told of.
func (a *Views) Spoken(s run.State) run.State {
	s.Facts.Language = a.Language(s)
	return s
}
