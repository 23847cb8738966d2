package render

import (
	"fmt"
	"slices"
	"strings"

	"autopilot/events/wire"
)

// Session is what a chat is told of a run. The prompt comes last, as it is: it is
// what a chat has to read to the end.
func (s Style) Session(v wire.SessionView) string {
	var b strings.Builder
	b.WriteString(s.head(v.Run) + "\n")
	if t := v.Taken; t != nil {
		b.WriteString(s.wrap(fmt.Sprintf("taken: iteration %d of phase %s, claimed %s, %s changed, tree %s",
			t.Iteration, Line(t.Phase), Line(t.Claim), count(t.Files, "file"), Hash(t.Tree)), "  "))
	}
	b.WriteString(s.wrap(Line(v.Says), "  "))
	if d := v.Run.Driver; d != nil && !v.Joined && v.Waits != "over" {
		b.WriteString(s.wrap(driver(*d), "  "))
	}
	if v.MayAnswer {
		b.WriteString("\n" + s.Question(v.Run))
	}
	if v.Work == nil {
		return b.String() + s.next(v.Next)
	}
	b.WriteString(s.work(*v.Work, v.Next))
	return b.String()
}

// driver says who drives a run.
func driver(d wire.DriverView) string {
	switch {
	case d.PID == 0:
		return "nobody drives it now"
	case d.Gone:
		return fmt.Sprintf("it was driven by process %d, which has ended", d.PID)
	}
	text := fmt.Sprintf("driven by %s, process %d", orText(d.Program, "a chat"), d.PID)
	if d.Session != "" {
		text += ", session " + Line(d.Session)
	}
	return text
}

func orText(t, other string) string {
	if t == "" {
		return other
	}
	return Line(t)
}

// work is what is to be done now, and what before it.
func (s Style) work(w wire.SessionWork, first []wire.NextCommand) string {
	var b strings.Builder
	ends := ""
	if w.EndsBy != nil {
		ends = s.Clock(*w.EndsBy)
	}
	b.WriteString(s.facts([][2]string{
		{"phase", Line(w.Phase)},
		{"iteration", fmt.Sprintf("%d of at most %d", w.Iteration, w.Iterations)},
		{"effect", Line(w.Effect)},
		{"ends by", ends},
		{"then", strings.Join(each(w.Phases), ", ")},
	}))
	var owed, gates [][]string
	for _, o := range w.Owed {
		owed = append(owed, []string{Line(o.Gate), strings.Join(each(o.Files), ", ")})
	}
	for _, g := range w.Gates {
		gates = append(gates, []string{Line(g.Name), Line(g.Kind), strings.Join(nonempty(Line(g.Command), Line(g.Says), strings.Join(each(g.Looks), ", ")), ": ")})
	}
	b.WriteString(s.section("owed", table(owed)))
	b.WriteString(s.section("gates to come", table(gates)))
	var found strings.Builder
	for _, f := range w.Findings {
		found.WriteString("  " + Line(f.Gate) + ": " + Line(f.Verdict) + "\n" + indent("  | ", strings.TrimRight(Clean(f.Text), "\n")))
	}
	b.WriteString(s.section("found", found.String()))
	b.WriteString(s.section("prompt", Clean(w.Prompt)))
	b.WriteString(s.next(append(slices.Clone(first), wire.NextCommand{
		Command: fmt.Sprintf("apctl session submit --effect %s --phase %s --iteration %d --done -m TEXT", Line(w.Effect), Line(w.Phase), w.Iteration),
		Why:     "deliver it; or --progress, or --blocked REASON",
	})))
	return b.String()
}

// JoinsOnly is a flag of a run that is not started. word is what was typed as a run,
// and may have been meant as a task.
func JoinsOnly(flag, word string) *wire.Error {
	if word != "" {
		return usage(`a task has more than one word, or comes with -f: apctl session join "WHAT SHALL BE DONE" ...`,
			"%s is for a run that is started, and %q names one that is there: it is one word", flag, Line(word))
	}
	return usage(`apctl session join "WHAT SHALL BE DONE" ...`, "%s is for a run that is started, and there is no task", flag)
}

// TreeOfRun is a work tree for a run that has one.
func TreeOfRun(run string) *wire.Error {
	return usage("apctl session join "+run+"   joins it where it is; --worktree is for a task, or for none",
		"run %s has its work tree already", run)
}

// OneClaim is a delivery with none, or with several.
func OneClaim(n int) *wire.Error {
	if n == 0 {
		return usage("--done, --progress or --blocked REASON", "nothing is claimed")
	}
	return usage("give one of --done, --progress and --blocked REASON", "%d things are claimed", n)
}

// BadOption is a letter that no option has.
func BadOption(letter string, n int) *wire.Error {
	if n == 0 {
		return usage("add --option TEXT, twice to four times", "option %q is recommended, and there is none", letter)
	}
	return usage(fmt.Sprintf("one of A to %c", 'A'+n-1), "option %q is recommended, and there is none of that letter", letter)
}

// BadIssue is what names no issue.
func BadIssue(given string) *wire.Error {
	return usage("--issue 24, --issue OWNER/NAME#24, or its address", "%q is not an issue", given)
}

// BadDriver is a driver that is not known.
func BadDriver(name string) *wire.Error {
	return usage("--driver session, or leave it out", "the driver %q is not known", name)
}

// BadPriority is a priority that is not known.
func BadPriority(name string) *wire.Error {
	return usage("--priority low, normal or high", "the priority %q is not known", name)
}

// BadWord is a flag that takes other words.
func BadWord(flag, word string, known ...string) *wire.Error {
	return usage(flag+" "+strings.Join(known, " or "), "%s: %q is not known", flag, word)
}

// NoAnswer is an answer that says nothing.
func NoAnswer() *wire.Error {
	return usage("apctl session answer ok, no -m 'SECTION: TEXT', A..D or 'TEXT'", "no answer is given")
}
