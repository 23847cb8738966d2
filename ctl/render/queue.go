package render

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
)

// QueueCreated says what a new queue does.
func (s Style) QueueCreated(v wire.QueueView) string {
	text := s.Queue(v)
	if len(v.Items) == 0 {
		return text + fmt.Sprintf("  apctl queue add TASK   adds a task\n  apctl queue run %s   works the queue off\n", Line(string(v.Name)))
	}
	return text
}

// QueueOpened says how a queue is worked off.
func (s Style) QueueOpened(v wire.QueueView) string {
	runs := "one run at a time"
	if v.Parallel > 1 {
		runs = fmt.Sprintf("%d runs at once", v.Parallel)
	}
	text := fmt.Sprintf("queue %s is worked off, %s", Line(string(v.Name)), runs)
	if v.UntilMS > 0 {
		text += ", until " + s.Clock(time.UnixMilli(v.UntilMS))
	}
	return text + "\n  " + landing(v) + "\n"
}

// QueueLabel says what a label does, before a person agrees to it.
func (s Style) QueueLabel(repository, label string) string {
	return fmt.Sprintf("every open issue of %s with label %s becomes a task as its author wrote it, also those that come later\nwhoever may label issues there can then give tasks to your agents\n", Line(repository), Line(label))
}

// NoLabelRepository is a label of no repository.
func NoLabelRepository(label string, err error) *wire.Error {
	return usage("git remote add origin ADDRESS   names it", "which repository has label %s is not clear: %s", Line(label), Line(err.Error()))
}

// QueueLeft says that a queue goes on.
func (s Style) QueueLeft(v wire.QueueView) string {
	return fmt.Sprintf("the queue goes on\n  apctl queue watch %[1]s   follows it\n  apctl queue pause %[1]s   begins nothing more\n", Line(string(v.Name)))
}

// landing says what becomes of finished work.
func landing(v wire.QueueView) string {
	target := Line(v.Target)
	switch v.Land {
	case events.LandNone:
		return "finished work stays on the branch of its run"
	case events.LandPR:
		return "finished work is shown as a pull request for " + target
	case events.LandMerge:
		return "finished work is merged into " + target + ": you have agreed to that"
	case events.LandBranch:
	}
	return "finished work lands on branch " + target
}

// stateOfQueue is how a queue stands.
func stateOfQueue(v wire.QueueView) string {
	text := map[string]string{
		"new": "not begun", wire.QueueIsOpen: "open", string(events.QueuePaused): "paused", string(events.QueueDrained): "nothing is left to begin",
		string(events.QueueTime): "its time is over", string(events.QueueCost): "it has cost what it may",
		string(events.QueueTrust): "a person has to agree first: apctl trust, then apctl queue run",
	}[v.State]
	if v.LaneStopped {
		text += "; landing has stopped"
	}
	return text
}

// counts are the items of a queue by state, in the order of their life.
func counts(v wire.QueueView) string {
	var parts []string
	for _, state := range []string{
		"running", "landing", "ready", "done", "waiting", "blocked", "unresolved", "cycle", "behind-cycle", "halted", "failed", "escalated", "cancelled", "landed", "shown", "kept",
	} {
		if n := v.Counts[state]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	if len(parts) == 0 {
		return "no items"
	}
	return strings.Join(parts, ", ")
}

// Queues lists queues.
func (s Style) Queues(v wire.QueuesView) string {
	if len(v.Queues) == 0 {
		return "no queue\n  apctl queue new NAME   creates one\n"
	}
	rows := make([][]string, 0, len(v.Queues))
	for _, q := range v.Queues {
		rows = append(rows, []string{Line(string(q.Name)), Line(filepath.Base(q.Directory)), stateOfQueue(q), counts(q)})
	}
	return table(rows)
}

// Queue shows a queue and its items.
func (s Style) Queue(v wire.QueueView) string {
	var b strings.Builder
	fmt.Fprintf(&b, "queue %s of %s: %s; %s\n  %s\n", Line(string(v.Name)), Line(filepath.Base(v.Directory)), stateOfQueue(v), counts(v), landing(v))
	var rows [][]string
	for _, i := range v.Items {
		rows = append(rows, []string{fmt.Sprint(i.No), Line(string(i.Name)), itemState(i), itemRun(i), s.itemTask(i)})
	}
	b.WriteString(table(rows))
	b.WriteString(s.queueNotes(v))
	return b.String()
}

// itemState is how an item stands, with what it waits for.
func itemState(i wire.QueueItemView) string {
	text := i.State
	switch i.State {
	case "waiting":
		text = "after"
	case "blocked":
		text = "blocked by"
	case "unresolved":
		text = "unknown:"
	case "cycle":
		text = "in a cycle:"
	case "behind-cycle":
		text = "behind a cycle:"
	case "ready":
		if i.Returns > 0 {
			text = fmt.Sprintf("sent back (%d)", i.Returns)
		}
	}
	if len(i.On) > 0 {
		text += " " + names(i.On)
	}
	return text
}

func names(list []events.Name) string {
	texts := make([]string, len(list))
	for k, n := range list {
		texts[k] = Line(string(n))
	}
	return strings.Join(texts, ", ")
}

func itemRun(i wire.QueueItemView) string {
	if i.Run == "" {
		return "-"
	}
	return Line(i.Run)
}

// taskColumns is how much of a task a table shows.
const taskColumns = 48

func (s Style) itemTask(i wire.QueueItemView) string {
	text := Line(i.Task)
	if i.RunState != "" && i.State != "failed" {
		text = Line(i.RunState)
	}
	return s.cut(text, taskColumns)
}

// queueNotes are what a person has to know of items, with the next command.
func (s Style) queueNotes(v wire.QueueView) string {
	var b strings.Builder
	for _, i := range v.Items {
		name := Line(string(i.Name))
		switch i.State {
		case "failed", "escalated":
			if i.Detail != "" {
				fmt.Fprintf(&b, "%s: %s\n", name, Line(i.Detail))
			}
			if i.Checked != "" {
				fmt.Fprintf(&b, "  apctl why %s   shows what the landing found\n", Line(i.Checked))
			}
			fmt.Fprintf(&b, "  apctl queue retry %s   tries it anew\n", name)
		case "done":
			if i.Detail != "" {
				fmt.Fprintf(&b, "%s: %s\n", name, Line(i.Detail))
			}
		case "halted":
			fmt.Fprintf(&b, "%s has halted\n  apctl why %s\n", name, Line(i.Run))
		}
	}
	if v.Counts["ready"] > 0 && v.State != wire.QueueIsOpen {
		fmt.Fprintf(&b, "  apctl queue run %s   works it off\n", Line(string(v.Name)))
	}
	for _, name := range sortedKeys(v.Trying) {
		fmt.Fprintf(&b, "%s is tried again soon: %s\n", Line(name), Line(v.Trying[name]))
	}
	if len(v.Unresolved) > 0 {
		fmt.Fprintf(&b, "nobody knows whether this is done: %s\n", names(v.Unresolved))
	}
	return b.String()
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// QueueSchedule shows in which order items would begin.
func (s Style) QueueSchedule(v wire.QueueView) string {
	var b strings.Builder
	if len(v.Next) == 0 {
		b.WriteString("nothing can begin now\n")
	}
	for n, name := range v.Next {
		fmt.Fprintf(&b, "  %d. %s\n", n+1, Line(string(name)))
	}
	for _, i := range v.Items {
		if len(i.On) > 0 {
			fmt.Fprintf(&b, "  -  %s: %s\n", Line(string(i.Name)), itemState(i))
		}
	}
	return b.String()
}

// QueueChanges has a line for each item that stands otherwise than before.
func (s Style) QueueChanges(before, now wire.QueueView) string {
	was := map[events.Name]string{}
	for _, i := range before.Items {
		was[i.Name] = changeOf(i)
	}
	var b strings.Builder
	for _, i := range now.Items {
		if text := changeOf(i); was[i.Name] != text {
			fmt.Fprintf(&b, "%s  %s: %s\n", s.Clock(s.Now), Line(string(i.Name)), text)
		}
	}
	if now.State != before.State || now.LaneStopped != before.LaneStopped {
		fmt.Fprintf(&b, "%s  queue %s: %s\n", s.Clock(s.Now), Line(string(now.Name)), stateOfQueue(now))
	}
	return b.String()
}

// changeOf is what of an item is worth a line.
func changeOf(i wire.QueueItemView) string {
	text := itemState(i)
	switch i.State {
	case "running", "halted":
		text += ", run " + Line(i.Run)
	case "landing":
		text += ", checked by run " + Line(i.Checked)
	case "landed":
		text += " as " + Line(i.Commit[:min(len(i.Commit), 12)])
	}
	return text
}
