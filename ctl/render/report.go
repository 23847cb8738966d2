package render

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// partTitles are the headings of a report.
var partTitles = map[string]string{
	wire.PartNeedsYou: "needs you", wire.PartDone: "done", wire.PartHalted: "halted",
	wire.PartWaiting: "waiting", wire.PartRunning: "running", wire.PartEnded: "ended",
}

// Report is what became of runs: what needs a person first, then what is done.
func (s Style) Report(v wire.ReportView) string {
	var b strings.Builder
	if !v.Since.IsZero() {
		b.WriteString("since " + s.Clock(v.Since) + ", ")
	}
	b.WriteString("as of " + s.Clock(v.At) + "\n")
	for _, i := range v.Blocks {
		b.WriteString(s.section("needs you", s.item(i)))
	}
	for _, p := range v.Parts {
		b.WriteString(s.part(p, len(v.Blocks) > 0))
	}
	if emptyReport(v) {
		b.WriteString("\nno run\n")
	}
	b.WriteString(s.section("used", s.sum(v.Total)))
	return b.String()
}

func emptyReport(v wire.ReportView) bool {
	for _, p := range v.Parts {
		if len(p.Runs) > 0 || p.More > 0 || p.Before > 0 {
			return false
		}
	}
	return len(v.Blocks) == 0
}

func (s Style) part(p wire.ReportPart, headed bool) string {
	var b strings.Builder
	for _, r := range p.Runs {
		b.WriteString(s.reportRun(r))
	}
	if p.More > 0 {
		fmt.Fprintf(&b, "  %d more: apctl report --limit 0\n", p.More)
	}
	if p.Before > 0 {
		fmt.Fprintf(&b, "  %d halted before: apctl inbox\n", p.Before)
	}
	if p.Name == wire.PartNeedsYou && headed {
		return b.String()
	}
	title := partTitles[p.Name]
	if title == "" {
		title = Line(p.Name)
	}
	return s.section(title, b.String())
}

// reportRun is a run in a report: what it is, what became of it, what to do.
func (s Style) reportRun(r wire.ReportRun) string {
	v := r.Run
	indent := strings.Repeat(" ", 4+columns(Line(v.Handle)))
	var b strings.Builder
	b.WriteString("  " + s.paint(bold, Line(v.Handle)) + "  " + s.cut(s.task(v), s.room(len(indent))) + "\n")
	what := Line(r.What)
	if v.Exit < 0 && len(v.Gates) > 0 {
		what = strings.Join(nonempty(what, gateWords(v.Gates)), "; ")
	}
	b.WriteString(s.wrap(what, indent))
	b.WriteString(s.wrap(strings.Join(nonempty(s.Clock(r.At), "active "+Duration(time.Duration(v.ActiveMS)*time.Millisecond), cost(r.Usage)), ", "), indent))
	if r.Next.Command != "" {
		b.WriteString(indent + s.pick("→ ", "> ") + Line(r.Next.Command) + "\n")
	}
	return b.String()
}

// gateWords says how many gates of a live run pass.
func gateWords(gates []wire.GateView) string {
	pass, known := 0, 0
	for _, g := range gates {
		if g.Verdict != "" && !quietPins(g) {
			known++
			if g.Verdict == "pass" {
				pass++
			}
		}
	}
	if known == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s passed last", pass, count(known, "gate"))
}

// cost is what agents cost, and how sure that is.
func cost(u wire.UsageSum) string {
	switch {
	case u.Agents == 0:
		return ""
	case u.NoCost == u.Agents && u.MicroUSD == 0:
		return "cost unknown"
	case u.NoCost > 0:
		return "at least " + phrase.USD(u.MicroUSD)
	case u.Computed > 0:
		return "about " + phrase.USD(u.MicroUSD)
	}
	return phrase.USD(u.MicroUSD)
}

// sum is a sum of what agents used, with what of it is computed or not known.
func (s Style) sum(u wire.UsageSum) string {
	if u.Agents == 0 {
		return ""
	}
	share := func(n int, what string) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprintf("%s for %d of %d", what, n, u.Agents)
	}
	money, tokens := "unknown", "unknown"
	if u.NoCost < u.Agents || u.MicroUSD > 0 {
		money = strings.Join(nonempty(cost(u), share(u.Computed, "computed"), share(u.NoCost, "unknown")), ", ")
	}
	if u.NoTokens < u.Agents || u.Tokens > 0 {
		tokens = strings.Join(nonempty(strings.TrimSuffix(phrase.Tokens(u.Tokens), " tokens"), share(u.NoTokens, "unknown")), ", ")
	}
	return s.facts([][2]string{
		{"agents", fmt.Sprint(u.Agents)},
		{"worked", Duration(time.Duration(u.ActiveMS) * time.Millisecond)},
		{"cost", money},
		{"tokens", tokens},
	})
}

// Inbox is what waits for a person, the oldest first.
func (s Style) Inbox(v wire.InboxView) string {
	if len(v.Items) == 0 {
		return "nothing waits for you\n"
	}
	var b strings.Builder
	for _, i := range v.Items {
		b.WriteString(s.item(i))
	}
	return b.String()
}

// item is one thing that waits.
func (s Style) item(i wire.InboxItem) string {
	var b strings.Builder
	name := Line(i.Run)
	if name == "" {
		name = "-"
	}
	indent := strings.Repeat(" ", 4+columns(name))
	head := Line(i.Kind) + ", " + Age(s.since(i.At)) + " ago"
	switch {
	case i.Task != "":
		head += ": " + Line(i.Task)
	case i.Run != "":
		head += ": (its texts were erased or pruned)"
	}
	b.WriteString("  " + s.paint(bold, name) + "  " + s.cut(head, s.room(len(indent))) + "\n")
	b.WriteString(s.wrap(Line(i.What), indent))
	if i.Question != "" {
		b.WriteString(s.quoted(i.Question, indent+"| "))
	}
	if i.Next.Command != "" {
		b.WriteString(indent + s.pick("→ ", "> ") + Line(i.Next.Command) + "\n")
	}
	return b.String()
}

// mostQuoted is how many lines of a question are shown in a list.
const mostQuoted = 6

func (s Style) quoted(text, prefix string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimRight(Clean(text), "\n"), "\n")
	for n, l := range lines {
		if n == mostQuoted {
			b.WriteString(prefix + "...\n")
			break
		}
		b.WriteString(s.wrap(l, prefix))
	}
	return b.String()
}
