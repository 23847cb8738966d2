package explain

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// say makes a sentence in a language.
func say(l events.Language, en, ja string, args ...any) string {
	return phrase.Say(l, en, ja, args...)
}

// Line says in one line what an event was. s is the state after it.
func Line(s run.State, e events.Event) string {
	l := s.Facts.Language
	switch d := e.Data.(type) {
	case events.RunStarted:
		return say(l, "run %s started: %s", "実行 %s を開始: %s", d.Handle, names(l, d.Gates)) + seeded(l, d.Count) + nested(l, d.Nested)
	case events.PhaseEntered:
		return entered(l, d)
	case events.RoleStarted:
		return say(l, "gate %s: %s looks", "ゲート %s: %s が確認を開始", d.Gate, d.Role) + round(l, d.Round) + named(l, d.Agent)
	case events.AgentEscalated:
		return escalated(s, s.Facts.Crews, d)
	case events.RoleEnded:
		return looked(l, d)
	case events.WorkPublished:
		return published(l, d)
	case events.QuestionAsked, events.QuestionAnswered, events.QuestionExpired:
		return askedLine(l, d)
	case events.GatesStarted:
		return gatesStarted(l, d)
	case events.GatesJudged:
		return judged(l, d)
	case events.IterationStarted:
		return iterationStarted(s, d)
	case events.AgentEnded:
		return agentEnded(s, d)
	case events.IterationRecorded:
		return recorded(s, d)
	case events.SessionJoined:
		return say(l, "%s drives the run, process %d", "%s(プロセス %d)が実行を担当", Chat(l, d.Program), d.PID)
	case events.ForeignSeen:
		return foreignSeen(l, d)
	case events.ModeSelected:
		return modeSelected(l, d)
	case events.SessionLeft:
		return say(l, "no chat drives the run any more: it waits", "実行の担当がいなくなったため待機")
	case events.RunSuspended:
		return say(l, "the host slept for %s", "ホストが %s スリープしていた", short(d.MS))
	case events.LimitWaiting:
		return say(l, "waiting: %s", "待機中: %s", waitingFor(l, d, s.Facts.Limits.UntilMS))
	case events.ResourcesJudged:
		return judgedMachine(l, d)
	case events.LimitLifted:
		return say(l, "a person ended the wait early", "予定より早く待機を終了")
	case events.StopRequested:
		return stopLine(l, d)
	case events.RunHalted, events.RunEnded:
		_, because := Why(s)
		return because
	case events.RunResumed:
		return resumedLine(l, d)
	}
	return say(l, "event %s of a newer version", "新しいバージョンのイベント %s", e.Data.EventType())
}

func resumedLine(l events.Language, d events.RunResumed) string {
	line := say(l, "resumed", "再開")
	switch {
	case d.Count > 0:
		line = say(l, "resumed with %s: the budget and the comparison start again", "指摘 %sとともに再開: 予算と比較は最初から", phrase.Counted(l, d.Count, "finding", "件"))
	case d.Note != "":
		line = say(l, "resumed with new findings: the budget and the comparison start again", "新しい指摘とともに再開: 予算と比較は最初から")
	}
	if d.Assurance != "" {
		line += say(l, "; a person allowed it (%s)", "。担当者が続行を許可(%s)", d.Assurance)
	}
	return line + asItIs(l, d.Changed, d.Moved)
}

func seeded(l events.Language, n int) string {
	if n == 0 {
		return ""
	}
	return say(l, "; with %s of a person", "。担当者の指摘 %s", phrase.Counted(l, n, "finding", "件"))
}

// askedLine is what became of a question.
func askedLine(l events.Language, d events.Data) string {
	switch d := d.(type) {
	case events.QuestionAsked:
		if d.Gate == "" {
			return say(l, "iteration %d: the agent asks a person", "イテレーション %d: エージェントが人に質問している", d.Iteration)
		}
		if d.Handoff {
			return say(l, "gate %s does not ask: its approval was handed over", "ゲート %s は引き継ぎ済みのため誰にも尋ねない", d.Gate)
		}
		return say(l, "gate %s asks a person", "ゲート %s が人に回答を求めている", d.Gate)
	case events.QuestionAnswered:
		return answered(l, d) + asItIs(l, d.Changed, d.Moved)
	case events.QuestionExpired:
		if d.Changed {
			return say(l, "the files of the question have changed: they are reviewed again", "質問の対象が変わったため、もう一度確認する")
		}
	}
	return say(l, "nobody answered in time", "期限までに回答がなかった")
}

func answered(l events.Language, d events.QuestionAnswered) string {
	to := say(l, "gate %s", "ゲート %s", d.Gate)
	if d.Gate == "" {
		to = say(l, "the agent's question", "エージェントの質問")
	}
	if d.Assurance == events.AssuredHandoff {
		return say(l, "%s: accepted by hand-off without a review (handoff: weak)", "%s: 引き継ぎにより承認、誰も確認していない(handoff: 弱い)", to)
	}
	if d.Phase != "" {
		return say(l, "%s: a person rejected what was accepted by hand-off", "%s: 引き継ぎで承認されたものを担当者が差し戻した", to)
	}
	if d.Assurance == events.AssuredSession {
		return say(l, "%s: a chat says that a person answered %s (session: weak)", "%s: チャットによれば人の回答は %s(session: 弱い)", to, d.Choice)
	}
	switch d.Choice {
	case events.ChoiceText:
		return say(l, "%s: a person answered", "%s: 回答があった", to)
	case events.ChoiceSkip:
		return say(l, "%s: a person skipped it", "%s: 人の判断で省略した", to)
	case events.ChoiceOK, events.ChoiceNo:
		return say(l, "%s: a person answered %s", "%s: 回答は %s", to, d.Choice)
	}
	return say(l, "%s: a person chose %s", "%s: 選択は %s", to, strings.ToUpper(string(d.Choice)))
}

func gatesStarted(l events.Language, d events.GatesStarted) string {
	switch {
	case d.Entry:
		return say(l, "phase %s: checking its entry conditions", "フェーズ %s: 開始できるか確認中", d.Phase)
	case d.Iteration == 0:
		return say(l, "baseline: running the gates before any work", "ベースライン: 作業前のゲートを実行中")
	}
	return say(l, "iteration %d: running the gates", "イテレーション %d: ゲートを実行中", d.Iteration)
}

func nested(l events.Language, n int) string {
	if n == 0 {
		return ""
	}
	return say(l, "; the files of %s in the workspace are recorded, but not their index and branches",
		"。ワークスペース内の %s はファイルのみを記録し、インデックスとブランチは復元しない", phrase.Counted(l, n, "repository", "リポジトリ"))
}

func names(l events.Language, gates []events.Gate) string {
	var goals, invariants []string
	for _, g := range gates {
		switch {
		case g.Kind == events.GateProtected || g.Role == events.RoleCheck:
		case g.Role == events.RoleGoal:
			goals = append(goals, string(g.Name))
		default:
			invariants = append(invariants, string(g.Name))
		}
	}
	out := say(l, "no goal of its own", "独自のゴールなし")
	switch len(goals) {
	case 0:
	case 1:
		out = say(l, "goal %s", "ゴール %s", goals[0])
	default:
		out = say(l, "goals %s", "ゴール %s", strings.Join(goals, ", "))
	}
	if len(invariants) > 0 {
		out += say(l, "; must stay green: %s", "、維持すべきゲート %s", strings.Join(invariants, ", "))
	}
	return out
}

func judged(l events.Language, d events.GatesJudged) string {
	var parts []string
	for _, r := range d.Results {
		if r.Kind == events.GateProtected && r.Verdict == events.Pass && len(d.Results) > 1 {
			continue
		}
		part := Result(l, r)
		if r.Refused > 0 {
			part += say(l, ", the daemon refused %s of it", "、デーモンが拒否した要求は %s", phrase.Counted(l, r.Refused, "request", "件"))
		}
		parts = append(parts, part)
	}
	where := say(l, "iteration %d", "イテレーション %d", d.Iteration)
	if d.Iteration == 0 {
		where = say(l, "baseline", "ベースライン")
	}
	if d.Checkout == events.CheckoutClean {
		where += say(l, ", in a clean checkout", "、クリーンなチェックアウト")
	}
	return where + ": " + strings.Join(parts, ", ")
}

// Result is a gate's verdict in a few words: "test fail (exit 1, 3 failing)".
func Result(l events.Language, r events.GateResult) string {
	why := phrase.Reason(l, r)
	if r.Failing > 0 {
		why += say(l, ", %d failing", "、失敗 %d 件", r.Failing)
	}
	if r.Elsewhere == events.Pass {
		why += say(l, "; it passes in your environment, so gates may lack a variable: set it under gate.env",
			"。お使いの環境では成功するので、ゲートに変数が足りない可能性がある: gate.env に設定")
	}
	return fmt.Sprintf("%s %s (%s)", r.Gate, phrase.Verdict(l, r.Verdict), why)
}

func iterationStarted(s run.State, d events.IterationStarted) string {
	l := s.Facts.Language
	out := say(l, "iteration %d/%d: %s started", "イテレーション %d/%d: %sを開始", d.Iteration, s.LastIteration(), agent(l, d))
	if d.Attempt > 1 {
		out += say(l, " (attempt %d)", "(%d 回目の試行)", d.Attempt)
	}
	if d.Resumes {
		out += say(l, " in its session", "(前のセッションを継続)")
	}
	return out + warned(l, d.Warned)
}

func agentEnded(s run.State, d events.AgentEnded) string {
	l := s.Facts.Language
	out := say(l, "iteration %d: agent %s after %s, %s changed since the start", "イテレーション %d: エージェントは%s(%s)、開始時からの変更は %s",
		d.Iteration, ended(s, d), short(d.DurationMS), phrase.Counted(l, d.Files, "file", "ファイル"))
	more := func(part string) {
		if part != "" {
			out += say(l, "; ", "。") + part
		}
	}
	more(result(l, d))
	if used := phrase.Used(l, d.Usage); used != "" {
		more(say(l, "used %s", "使用量 %s", used))
	}
	if d.Claim != "" {
		more(say(l, "it says %q", "本人の申告は %q", d.Claim))
	}
	if len(d.Conflicts) > 0 {
		more(against(l, d))
	}
	if d.Refused > 0 {
		more(say(l, "the daemon refused %s of it", "デーモンが拒否した要求は %s", phrase.Counted(l, d.Refused, "request", "件")))
	}
	more(Behind(l, d))
	return out
}

// Refused says how many requests of what a run has started were refused, over
// all of it; nothing where there are none.
func Refused(l events.Language, r run.Refused) string {
	agents, gates := phrase.Counted(l, r.Agents, "request", "件"), phrase.Counted(l, r.Gates, "request", "件")
	switch {
	case r.Sum() == 0:
		return ""
	case r.Gates == 0:
		return say(l, "the daemon refused %s from agents of this run: agents may read, but not decide", "デーモンが拒否したエージェントの要求は %s: 参照だけが許され、何も決定できません", agents)
	case r.Agents == 0:
		return say(l, "the daemon refused %s from gates of this run: gates may read, but not decide", "デーモンが拒否したゲートの要求は %s: 参照だけが許され、何も決定できません", gates)
	}
	return say(l, "the daemon refused %s from agents and %s from gates of this run: they may read, but not decide",
		"デーモンが拒否した要求はエージェント %s、ゲート %s: 参照だけが許され、何も決定できません", agents, gates)
}

// Behind says which processes an agent has left behind, and what became of them;
// nothing where there are none. Those that were ended with it are not among them.
func Behind(l events.Language, d events.AgentEnded) string {
	var parts []string
	if d.Killed > 0 && d.Outcome == events.Exited {
		parts = append(parts, say(l, "%s that it left behind had to be ended", "残された %s を終了させた", phrase.Counted(l, d.Killed, "process", "プロセス")))
	}
	if d.Left > 0 {
		parts = append(parts, say(l, "%s could not be ended%s", "%s を終了できなかった%s", phrase.Counted(l, d.Left, "process", "プロセス"), pids(d.LeftPIDs)))
	}
	return strings.Join(parts, say(l, ", ", "、"))
}

// against names the signals that say otherwise.
func against(l events.Language, d events.AgentEnded) string {
	var parts []string
	for _, c := range d.Conflicts {
		parts = append(parts, say(l, "its %s says %s", "%s によれば %s", c.By, c.Result))
	}
	return strings.Join(parts, say(l, ", ", "、")) + say(l, "; the %s is believed", "。採用したのは %s", d.By)
}

func pids(list []int) string {
	var parts []string
	for _, p := range list {
		parts = append(parts, fmt.Sprint(p))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": pid " + strings.Join(parts, ", ")
}

func ended(s run.State, d events.AgentEnded) string {
	l := s.Facts.Language
	switch d.Outcome {
	case events.Exited:
		return say(l, "exited %d", "終了コード %d で終了", d.Exit)
	case events.Signaled:
		return say(l, "was killed by signal %d", "シグナル %d で終了", d.Signal)
	case events.WallTimeout:
		return say(l, "was ended at its time limit", "制限時間で終了") + atLimit(s)
	case events.IdleTimeout:
		return say(l, "hung%s and was ended", "ハングしたため%s終了", silence(s, d))
	case events.Stopped:
		return say(l, "was stopped", "停止")
	case events.SpawnFailed:
		return say(l, "could not be started", "起動できず")
	case events.Lost:
		return say(l, "was lost", "消失")
	}
	return string(d.Outcome)
}

func recorded(s run.State, d events.IterationRecorded) string {
	l := s.Facts.Language
	switch d.Verdict {
	case events.Pass:
		return say(l, "iteration %d: pass", "イテレーション %d: 成功", d.Iteration) + flaky(s, d)
	case events.Skipped:
		if s.Last.Agent.Result.OfAccount() {
			return say(l, "iteration %d: cut short by the provider; the attempt does not count", "イテレーション %d: プロバイダーに打ち切られたため数えない", d.Iteration)
		}
		if d.Again {
			return say(l, "iteration %d: the agent changed nothing, and the gates failed again on the same tree; the attempt does not count, and the next one follows after a pause",
				"イテレーション %d: 何も変更されず、同じツリーでゲートが再び失敗したため数えず、間を置いて再試行する", d.Iteration)
		}
		if rule.Hung(s.Last.Agent) {
			return hungRecorded(s, d)
		}
		return say(l, "iteration %d: the agent changed nothing; the attempt does not count, and the next one follows after a pause",
			"イテレーション %d: 今回は何も変更されなかったため数えず、間を置いて再試行する", d.Iteration)
	case events.Fail, events.Unverifiable, events.Open:
	}
	return say(l, "iteration %d: fail, fingerprint %s", "イテレーション %d: 失敗、フィンガープリント %s", d.Iteration, Short(d.Fingerprint))
}

func stopLine(l events.Language, d events.StopRequested) string {
	if d.Reason == events.HaltClaimLost {
		return say(l, "stopping now: another session holds the work tree", "すぐに停止する: 作業ツリーはほかのものになっている")
	}
	switch d.Mode {
	case events.StopAfterIteration:
		return say(l, "stopping after this iteration", "このイテレーションの後に停止する")
	case events.StopNow:
		return say(l, "stopping now: the work so far is kept", "すぐに停止する: ここまでの作業は残る")
	case events.StopCancel:
		return say(l, "cancelling", "取り消し中")
	}
	return say(l, "stopping", "停止中")
}

// Short is the part of a hash that people are shown.
func Short(hash string) string { return hash[:min(len(hash), 10)] }

func short(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	default:
		return d.Round(time.Second).String()
	}
}
