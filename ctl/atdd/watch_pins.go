package atdd

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/atdd"
)

// pinned is what was seen of a pin.
type pinned struct {
	there bool
	raw   []byte // the whole file, as it is compared
	text  string // as it is shown
	said  string // of its anchor
}

// anchors are the pins, what each is of, and the steps that are measured by it.
//
// Source: atdd-kit, seeds 3.1.
var anchors = []struct {
	pin   string
	of    []string
	steps []string
}{
	{atdd.PRDPin, []string{atdd.PRD}, []string{atdd.StepStories, atdd.StepPlan}},
	{atdd.DesignPin, []string{atdd.PRD, atdd.Stories}, []string{atdd.StepImpl}},
}

// lookAtPins compares what is pinned with what it was, and with what is there now.
func (w *Watch) lookAtPins(say func(wire.AtddRow) error) error {
	for _, a := range anchors {
		text, there, err := w.call.read(filepath.Join(w.dir, a.pin))
		if err != nil {
			return err
		}
		was := w.pins[a.pin]
		now := pinned{there: there, raw: text, text: firstWord(text)}
		if now.said, err = w.anchor(now, a.of, w.began(a.steps)); err != nil {
			return err
		}
		w.pins[a.pin] = now
		if there && was.text != now.text {
			if err := say(wire.AtddRow{File: a.pin, Kind: "pin", Fingerprint: now.text}); err != nil {
				return err
			}
		}
		switch {
		case was.there && !there:
			err = w.changed(a.pin, 0, say, "it is gone, and with it what was approved")
		case was.there && was.text != now.text:
			err = w.changed(a.pin, 0, say, "another fingerprint is pinned than before, which was %s", was.text)
		case now.said != "" && now.said != was.said:
			err = w.changed(a.pin, 0, say, "%s", now.said)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// firstWord is what a pin says, short enough to be shown.
func firstWord(text []byte) string {
	const most = 100
	word := strings.ToValidUTF8(string(bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")))), "?")
	if len(word) > most {
		word = strings.ToValidUTF8(word[:most], "") + "..."
	}
	return word
}

// began says that a log has rows of one of these steps.
func (w *Watch) began(steps []string) bool {
	return slices.ContainsFunc(w.judge.View().Steps, func(s wire.AtddStep) bool { return slices.Contains(steps, s.Step) })
}

// anchor says what is wrong with a pin, as the files are now.
func (w *Watch) anchor(p pinned, of []string, began bool) (string, error) {
	if !p.there {
		if began {
			return "it is not there, and the log has iterations that are measured by it", nil
		}
		return "", nil
	}
	var all []byte
	for _, name := range of {
		text, there, err := w.call.read(filepath.Join(w.dir, name))
		if err != nil {
			return "", err
		}
		if !there {
			return name + " is not there, and was pinned", nil
		}
		all = append(all, text...)
	}
	current, err := atdd.Fingerprint(all)
	if err == nil {
		err = atdd.Pin(p.raw, current)
	}
	if err == nil {
		err = atdd.CheckPrint("AC fingerprint", p.text)
	}
	if err == nil {
		return "", nil
	}
	return atdd.Because(err), nil
}
