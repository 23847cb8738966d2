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
	s = s.Of(v)
	type part struct {
		text string
		keep int // the higher the later it goes
	}
	parts := []part{
		{s.paint(bold, Line(v.Handle)), 9},
		{s.place(v), 8},
		{s.doing(v), 7},
		{s.sound(v), 4},
		{s.clockOf(v), 5},
		{s.marks(v.Gates), 6},
		{costOf(v), 3},
		{s.changed(v.Files), 3},
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
func (s Style) place(v wire.RunView) string {
	return strings.Join(nonempty(Line(v.Phase), s.iteration(v)), " ")
}

func (s Style) iteration(v wire.RunView) string {
	if v.Iteration == 0 {
		return ""
	}
	t := fmt.Sprint(v.Iteration)
	if v.Iterations > 0 {
		t += fmt.Sprintf("/%d", v.Iterations)
	}
	if v.Attempt > 1 {
		t += s.say(" attempt %d", " 試行%d", v.Attempt)
	}
	return t
}

// doing says what a run does now, or what became of it.
func (s Style) doing(v wire.RunView) string {
	t := s.state(v.State)
	switch v.State {
	case "running":
		if v.Stage != "" {
			t = s.stage(v.Stage)
		}
	case "waiting":
		t = s.paint(yellow, s.waiting(v))
	case "halted":
		t = s.paint(yellow, t+": "+Line(v.Reason))
	case "refused":
		t = s.paint(red, t+": "+Line(v.Reason))
	case "failed":
		t = s.paint(red, t)
	case "done", "already-green":
		t = s.paint(green, t)
	}
	if v.Exit < 0 && v.Stopping != "" {
		t += s.say(", ", "、") + s.stopping(v)
	}
	return t
}

// head names a run and its state, at the top of several lines.
func (s Style) head(v wire.RunView) string {
	s = s.Of(v)
	state := s.doing(v)
	if v.State == "running" && v.Stage != "" {
		state = s.listed(s.state(v.State), state)
	}
	return s.paint(bold, Line(v.Handle)) + "  " + state
}

// reasonDisk is the reason of a wait for room on the machine.
const reasonDisk = "disk"

func (s Style) waiting(v wire.RunView) string {
	if v.Reason == reasonDisk {
		return s.say("waits for free disk space, goes on by itself", "ディスクの空き待ち、自動で再開")
	}
	if q := v.Question; q != nil {
		if q.Gate == "" {
			return s.say("the agent asks a person", "エージェントの質問に回答待ち")
		}
		return s.say("asks a person at gate %s", "ゲート %s で回答待ち", Line(q.Gate))
	}
	t := s.say("waits", "待機中")
	if v.NextWake != nil && !standsInLine(v) {
		t += s.say(" until %s", "、%s まで", s.Clock(*v.NextWake))
	}
	if why := s.waitsFor(v); why != "" {
		t += s.say(" (%s)", "(%s)", why)
	}
	return t
}

// standsInLine says that a run goes on when it is its turn: when it asks by itself
// is nobody's matter.
func standsInLine(v wire.RunView) bool {
	return v.Waiting != nil && (v.Waiting.Cause == string(events.LimitResources) || v.Waiting.Cause == string(events.LimitSlots))
}

// waitsFor says in a few words what for.
func (s Style) waitsFor(v wire.RunView) string {
	if v.Waiting == nil && v.Reason == string(events.HaltNoop) {
		return s.say("no change", "変更なし")
	}
	if v.Waiting == nil {
		return Line(v.Reason)
	}
	t := Line(phrase.ShortLimit(s.lang, events.Limit(v.Waiting.Cause)))
	if w := v.Waiting; w.Cause == string(events.LimitResources) {
		t = Line(held(*w).Short(s.lang))
	}
	if n := v.Waiting.Place; n > 1 {
		t += s.say(", %d before it", "、前に %d 件", n-1)
	}
	return t
}

// held is what a wait for the machine is about.
func held(w wire.WaitView) phrase.Held {
	h := phrase.Held{By: events.Name(w.By), Used: w.Used, Slots: w.Limit}
	if w.Signal != nil {
		h.Signal = events.Pressure{Of: events.Name(w.Signal.Of), Value: w.Signal.Value, Limit: w.Signal.Limit}
	}
	return h
}

// stopping says when a run stops that was asked to. One that waits is between two
// agents, so it does not wait any longer.
func (s Style) stopping(v wire.RunView) string {
	switch events.StopMode(v.Stopping) {
	case events.StopAfterIteration:
		if v.State == "waiting" && v.Reason != reasonDisk {
			return s.say("stops now", "すぐに停止")
		}
		return s.say("stops after this iteration", "このイテレーションの後に停止")
	case events.StopNow:
		return s.say("stops now", "すぐに停止")
	case events.StopCancel:
		return s.say("is being cancelled", "取り消し中")
	}
	return s.say("stops: %s", "停止: %s", Line(v.Stopping))
}

// sound is the age of the last output of what runs now, and other signs of life.
func (s Style) sound(v wire.RunView) string {
	if v.Exit >= 0 || v.LastOutput == nil {
		return ""
	}
	return s.say("quiet %s%s", "無出力 %s%s", Age(s.since(*v.LastOutput)), s.working(v.Life))
}

// working says what shows that a quiet agent works all the same.
func (s Style) working(l *wire.LifeView) string {
	if l == nil {
		return ""
	}
	switch l.Kind {
	case "cpu":
		return s.say(", computes", "、計算中")
	case "files":
		return s.say(", changes files", "、ファイル変更中")
	case "transcript":
		return s.say(", writes its transcript", "、記録の書き込み中")
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
		t += s.say(", until %s", "、%s まで", s.Clock(*v.Until))
	}
	return t
}

// marks shows the gates in few cells.
func (s Style) marks(gates []wire.GateView) string {
	m := make([]string, 0, len(gates))
	var bad []string
	passed := 0
	for _, g := range gates {
		if quietPins(g) {
			continue
		}
		m = append(m, s.mark(g))
		switch g.Verdict {
		case string(events.Pass):
			passed++
		case string(events.Fail), string(events.Unverifiable):
			bad = append(bad, s.mark(g))
		}
	}
	if len(m) > fewMarks { // those that tell something, and how many the others are
		m = append(bad, s.mark(wire.GateView{Name: fmt.Sprintf("%d/%d", passed, len(m)), Verdict: string(events.Pass)}))
	}
	return strings.Join(m, " ")
}

// fewMarks is how many gates are named one by one in a line.
const fewMarks = 8

func (s Style) changed(files int) string {
	if files == 0 {
		return ""
	}
	return s.count(files, "file", "ファイル")
}

// Status is a run in several lines: the facts of Live, and what it was asked.
func (s Style) Status(v wire.RunView) string {
	s = s.Of(v)
	var b strings.Builder
	b.WriteString(s.head(v) + "\n")
	var ended, halted string
	if v.Ended != nil {
		ended = s.Clock(*v.Ended)
	}
	if v.Halted != nil {
		halted = s.listed(s.Clock(*v.Halted), s.ago(Age(s.since(*v.Halted))))
	}
	b.WriteString(s.facts([][2]string{
		{s.say("task", "タスク"), s.cut(s.task(v), s.room(s.margin()))},
		{s.say("workspace", "ワークスペース"), Line(v.Workspace)},
		{s.say("branch", "ブランチ"), Line(v.Branch)},
		{s.say("issue", "課題"), Line(v.Issue)},
		{s.say("agent", "エージェント"), s.cut(agentOf(v), s.room(s.margin()))},
		{s.say("priority", "優先度"), s.priority(v.Priority)},
		{s.say("phase", "フェーズ"), Line(v.Phase)},
		{s.say("iteration", "イテレーション"), s.iteration(v)},
		{s.say("started", "開始"), s.Clock(v.Started)},
		{s.say("ended", "終了"), ended},
		{s.say("halted", "停止"), halted},
		{s.say("active", "稼働時間"), s.clockOf(v)},
		{s.say("ends by", "終了期限"), s.endsBy(v)},
		{s.say("asks", "質問"), s.asksOf(v)},
		{s.say("hand-off", "引き継ぎ"), s.handoff(v)},
		{s.say("push", "プッシュ"), s.published(v.Published)},
		{s.say("landing", "反映"), s.landing(v.Land)},
		{s.say("output", "最後の出力"), s.lastOutput(v)},
		{s.say("chat", "チャット"), s.chat(v)},
		{s.say("used", "使用量"), s.usageOf(v)},
		{s.say("budget", "予算"), s.budgetOf(v)},
		{s.say("changed", "変更"), s.changed(v.Files)},
		{s.say("tree", "ツリー"), Hash(v.Tree)},
		{"id", Line(v.ID)},
		{s.say("unknown", "未知"), s.unknown(v.Unknown)},
	}))
	b.WriteString(s.section(s.say("gates", "ゲート"), table(s.gateRows(v.Gates))))
	b.WriteString(s.section(s.say("git since the start", "開始からの git の変化"), s.sentences(v.Git)))
	if v.Question != nil {
		b.WriteString(s.next([]wire.NextCommand{{Command: "apctl answer " + Line(v.Handle), Why: s.say("shows the question, and takes your answer", "質問を表示し、回答を受け付ける")}}))
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

// priority is one that is not normal.
func (s Style) priority(name string) string {
	switch name {
	case events.PriorityLow.String():
		return s.say("low", "低")
	case events.PriorityHigh.String():
		return s.say("high", "高")
	}
	return Line(name)
}

func (s Style) lastOutput(v wire.RunView) string {
	if v.LastOutput == nil {
		return ""
	}
	return s.ago(Age(s.since(*v.LastOutput)))
}

// chat is what the host of a chat tells of it.
func (s Style) chat(v wire.RunView) string {
	if v.Life == nil || v.Life.Kind != "chat" {
		return ""
	}
	return s.say("%s of tools, the last %s", "ツール使用 %s、最後は %s", s.count(v.Life.Calls, "use", "回"), s.ago(Age(s.since(v.Life.At))))
}

func (s Style) unknown(n int) string {
	if n == 0 {
		return ""
	}
	return s.say("%s of a newer version, not understood", "新しいバージョンの%s(解釈できない)", s.count(n, "event", "件のイベント"))
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
func (s Style) standing(v wire.RunView) string {
	switch {
	case v.State == "waiting" && v.Reason == reasonDisk:
		return s.say("waiting for disk space", "ディスクの空き待ち")
	case v.Reason != "" && (v.Exit >= 0 || v.State == "waiting"):
		return s.state(v.State) + ": " + Line(v.Reason) + s.marked(v)
	}
	return s.state(v.State) + s.marked(v)
}

// marked is the priority of a run that is not over, where it is not normal.
func (s Style) marked(v wire.RunView) string {
	if v.Priority == "" || v.Ended != nil {
		return ""
	}
	return s.say(" (%s)", "(優先度 %s)", s.priority(v.Priority))
}

// List is a table of runs, newest first as given.
func (s Style) List(l wire.ListReply) string {
	s = s.In(l.Language)
	if len(l.Runs) == 0 {
		return s.say("no runs", "実行はありません") + "\n"
	}
	rows := [][]string{{s.say("RUN", "実行"), s.say("STATE", "状態"), s.say("ITER", "反復"), s.say("AGE", "経過"), s.say("GATES", "ゲート"), s.say("PROJECT", "プロジェクト"), s.say("TASK", "タスク")}}
	plain := s
	plain.Colour = false
	gates := 24
	if s.Width > 0 && s.Width <= 80 {
		gates = 18 // so that the project is on the line
	}
	for _, v := range l.Runs {
		rows = append(rows, []string{
			Line(v.Handle), s.Of(v).standing(v), s.Of(v).iteration(v), Age(s.since(v.Started)),
			plain.cut(plain.marks(v.Gates), gates), plain.project(v.Workspace), plain.cut(plain.task(v), 60),
		})
	}
	var b strings.Builder
	for l := range strings.Lines(table(rows)) {
		b.WriteString(s.cut(strings.TrimRight(strings.TrimPrefix(l, "  "), "\n"), s.Width))
		b.WriteByte('\n')
	}
	if l.More > 0 {
		b.WriteString(s.say("%d more: apctl ls --all", "ほか %d 件: apctl ls --all", l.More) + "\n")
	}
	return b.String()
}

// Brief is a run in a few words, for a list to choose from.
func (s Style) Brief(v wire.RunView) string {
	s = s.Of(v)
	s.Colour = false
	return s.doing(v) + ": " + s.cut(s.task(v), 40)
}
