package explain

import (
	"fmt"
	"slices"

	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// This file words what happens between phases, and at gates at which somebody
// looks.

func entered(l events.Language, d events.PhaseEntered) string {
	switch d.Way {
	case events.WaySent:
		return say(l, "phase %s: a person sent the run back from %s", "フェーズ %s: 担当者が %s から差し戻し", d.Phase, d.From)
	case events.WayBack:
		return say(l, "phase %s: back from %s, for the %s time", "フェーズ %s: %s から差し戻し、%s", d.Phase, d.From, ordinal(l, d.Cycle))
	case events.WayOn:
	}
	return say(l, "phase %s begins", "フェーズ %s を開始", d.Phase)
}

func round(l events.Language, n int) string {
	if n == 0 {
		return ""
	}
	return say(l, ", round %d", "、ラウンド %d", n)
}

// voidWords says why a result of a role does not count.
func voidWords(l events.Language, v events.Void) string {
	switch v {
	case events.VoidNoResult:
		return say(l, "it wrote no result", "結果を書かなかった")
	case events.VoidBadResult:
		return say(l, "its result does not have the required form", "結果が指定の形式ではない")
	case events.VoidChanged:
		return say(l, "it changed the files that it reviewed", "確認対象を変更した")
	case events.VoidProgram:
		return say(l, "its program or script was changed since the start of the run", "実行するプログラムまたはスクリプトが、ランの開始後に変更された")
	case events.VoidStale:
		return say(l, "the files that it reviewed are gone", "確認した対象がもう存在しない")
	case events.VoidNotEnded:
		return say(l, "it was cut short, or failed", "途中で打ち切られたか、失敗した")
	}
	return string(v)
}

func looked(l events.Language, d events.RoleEnded) string {
	line := say(l, "gate %s: %s", "ゲート %s: %s ", d.Gate, d.Role)
	if d.Void != "" {
		return line + say(l, " gave no valid result: %s", "の結果は無効: %s", voidWords(l, d.Void))
	}
	o := d.Opinion
	switch {
	case o.Covered+o.Uncovered > 0:
		line += say(l, " finds %d of %d criteria covered", "の確認では基準 %d/%d 件を網羅", o.Covered, o.Covered+o.Uncovered)
	case d.Round > 0:
		line += say(l, " finds %d %% unclear", "の評価では不明確さ %d %%", o.Ambiguity)
	default:
		line += say(l, " says %s", "の判断は %s", o.Verdict)
	}
	if o.Architecture != "" {
		line += say(l, ", architecture %s", "、アーキテクチャは %s", o.Architecture)
	}
	if o.Findings > 0 {
		line += say(l, ", %s", "、指摘 %s", phrase.Counted(l, o.Findings, "finding", "件"))
	}
	return line
}

// lastLook is the latest session at a gate at which none gave a result that
// counts.
func lastLook(s run.State, gate events.Name) (events.RoleEnded, bool) {
	for _, r := range s.Last.Results {
		if r.Gate == gate && r.Reason != events.ReasonVoid {
			return events.RoleEnded{}, false
		}
	}
	for _, l := range slices.Backward(s.Looks) {
		if l.Gate == gate {
			return l, l.Void != ""
		}
	}
	return events.RoleEnded{}, false
}

// firstOpen is the first gate that does not pass.
func firstOpen(s run.State) events.Name {
	for _, r := range s.Last.Results {
		if !rule.Passes(r) {
			return r.Gate
		}
	}
	return ""
}

func times(l events.Language, n int) string {
	if l == events.Japanese {
		return fmt.Sprintf("%d 回", n)
	}
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func ordinal(l events.Language, n int) string {
	switch {
	case l == events.Japanese:
		return fmt.Sprintf("%d 回目", n)
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return fmt.Sprintf("%dst", n)
	case n%10 == 2:
		return fmt.Sprintf("%dnd", n)
	case n%10 == 3:
		return fmt.Sprintf("%drd", n)
	}
	return fmt.Sprintf("%dth", n)
}

// Asks says that a run waits for the answer of a person. One that was asked to stop
// waits for nobody.
func Asks(s run.State) bool {
	return s.Status == run.Live && s.Stop == "" && s.Log.Broken == 0 && s.Stage == run.Asking && s.Question != nil && !s.Question.Expired
}

// asking says what a run asks a person.
func asking(l events.Language, q run.Question) string {
	again := ""
	if q.Again {
		again = say(l, ", again", "(再提示)")
	}
	switch {
	case q.Gate == "" && q.Expired:
		return say(l, "about to be halted: nobody answered the question of the agent in time", "まもなく停止: エージェントの質問に期限までの回答がありませんでした")
	case q.Gate == "":
		return say(l, "waiting: the agent asks a person, after iteration %d", "待機中: イテレーション %d の後、エージェントの質問が回答を待っています", q.Iteration)
	case q.Expired:
		return say(l, "about to be halted: nobody answered at gate %s in time", "まもなく停止: ゲート %s に期限までの回答がありませんでした", q.Gate)
	case q.Kind == events.AskApproval:
		return say(l, "waiting: gate %s of phase %s asks a person for approval%s", "待機中: ゲート %s(フェーズ %s)が承認を待っています%s", q.Gate, q.Phase, again)
	}
	return say(l, "waiting: gate %s of phase %s asks a person%s", "待機中: ゲート %s(フェーズ %s)が回答を待っています%s", q.Gate, q.Phase, again)
}

// published says what became of showing work that has passed.
func published(l events.Language, d events.WorkPublished) string {
	if d.Landing != "" {
		return moved(l, d)
	}
	says := pushed(l, d)
	switch {
	case d.Ready && d.Commit == "":
		return say(l, "the work is merge-ready by hand-off; it is not pushed", "引き継ぎによりマージ可能(merge-ready)。成果はプッシュしない")
	case d.Ready:
		says += say(l, "; it is merge-ready by hand-off", "。引き継ぎによりマージ可能(merge-ready)")
	}
	return says
}

func pushed(l events.Language, d events.WorkPublished) string {
	switch {
	case d.Problem != "" && d.Commit != "":
		return say(l, "the work is pushed, but its draft pull request is outdated", "成果はプッシュ済みだが、ドラフト PR を更新できなかった")
	case d.Problem != "":
		return say(l, "the work could not be pushed; it stays on its branch here", "成果をプッシュできなかった。この環境のブランチに残っている")
	case d.Commit == "":
		return say(l, "the work is not pushed, because the settings enable no draft pull requests", "ドラフト PR の設定がないため、成果はプッシュしない")
	}
	return say(l, "the work is pushed, and its draft pull request is up to date", "成果をプッシュし、ドラフト PR を更新した")
}
