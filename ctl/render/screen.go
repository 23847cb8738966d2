package render

import (
	"cmp"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
)

// What a full screen is laid out of. Each line is clean, may be coloured, and
// is at most as wide as it was asked to be.

// NeedsPerson says that a run does not go on before a person has looked at it.
// One that was stopped on request waits for nobody.
func NeedsPerson(v wire.RunView) bool {
	switch v.State {
	case "halted":
		return v.Reason != string(events.HaltStopped)
	case "waiting":
		return v.Reason == reasonDisk || v.Question != nil
	}
	return false
}

// Clip shortens a line that may be coloured to n cells, and says so with its
// last one.
func (s Style) Clip(t string, n int) string {
	if n <= 0 {
		return ""
	}
	if columns(uncoloured(t)) <= n {
		return t
	}
	var b strings.Builder
	used, painted := 1, false
	for i := 0; i < len(t); {
		if code := colourAt(t[i:]); code != "" {
			b.WriteString(code)
			painted = code != unpaint
			i += len(code)
			continue
		}
		r := []rune(t[i:min(len(t), i+4)])[0]
		if used+cells(r) > n {
			break
		}
		used += cells(r)
		b.WriteRune(r)
		i += len(string(r))
	}
	b.WriteString(s.pick("…", "~"))
	if painted {
		b.WriteString(unpaint)
	}
	return b.String()
}

// colourAt is the sequence of paint that t begins with, or empty.
func colourAt(t string) string {
	if !strings.HasPrefix(t, "\x1b[") {
		return ""
	}
	return t[:strings.IndexByte(t, 'm')+1]
}

// Bold sets a heading off.
func (s Style) Bold(t string) string { return s.paint(bold, t) }

// Dim takes a hint back.
func (s Style) Dim(t string) string { return s.paint(dim, t) }

// Warn is for what a person should see first.
func (s Style) Warn(t string) string { return s.paint(yellow, t) }

// Rule is a line across the screen with a title.
func (s Style) Rule(title string, width int) string {
	dash := s.pick("─", "-")
	if title = s.cut(title, width-6); title == "" {
		return s.Dim(strings.Repeat(dash, max(0, width)))
	}
	left := dash + dash + " "
	right := " " + strings.Repeat(dash, max(0, width-columns(title)-4))
	return s.Dim(left) + s.Bold(title) + s.Dim(right)
}

// Between puts one text at the left and one at the right of a line; the left
// one gives way.
func (s Style) Between(left, right string, width int) string {
	room := width - columns(uncoloured(right)) - 1
	if room < 8 {
		return s.Clip(left, width)
	}
	left = s.Clip(left, room)
	return left + strings.Repeat(" ", room+1-columns(uncoloured(left))) + right
}

// column is one of the list on a full screen. It is shown where the screen is
// at least as wide as from.
type column struct {
	from int
	most int
	text func(Style, wire.RunView) string
}

func columnsOfRuns() []column {
	return []column{
		{0, 12, func(_ Style, v wire.RunView) string { return Line(v.Handle) }},
		{0, 26, func(s Style, v wire.RunView) string { return s.nowDoing(v) }},
		{0, 14, func(s Style, v wire.RunView) string { return s.iteration(v) }},
		{0, 12, func(s Style, v wire.RunView) string { return s.Dots(v.Gates) }},
		{64, mostProject, func(_ Style, v wire.RunView) string { return folder(v.Workspace) }},
		{56, 16, func(s Style, v wire.RunView) string { return s.Life(v) }},
		{72, 12, func(s Style, v wire.RunView) string { return s.spent(v) }},
		{46, 0, func(s Style, v wire.RunView) string { return s.task(v) }},
	}
}

// Runs is a line for each run, in aligned columns.
func (s Style) Runs(runs []wire.RunView, width int) []string {
	plain := s
	plain.Colour = false
	rows := make([][]string, len(runs))
	var widths []int
	for _, c := range columnsOfRuns() {
		if width < c.from {
			continue
		}
		w := 0
		for i, v := range runs {
			t := c.text(plain.Of(v), v)
			if c.most > 0 {
				t = plain.cut(t, c.most)
			}
			rows[i] = append(rows[i], t)
			w = max(w, columns(t))
		}
		widths = append(widths, w)
	}
	out := make([]string, len(runs))
	for i, row := range rows {
		var cells []string
		for k, t := range row {
			if widths[k] > 0 {
				cells = append(cells, pad(t, widths[k]))
			}
		}
		out[i] = plain.cut(strings.TrimRight(strings.Join(cells, "  "), " "), width)
	}
	return out
}

// Tint colours a line of a run by its state; the words say the same.
func (s Style) Tint(v wire.RunView, line string) string {
	switch {
	case NeedsPerson(v):
		return s.paint(yellow, line)
	case v.Exit < 0:
		return line
	}
	return s.paint(dim, line)
}

// nowDoing is the state of a run, and of one that runs what it does.
func (s Style) nowDoing(v wire.RunView) string {
	switch {
	case v.Exit < 0 && v.Stopping != "":
		return s.say("stopping", "停止処理中")
	case v.State == "running" && v.Stage != "":
		return strings.Join(nonempty(Line(v.Phase), s.stage(v.Stage)), " ")
	}
	return s.standing(v)
}

// Dots is one cell for each gate; pinned files only where they changed.
func (s Style) Dots(gates []wire.GateView) string {
	var b strings.Builder
	for _, g := range gates {
		if !quietPins(g) {
			b.WriteString(s.dot(g.Verdict))
		}
	}
	return b.String()
}

// dot is as small as a sign gets, most of all where all is well.
func (s Style) dot(verdict string) string {
	if events.Verdict(verdict) == events.Pass {
		return s.pick("●", "+")
	}
	return s.sign(verdict)
}

// Life is the last sign of life of a run: how long it is quiet, when a waiting
// one wakes, how long ago another stopped.
func (s Style) Life(v wire.RunView) string {
	switch {
	case v.State == "waiting" && standsInLine(v):
		return ""
	case v.State == "waiting" && v.NextWake != nil:
		return s.say("until %s", "%s まで", s.Clock(*v.NextWake))
	case v.Exit < 0:
		return s.sound(v)
	}
	if t := over(v); t != nil {
		return s.ago(Age(s.since(*t)))
	}
	return ""
}

// over is when a run halted or ended.
func over(v wire.RunView) *time.Time {
	if v.Halted != nil {
		return v.Halted
	}
	return v.Ended
}

// spent is the active time against its limit.
func (s Style) spent(v wire.RunView) string {
	t := Age(time.Duration(v.ActiveMS) * time.Millisecond)
	if v.LimitMS > 0 {
		t += "/" + Age(time.Duration(v.LimitMS)*time.Millisecond)
	}
	return t
}

// folder is the last part of a path.
func folder(path string) string {
	path = Line(path)
	return path[strings.LastIndexByte(path, '/')+1:]
}

// mostProject is how many cells of a line name a project.
const mostProject = 14

// project names the project of a work tree: its folder.
func (s Style) project(workspace string) string { return s.cut(folder(workspace), mostProject) }

// Panel is a run in a few lines, what a person needs first at the top: what
// happened, the gates, what comes next, then the facts.
func (s Style) Panel(w wire.WhyView, width int) []string {
	s = s.Of(w.Run)
	s.Width = width
	var b strings.Builder
	v := w.Run
	b.WriteString(s.because(w))
	b.WriteString(table(s.panelGates(v.Gates, width)))
	if w.Question != "" {
		b.WriteString(s.wrap(s.say("asks: %s", "質問: %s", Line(w.Question)), "  "))
	}
	for _, c := range w.Claims {
		b.WriteString(s.wrap(Line(c), "  "))
	}
	if len(w.Failing) > 0 {
		b.WriteString(s.wrap(s.say("failing: %s%s", "失敗: %s%s", Line(strings.Join(w.Failing, ", ")), s.more(w.More)), "  "))
	}
	if v.Exit >= 0 {
		for _, n := range w.Next {
			b.WriteString("  " + s.paint(bold, Line(n.Command)) + "  " + s.Dim(Line(n.Why)) + "\n")
		}
	}
	b.WriteString(s.wrap(strings.Join(s.panelFacts(v), s.pick(" · ", " | ")), "  "))
	b.WriteString(s.wrap(s.say("task: %s", "タスク: %s", s.task(v)), "  "))
	lines := strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
	for i, l := range lines {
		lines[i] = s.Clip(l, width)
	}
	return lines
}

// because is the sentence for the state; what a run waits for is said anew, as
// its words know the time.
func (s Style) because(w wire.WhyView) string {
	v := w.Run
	t := Line(w.Because)
	if v.State == "waiting" {
		t = s.waiting(v)
	}
	if v.Exit < 0 && v.Stopping != "" {
		t += s.say("; ", "。") + s.stopping(v)
	}
	if t == "" {
		return ""
	}
	if NeedsPerson(v) {
		return s.paintLines(yellow, s.wrap(t, "  "))
	}
	return s.wrap(t, "  ")
}

// paintLines colours each line for itself, so that one that is cut leaves no
// colour behind.
func (s Style) paintLines(colour, t string) string {
	var b strings.Builder
	for l := range strings.Lines(t) {
		b.WriteString(s.paint(colour, strings.TrimRight(l, "\n")) + "\n")
	}
	return b.String()
}

func (s Style) more(n int) string {
	if n == 0 {
		return ""
	}
	return s.say(" and %d more", " ほか %d 件", n)
}

func (s Style) panelGates(gates []wire.GateView, width int) [][]string {
	var rows [][]string
	for _, g := range gates {
		if quietPins(g) {
			continue
		}
		row := []string{s.sign(g.Verdict) + " " + Line(g.Name), cmp.Or(s.proof(g), s.say("not yet", "未実行"))}
		if g.Baseline {
			row[1] = s.say("%s before any work", "%s (作業前)", row[1])
		}
		if width >= 60 {
			row = append(row, s.cut(s.what(g), 40))
		}
		rows = append(rows, row)
	}
	return rows
}

func (s Style) panelFacts(v wire.RunView) []string {
	var f []string
	add := func(name, value string) {
		if value != "" {
			f = append(f, name+value)
		}
	}
	add("", s.Life(v))
	add(s.say("active ", "稼働 "), s.spent(v))
	add(s.say("used ", "使用量 "), s.usageOf(v))
	add(s.say("ends by ", "終了期限 "), s.endsBy(v))
	add("", s.changed(v.Files))
	add(s.say("branch ", "ブランチ "), Line(v.Branch))
	add(s.say("agent ", "エージェント "), s.cut(agentOf(v), 40))
	add(s.say("started ", "開始 "), s.Clock(v.Started))
	add(s.say("in ", "場所 "), Line(v.Workspace))
	return f
}

// Second is a time of day to the second.
func (s Style) Second(t time.Time) string { return s.local(t).Format("15:04:05") }

// Pointer marks the selected line.
func (s Style) Pointer() string { return s.pick("▸", ">") }

// Cursor stands where text is typed.
func (s Style) Cursor() string { return s.pick("▏", "_") }
