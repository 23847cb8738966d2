package comment

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// outcome is what came of a run, with its evidence; said is the line that was
// told of it already.
func outcome(l events.Language, v wire.WhyView, said string) string {
	var b strings.Builder
	if !strings.Contains(said, v.Because) {
		b.WriteString("\n" + code(v.Because, lineBytes) + "\n")
	}
	if q := strings.TrimSpace(v.Question); q != "" && v.Run.Question == nil {
		b.WriteString(phrase.Say(l, "\nThe agent asks:", "\nエージェントの質問:") + "\n\n" + block("text", q, mostLines, mostBytes))
	}
	for i, f := range v.Failing {
		if i == 0 {
			b.WriteString(phrase.Say(l, "\nFailing:", "\n失敗:") + "\n\n")
		}
		b.WriteString("- " + code(f, lineBytes) + "\n")
	}
	if v.More > 0 {
		b.WriteString(phrase.Say(l, "- and %d more", "- ほか %d 件", v.More) + "\n")
	}
	if e := v.Evidence; e != nil {
		b.WriteString(evidence(l, *e, len(v.Summary) == 0))
	}
	if v.LastError != "" {
		b.WriteString("\n" + phrase.Say(l, "Last error%s:", "最後のエラー%s:", after(" ", code(v.ErrorFrom, lineBytes))) + "\n\n" + block("text", v.LastError, errorLines, mostBytes))
	}
	if v.Evidence == nil || len(v.Summary) > 0 {
		b.WriteString("\n")
	}
	b.WriteString(summary(l, v.Summary))
	return b.String()
}

// evidence is what done stands on; the gates are in the summary, where there is
// one.
func evidence(l events.Language, e wire.Evidence, gates bool) string {
	var b strings.Builder
	b.WriteString(phrase.Say(l, "\nEvidence: tree %s, gates passed %s", "\n証拠: ツリー %s、ゲートの成功は%s", code(e.Tree, lineBytes), where(l, e)))
	if e.Pinned > 0 {
		b.WriteString(phrase.Say(l, ", %[1]s unchanged", "、固定ファイル %[2]d 件は変更なし", phrase.Count(e.Pinned, "pinned file"), e.Pinned))
	}
	b.WriteString("\n")
	for _, g := range e.Gates {
		if g.Verdict == "" || !gates {
			continue
		}
		fmt.Fprintf(&b, "- %s %s: %s\n", code(g.Name, lineBytes), code(phrase.Verdict(l, events.Verdict(g.Verdict)), lineBytes), code(g.Says, lineBytes))
	}
	for _, f := range e.Allowed {
		b.WriteString(phrase.Say(l, "- a pinned file was changed, as it was allowed to: %s", "- 許可された固定ファイルの変更: %s", code(f, lineBytes)) + "\n")
	}
	return b.String()
}

func where(l events.Language, e wire.Evidence) string {
	if e.Checkout == "clean" {
		return phrase.Say(l, "in a clean checkout", "クリーンなチェックアウト")
	}
	return phrase.Say(l, "in place", "作業ツリー")
}

// summary is what the run went through, part by part.
func summary(l events.Language, parts []wire.SummaryPart) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString("- " + code(phrase.Part(l, p.Part), lineBytes))
		switch {
		case p.Absent:
			b.WriteString(phrase.Say(l, ": not in this workflow", ": このワークフローにはない"))
		case len(p.Work)+len(p.Gates) == 0:
			b.WriteString(phrase.Say(l, ": nothing was done", ": 作業なし"))
		}
		b.WriteString("\n")
		for _, w := range p.Work {
			b.WriteString(phrase.Say(l, "  - phase %[1]s: %[2]s, %[3]s changed, tree %[6]s", "  - フェーズ %[1]s: %[4]d 回、変更 %[5]d ファイル、ツリー %[6]s", code(w.Phase, lineBytes),
				phrase.Count(w.Iterations, "iteration"), phrase.Count(w.Files, "file"), w.Iterations, w.Files, code(w.Tree, lineBytes)) + "\n")
		}
		var never []string
		for _, g := range p.Gates {
			if g.Verdict == "" {
				never = append(never, code(g.Gate, lineBytes))
				continue
			}
			b.WriteString("  - " + gate(l, g) + "\n")
		}
		if len(never) > 0 {
			b.WriteString(phrase.Say(l, "  - never judged: %s", "  - 未判定: %s", strings.Join(never, ", ")) + "\n")
		}
	}
	return b.String()
}

func gate(l events.Language, g wire.SummaryGate) string {
	text := code(g.Gate, lineBytes) + " "
	if g.Verdict == string(events.Open) {
		return text + phrase.Say(l, "is open", "は未決")
	}
	if text += code(phrase.Verdict(l, events.Verdict(g.Verdict)), lineBytes); g.Baseline {
		text += phrase.Say(l, " before any work", " (作業前)")
	}
	for _, by := range g.By {
		says := code(by.Says, lineBytes)
		switch events.Assurance(by.Assurance) { // who it was is nobody's business there
		case "":
			text += ", " + code(by.Who, lineBytes) + " " + says
		case events.AssuredHandoff:
			text += phrase.Say(l, ", accepted by hand-off without a review (%s: weak)", "、引き継ぎによる承認、確認者なし (%s: 弱い)", code(by.Assurance, lineBytes))
		case events.AssuredSession:
			text += phrase.Say(l, ", %s as a chat says (%s: weak)", "、チャットの言葉による回答 %s (%s: 弱い)", says, code(by.Assurance, lineBytes))
		default:
			text += phrase.Say(l, ", %s by a person (%s)", "、担当者の回答 %s (%s)", says, code(by.Assurance, lineBytes))
		}
	}
	return text
}
