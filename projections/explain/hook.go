package explain

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/run"
)

// This file words what the host of a chat is told, for the chat to read. None of
// it says how a guard could be got around.

// ChatMayJoin is said at the beginning of a chat: a run of its work tree is open,
// and nobody drives it.
func ChatMayJoin(s run.State) string {
	h := s.Facts.Handle
	if s.Status == run.Halted {
		return fmt.Sprintf("autopilot: run %s of this work tree is halted: %s. `apctl why %s` says what it needs; once it goes on, `apctl session join %s` drives it from here.",
			h, s.Halt.Reason, h, h)
	}
	return fmt.Sprintf("autopilot: run %s of this work tree is open and waits for a chat: %s. If the user wants it done here, `apctl session join %s` goes on with it, "+
		"and `apctl session next --wait 10m` says what is to be done.", h, where(s), h)
}

// ChatDrives is said where the chat drives the run already, as after a summary of
// what was said.
func ChatDrives(s run.State) string {
	return fmt.Sprintf("autopilot: this chat drives run %s: %s. `apctl session next --wait 10m` says what is to be done.", s.Facts.Handle, where(s))
}

// where is where the work of a chat stands.
func where(s run.State) string {
	return fmt.Sprintf("phase %s, iteration %d of %d", s.Loop.Phase, s.Loop.Iteration, s.LastIteration())
}

// ChatOwes is said to a chat that is about to finish while its work is due.
func ChatOwes(s run.State, w wire.SessionWork) string {
	var b strings.Builder
	fmt.Fprintf(&b, "autopilot: run %s is not done yet: phase %s, iteration %d waits for you to deliver it.", s.Facts.Handle, w.Phase, w.Iteration)
	for _, o := range w.Owed {
		fmt.Fprintf(&b, "\nOwed: %s (gate %s).", strings.Join(o.Files, ", "), o.Gate)
	}
	for _, f := range w.Findings {
		fmt.Fprintf(&b, "\nLast time: %s: %s.", f.Gate, f.Verdict)
	}
	if len(w.Gates) > 0 {
		var names []string
		for _, g := range w.Gates {
			names = append(names, g.Name)
		}
		fmt.Fprintf(&b, "\nGates to come: %s.", strings.Join(names, ", "))
	}
	fmt.Fprintf(&b, "\n`apctl session next` says all of it. Deliver with `apctl session submit --effect %s --phase %s --iteration %d --done -m TEXT`, "+
		"or with --blocked REASON if only a person can help.", w.Effect, w.Phase, w.Iteration)
	return b.String()
}

// ChatAwaits is said to a chat that is about to finish while the daemon looks at
// what it has delivered.
func ChatAwaits(s run.State, waits string) string {
	what := "what comes next is being decided"
	switch waits {
	case "gates":
		what = "its gates are running"
	case "looking":
		what = "somebody else looks at the work"
	}
	return fmt.Sprintf("autopilot: run %s is not done yet: %s. `apctl session next --wait 10m` says what they find and what is to be done then.", s.Facts.Handle, what)
}

// ChatPinned is said to a chat that is about to change pinned files.
func ChatPinned(s run.State, files []string) string {
	return fmt.Sprintf("autopilot: pinned in run %s: %s. The run compares this with how it was at the start, and a change of it fails. "+
		"Leave it as it is and change what is tested. If it is wrong itself, say so to a person: `apctl session submit ... --blocked REASON`.",
		s.Facts.Handle, few(files))
}

// ChatApproved is said to a chat that is about to change what a person approved.
func ChatApproved(s run.State, files []string) string {
	return fmt.Sprintf("autopilot: a person has approved this for run %s: %s. A change of it halts the run. "+
		"Work to it as it is, or say to a person what is wrong with it: `apctl session submit ... --blocked REASON`.", s.Facts.Handle, few(files))
}

// ChatRecord is said to a chat that is about to change the record.
func ChatRecord(s run.State) string {
	return fmt.Sprintf("autopilot: that is the record of run %s and of others. Only the daemon writes it.", s.Facts.Handle)
}

// fewFiles is how many files are named.
const fewFiles = 5

func few(files []string) string {
	if n := len(files) - fewFiles; n > 0 {
		return strings.Join(files[:fewFiles], ", ") + fmt.Sprintf(" and %d more", n)
	}
	return strings.Join(files, ", ")
}

// ChatBranch is said to a chat that is about to send to a branch that another
// session has claimed.
func ChatBranch(branch, holder string, since time.Time, with string) string {
	return fmt.Sprintf("autopilot: branch %s is held by %s, since %s, so `%s` would write into the work of another. "+
		"Work on a branch of your own, or ask the person who works here.", branch, holder, since.UTC().Format(time.RFC3339), with)
}
