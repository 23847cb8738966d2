package render

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events/wire"
	"autopilot/probe/judge"
)

// Probe is one look at the machine: what it has, what that means, who waits.
func (s Style) Probe(v wire.ProbeView, r judge.Reading) string {
	var b strings.Builder
	b.WriteString(s.paint(bold, "machine") + "\n" + table(readingRows(r)))
	if v.Off {
		b.WriteString("\nresources.policy is off: every agent begins, whatever is left, within the bounds that are set\n")
	}
	for _, p := range v.Policies {
		b.WriteString(s.section(p.Policy, s.policy(p, v.Running)))
	}
	rows := make([][]string, 0, len(r.RunTrees))
	for _, t := range r.RunTrees {
		rows = append(rows, []string{Line(t.Run), count(t.Processes, "process"), bytesOf(t.RSS)})
	}
	b.WriteString(s.section("runs", table(rows)))
	rows = rows[:0]
	for _, p := range v.Projects {
		rows = append(rows, []string{Line(p.Workspace), fmt.Sprintf("%d of %d agents at work", p.Running, p.Agents), strings.Join(each(p.Runs), " ")})
	}
	b.WriteString(s.section("bound by resources.project.agents", table(rows)))
	rows = rows[:0]
	for i, w := range v.Waiting {
		rows = append(rows, []string{fmt.Sprint(i + 1), Line(w.Run), "since " + s.Clock(w.Since), boundBy(w.By), w.Priority})
	}
	b.WriteString(s.section("wait for the machine", table(rows)))
	return b.String()
}

func readingRows(r judge.Reading) [][]string {
	rows := [][]string{
		{"memory", bytesOf(r.MemoryAvailable) + " available of " + bytesOf(r.MemoryTotal)},
		{"swap", bytesOf(r.SwapUsed) + " used"},
		{"load", decimal(r.Load1) + ", 5 min " + decimal(r.Load5) + ", on " + decimal(r.Cores) + " cores"},
		{"busy", percentOf(r.BusyPercent)},
		{"stalls", "memory " + percentOf(r.StallMemory) + ", disk " + percentOf(r.StallIOFull) + ", cpu " + percentOf(r.StallCPU)},
		{"disk", bytesOf(r.DiskStore) + " free for the record, " + bytesOf(r.DiskWork) + " for work trees"},
		{"open files", decimal(r.OpenFiles) + " of " + decimal(r.OpenFilesLimit)},
		{"agent programs", decimal(r.Agents)},
	}
	if v, ok := r.MemoryFreePercent.Get(); ok {
		rows[0][1] += fmt.Sprintf(", pressure leaves %.0f %%", v)
	}
	return rows
}

// policy is the verdict, what it lets begin, and the signals.
func (s Style) policy(p wire.ProbePolicy, running int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s; %s\n", s.verdictOf(p), s.slots(p, running))
	rows := make([][]string, 0, len(p.Signals))
	for _, g := range p.Signals {
		rows = append(rows, []string{"  " + g.Level, g.Axis, measured(g.Value, g.Unit), "limit " + measured(g.Limit, g.Unit)})
	}
	b.WriteString(table(rows))
	if len(p.Unknown) > 0 {
		b.WriteString("  not known: " + Line(strings.Join(p.Unknown, ", ")) + "\n")
	}
	return b.String()
}

func (s Style) verdictOf(p wire.ProbePolicy) string {
	colour := green
	switch judge.Verdict(p.Band) {
	case judge.Warn, judge.Degraded:
		colour = yellow
	case judge.Critical:
		colour = red
	case judge.Green:
	}
	t := s.paint(colour, Line(p.Band))
	if p.Verdict != p.Band {
		t += " (this reading alone: " + Line(p.Verdict) + ")"
	}
	return t
}

// slots says how many agents may be at work, and why not more.
func (s Style) slots(p wire.ProbePolicy, running int) string {
	if p.Slots < 0 {
		return fmt.Sprintf("%s at work, no bound", count(running, "agent"))
	}
	t := fmt.Sprintf("%d of %d slots in use", running, p.Slots)
	switch judge.Reason(p.By) {
	case judge.ByVerdict:
		t += ", by the verdict"
	case judge.ByMemory:
		t += ", as many as there is memory for"
	case judge.ByMax:
		t += ", by resources.agents"
	case judge.ByProject, judge.Unbounded:
	}
	return t
}

// boundBy says in a few words what holds a run back.
func boundBy(by string) string {
	switch judge.Reason(by) {
	case judge.ByVerdict:
		return "by the verdict"
	case judge.ByMemory:
		return "by memory"
	case judge.ByMax:
		return "by resources.agents"
	case judge.ByProject:
		return "by its project"
	case judge.Unbounded:
	}
	return "others come first"
}

// Wave is how many of a wave may begin, and why not more.
func (s Style) Wave(v wire.ProbeView) string {
	w := v.Wave
	if w == nil {
		return "this daemon knows no waves: apctl daemon restart\n"
	}
	t := fmt.Sprintf("%d of %d may begin", w.Agents, w.Planned)
	switch judge.Decision(w.Decision) {
	case judge.Direct:
		t = fmt.Sprintf("0 of %d may begin: do the work yourself, or wait", w.Planned)
	case judge.Reduce:
		t += ": the others after them"
	case judge.Proceed:
	}
	t = s.paint(bold, t) + "\n"
	switch {
	case judge.Reason(w.By) == judge.ByProject:
		return t + "  resources.project.agents of this project\n"
	case v.Off:
		return t + "  resources.policy is off\n"
	case judge.Reason(w.By) != judge.ByVerdict:
		return t
	}
	for _, p := range v.Policies {
		if p.Policy != w.Policy {
			continue
		}
		t += fmt.Sprintf("  %s: %s\n", Line(p.Policy), s.verdictOf(p))
		for _, g := range p.Signals {
			t += fmt.Sprintf("    %s %s %s, limit %s\n", Line(g.Level), Line(g.Axis), measured(g.Value, g.Unit), measured(g.Limit, g.Unit))
		}
	}
	return t
}

// ProbeLine is one look in one line.
func (s Style) ProbeLine(v wire.ProbeView, r judge.Reading) string {
	t := s.local(r.Time).Format(time.TimeOnly)
	for _, p := range v.Policies[:min(1, len(v.Policies))] {
		t += fmt.Sprintf("  %s  %s", s.verdictOf(p), s.slots(p, v.Running))
	}
	t += fmt.Sprintf("  memory %s  load %s  swap %s", bytesOf(r.MemoryAvailable), decimal(r.Load1), bytesOf(r.SwapUsed))
	if n := len(v.Waiting); n > 0 {
		t += fmt.Sprintf("  %d waiting", n)
	}
	return t + "\n"
}

// Judged is the verdict of a reading from a file, in one line.
func (s Style) Judged(v wire.ProbePolicy, r judge.Reading) string {
	t := s.local(r.Time).Format("2006-01-02 15:04:05") + "  " + s.verdictOf(v)
	if v.Cap >= 0 {
		t += fmt.Sprintf("  cap %d", v.Cap)
	}
	for _, g := range v.Signals {
		t += fmt.Sprintf("  %s %s %s", g.Level, g.Axis, measured(g.Value, g.Unit))
	}
	if bad := r.Invalid(); len(bad) > 0 {
		t += "  not numbers that can be measured: " + strings.Join(bad, ", ")
	}
	return t + "\n"
}

func measured(v float64, unit string) string {
	switch judge.Unit(unit) {
	case judge.Bytes:
		return Size(int64(min(v, 1<<62)))
	case judge.Percent:
		return fmt.Sprintf("%.1f %%", v)
	case judge.Count:
	}
	return fmt.Sprintf("%g", v)
}

const notKnown = "unknown"

func bytesOf(n judge.Num) string {
	if v, ok := n.Get(); ok {
		return Size(int64(min(v, 1<<62)))
	}
	return notKnown
}

func percentOf(n judge.Num) string {
	if v, ok := n.Get(); ok {
		return fmt.Sprintf("%.1f %%", v)
	}
	return notKnown
}

func decimal(n judge.Num) string {
	v, ok := n.Get()
	switch {
	case !ok:
		return notKnown
	case v < 1<<53 && v == float64(int64(v)):
		return fmt.Sprintf("%d", int64(v))
	}
	return fmt.Sprintf("%.2f", v)
}

// BadPolicy is a --policy that is none.
func BadPolicy(value string) *wire.Error {
	return usage("--policy signals or tiers", "no policy is called %q", value)
}

const readingForm = "a line is what apctl probe --json prints under \"reading\""

// BadReading is a line that is no reading.
func BadReading(file string, line int, err error) *wire.Error {
	return usage(readingForm, "%s, line %d is not a reading: %s", source(file), line, Line(err.Error()))
}

// NoReading is a file without any.
func NoReading(file string) *wire.Error {
	return usage(readingForm, "%s has no reading", source(file))
}

// source is what a file of a command is called: - is standard input.
func source(file string) string {
	if file == "-" {
		return "standard input"
	}
	return Line(file)
}
