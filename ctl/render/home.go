package render

import (
	"fmt"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Nothing is bare apctl when no daemon runs.
func (s Style) Nothing() string {
	return s.say("nothing runs", "実行中のものはありません") + "\n\n" + table([][]string{
		{"apctl init", s.say("set up the project of this directory", "このディレクトリのプロジェクトを設定")},
		{exampleRun, s.say("begin", "開始")},
		{"apctl ls", s.say("past runs", "過去の実行")},
		{"apctl help", s.say("all commands", "すべてのコマンド")},
	})
}

// Home is bare apctl, the short form of a report: what needs a person first,
// then what runs, each with the next command.
func (s Style) Home(v wire.ReportView) string {
	s = s.In(v.Language)
	var needs, live, paused, lately [][]string
	more := 0
	for _, i := range v.Blocks {
		needs = append(needs, []string{"-", s.waitsWord(i.Kind), s.project(i.Workspace), s.cut(Line(i.What), 60), Line(i.Next.Command)})
	}
	for _, p := range v.Parts {
		more += p.More
		for _, r := range p.Runs {
			switch row := s.homeRow(r); {
			case p.Name == wire.PartWaiting || p.Name == wire.PartRunning:
				live = append(live, row)
			case p.Name == wire.PartDone || p.Name == wire.PartEnded:
				lately = append(lately, row)
			case r.Run.Reason == string(events.HaltStopped):
				paused = append(paused, row)
			default:
				needs = append(needs, row)
			}
		}
	}
	var b strings.Builder
	for _, part := range []struct {
		title string
		rows  [][]string
	}{
		{s.partTitle(wire.PartNeedsYou), needs},
		{s.say("runs", "実行中"), live},
		{s.say("paused", "一時停止"), paused},
		{s.say("ended lately", "最近の終了"), lately},
	} {
		if len(part.rows) == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(s.paint(bold, part.title) + "\n" + s.homeRows(part.rows))
	}
	if more > 0 {
		b.WriteString(s.say("\n%d more: apctl report", "\nほか %d 件: apctl report", more) + "\n")
	}
	if n := beforeIn(v); n > 0 {
		b.WriteString(s.say("\n%d halted before: apctl inbox", "\n以前から停止中 %d 件: apctl inbox", n) + "\n")
	}
	if b.Len() == 0 {
		return s.Nothing()
	}
	return b.String()
}

// beforeIn is how many runs were halted long ago, and still are.
func beforeIn(v wire.ReportView) (n int) {
	for _, p := range v.Parts {
		n += p.Before
	}
	return n
}

// homeRow is a run, what it is at, its project and task, and the next command.
func (s Style) homeRow(r wire.ReportRun) []string {
	v := r.Run
	s = s.Of(v)
	row := []string{Line(v.Handle), s.cut(s.doing(v), 30), s.project(v.Workspace), s.cut(s.task(v), max(24, min(s.Width-76, 60))), "apctl why " + Line(v.Handle)}
	switch {
	case v.Exit < 0:
		row[1] = strings.Join(nonempty(s.doing(v), s.iteration(v), s.marks(v.Gates)), ", ")
		row[4] = "apctl watch " + Line(v.Handle)
		if v.Question != nil && r.Next.Command != "" {
			row[4] = Line(r.Next.Command)
		}
	case v.Ended != nil:
		row[1] += " " + s.Clock(*v.Ended)
		if v.State == "done" && r.Next.Command != "" {
			row[4] = Line(r.Next.Command)
		}
	case v.Reason == string(events.HaltStopped) && r.Next.Command != "":
		row[4] = Line(r.Next.Command)
	}
	return row
}

// homeRows is a table of runs; on a narrow terminal without their tasks, or
// with the command below.
func (s Style) homeRows(rows [][]string) string {
	if s.fits(rows) {
		return table(rows)
	}
	var short, low [][]string
	for _, r := range rows {
		short = append(short, []string{r[0], r[1], r[2], r[4]})
		low = append(low, []string{r[0], s.Clip(strings.Join(nonempty(r[2], r[1]), ": "), s.room(4+columns(r[0])))}, []string{"", r[4]})
	}
	if s.fits(short) {
		return table(short)
	}
	return table(low)
}

func nonempty(parts ...string) []string {
	var out []string
	for _, p := range parts {
		if p != "" {
			out = append(out, p)
		}
	}
	return out
}

// Preview shows all that a run would use.
func (s Style) Preview(p wire.Preview) string {
	var b strings.Builder
	b.WriteString("dry run: nothing was started\n\n")
	b.WriteString(s.facts([][2]string{
		{"workspace", Line(p.Workspace)},
		{"workflow", Line(p.Workflow)},
		{"ends", strings.TrimPrefix(s.ends(p.EndsBy, p.Iterations, p.Budgets), "ends ")},
		{"limits", s.timeouts(p.Timeouts, false)},
		{"pinned", count(p.Pinned, "file")},
		{"checkout", checkout(p)},
		{"agent", Line(strings.Join(quoted(p.Argv), " "))},
		{"permissions", s.words(nonempty(p.Permissions))},
		{"agent env", s.words(p.AgentEnv)},
		{"gate env", s.words(p.GateEnv)},
		{"gate path", strings.TrimRight(list(p.Path), "\n")},
	}))
	rows := make([][]string, 0, len(p.Gates))
	for _, g := range p.Gates {
		rows = append(rows, []string{Line(string(g.Name)), Line(string(g.Role)), asked(g)})
	}
	b.WriteString(s.section("gates", table(rows)))
	b.WriteString(s.section("pinned", s.pins(p.Pins)))
	b.WriteString(s.section("pinned, and named by the task", s.TaskPins(p.TaskPins)))
	b.WriteString(s.section("gates that hide exit codes", s.HiddenExits(p.Hidden)))
	b.WriteString(s.section("programs that gates look for", s.Lacks(p.Lacks)))
	if h := p.Holdout; h != nil {
		b.WriteString(s.section("held-out gates", s.heldOut(*h)))
	}
	b.WriteString(s.section("sessions", series(p.Series)))
	b.WriteString(s.section("agents that the workflow names", s.crews(p)))
	b.WriteString(s.section("not given as flags", s.origins(p.Workspace, p.Settings)))
	b.WriteString(s.section("prompt of the first iteration", indent("  | ", Clean(p.Prompt))))
	return b.String()
}

// crews shows who works or looks for each role, in the order of escalation.
// Of an environment it shows what the agent has beyond that of the run's own.
func (s Style) crews(p wire.Preview) string {
	var b strings.Builder
	for _, c := range p.Crews {
		what := "looks"
		if len(c.Phases) > 0 {
			what = "works in " + strings.Join(c.Phases, ", ")
		}
		b.WriteString(s.wrap("role "+Line(c.Role)+": "+Line(what), "  "))
		for i, a := range c.Agents {
			head := "begins"
			if i > 0 {
				head = "then"
			}
			more := slices.DeleteFunc(slices.Clone(a.Env), func(name string) bool { return slices.Contains(p.AgentEnv, name) })
			b.WriteString(s.narrower(4).facts([][2]string{
				{head, Line(a.Agent) + ", account " + Line(a.Account)},
				{"command", Line(strings.Join(quoted(a.Argv), " "))},
				{"permissions", s.words(nonempty(a.Permissions))},
				{"its env", s.words(more)},
			}))
		}
	}
	return b.String()
}

// words is a list of names, wrapped.
func (s Style) words(names []string) string {
	return strings.TrimRight(s.narrower(13).wrap(Line(strings.Join(names, " ")), ""), "\n")
}

func (s Style) narrower(n int) Style {
	s.Width = s.room(n)
	return s
}

// quoted are words as a shell reads them.
func quoted(argv []string) []string {
	out := make([]string, 0, len(argv))
	for _, a := range argv {
		out = append(out, phrase.Quote(a))
	}
	return out
}

// Daemon is daemon status.
func (s Style) Daemon(d wire.DaemonView) string {
	state := "runs"
	if d.Draining {
		state = "is draining"
	}
	idle := ""
	if d.IdleEnds != nil {
		idle = "ends at " + s.Clock(*d.IdleEnds) + " unless it is used"
	}
	return fmt.Sprintf("autopilotd %s %s, pid %d\n", Line(d.Version), state, d.PID) + s.facts([][2]string{
		{"started", s.Clock(d.Started) + ", " + Age(s.since(d.Started)) + " ago"},
		{"runs", fmt.Sprintf("%d live of %d", d.Live, d.Runs)},
		{"effects", fmt.Sprint(d.Effects)},
		{"events", fmt.Sprintf("%d, %s of %s", d.Events, Size(d.StoreBytes), Size(d.StoreQuota))},
		{"durability", Line(d.Durability)},
		{"idle", idle},
		{"service", startedBy(d.Service)},
		{"notify", s.told(d.Notify)},
		{"settings", Line(d.Settings)},
		{"state", Line(d.State)},
		{"socket", Line(d.Socket)},
		{"listens", s.listens(d.Listen)},
		{"team", s.shares(d.Team)},
		{"team log", s.teamLog(d.Team)},
		{"team hosts", s.teamHosts(d.Team)},
		{"log", Line(d.Log)},
	})
}

// Verify says what was proven, and what was not.
func (s Style) Verify(v wire.VerifyReply) string {
	var b strings.Builder
	for _, p := range v.Problems {
		at := ""
		if p.Seq > 0 {
			at = fmt.Sprintf(" at event %d", p.Seq)
		}
		fmt.Fprintf(&b, "%s %s%s: %s\n", s.paint(red, s.pick("✗", "x")), Line(p.Aggregate), at, Line(p.What))
	}
	what := count(v.Aggregates, "log") + ", " + count(v.Events, "event")
	if v.Sealed > 0 {
		what += fmt.Sprintf(", %d of them sealed", v.Sealed)
	}
	what += ", " + count(v.Texts, "text") + ", " + count(v.Rebuilt, "projection") + " rebuilt and compared"
	if v.Bundles > 0 {
		what += ", " + count(v.Bundles, "bundle") + " of the archive"
	}
	if v.Unknown > 0 {
		what += ", " + s.unknown(v.Unknown)
	}
	if v.Gone > 0 {
		what += ", " + count(v.Gone, "text") + " erased or pruned"
	}
	if len(v.Problems) > 0 {
		fmt.Fprintf(&b, "%s found: %s\n", count(len(v.Problems), "problem"), what)
		return b.String() + s.teamProof(v.Team)
	}
	return s.paint(green, s.pick("✓", "ok")) + " all is well: " + what + "\n" + s.teamProof(v.Team)
}

// Version names both sides; daemon is empty when none runs.
func (s Style) Version(client, platform, daemon string) string {
	t := fmt.Sprintf("apctl %s (%s)\n", Line(client), platform)
	if daemon != "" {
		t += fmt.Sprintf("autopilotd %s\n", Line(daemon))
	}
	return t
}
