package daemon

import (
	"cmp"

	"autopilot/events"
	"autopilot/projections/run"
)

// language is that in which a run is told of: what the user has set for all that
// they read, else that of the run.
func (d *Daemon) language(s run.State) events.Language {
	return cmp.Or(d.userLanguage(), s.Facts.Language, events.English)
}

// screenLanguage is that of what is about no run, or about several.
func (d *Daemon) screenLanguage() events.Language {
	return cmp.Or(d.userLanguage(), events.English)
}

// userLanguage is the setting; empty for none. A file that cannot be read has
// none: other places say what is wrong with it.
func (d *Daemon) userLanguage() events.Language {
	if u, err := d.limits.User(); err == nil {
		return u.Language
	}
	return ""
}

// spoken is a run as it is put into words: in the language in which it is told of.
func (d *Daemon) spoken(s run.State) run.State {
	s.Facts.Language = d.language(s)
	return s
}
