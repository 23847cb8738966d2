package explain

import (
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// This file words what others have done to the work tree of a run.

// foreign says what somebody else has done to the work tree.
func foreign(l events.Language, _ run.State, h events.RunHalted) string {
	if h.Files == "" {
		return say(l, "halted: another session moved HEAD of the work tree after iteration %d",
			"停止: イテレーション %d の後、別のセッションが作業ツリーの HEAD を動かしました", h.Iteration)
	}
	if h.Iteration == 0 {
		return say(l, "halted: another session changed %s in the work tree during the baseline", "停止: ベースラインの間に、別のセッションが作業ツリーの %sを変更しました",
			phrase.Counted(l, int(h.Used), "file", "ファイル"))
	}
	return say(l, "halted: another session changed %[2]s in the work tree in or after iteration %[1]d",
		"停止: イテレーション %[1]d 以降に、別のセッションが作業ツリーの %[2]sを変更しました", h.Iteration, phrase.Counted(l, int(h.Used), "file", "ファイル"))
}

// afterForeign are the commands for a run whose work tree others have changed.
func afterForeign(l events.Language, handle string, s run.State) []wire.NextCommand {
	next := commands(fmt.Sprintf("apctl diff %s %d..now", handle, s.Halt.Iteration), say(l, "changes since the run recorded its work", "記録以降の変更内容"),
		"apctl resume "+handle, say(l, "go on with the work tree as it is now", "作業ツリーを今のまま受け入れて続ける"))
	if s.Halt.Files == "" {
		return next
	}
	return append(next, commands(fmt.Sprintf("apctl restore %s %d", handle, s.Halt.Iteration), say(l, "or first restore the run's own work; the present files are kept", "または先に自身の作業へ戻す。今の内容は保存される"))...)
}

// beside says that a run which is done has work of others in it.
func beside(l events.Language, s run.State) string {
	if s.Foreign == nil {
		return ""
	}
	return say(l, "; another session changed %s of the work meanwhile", "。その間に別のセッションが %sを変更しています", phrase.Counted(l, s.Foreign.Count, "file", "ファイル"))
}

// Others says who has changed the work tree of a halted run, or has it now, and where
// its HEAD was and is, as far as that is known.
func Others(l events.Language, h events.RunHalted, by, was, is string) []string {
	var out []string
	switch {
	case by != "" && h.Reason == events.HaltClaimLost:
		out = append(out, say(l, "the work tree is held by %s", "作業ツリーの所有者は %s", by))
	case by != "":
		out = append(out, say(l, "%s wrote to the work tree", "作業ツリーに書き込んだのは %s", by))
	}
	if was != "" && is != "" {
		out = append(out, say(l, "HEAD was %s, and is %s now", "HEAD は %s から %s に動きました", was, is))
	}
	return out
}

// foreignSeen says that another session is at work in the work tree.
func foreignSeen(l events.Language, d events.ForeignSeen) string {
	return say(l, "another session wrote to %s in the work tree: the run halts before it goes on", "別のセッションが作業ツリーの %sを変更したため、次に進む前に停止する",
		phrase.Counted(l, d.Count, "file", "ファイル"))
}

// asItIs says that a run takes what others have changed as it is. Branches are texts,
// which are not looked up here.
func asItIs(l events.Language, changed events.Ref, moved events.HeadMove) (line string) {
	if changed != "" {
		line = say(l, "; the run keeps the changes that were made meanwhile", "。その間の作業ツリーの変更はそのまま受け入れる")
	}
	from, to := phrase.HeadName(l, moved.From, ""), phrase.HeadName(l, moved.To, "")
	switch {
	case moved == (events.HeadMove{}):
		return line
	case from == to:
		return line + say(l, "; HEAD is on another branch or on none, and the run goes on from there", "。HEAD のブランチが変わっており、そこから続行")
	}
	return line + say(l, "; HEAD was moved from %s to %s, and the run goes on from there", "。HEAD は %s から %s に動いており、そこから続行", from, to)
}

// Writes says who works in a work tree.
func Writes(w wire.WriterView, now time.Time) string {
	doing := fmt.Sprintf("agent %s", w.Program)
	switch {
	case w.PID > 0:
		doing = fmt.Sprintf("%s, process %d,", Chat(events.English, events.Name(w.Program)), w.PID)
	case w.Program == "":
		doing = "its agent"
	}
	if w.Asks {
		return fmt.Sprintf("run %s works in this work tree, since %s: %s\nit asks a person, and waits for the answer",
			w.Run, w.Since.UTC().Format(time.RFC3339), w.Task)
	}
	alive := ""
	if w.Alive != nil {
		alive = fmt.Sprintf(", last sign of life %s ago", short(max(0, now.Sub(*w.Alive)).Milliseconds()))
	}
	return fmt.Sprintf("run %s works in this work tree, since %s: %s\n%s drives it, iteration %d of %d%s",
		w.Run, w.Since.UTC().Format(time.RFC3339), w.Task, doing, w.Iteration, w.Iterations, alive)
}

// offer tells a chat what it can do beside a run.
func offer(w wire.WriterView) string {
	return fmt.Sprintf("For your own work use another work tree (`apctl session join --worktree TASK`), or wait (`apctl wait %s`).", w.Run)
}

// ChatBeside is said at the beginning of a chat in the work tree of a live run that is
// not its own.
func ChatBeside(w wire.WriterView, now time.Time) string {
	return fmt.Sprintf("autopilot: %s. Do not change its files: the run halts if another session changes them. %s",
		strings.ReplaceAll(Writes(w, now), "\n", "; "), offer(w))
}

// ChatForeign is said to a chat that is about to write into the work tree of a run.
func ChatForeign(w wire.WriterView, files []string, now time.Time) string {
	return fmt.Sprintf("autopilot: not written: %s. %s. The run halts if another session changes its files. %s",
		few(files), strings.ReplaceAll(Writes(w, now), "\n", "; "), offer(w))
}
