package render

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// partTitle is the heading of a part of a report.
func (s Style) partTitle(part string) string {
	switch part {
	case wire.PartNeedsYou:
		return s.say("needs you", "対応が必要")
	case wire.PartDone:
		return s.say("done", "完了")
	case wire.PartHalted:
		return s.say("halted", "停止")
	case wire.PartWaiting:
		return s.say("waiting", "待機中")
	case wire.PartRunning:
		return s.say("running", "実行中")
	case wire.PartEnded:
		return s.say("ended", "終了")
	}
	return Line(part)
}

// Report is what became of runs: what needs a person first, then what is done.
func (s Style) Report(v wire.ReportView) string {
	s = s.In(v.Language)
	var b strings.Builder
	asOf := s.say("as of %s", "%s 現在", s.Clock(v.At))
	if !v.Since.IsZero() {
		asOf = s.listed(s.say("since %s", "%s 以降", s.Clock(v.Since)), asOf)
	}
	b.WriteString(asOf + "\n")
	for _, i := range v.Blocks {
		b.WriteString(s.section(s.partTitle(wire.PartNeedsYou), s.item(i)))
	}
	for _, p := range v.Parts {
		b.WriteString(s.part(p, len(v.Blocks) > 0))
	}
	if emptyReport(v) {
		b.WriteString("\n" + s.say("no run", "実行はありません") + "\n")
	}
	b.WriteString(s.section(s.say("used", "使用量"), s.sum(v.Total)))
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
		b.WriteString(s.say("  %d more: apctl report --limit 0", "  ほか %d 件: apctl report --limit 0", p.More) + "\n")
	}
	if p.Before > 0 {
		b.WriteString(s.say("  %d halted before: apctl inbox", "  以前から停止中 %d 件: apctl inbox", p.Before) + "\n")
	}
	if p.Name == wire.PartNeedsYou && headed {
		return b.String()
	}
	return s.section(s.partTitle(p.Name), b.String())
}

// reportRun is a run in a report: what it is, what became of it, what to do.
func (s Style) reportRun(r wire.ReportRun) string {
	v := r.Run
	s = s.Of(v)
	indent := strings.Repeat(" ", 4+columns(Line(v.Handle)))
	var b strings.Builder
	b.WriteString("  " + s.paint(bold, Line(v.Handle)) + "  " + s.cut(strings.Join(nonempty(s.project(v.Workspace), s.task(v)), "  "), s.room(len(indent))) + "\n")
	what := Line(r.What)
	if v.Exit < 0 && len(v.Gates) > 0 {
		what = strings.Join(nonempty(what, s.gateWords(v.Gates)), s.say("; ", "。"))
	}
	b.WriteString(s.wrap(what, indent))
	b.WriteString(s.wrap(s.listed(s.Clock(r.At), s.active(v), s.cost(r.Usage)), indent))
	if sign := s.lastSign(v); sign != "" {
		b.WriteString(s.wrap(sign, indent))
	}
	if r.Refused > 0 {
		b.WriteString(s.wrap(s.say("the daemon refused %s of its agents and gates", "エージェントとゲートの要求を %s拒否", s.count(r.Refused, "request", "件")), indent))
	}
	if len(v.Git) > 0 {
		b.WriteString(s.wrap(s.say("git: %s", "git: %s", Line(strings.Join(v.Git, s.say("; ", "。")))), indent))
	}
	if added := s.addedShort(r.Added); added != "" {
		b.WriteString(s.wrap(added, indent))
	}
	if r.Next.Command != "" {
		b.WriteString(indent + s.pick("→ ", "> ") + Line(r.Next.Command) + "\n")
	}
	return b.String()
}

// lastSign says how long a live run has shown no sign of life.
func (s Style) lastSign(v wire.RunView) string {
	last := v.LastOutput
	if v.Life != nil && (last == nil || v.Life.At.After(*last)) {
		last = &v.Life.At
	}
	if v.Exit >= 0 || v.State != "running" || last == nil {
		return ""
	}
	if ago := s.since(*last); ago >= time.Minute {
		return s.say("no sign of life for %s", "%s 反応なし", Age(ago))
	}
	return s.say("last sign of life %s ago", "最後の反応は %s 前", Age(s.since(*last)))
}

// gateWords says how many gates of a live run pass.
func (s Style) gateWords(gates []wire.GateView) string {
	pass, known := 0, 0
	for _, g := range gates {
		if g.Verdict != "" && !g.Baseline && !quietPins(g) {
			known++
			if g.Verdict == "pass" {
				pass++
			}
		}
	}
	if known == 0 {
		return ""
	}
	return s.say("%d of %s passed last", "直近で成功したゲート %d / %s", pass, s.count(known, "gate", "件"))
}

// cost is what agents cost, and how sure that is.
func (s Style) cost(u wire.UsageSum) string {
	switch {
	case u.Agents == 0:
		return ""
	case u.NoCost == u.Agents && u.MicroUSD == 0:
		return s.say("cost unknown", "費用不明")
	case u.NoCost > 0:
		return s.say("at least %s", "%s 以上", phrase.USD(u.MicroUSD))
	case u.Computed > 0:
		return s.say("about %s", "約 %s", phrase.USD(u.MicroUSD))
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
		return s.say("%s for %d of %d", "%s %d / %d", what, n, u.Agents)
	}
	unknown := s.say("unknown", "不明")
	money, tokens := unknown, unknown
	if u.NoCost < u.Agents || u.MicroUSD > 0 {
		money = s.listed(s.cost(u), share(u.Computed, s.say("computed", "計算値")), share(u.NoCost, unknown))
	}
	if u.NoTokens < u.Agents || u.Tokens > 0 {
		tokens = s.listed(phrase.Number(u.Tokens), share(u.NoTokens, unknown))
	}
	return s.facts([][2]string{
		{s.say("agents", "エージェント"), fmt.Sprint(u.Agents)},
		{s.say("worked", "作業時間"), Duration(time.Duration(u.ActiveMS) * time.Millisecond)},
		{s.say("cost", "費用"), money},
		{s.say("tokens", "トークン"), tokens},
	})
}

// Inbox is what waits for a person, the oldest first.
func (s Style) Inbox(v wire.InboxView) string {
	s = s.In(v.Language)
	if len(v.Items) == 0 {
		return s.say("nothing waits for you", "対応が必要なものはありません") + "\n"
	}
	var b strings.Builder
	for _, i := range v.Items {
		b.WriteString(s.item(i))
	}
	if v.More > 0 {
		b.WriteString(s.say("  %d more: apctl inbox --limit 0", "  ほか %d 件: apctl inbox --limit 0", v.More) + "\n")
	}
	return b.String()
}

// item is one thing that waits.
func (s Style) item(i wire.InboxItem) string {
	s = s.In(i.Language)
	var b strings.Builder
	name := Line(i.Run)
	if name == "" {
		name = "-"
	}
	indent := strings.Repeat(" ", 4+columns(name))
	head := s.listed(s.waitsWord(i.Kind), s.project(i.Workspace), s.ago(Age(s.since(i.At))))
	switch {
	case i.Task != "":
		head += ": " + Line(i.Task)
	case i.Run != "":
		head += ": " + s.say("(its texts were erased or pruned)", "(テキストは消去または整理済み)")
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
