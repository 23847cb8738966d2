package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// What is removed from history.

// Erased says what was erased, or would be.
func (s Style) Erased(v wire.EraseView, dry bool) string {
	h := s.paint(bold, Line(v.Run))
	switch {
	case v.Nothing() && v.Erased && dry:
		return h + " is erased\n"
	case v.Erased:
		return h + " is erased: " + eraseSum(v) + "\n" + s.shared(v)
	}
	return "would erase " + h + ": " + eraseSum(v) + "\n" + s.shared(v)
}

// EraseAsk shows what would be erased, and asks.
func (s Style) EraseAsk(v wire.EraseView) string {
	task := ""
	if v.Task != "" {
		task = "  " + s.cut(Line(v.Task), s.room(2)) + "\n"
	}
	return "erase run " + s.paint(bold, Line(v.Run)) + "\n" + task + "\n" +
		"  " + eraseSum(v) + "\n" + s.shared(v) + "\n" + eraseMeans + "\n" +
		s.challenge("erase it", v.Run, v.PIN)
}

const eraseMeans = `It cannot be taken back. The events of the run stay, and hold no text.
`

func eraseSum(v wire.EraseView) string {
	return removed(v.Texts, "text") + ", " + removed(v.Outputs, "output") + ", " + count(v.Trees, "recorded tree")
}

func removed(r wire.Room, noun string) string {
	if r.Files == 0 {
		return count(0, noun)
	}
	return count(r.Files, noun) + " (" + Size(r.Bytes) + ")"
}

// shared says that some texts stay.
func (s Style) shared(v wire.EraseView) string {
	switch v.Shared {
	case 0:
		return ""
	case 1:
		return "  1 text stays, as it is named elsewhere too\n"
	}
	return fmt.Sprintf("  %d texts stay, as they are named elsewhere too\n", v.Shared)
}

// NotTyped says that a person did not agree to erase.
func NotTyped(v wire.EraseView, typed string) *wire.Error {
	if typed == "" {
		return NotErased(v, "nothing was typed")
	}
	return NotErased(v, "that is not "+Line(v.Run))
}

// NotErased says that nothing was erased, and why.
func NotErased(v wire.EraseView, why string) *wire.Error {
	h := Line(v.Run)
	return &wire.Error{
		Code:    wire.NeedsPerson,
		Message: why + ", so run " + h + " is not erased",
		Hint:    "apctl archive erase " + h + " --dry-run   says what would go\napctl archive erase " + h + "   asks a person at a terminal",
	}
}

// EraseWhat is an erasing without a run.
func EraseWhat() *wire.Error { return usage("apctl ls --all   lists the runs", "to erase needs a run") }

// Pruned says what was pruned, or would be.
func (s Style) Pruned(v wire.PruneView) string {
	when := "over before " + s.Clock(v.Before)
	if v.Nothing() {
		return "nothing to prune of runs " + when + "\n"
	}
	verb := "pruned"
	if v.DryRun {
		verb = "would prune"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\n", verb, s.paint(bold, count(v.Runs, "run")), when)
	b.WriteString(table([][]string{
		{"texts", removedRow(v.Texts)},
		{"outputs", removedRow(v.Outputs)},
		{"recorded trees", fmt.Sprint(v.Trees)},
		{"named by nothing", removedRow(v.Unnamed)},
	}))
	return b.String()
}

func removedRow(r wire.Room) string {
	if r.Files == 0 {
		return "0"
	}
	return fmt.Sprintf("%d, %s", r.Files, Size(r.Bytes))
}

// PruneWhat is a pruning without an age.
func PruneWhat() *wire.Error {
	return usage("apctl archive prune --older-than 90d", "to prune needs an age")
}

// PrunesNearlyAll refuses an age that may be a slip.
func PrunesNearlyAll(age string) *wire.Error {
	return usage("apctl archive prune --older-than "+Word(Line(age))+" --yes   if that is meant",
		"--older-than %s is less than an hour: the texts of nearly every run that is over would go", Line(age))
}

// PrunesYoung says that a short age was meant.
func PrunesYoung(age string) string {
	return Note("the texts of runs go that were over only " + age + " ago")
}

// GoneText says in place of a text why it is not there.
func (s Style) GoneText(g wire.GoneView) string {
	if g.Erased {
		return "(erased " + s.Clock(g.At) + " by " + who(g.By) + ")"
	}
	return "(pruned " + s.Clock(g.At) + ")"
}

// task is the task of a run, or why it is not there. It says what is history of
// another place.
func (s Style) task(v wire.RunView) string {
	task := Line(v.Task)
	if v.Gone != nil && v.Task == "" {
		task = s.GoneText(*v.Gone)
	}
	if v.Imported {
		task = "(imported) " + task
	}
	return task
}
