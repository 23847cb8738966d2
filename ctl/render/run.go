package render

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Live is a run as one line of at most Width cells: what matters less is left
// out first.
func (s Style) Live(v wire.RunView) string {
	type part struct {
		text string
		keep int // the higher the later it goes
	}
	parts := []part{
		{s.paint(bold, Line(v.Handle)), 9},
		{place(v), 8},
		{s.doing(v), 7},
		{s.sound(v), 4},
		{s.clockOf(v), 5},
		{s.marks(v.Gates), 6},
		{costOf(v), 3},
		{changed(v.Files), 3},
	}
	for least := 2; ; least++ {
		var kept []string
		for _, p := range parts {
			if p.text != "" && p.keep >= least {
				kept = append(kept, p.text)
			}
		}
		t := strings.Join(kept, s.pick(" · ", " | "))
		if s.Width <= 0 || columns(uncoloured(t)) < s.Width {
			return t
		}
		if least == 9 {
			return s.cut(Line(v.Handle), s.Width-1)
		}
	}
}

func uncoloured(t string) string { return Clean(t) }

// place is where in its workflow a run is: work 3/10.
func place(v wire.RunView) string {
	return strings.Join(nonempty(Line(v.Phase), iteration(v)), " ")
}

func iteration(v wire.RunView) string {
	if v.Iteration == 0 {
		return ""
	}
	t := fmt.Sprint(v.Iteration)
	if v.Iterations > 0 {
		t += fmt.Sprintf("/%d", v.Iterations)
	}
	if v.Attempt > 1 {
		t += fmt.Sprintf(" attempt %d", v.Attempt)
	}
	return t
}

// doing says what a run does now, or what became of it.
func (s Style) doing(v wire.RunView) string {
	t := Line(v.State)
	switch v.State {
	case "running":
		if v.Stage != "" {
			t = Line(v.Stage)
		}
	case "waiting":
		t = s.paint(yellow, s.waiting(v))
	case "halted":
		t = s.paint(yellow, "halted: "+Line(v.Reason))
	case "refused":
		t = s.paint(red, "refused: "+Line(v.Reason))
	case "failed":
		t = s.paint(red, t)
	case "done", "already-green":
		t = s.paint(green, t)
	}
	if v.Exit < 0 && v.Stopping != "" {
		t += ", " + stopping(v)
	}
	return t
}

// head names a run and its state, at the top of several lines.
func (s Style) head(v wire.RunView) string {
	state := s.doing(v)
	if v.State == "running" && v.Stage != "" {
		state = "running, " + state
	}
	return s.paint(bold, Line(v.Handle)) + "  " + state
}

// reasonDisk is the reason of a wait for room on the machine.
const reasonDisk = "disk"

func (s Style) waiting(v wire.RunView) string {
	if v.Reason == reasonDisk {
		return "waits for free disk space, goes on by itself"
	}
	if q := v.Question; q != nil {
		return "asks a person at gate " + Line(q.Gate)
	}
	t := "waits"
	if v.NextWake != nil {
		t += " until " + s.Clock(*v.NextWake)
	}
	if why := waitsFor(v); why != "" {
		t += " (" + why + ")"
	}
	return t
}

// waitsFor says in a few words what for.
func waitsFor(v wire.RunView) string {
	if v.Waiting == nil {
		return Line(v.Reason)
	}
	t := Line(phrase.ShortLimit(events.Limit(v.Waiting.Cause)))
	if n := v.Waiting.Place; n > 1 {
		t += fmt.Sprintf(", %d before it", n-1)
	}
	return t
}

// stopping says when a run stops that was asked to. One that waits is between two
// agents, so it does not wait any longer.
func stopping(v wire.RunView) string {
	switch events.StopMode(v.Stopping) {
	case events.StopAfterIteration:
		if v.State == "waiting" && v.Reason != reasonDisk {
			return "stops now"
		}
		return "stops after this iteration"
	case events.StopNow:
		return "stops now"
	case events.StopCancel:
		return "is being cancelled"
	}
	return "stops: " + Line(v.Stopping)
}

// sound is the age of the last output of what runs now, and other signs of life.
func (s Style) sound(v wire.RunView) string {
	if v.Exit >= 0 || v.LastOutput == nil {
		return ""
	}
	return "quiet " + Age(s.since(*v.LastOutput)) + working(v.Life)
}

// working says what shows that a quiet agent works all the same.
func working(l *wire.LifeView) string {
	if l == nil {
		return ""
	}
	switch l.Kind {
	case "cpu":
		return ", computes"
	case "files":
		return ", changes files"
	case "transcript":
		return ", writes its transcript"
	}
	return ""
}

// clockOf is the active time against its limit, and the wall clock end.
func (s Style) clockOf(v wire.RunView) string {
	t := Age(time.Duration(v.ActiveMS) * time.Millisecond)
	if v.LimitMS > 0 {
		t += "/" + Age(time.Duration(v.LimitMS)*time.Millisecond)
	}
	if v.Until != nil && v.Exit < 0 {
		t += ", until " + s.Clock(*v.Until)
	}
	return t
}

// marks shows the gates in few cells.
func (s Style) marks(gates []wire.GateView) string {
	m := make([]string, 0, len(gates))
	for _, g := range gates {
		if !quietPins(g) {
			m = append(m, s.mark(g))
		}
	}
	return strings.Join(m, " ")
}

func changed(files int) string {
	if files == 0 {
		return ""
	}
	return count(files, "file")
}

// Status is a run in several lines: the facts of Live, and what it was asked.
func (s Style) Status(v wire.RunView) string {
	var b strings.Builder
	b.WriteString(s.head(v) + "\n")
	var ended, halted string
	if v.Ended != nil {
		ended = s.Clock(*v.Ended)
	}
	if v.Halted != nil {
		halted = s.Clock(*v.Halted) + ", " + Age(s.since(*v.Halted)) + " ago"
	}
	b.WriteString(s.facts([][2]string{
		{"task", s.cut(s.task(v), s.room(13))},
		{"workspace", Line(v.Workspace)},
		{"branch", Line(v.Branch)},
		{"issue", Line(v.Issue)},
		{"agent", s.cut(agentOf(v), s.room(13))},
		{"phase", Line(v.Phase)},
		{"iteration", iteration(v)},
		{"started", s.Clock(v.Started)},
		{"ended", ended},
		{"halted", halted},
		{"active", s.clockOf(v)},
		{"ends by", s.endsBy(v)},
		{"asks", s.asksOf(v)},
		{"output", s.lastOutput(v)},
		{"chat", s.chat(v)},
		{"used", usageOf(v)},
		{"budget", s.budgetOf(v)},
		{"changed", changed(v.Files)},
		{"tree", Hash(v.Tree)},
		{"id", Line(v.ID)},
		{"unknown", unknown(v.Unknown)},
	}))
	b.WriteString(s.section("gates", table(s.gateRows(v.Gates))))
	if v.Question != nil {
		b.WriteString(s.next([]wire.NextCommand{{Command: "apctl answer " + Line(v.Handle), Why: "shows what it asks, and takes your answer"}}))
	}
	return b.String()
}

// agentOf is who works, and as what where the workflow names more than one.
func agentOf(v wire.RunView) string {
	if v.Role == "" {
		return Line(v.Agent)
	}
	t := Line(v.Agent) + ", as " + Line(v.Role)
	if v.Levels > 1 {
		t += fmt.Sprintf(", %d of %d", v.Level, v.Levels)
	}
	return t
}

func (s Style) lastOutput(v wire.RunView) string {
	if v.LastOutput == nil {
		return ""
	}
	return Age(s.since(*v.LastOutput)) + " ago"
}

// chat is what the host of a chat tells of it.
func (s Style) chat(v wire.RunView) string {
	if v.Life == nil || v.Life.Kind != "chat" {
		return ""
	}
	return count(v.Life.Calls, "use") + " of tools, the last " + Age(s.since(v.Life.At)) + " ago"
}

func unknown(n int) string {
	if n == 0 {
		return ""
	}
	return count(n, "event") + " of a newer version, not understood"
}

func (s Style) endsBy(v wire.RunView) string {
	if v.Exit >= 0 || v.EndsBy == nil {
		return ""
	}
	return s.Clock(*v.EndsBy)
}

// room is what a line has left after n cells; at least 20, 0 for no limit.
func (s Style) room(n int) int {
	if s.Width <= 0 {
		return 0
	}
	return max(20, s.Width-n)
}

// standing is the state of a run in a list.
func standing(v wire.RunView) string {
	switch {
	case v.State == "waiting" && v.Reason == reasonDisk:
		return "waiting for disk space"
	case v.Reason != "" && (v.Exit >= 0 || v.State == "waiting"):
		return Line(v.State) + ": " + Line(v.Reason)
	}
	return Line(v.State)
}

// List is a table of runs, newest first as given.
func (s Style) List(l wire.ListReply) string {
	if len(l.Runs) == 0 {
		return "no runs\n"
	}
	rows := [][]string{{"RUN", "STATE", "ITER", "AGE", "GATES", "TASK"}}
	plain := s
	plain.Colour = false
	for _, v := range l.Runs {
		rows = append(rows, []string{
			Line(v.Handle), standing(v), iteration(v), Age(s.since(v.Started)),
			plain.cut(plain.marks(v.Gates), 24), plain.cut(plain.task(v), 60),
		})
	}
	var b strings.Builder
	for l := range strings.Lines(table(rows)) {
		b.WriteString(s.cut(strings.TrimRight(strings.TrimPrefix(l, "  "), "\n"), s.Width))
		b.WriteByte('\n')
	}
	if l.More > 0 {
		fmt.Fprintf(&b, "%d more: apctl ls --all\n", l.More)
	}
	return b.String()
}

// Brief is a run in a few words, for a list to choose from.
func (s Style) Brief(v wire.RunView) string {
	s.Colour = false
	return s.doing(v) + ": " + s.cut(s.task(v), 40)
}
