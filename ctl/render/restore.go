package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// mostPaths is how many files of one kind are named.
const mostPaths = 12

// Restored says what a restore has done, or a dry one would do.
func (s Style) Restored(v wire.RestoreView) string {
	place := fmt.Sprintf("iteration %s of %s", Line(v.To), Line(v.Run.Handle))
	switch {
	case v.To == "0":
		place = "the start of " + Line(v.Run.Handle)
	case strings.Trim(v.To, "0123456789") != "":
		place = Line(v.To) + " of " + Line(v.Run.Handle)
	}
	if v.To == "git" {
		if v.Git == nil {
			return fmt.Sprintf("the repository of %s is whole\n", Line(v.Run.Workspace))
		}
		return s.repository(v)
	}
	if v.Unchanged {
		return fmt.Sprintf("%s is as at %s already\n", Line(v.Run.Workspace), place)
	}
	verb := "is"
	if v.DryRun {
		verb = "would be"
	}
	var b strings.Builder
	b.WriteString(s.repository(v))
	fmt.Fprintf(&b, "%s %s as at %s: %s, %s\n", Line(v.Run.Workspace), verb, s.paint(bold, place),
		count(len(v.Written), "file")+" written", fmt.Sprintf("%d removed", len(v.Removed)))
	paths(&b, "write ", v.Written)
	paths(&b, "remove", v.Removed)
	paths(&b, "left  ", v.Left)
	if v.Undo != "" {
		fmt.Fprintf(&b, "  take it back: apctl restore %s %s\n", Line(v.Run.Handle), Line(v.Undo))
	}
	return b.String()
}

// repository says what became of a repository that was damaged.
func (s Style) repository(v wire.RestoreView) string {
	if v.Git == nil {
		return ""
	}
	var b strings.Builder
	verb := "is brought back"
	switch {
	case v.DryRun:
		verb = "would be brought back"
	case len(v.Git.Lacks) > 0:
		verb = "is brought back in part"
	}
	fmt.Fprintf(&b, "the repository of %s %s: %s\n", Line(v.Run.Workspace), verb, Line(v.Git.Damage))
	for _, l := range v.Git.Did {
		b.WriteString("  " + Line(l) + "\n")
	}
	for _, l := range v.Git.Lacks {
		b.WriteString("  not brought back: " + Line(l) + "\n")
	}
	return b.String()
}

func paths(b *strings.Builder, what string, files []string) {
	for i, f := range files {
		if i == mostPaths {
			fmt.Fprintf(b, "  %s  and %d more\n", what, len(files)-i)
			return
		}
		fmt.Fprintf(b, "  %s  %s\n", what, Line(f))
	}
}

// Ask is a question that is answered with yes or no.
func (s Style) Ask(question string) string { return question + " [y/N] " }

// NothingChanged answers a no.
func NothingChanged() string { return "nothing was changed\n" }

// NeedsYes is a command that asks, where nobody can be asked.
func NeedsYes() *wire.Error {
	return usage("look with --dry-run, then give --yes", "this changes files, and there is no terminal to ask at")
}

// RestoreWhat is a restore without a run, or without where to.
func RestoreWhat() *wire.Error {
	return usage("apctl restore RUN K, as in apctl restore k3xq 2", "a restore needs a run and an iteration")
}
