package api

import (
	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// opaque lists the files of a question that no text can show.
func (a *Views) opaque(q events.QuestionAsked) (out []wire.OpaqueFile) {
	var list []stored.Opaque
	if text := a.Text(q.Opaque); text != "" && json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	for _, f := range list {
		out = append(out, wire.OpaqueFile{Path: f.Path, Kind: wire.OpaqueKind(f.Kind), Bytes: f.Bytes, Hash: f.Hash})
	}
	return out
}

// shown is the text of a question if the person saw all of it.
func shown(q events.QuestionAsked, body wire.AnswerRequest) events.Ref {
	if q.Kind != events.AskApproval || body.Shown != string(q.Text) {
		return ""
	}
	return q.Text
}

// checkShown refuses the approval of a set that was not shown whole. A person approves
// opaque files by their hash.
func (a *Questions) checkShown(q events.QuestionAsked, handle string, body wire.AnswerRequest) error {
	if q.Kind != events.AskApproval || events.Choice(body.Choice) != events.ChoiceOK {
		return nil
	}
	if shown(q, body) == "" {
		return wire.Errorf(wire.NeedsPerson, "you were not shown all files of gate %s, so ok does not approve them", q.Gate).
			WithHint("apctl answer %s --show   shows them all", handle)
	}
	list := a.opaque(q)
	if q.Opaque != "" && len(list) == 0 {
		return wire.Errorf(wire.Failed, "the list of binary files cannot be read, so ok does not approve them")
	}
	f, unseen := wire.Unseen(list, body.Seen)
	switch {
	case !unseen:
		return nil
	case f.Path == "":
		return wire.Errorf(wire.NeedsPerson, "gate %[2]s has %[1]d binary files; their approval needs the start of their hash", len(list), q.Gate).
			WithHint("apctl answer %s ok --seen HASH   at a terminal; HASH is the first %d characters of their common hash", handle, wire.SeenCharacters)
	}
	return wire.Errorf(wire.NeedsPerson, "%s cannot be shown as text; its approval needs the start of its hash", f.Path).
		WithHint("apctl answer %s ok --seen HASH   at a terminal; HASH is the first %d characters of its SHA-256", handle, wire.SeenCharacters)
}

// chatBytes bounds the text of a question for a chat.
const chatBytes = 64 << 10

// shownToChat says that a chat, and so its person, saw all of the set that a run asks
// about.
func (a *Questions) shownToChat(s run.State, body wire.AnswerRequest) (wire.AnswerRequest, error) {
	q := s.Question
	if q == nil || q.Kind != events.AskApproval {
		return body, nil
	}
	whole := q.Opaque == "" && len(a.Text(q.Text)) <= chatBytes
	if !whole && events.Choice(body.Choice) == events.ChoiceOK {
		return body, wire.Errorf(wire.Denied, "a chat cannot show all files of gate %s, so they are approved at a terminal", q.Gate).
			WithHint("apctl answer %s   asks a person at a terminal", s.Facts.Handle)
	}
	if whole {
		body.Shown = string(q.Text)
	}
	return body, nil
}
