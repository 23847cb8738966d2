package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
)

// Why explains a run in full, in the order in which a person asks: what
// happened, what was compared, what failed last, what to do now. What only
// names the run comes last.
func (s Style) Why(w wire.WhyView) string {
	var b strings.Builder
	b.WriteString(s.verdict(w))
	b.WriteString(s.section("iterations", s.rows(w)))
	b.WriteString(s.section("failing tests", names(w.Failing, w.More)))
	b.WriteString(s.section("files", names(w.Files, 0)))
	b.WriteString(s.asks(w))
	b.WriteString(s.section("claims and facts", s.sentences(w.Claims)))
	b.WriteString(s.lastError(w, 0))
	if w.Evidence != nil {
		b.WriteString(s.section("evidence", s.evidence(*w.Evidence)))
	}
	b.WriteString(s.section("what it went through", s.summary(w.Summary)))
	b.WriteString(s.section("tried before", s.tried(w)))
	b.WriteString(s.section("left", s.left(w.Left)))
	b.WriteString(s.next(w.Next))
	b.WriteString(s.section("run", s.runFacts(w)))
	return b.String()
}

// runFacts says which run it is, and which event settled it.
func (s Style) runFacts(w wire.WhyView) string {
	settled := ""
	if w.Seq > 0 {
		settled = fmt.Sprintf("by event %d", w.Seq)
	}
	if w.Settled != nil {
		settled = strings.Join(nonempty(settled, strings.TrimSuffix(Line(w.Settled.Type), ".v1"), s.Clock(w.Settled.At), who(w.Settled.By)), ", ")
	} else if t := over(w.Run); t != nil {
		settled = strings.Join(nonempty(settled, s.Clock(*t)), ", ")
	}
	return s.facts([][2]string{
		{"rule", Line(w.Rule)},
		{"settled", s.cut(settled, s.room(13))},
		{"task", s.cut(s.task(w.Run), s.room(13))},
		{"branch", Line(w.Run.Branch)},
		{"workspace", Line(w.Run.Workspace)},
		{"unknown", unknown(w.Run.Unknown)},
		{"id", Line(w.Run.ID)},
	})
}

// End is how a followed run ended: its evidence when it is done, else the
// short form of why.
func (s Style) End(w wire.WhyView) string {
	var b strings.Builder
	b.WriteString(s.verdict(w))
	if w.Evidence != nil {
		b.WriteString(s.evidence(*w.Evidence))
		b.WriteString(s.section("what it went through", s.summary(w.Summary)))
		return b.String() + s.next(w.Next)
	}
	b.WriteString(s.section("files", names(w.Files, 0)))
	b.WriteString(s.asks(w))
	b.WriteString(s.section("claims and facts", s.sentences(w.Claims)))
	b.WriteString(s.lastError(w, 12))
	b.WriteString(s.next(w.Next))
	return b.String()
}

// verdict is the first lines of an explanation: state and sentence.
func (s Style) verdict(w wire.WhyView) string {
	v := w.Run
	head := s.head(v)
	if v.Exit >= 0 {
		head += ", " + count(v.Iteration, "iteration") + ", active " + Duration(time.Duration(v.ActiveMS)*time.Millisecond)
	}
	if w.Because == "" {
		return head + "\n"
	}
	return head + "\n" + s.wrap(Line(w.Because), "  ")
}

// wrap breaks a sentence at blanks so that each line fits.
func (s Style) wrap(t, prefix string) string {
	var b strings.Builder
	width := s.room(columns(prefix))
	line := ""
	for w := range strings.FieldsSeq(t) {
		if line != "" && width > 0 && columns(line)+1+columns(w) > width {
			b.WriteString(prefix + line + "\n")
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += w
	}
	b.WriteString(prefix + line + "\n")
	return b.String()
}

// failingIn is the number of failing tests, where that is known.
func failingIn(r wire.WhyRow) string {
	if r.FailingUnknown {
		return "-"
	}
	return fmt.Sprint(r.Failing)
}

func names(list []string, more int) string {
	var b strings.Builder
	for _, n := range list {
		b.WriteString("  " + Line(n) + "\n")
	}
	if more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	return b.String()
}

// sentences are wrapped, each from a line of its own.
func (s Style) sentences(list []string) string {
	var b strings.Builder
	for _, l := range list {
		b.WriteString(s.wrap(Line(l), "  "))
	}
	return b.String()
}

func (s Style) asks(w wire.WhyView) string {
	if w.Question == "" {
		return ""
	}
	title := "the agent asks"
	if w.Run.Question != nil {
		title = "asks you"
	}
	return s.section(title, indent("  ", Clean(w.Question)))
}

// lastError is the excerpt; with last, only so many of its lines.
func (s Style) lastError(w wire.WhyView, last int) string {
	if strings.TrimSpace(w.LastError) == "" {
		return ""
	}
	lines := strings.Split(strings.TrimRight(Clean(w.LastError), "\n"), "\n")
	if n := len(lines) - last; last > 0 && n > 0 {
		// What it is about stands at the head, how it ended at the tail.
		head := last / 3
		left := fmt.Sprintf("[ %s more: apctl why %s ]", count(n, "line"), Line(w.Run.Handle))
		lines = slices.Concat(lines[:head], []string{left}, lines[head+n:])
	}
	name := "last error"
	if w.ErrorFrom != "" {
		name += " (" + Line(w.ErrorFrom) + ")"
	}
	return s.section(name, indent("  | ", strings.Join(lines, "\n")))
}

// evidence is what done stands on.
func (s Style) evidence(e wire.Evidence) string {
	gates := make([][]string, 0, len(e.Gates))
	pinned := fmt.Sprintf("%s unchanged", count(e.Pinned, "file"))
	for _, g := range e.Gates {
		if g.Kind == string(events.GateProtected) {
			if g.Verdict != string(events.Pass) {
				pinned = count(e.Pinned, "file") + ", " + s.proof(g)
			}
			continue
		}
		gates = append(gates, []string{
			s.sign(g.Verdict), Line(g.Name), Line(g.Verdict), s.proof(g), s.cut(what(g), 48),
		})
	}
	if e.Pinned == 0 {
		pinned = "no files"
	}
	return table(gates) + s.facts([][2]string{
		{"tree", Hash(e.Tree)},
		{"checked", checkedIn(e.Checkout)},
		{"pinned", pinned},
		{"allowed", strings.TrimRight(list(e.Allowed), "\n")},
		{"gates made", strings.TrimRight(list(e.Created), "\n")},
	})
}

// checkedIn says where the gates passed.
func checkedIn(checkout string) string {
	if checkout == string(events.CheckoutClean) {
		return "in a clean checkout"
	}
	return Line(checkout)
}

func list(l []string) string {
	var b strings.Builder
	for _, n := range l {
		b.WriteString(Line(n) + "\n")
	}
	return b.String()
}

func (s Style) next(n []wire.NextCommand) string {
	if len(n) == 0 {
		return ""
	}
	rows := make([][]string, 0, len(n))
	for _, c := range n {
		rows = append(rows, []string{Line(c.Command), Line(c.Why)})
	}
	if !s.fits(rows) {
		rows = rows[:0]
		for _, c := range n {
			rows = append(rows, []string{Line(c.Command)}, []string{"  " + Line(c.Why)})
		}
	}
	return s.section("next", table(rows))
}
