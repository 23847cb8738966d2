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
		return fmt.Sprintf("autopilot: run %s of this work tree is halted: %s. `apctl why %s` shows what it needs; after it is resumed, `apctl session join %s` drives it from here.",
			h, s.Halt.Reason, h, h)
	}
	return fmt.Sprintf("autopilot: run %s of this work tree waits for a chat: %s. If the user wants that work done here, `apctl session join %s` takes it over, "+
		"and `apctl session next --wait 10m` gives the next work.", h, where(s), h)
}

// ChatDrives is said where the chat drives the run already, as after a summary of
// what was said.
func ChatDrives(s run.State) string {
	return fmt.Sprintf("autopilot: this chat drives run %s: %s. `apctl session next --wait 10m` gives the next work.", s.Facts.Handle, where(s))
}

// where is where the work of a chat stands.
func where(s run.State) string {
	return fmt.Sprintf("phase %s, iteration %d of %d", s.Loop.Phase, s.Loop.Iteration, s.LastIteration())
}

// ChatOwes is said to a chat that is about to finish while its work is due.
func ChatOwes(s run.State, w wire.SessionWork) string {
	var b strings.Builder
	fmt.Fprintf(&b, "autopilot: run %s is not done yet: phase %s, iteration %d waits for your delivery.", s.Facts.Handle, w.Phase, w.Iteration)
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
	fmt.Fprintf(&b, "\n`apctl session next` shows it in full. Deliver with `apctl session submit --effect %s --phase %s --iteration %d --done -m TEXT`, "+
		"or with --blocked REASON if only a person can help.", w.Effect, w.Phase, w.Iteration)
	return b.String()
}

// ChatAwaits is said to a chat that is about to finish while the daemon looks at
// what it has delivered.
func ChatAwaits(s run.State, waits string) string {
	what := "the daemon decides what comes next"
	switch waits {
	case "gates":
		what = "its gates are running"
	case "looking":
		what = "reviewers judge the work"
	}
	return fmt.Sprintf("autopilot: run %s is not done yet: %s. `apctl session next --wait 10m` gives the findings and the next work.", s.Facts.Handle, what)
}

// ChatPinned is said to a chat that is about to change pinned files.
func ChatPinned(s run.State, files []string) string {
	return fmt.Sprintf("autopilot: pinned in run %s: %s. The run compares these files with its start, and a change fails. "+
		"Do not change them; change the tested code. If a pinned file is wrong, tell a person: `apctl session submit ... --blocked REASON`.",
		s.Facts.Handle, few(files))
}

// ChatApproved is said to a chat that is about to change what a person approved.
func ChatApproved(s run.State, files []string) string {
	return fmt.Sprintf("autopilot: approved files of run %s: %s. A change of them halts the run. "+
		"Follow them as they are, or tell a person what is wrong: `apctl session submit ... --blocked REASON`.", s.Facts.Handle, few(files))
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

// ChatBranchUnknown is said to a chat that is about to send to a branch, while nothing
// is known of the claims of its team.
func ChatBranchUnknown(branch, with string) string {
	return fmt.Sprintf("autopilot: who holds %s is not known, as the servers of the team have not answered since the daemon started, so `%s` might change "+
		"the work of another session. Go on with other work and try again later, or tell the user: `apctl daemon status` says why.", branch, with)
}

// ChatBranch is said to a chat that is about to send to a branch that another
// session has claimed.
func ChatBranch(branch, holder string, since time.Time, with string) string {
	return fmt.Sprintf("autopilot: branch %s is held by %s, since %s, so `%s` would change the work of another session. "+
		"Work on your own branch, or ask the user.", branch, holder, since.UTC().Format(time.RFC3339), with)
}
