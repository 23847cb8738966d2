package render

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"autopilot/events/wire"
)

// Error writes an error for people: what happened and to which object, then
// what to do next, each on its own line.
func (s Style) Error(e *wire.Error) string {
	var b strings.Builder
	b.WriteString(s.paint(red, "apctl:") + " ")
	b.WriteString(strings.TrimPrefix(s.message(e.Message), "  "))
	if e.Hint != "" {
		b.WriteString(indent("  ", Clean(e.Hint)))
	}
	return b.String()
}

// message wraps the sentences of an error. What is indented is an excerpt, and
// a hint has commands to copy: these stay as they are.
func (s Style) message(text string) string {
	const name = len("apctl: ")
	var b strings.Builder
	for l := range strings.SplitSeq(strings.TrimRight(Clean(text), "\n"), "\n") {
		if s.Width <= 0 || strings.HasPrefix(l, " ") || name+columns(l) <= s.Width {
			b.WriteString(indent("  ", l))
		} else {
			b.WriteString(s.narrower(name-2).wrap(l, "  "))
		}
	}
	return b.String()
}

func usage(hint, format string, args ...any) *wire.Error {
	return &wire.Error{Code: wire.Usage, Message: fmt.Sprintf(format, args...), Hint: hint}
}

const exampleRun = `apctl run "make the suite pass"`

// The faults that apctl finds itself, before it asks the daemon.

// NoTask is a task without a word in it.
func NoTask() *wire.Error {
	return usage(exampleRun, "the task is empty")
}

// TwoTasks is a task given twice.
func TwoTasks() *wire.Error {
	return usage("give the task as an argument or with -f, not both", "there are two tasks")
}

// BadText is a text that no prompt can hold.
func BadText(what, why string) *wire.Error {
	return usage("write it as UTF-8 text without NUL bytes", "%s %s", what, why)
}

// TooLarge is a text over its limit.
func TooLarge(what string, size, limit int64) *wire.Error {
	return usage("shorten it, or put the long part into a file of the workspace and name that",
		"%s is too large: %s, at most %s", what, Size(size), Size(limit))
}

// Unreadable is a file that cannot be read.
func Unreadable(what, path string, err error) *wire.Error {
	return usage("check the path", "cannot read %s %s: %v", what, path, err)
}

// GateName is a gate name that is none.
func GateName(name, better string) *wire.Error {
	hint := "use lower-case letters, digits, - and _, at most 64"
	if better != "" {
		hint += ", as in --gate " + better + "=CMD"
	}
	return usage(hint, "the gate name %q cannot be used", name)
}

// GateEmpty is a gate without a command.
func GateEmpty(name string) *wire.Error {
	return usage("write --gate NAME=CMD, as in --gate test='go test ./...'", "the gate %q has no command", name)
}

// GateTwice is a name that two gates have.
func GateTwice(name string) *wire.Error {
	return usage("give each gate its own name", "two gates have the name %q", name)
}

// HoldoutName is a held-out gate without a name.
func HoldoutName(value string) *wire.Error {
	return usage("--holdout NAME=CMD", "a held-out gate has no name: %s", value)
}

// NoName is a command that needs one.
func NoName(command string) *wire.Error {
	return usage(command+" NAME", "%s needs a name", command)
}

// BadDuration is a --for or --timeout that is no length of time.
func BadDuration(flag, value string) *wire.Error {
	return usage("write it like 90m, 4h, 1h30m or 90d", "%s %q is not a length of time that can be used", flag, value)
}

// BadUntil is an --until that is no time.
func BadUntil(value string) *wire.Error {
	return usage("write it like 07:00, 2026-01-02T07:00 or 2026-01-02T07:00:00Z", "--until %q is not a time", value)
}

// PastUntil is an --until that is over.
func PastUntil(value string) *wire.Error {
	return usage("give a later time; 07:00 alone means the next one", "--until %q is in the past", value)
}

// BadCount is a number below one.
func BadCount(flag string, n int) *wire.Error {
	return usage("give 1 or more, or leave the flag out", "%s %d is too small", flag, n)
}

// TwoStarts is --start-green with --until-green.
func TwoStarts() *wire.Error {
	return usage("keep one: --start-green works on, --until-green ends at once when the gates pass",
		"--start-green and --until-green exclude each other")
}

// BadEnv is an --env that cannot be sent.
func BadEnv(value, why string) *wire.Error {
	return usage("write --env NAME or --env NAME=VALUE", "--env %q %s", value, why)
}

// BadWorkspace is a directory that is none.
func BadWorkspace(path string, err error) *wire.Error {
	return usage("give a directory in a git work tree with -C", "cannot use the workspace %s: %v", path, err)
}

// BadRange is a diff range that is none.
func BadRange(value string) *wire.Error {
	return usage("give an iteration as 3, or two as 1..3; 0 is the start of the run, and 3..now ends with what is there now", "%q is not a range of iterations", value)
}

// BadIteration is an --iteration that is none.
func BadIteration(value string) *wire.Error {
	return usage("give a number from 1, or all", "--iteration %q is not an iteration", value)
}

// RawTerminal refuses to send controls to a terminal.
func RawTerminal() *wire.Error {
	return usage("send it to a file or a pipe: apctl logs --raw > FILE", "--raw would let the output steer this terminal")
}

// Exclusive is two flags that exclude each other.
func Exclusive(a, b string) *wire.Error {
	return usage("keep one of them", "%s and %s exclude each other", a, b)
}

// UnknownCommand is a word that is no command, with the nearest ones.
func UnknownCommand(name, parent string, near []string) *wire.Error {
	hint := "the list: " + strings.TrimSuffix(parent, " help") + " help"
	switch {
	case len(near) > 0:
		hint = "did you mean: " + parent + " " + strings.Join(near, ", "+parent+" ")
	case strings.ContainsAny(name, " \t\n"):
		hint = "a task goes to run: " + exampleRun
	}
	return usage(hint, "unknown command %q", name)
}

// BadFlag is what the flag parser refused.
func BadFlag(command string, err error) *wire.Error {
	hint := "the flags: " + command + " --help"
	if command == "apctl run" && strings.Contains(err.Error(), "flag") && strings.ContainsAny(err.Error(), " ") {
		hint += "\na task that begins with - goes last, after --: apctl run --gate NAME=CMD -- '--the task'"
	}
	return usage(hint, "%s", flagText(err))
}

// flagText is the error of the flag parser, with what a number is in words of
// people.
func flagText(err error) string {
	var n *strconv.NumError
	if !errors.As(err, &n) {
		return err.Error()
	}
	want := "not a whole number"
	switch {
	case n.Func == "ParseBool":
		want = "neither true nor false"
	case errors.Is(n, strconv.ErrRange):
		want = "too large"
	case n.Func == "ParseUint":
		want = "not a whole number from 0"
	}
	return strings.TrimSuffix(err.Error(), n.Error()) + want
}

// ManyArguments is more words than a command takes.
func ManyArguments(command string, args []string, most int) *wire.Error {
	hint := "see " + command + " --help"
	if command == "apctl run" {
		hint = "put the task in quotes: apctl run " + Word(strings.Join(args, " "))
	}
	return usage(hint, "%s does not know what to do with %q", command, strings.Join(args[most:], " "))
}

// EmptyRun is a RUN without a character, as an unset variable gives.
func EmptyRun(command string) *wire.Error {
	return usage("the runs: apctl ls; without RUN "+command+" takes the one of this directory",
		"%s was given an empty RUN; is a variable unset?", command)
}

// NoDaemon says that none runs, and where it would be.
func NoDaemon(state, socket, log string) *wire.Error {
	return &wire.Error{
		Code:    wire.Unreachable,
		Message: fmt.Sprintf("no daemon runs\nstate   %s\nsocket  %s\nlog     %s", state, socket, log),
		Hint:    "start it: apctl daemon start",
	}
}

// Silent says that the daemon is there, and does not answer.
func Silent(v wire.HolderView) *wire.Error {
	e := &wire.Error{
		Code:    wire.TimedOut,
		Message: fmt.Sprintf("autopilotd, pid %d, does not answer", v.PID),
		Hint:    "apctl daemon restart --force   ends this process and starts the daemon again; runs go on\napctl daemon logs   may say why",
	}
	if !v.Known {
		e.Message = "the state directory is locked by a process that its lock does not name, and no daemon answers"
		e.Hint = "apctl daemon logs   may say why"
	}
	return e
}

// Unanswered is a command whose daemon ended, and that of the next one too.
func Unanswered(v wire.Spec) *wire.Error {
	what, ok := map[string]string{
		wire.RunStart.Name: "the run was started", wire.RunResume.Name: "the run goes on",
		wire.RunStop.Name: "the run stops", wire.RunCancel.Name: "the run is cancelled",
	}[v.Name]
	if !ok {
		what = v.Name + " was carried out"
	}
	return &wire.Error{
		Code:    wire.Unreachable,
		Message: "the daemon ended before it answered: whether " + what + " is not known",
		Hint:    "apctl ls   starts it again and shows the runs\napctl daemon logs   may say why it ended",
	}
}

// Timeout is a wait that took too long.
func Timeout(what, after string) *wire.Error {
	return &wire.Error{Code: wire.TimedOut, Message: fmt.Sprintf("%s after %s", what, after)}
}

// InEffect refuses what an agent or a gate must not start.
func InEffect() *wire.Error {
	return &wire.Error{
		Code:    wire.Denied,
		Message: "this is a process that autopilot started; it starts no daemon and no run",
	}
}

// Internal wraps an error that nobody foresaw.
func Internal(err error) *wire.Error {
	return &wire.Error{Code: wire.Failed, Message: err.Error()}
}

// NoLog says that the daemon has never written a log.
func NoLog(path string) *wire.Error {
	return &wire.Error{
		Code: wire.NotFound, Message: "there is no log of the daemon: " + path,
		Hint: "it is written when the daemon starts: apctl daemon start",
	}
}

// BadAfter is a place in the log of a run that is none.
func BadAfter(value string) *wire.Error {
	return usage("give the number of an event; a cursor of everything goes with --all", "--after %q is not a position in the log of a run", value)
}
