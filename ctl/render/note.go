package render

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"autopilot/events/wire"
)

// What apctl says beside an answer. Each is whole lines for stderr.

// Began says where a run works and how it will end.
func (s Style) Began(v wire.RunView) string {
	s = s.Of(v)
	return s.say("%s  started in %s", "%s  %s で開始", s.paint(bold, Line(v.Handle)), Line(v.Workspace)) + "\n" + s.bounds(v)
}

// ends is "ends by 03:12 or after 10 iterations", or with phases "ends after 4
// iterations of plan or 8 of build".
func (s Style) ends(by *time.Time, iterations int, budgets []wire.BudgetView) string {
	var p []string
	if by != nil {
		p = append(p, s.say("by %s", "%s まで", s.Clock(*by)))
	}
	switch {
	case len(budgets) > 1:
		p = append(p, s.perPhase(budgets))
	case iterations > 0:
		p = append(p, s.say("after %s", "%sまで", s.count(iterations, "iteration", "回のイテレーション")))
	}
	if len(p) == 0 {
		return s.say("ends when every gate passes", "すべてのゲートが成功すると終了")
	}
	return s.say("ends %s", "終了: %s", strings.Join(p, s.say(" or ", "、または ")))
}

func (s Style) perPhase(budgets []wire.BudgetView) string {
	var of []string
	for i, b := range budgets {
		n := s.say("%[1]d of %[2]s", "%[2]s は %[1]d 回", b.Iterations, Line(b.Phase))
		if i == 0 {
			n = s.say("%[1]s of %[2]s", "%[2]s は %[1]s", s.count(b.Iterations, "iteration", "回"), Line(b.Phase))
		}
		of = append(of, n)
	}
	last := len(of) - 1
	return s.say("after %s or %s", "フェーズごとのイテレーション %s、%sまで", strings.Join(of[:last], s.say(", ", "、")), of[last])
}

// Detached is the answer of run -d for people.
func (s Style) Detached(v wire.RunView) string {
	h, s := Line(v.Handle), s.Of(v)
	return s.say("%s goes on by itself", "%s はこのまま続行", h) + "\n" +
		table([][]string{{s.say("follow:", "経過:"), "apctl watch " + h}, {s.say("stop:", "停止:"), "apctl stop " + h}})
}

// Interrupted answers the first Ctrl-C.
func (s Style) Interrupted(v wire.RunView) string {
	return s.Detached(v) + s.Of(v).say("  Ctrl-C again within 2 seconds: stop after this iteration", "  2 秒以内にもう一度 Ctrl-C: このイテレーションの後に停止") + "\n"
}

// StopsAfter answers the second Ctrl-C.
func (s Style) StopsAfter(v wire.RunView) string {
	return s.Of(v).say("%[1]s stops after this iteration\n  follow: apctl watch %[1]s", "%[1]s はこのイテレーションの後に停止\n  経過: apctl watch %[1]s", Line(v.Handle)) + "\n"
}

// StopsNow answers a signal without a terminal.
func (s Style) StopsNow(v wire.RunView) string {
	return s.Of(v).say("stopping %s; its work is kept", "%s を停止中。作業は残る", Line(v.Handle)) + "\n"
}

// Lost says that the daemon went away while a run was followed.
func (s Style) Lost() string { return "the daemon is gone; waiting for it\n" }

// Back says that it is there again.
func (s Style) Back() string { return "the daemon is back; the run is followed again\n" }

// OtherHome says that HOME is not what it has to be, and what is used.
func OtherHome(said, used string) string {
	why := "HOME is not set"
	if said != "" {
		why = fmt.Sprintf("HOME is %q, which is no absolute path", said)
	}
	return Note(why + "; the home directory of your user entry is used: " + used)
}

// Recording says what takes long before a run begins, and how far it is.
func Recording(v wire.ProgressView) string {
	if v.All == 0 {
		return "recording the workspace ..."
	}
	return fmt.Sprintf("recording the workspace: %d of %d files", v.Done, v.All)
}

// LeftOut says that a file in the workspace is no part of the run.
func LeftOut(file string) string {
	return Note(file + " is left out of the recorded trees, as this command writes to it")
}

// Note is a word beside an answer.
func Note(text string) string { return "note: " + Line(text) + "\n" }

// Waits says once that a followed run waits, for what and until when.
func (s Style) Waits(v wire.RunView) string {
	s.Colour = false
	return s.WatchLine(wire.WatchFrame{At: s.Now, Line: s.Of(v).waiting(v)})
}

// GoesOn says that it waits no more.
func (s Style) GoesOn(v wire.RunView) string {
	return s.WatchLine(wire.WatchFrame{At: s.Now, Line: s.Of(v).say("goes on", "続行")})
}

// WatchLine is an event of a followed run as one plain line with its time.
func (s Style) WatchLine(f wire.WatchFrame) string {
	at := f.At
	if at.IsZero() {
		at = s.Now
	}
	return s.step(s.Second(at), f.Line)
}

// step is a line of what happened, with its time; what does not fit goes on
// below the first words.
func (s Style) step(at, line string) string {
	indent := strings.Repeat(" ", columns(at)+2)
	return at + strings.TrimPrefix(s.wrap(Line(line), indent), indent[2:])
}

// Stopped says what was told to stop, or to end as cancelled.
func (s Style) Stopped(runs []wire.RunView) string {
	if len(runs) == 0 {
		return "no live run\n"
	}
	var b strings.Builder
	for _, v := range runs {
		what := s.Of(v).doing(v)
		if v.Exit < 0 && v.Stopping != "" {
			what = s.Of(v).stopping(v)
		}
		fmt.Fprintf(&b, "%s  %s\n", s.paint(bold, Line(v.Handle)), what)
	}
	return b.String()
}

// Resumed says that a halted run goes on, and how it ends.
func (s Style) Resumed(v wire.RunView) string {
	s = s.Of(v)
	return s.say("%s  goes on", "%s  続行", s.paint(bold, Line(v.Handle))) + "\n" + s.bounds(v) + s.takenAsItIs(v)
}

// fewFiles is how many files of a run that goes on are named.
const fewFiles = 10

// takenAsItIs says what others have done to a work tree before a run goes on.
func (s Style) takenAsItIs(v wire.RunView) string {
	text := s.filesTaken(v)
	if m := v.HeadMoved; m != nil {
		text += s.wrap(s.say("HEAD was moved from %s to %s, and it goes on from there", "HEAD は %s から %s に動いており、そこから続行", Line(m.From), Line(m.To)), "  ")
	}
	return text
}

// filesTaken names the files that others have changed.
func (s Style) filesTaken(v wire.RunView) string {
	if len(v.Changed) == 0 {
		return ""
	}
	n := min(len(v.Changed), fewFiles)
	files := slices.Clone(v.Changed[:n])
	for i := range files {
		files[i] = Line(files[i])
	}
	text := s.say("changed since it recorded its work, and taken as they are: %s", "記録以降に変わったファイル(そのまま受け入れる): %s", s.listed(files...))
	if more := len(v.Changed) - n; more > 0 {
		text += s.say(" and %d more", "、ほか %d 件", more)
	}
	return s.wrap(text, "  ")
}

// DaemonStopped says that the daemon is gone; pid 0 is that none ran.
func (s Style) DaemonStopped(pid int) string {
	if pid == 0 {
		return "no daemon runs\n"
	}
	return fmt.Sprintf("the daemon, pid %d, has ended\n", pid)
}
