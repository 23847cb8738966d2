package explain

import (
	"fmt"
	"strings"

	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// Why names the rule that settled the present state and says in a sentence
// what it means.
func Why(s run.State) (rule, because string) {
	switch s.Status {
	case run.Halted:
		return string(s.Halt.Reason), halted(s, *s.Halt) + handedOver(s.Facts.Language, s)
	case run.Over:
		if s.Facts.Land.Commit != "" {
			return string(s.End.State), landing(s)
		}
		because := over(s.Facts.Language, *s.End)
		if s.End.State == events.EndDone && s.Last.Checkout == events.CheckoutClean {
			because += say(s.Facts.Language, ", and in a clean checkout of it", "(クリーンなチェックアウトでも成功)")
		}
		because += weakly(s.Facts.Language, s)
		if s.End.State == events.EndDone {
			because += flaky(s, s.Last.Record)
			because += rates(s.Facts.Language, s)
			because += beside(s.Facts.Language, s)
		}
		return string(s.End.State), because
	case run.Live:
		return live(s)
	case run.None:
	}
	return "", ""
}

func iterations(l events.Language, ns []int) string {
	var out []string
	for _, n := range ns {
		out = append(out, fmt.Sprint(n))
	}
	if l == events.Japanese {
		return "イテレーション " + strings.Join(out, "、") + " "
	}
	if len(out) < 2 {
		return "iterations " + strings.Join(out, "")
	}
	return "iterations " + strings.Join(out[:len(out)-1], ", ") + " and " + out[len(out)-1]
}

func over(l events.Language, d events.RunEnded) string {
	switch d.State {
	case events.EndDone:
		return say(l, "done after %s: every gate passed on tree %s", "%sで完了: ツリー %s ですべてのゲートが成功しました",
			phrase.Counted(l, d.Iteration, "iteration", "回のイテレーション"), Short(string(d.Tree)))
	case events.EndAlreadyGreen:
		return say(l, "already green: every goal passed before any work", "達成済み: 作業前からすべてのゴールが成功していました")
	case events.EndCancelled:
		return say(l, "cancelled on request %s; the work so far is kept", "依頼により、%sに取り消しました。ここまでの作業は残っています", afterIterations(l, d))
	case events.EndGraceful:
		return say(l, "ended as planned %s", "予定どおり、%sに終了しました", afterIterations(l, d))
	case events.EndFailed:
		return say(l, "failed %s: it cannot go on", "%sに失敗しました: 続けられません", afterIterations(l, d))
	case events.EndRefused:
		return refused(l, d)
	}
	return string(d.State)
}

func afterIterations(l events.Language, d events.RunEnded) string {
	if d.Iteration == 0 {
		return say(l, "before the first iteration", "最初のイテレーションの前")
	}
	return say(l, "after %s", "%sの後", phrase.Counted(l, d.Iteration, "iteration", "回のイテレーション"))
}

func refused(l events.Language, d events.RunEnded) string {
	switch d.Reason {
	case events.RefusedGoalGreen:
		return say(l, "refused: the gate passes already, so it cannot prove the task", "開始できません: ゲートがすでに成功しているため、タスクの証明になりません")
	case events.RefusedInvariantRed:
		return say(l, "refused: invariant %s fails before any work", "開始できません: 維持すべきゲート %s が作業前から失敗しています", d.Gate)
	case events.RefusedUnverifiable:
		return say(l, "refused: gate %s cannot be run", "開始できません: ゲート %s を実行できません", d.Gate)
	case events.RefusedUnstable:
		return say(l, "refused: gates change files that they judge", "開始できません: ゲートが判定対象のファイルを変更します")
	case events.RefusedSetup:
		return say(l, "refused: the set-up command fails in a clean checkout, before any work", "開始できません: 作業前に、クリーンなチェックアウトでセットアップコマンドが失敗します")
	case events.RefusedUnready:
		return say(l, "refused: goal %s fails before it tests anything, so its failure proves nothing", "開始できません: ゴール %s はテストの実行前に失敗するため、失敗しても何の証明にもなりません", d.Gate)
	}
	return say(l, "refused", "開始できません")
}

// live names what a run is at, or waits for, and says it in a sentence.
func live(s run.State) (rule, because string) {
	l := s.Facts.Language
	if s.Log.Broken != 0 {
		return string(events.HaltLogIntegrity), say(l, "about to be halted: event %d of its log does not follow the one before",
			"まもなく停止: ログのイベント %d が直前のイベントにつながりません", s.Log.Broken)
	}
	switch s.Stage {
	case run.Agent:
		if s.Driven() {
			return "session", driven(s)
		}
	case run.Asking:
		return "answer", asking(l, *s.Question)
	case run.Started, run.Gates, run.Looking, run.Ended, run.Judged, run.Ready:
	}
	switch {
	case atWork(s) != "":
		return running, atWork(s)
	case s.WaitsForLimit():
		return string(s.Waiting.Cause), say(l, "waiting: %s", "待機中: %s", waitingFor(l, s.Waiting.LimitWaiting, s.Facts.Limits.UntilMS))
	case s.Loop.Noops > 0 && s.Loop.Hung == 0:
		return string(events.HaltNoop), say(l, "waiting: the agent changed nothing, %d in a row; the next attempt follows later",
			"待機中: エージェントは %d 回続けて何も変更していません。後で再試行します", s.Loop.Noops)
	}
	return running, say(l, "running: deciding the next step after iteration %d", "実行中: イテレーション %d の次を判断しています", s.Loop.Iteration)
}

// atWork says what is going on; empty between two things.
func atWork(s run.State) string {
	l := s.Facts.Language
	switch s.Stage {
	case run.Started, run.Gates:
		if s.Loop.Iteration == 0 {
			return say(l, "running: judging the gates before any work", "実行中: 作業前のゲートを判定しています")
		}
		return say(l, "running: judging the gates of iteration %d", "実行中: イテレーション %d のゲートを判定しています", s.Loop.Iteration)
	case run.Agent:
		return say(l, "running: %s works on iteration %d of %d", "実行中: %sがイテレーション %d/%d を進めています", theAgent(l, s.Last.Start), s.Loop.Iteration, s.LastIteration()) +
			warned(l, s.Last.Start.Warned)
	case run.Looking:
		look := s.Last.Role
		return say(l, "running: %s reviews for gate %s, in iteration %d", "実行中: %s がゲート %s を確認しています(イテレーション %d)", look.Role, look.Gate, s.Loop.Iteration) +
			round(l, look.Round) + named(l, look.Agent)
	case run.Asking, run.Ended, run.Judged, run.Ready:
	}
	return ""
}

const running = "running"

// FullDisk is why a live run waits that cannot store what it does.
func FullDisk(l events.Language) (rule, because string) {
	return "disk", say(l, "waiting for free disk space; the run then goes on by itself",
		"待機中: ディスクの空きが足りません。空きができれば自動で再開します")
}

// IndexLocked says what of the repository makes git fail in the work tree, so that
// nobody takes it for a fault of the agent. pid zero is nobody that was seen.
func IndexLocked(l events.Language, path, since string, pid int) string {
	if pid > 0 {
		return say(l, "git's index is locked since %s by process %d (%s): git add and commit fail until it ends",
			"git のインデックスは %s からプロセス %d がロックしています (%s)。終わるまで git add と commit は失敗します", since, pid, path)
	}
	return say(l, "git's index is locked since %s, but no running git holds the lock: git add and commit fail until %s is removed",
		"git のインデックスは %s からロックされていますが、保持している git は見当たりません。%s を削除するまで git add と commit は失敗します", since, path)
}
