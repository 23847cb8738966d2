package render

import "autopilot/events/wire"

// PIN says whether a PIN is set.
func (s Style) PIN(v wire.PINView) string {
	if !v.Set {
		return "no PIN is set\n"
	}
	text := "a PIN is set"
	if v.At != nil {
		text += ", since " + s.Clock(*v.At)
	}
	if v.Wrong > 0 {
		text += "; " + count(v.Wrong, "wrong try")
	}
	if v.Until != nil {
		text += ", and none is looked at before " + s.Clock(*v.Until)
	}
	return text + "\n"
}

// What is asked for without being shown.

// OldPIN asks for the PIN that is set.
func (Style) OldPIN() string { return "PIN that is set now, it is not shown: " }

// NewPIN asks for another one.
func (Style) NewPIN() string { return "new PIN, at least 4 characters: " }

// PINAgain asks for it once more.
func (Style) PINAgain() string { return "once more: " }

// AnswerPIN asks for the PIN instead of a challenge.
func (s Style) AnswerPIN(choice string) string {
	return "PIN to answer " + s.paint(bold, Line(choice)) + ", or Enter to leave it: "
}

// NoPIN says that nobody can be asked for it.
func NoPIN(why error) *wire.Error {
	return &wire.Error{Code: wire.NeedsPerson, Message: "the PIN is typed at a terminal: " + why.Error()}
}

// NothingTyped says that a PIN was not given.
func NothingTyped() *wire.Error {
	return &wire.Error{Code: wire.NeedsPerson, Message: "nothing was typed, so nothing has changed"}
}

// PINsDiffer says that a new PIN was not typed twice.
func PINsDiffer() *wire.Error {
	return usage("apctl pin set", "these were two different PINs, so nothing has changed")
}
