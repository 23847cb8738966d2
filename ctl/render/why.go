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
	s = s.Of(w.Run)
	var b strings.Builder
	b.WriteString(s.verdict(w))
	b.WriteString(s.section(s.say("iterations", "イテレーション"), s.rows(w)))
	b.WriteString(s.section(s.say("failing tests", "失敗したテスト"), s.names(w.Failing, w.More)))
	b.WriteString(s.section(s.say("files", "ファイル"), s.names(w.Files, 0)))
	b.WriteString(s.asks(w))
	b.WriteString(s.section(s.say("claims and facts", "申告と事実"), s.sentences(w.Claims)))
	b.WriteString(s.lastError(w, 0))
	if w.HeldOut != nil {
		b.WriteString(s.section(s.say("held-out gates, for people alone", "秘匿ゲート(人のみ閲覧可)"), s.heldOut(w.HeldOut.HoldoutView)+s.heldTexts(w.HeldOut.Printed)))
	}
	if w.Evidence != nil {
		b.WriteString(s.section(s.say("evidence", "証拠"), s.evidence(w)))
	}
	b.WriteString(s.gitChanges(w.Git, 0))
	b.WriteString(s.wentThrough(w))
	b.WriteString(s.section(s.say("tried before", "これまでの対応"), s.tried(w)))
	b.WriteString(s.section(s.say("left", "残り"), s.left(w.Left)))
	b.WriteString(s.next(w.Next))
	b.WriteString(s.section(s.say("run", "実行"), s.runFacts(w)))
	return b.String()
}

// wentThrough is the summary of a run that has ended or halted; status shows a live one.
func (s Style) wentThrough(w wire.WhyView) string {
	if w.Run.Exit < 0 {
		return ""
	}
	return s.section(s.say("what it went through", "ここまでの経過"), s.summary(w.Summary))
}

// runFacts says which run it is, and which event settled it.
func (s Style) runFacts(w wire.WhyView) string {
	settled := ""
	if w.Seq > 0 {
		settled = s.say("by event %d", "イベント %d", w.Seq)
	}
	if w.Settled != nil {
		settled = s.listed(settled, strings.TrimSuffix(Line(w.Settled.Type), ".v1"), s.Clock(w.Settled.At), who(w.Settled.By))
	} else if t := over(w.Run); t != nil {
		settled = s.listed(settled, s.Clock(*t))
	}
	return s.facts([][2]string{
		{s.say("rule", "規則"), Line(w.Rule)},
		{s.say("settled", "確定"), s.cut(settled, s.room(s.margin()))},
		{s.say("task", "タスク"), s.cut(s.task(w.Run), s.room(s.margin()))},
		{s.say("branch", "ブランチ"), Line(w.Run.Branch)},
		{s.say("workspace", "ワークスペース"), Line(w.Run.Workspace)},
		{s.say("priority", "優先度"), s.priority(w.Run.Priority)},
		{s.say("unknown", "未知"), s.unknown(w.Run.Unknown)},
		{"id", Line(w.Run.ID)},
	})
}

// End is how a followed run ended: its evidence when it is done, else the
// short form of why.
func (s Style) End(w wire.WhyView) string {
	s = s.Of(w.Run)
	var b strings.Builder
	b.WriteString(s.verdict(w))
	if w.Evidence != nil {
		b.WriteString(s.evidence(w))
		b.WriteString(s.gitChanges(w.Git, endChanges))
		b.WriteString(s.wentThrough(w))
		return b.String() + s.next(w.Next)
	}
	b.WriteString(s.section(s.say("files", "ファイル"), s.names(w.Files, 0)))
	b.WriteString(s.asks(w))
	b.WriteString(s.section(s.say("claims and facts", "申告と事実"), s.sentences(w.Claims)))
	b.WriteString(s.gitChanges(w.Git, endChanges))
	b.WriteString(s.lastError(w, 12))
	b.WriteString(s.next(w.Next))
	return b.String()
}

// verdict is the first lines of an explanation: state and sentence.
func (s Style) verdict(w wire.WhyView) string {
	v := w.Run
	head := s.head(v)
	if v.Exit >= 0 {
		head = s.listed(head, s.count(v.Iteration, "iteration", "回のイテレーション"), s.active(v))
	}
	if w.Because == "" {
		return head + "\n"
	}
	text := head + "\n" + s.wrap(Line(w.Because), "  ")
	if w.Fault != "" {
		text += s.wrap(Line(w.Fault), "  ")
	}
	if p := s.published(v.Published); p != "" {
		text += s.wrap(s.say("push: %s", "プッシュ: %s", p), "  ")
	}
	return text
}

// active is the time in which a run was at work.
func (s Style) active(v wire.RunView) string {
	return s.say("active %s", "稼働 %s", Duration(time.Duration(v.ActiveMS)*time.Millisecond))
}

// failingIn is the number of failing tests, where that is known.
func failingIn(r wire.WhyRow) string {
	if r.FailingUnknown {
		return "-"
	}
	return fmt.Sprint(r.Failing)
}

func (s Style) names(list []string, more int) string {
	var b strings.Builder
	for _, n := range list {
		b.WriteString("  " + Line(n) + "\n")
	}
	if more > 0 {
		b.WriteString(s.say("  and %d more", "  ほか %d 件", more) + "\n")
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
	title := s.say("the agent asks", "エージェントの質問")
	switch {
	case w.Run.Question != nil:
		title = s.say("asks you", "あなたへの質問")
	case w.Rule == string(events.HaltNeedsPerson):
		title = s.say("the agent to you", "エージェントからの連絡")
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
		left := s.say("[ %s more: apctl why %s ]", "[ ほか %s: apctl why %s ]", s.count(n, "line", "行"), Line(w.Run.Handle))
		lines = slices.Concat(lines[:head], []string{left}, lines[head+n:])
	}
	name := s.say("last error", "直近のエラー")
	if w.ErrorFrom != "" {
		name += " (" + Line(w.ErrorFrom) + ")"
	}
	return s.section(name, indent("  | ", strings.Join(lines, "\n")))
}

// evidence is what done stands on. Where a summary follows, that has the gates of
// the workflow, and here are those of the run alone.
func (s Style) evidence(w wire.WhyView) string {
	e, summary := *w.Evidence, len(w.Summary) > 0
	gates := make([][]string, 0, len(e.Gates))
	pinned := s.say("%s unchanged", "%s、変更なし", s.count(e.Pinned, "file", "ファイル"))
	for _, g := range e.Gates {
		if g.Kind == string(events.GateProtected) {
			if g.Verdict != string(events.Pass) {
				pinned = s.listed(s.count(e.Pinned, "file", "ファイル"), s.proof(g))
			}
			continue
		}
		if summary && g.Role == string(events.RoleCheck) {
			continue
		}
		gates = append(gates, []string{
			s.sign(g.Verdict), Line(g.Name), s.verdictWord(g.Verdict), s.proof(g), s.cut(s.what(g), 48),
		})
	}
	switch {
	case e.Bare:
		pinned = ""
	case e.Pinned == 0:
		pinned = s.say("no files", "なし")
	}
	return table(gates) + s.facts([][2]string{
		{s.say("tree", "ツリー"), Hash(e.Tree)},
		{s.say("checked", "確認場所"), s.checkedIn(e.Checkout)},
		{s.say("tests", "テスト"), s.executed(e.Gates)},
		{s.say("controls", "対照"), s.controls(e)},
		{s.say("pinned", "固定ファイル"), pinned},
		{s.say("new tests", "新しいテスト"), s.newTests(e.Added)},
		{s.say("suppressed", "抑制の追加"), s.suppressions(e.Added)},
		{s.say("allowed", "変更許可"), strings.TrimRight(list(e.Allowed), "\n")},
		{s.say("gates made", "ゲートの生成物"), strings.TrimRight(list(e.Created), "\n")},
		{s.say("not in the tree", "ツリーにないもの"), s.unrecorded(e.Added)},
		{"git", s.gitAt(w.Git)},
		{s.say("not here", "ここにないもの"), s.missing(w)},
	})
}

// missing says what the evidence of a run lacks that was erased, pruned or imported.
func (s Style) missing(w wire.WhyView) string {
	switch {
	case !w.Evidence.Bare:
		return ""
	case w.Run.Gone != nil:
		return s.say("output and pinned files, and what its texts said", "出力、固定ファイル、テキストの内容") + " " + s.GoneText(*w.Run.Gone)
	}
	return s.say("output and pinned files: they are where it ran", "出力と固定ファイル(実行したホストにある)")
}

// executed says how many tests each gate has run, before the work and after it.
func (s Style) executed(gates []wire.GateView) string {
	var out []string
	for _, g := range gates {
		if g.Tests == (events.Executed{}) {
			continue
		}
		text := s.say("%s: %s", "%s: %s", Line(g.Name), s.tests(g.Tests))
		if g.TestsWas != (events.Executed{}) {
			text += s.say("; at the start %s", "、開始時 %s", s.tests(g.TestsWas))
		}
		out = append(out, text)
	}
	return strings.Join(out, "\n")
}

func (s Style) tests(e events.Executed) string {
	parts := []string{s.say("%d passed", "成功 %d 件", e.Passed)}
	if e.Failed > 0 {
		parts = append(parts, s.say("%d failed", "失敗 %d 件", e.Failed))
	}
	if e.Skipped > 0 {
		parts = append(parts, s.say("%d skipped", "スキップ %d 件", e.Skipped))
	}
	return s.listed(parts...)
}

// controls says what became of the controls; nothing of a run that had none.
func (s Style) controls(e wire.Evidence) string {
	var out []string
	for _, c := range e.Controls {
		text := s.say("%s: %s", "%s: %s", Line(c.Name), Line(c.Says))
		if c.Accepted {
			text += s.say("; a person accepted it", "。担当者が受け入れた")
		}
		out = append(out, text)
		for _, f := range c.Files {
			out = append(out, "  "+Line(f))
		}
	}
	if e.Weaker && len(e.Controls) == 0 {
		out = append(out, s.say("off (--no-controls): the gates were not tried without added files, nor on the files of the start", "無効(--no-controls)。この完了の証明力は弱い"))
	}
	return strings.Join(out, "\n")
}

// checkedIn says where the gates passed.
func (s Style) checkedIn(checkout string) string {
	if checkout == string(events.CheckoutClean) {
		return s.say("in a clean checkout", "クリーンなチェックアウト")
	}
	if checkout == "in place" {
		return s.say("in the work tree", "作業ツリー")
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
	return s.section(s.say("next", "次の操作"), table(rows))
}
