package atdd

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events/wire"
)

// The files that atdd-kit keeps in the directory of an issue.
const (
	LogFile    = "autopilot-log.jsonl"
	RedFile    = "red.jsonl"
	PRDPin     = "autopilot-prd.pin"
	DesignPin  = "autopilot-design.pin"
	PRD        = "prd.md"
	Stories    = "user-stories.md"
	defaultMax = 4
	window     = 3
)

// The steps of atdd-kit.
const (
	StepStories = "extracting-user-stories"
	StepPlan    = "writing-plan-and-tests"
	StepImpl    = "running-atdd-cycle"
)

// budget is how many iterations a step has.
//
// Source: atdd-kit, seeds 3.1.
func budget(step string) int {
	if step == StepImpl {
		return 8
	}
	return defaultMax
}

// Judge reads a log row by row, as it grew, and says of each row what it is, what
// of it would not have been written here, and which halt was due behind it. It is
// for one goroutine.
//
// Source: atdd-kit, seeds 3.4 and 3.5.
type Judge struct {
	// Proven says why nothing proves that the tests were seen red before the
	// implementation that has just passed. Nil asks nobody.
	Proven func() error

	steps map[string]*walk
	order []string
	view  wire.AtddView
}

// walk is what the rows of a step have come to.
type walk struct {
	of     wire.AtddStep
	last   int                // iteration
	prints []string           // of the newest failed ones, at most window of them
	due    []string           // halts that were, behind the last row
	dueAt  int                // its line
	open   []wire.AtddProblem // of these, until a row says that the loop halted
}

// View is what the rows come to so far. A halt that was due behind the last row of a
// step was not made.
func (j *Judge) View() wire.AtddView {
	v := j.view
	v.Due = slices.Clone(v.Due)
	v.Steps = make([]wire.AtddStep, 0, len(j.order))
	for _, s := range j.order {
		w := j.steps[s]
		v.Steps = append(v.Steps, w.of)
		count(&v, w.open)
		v.Due = due(v.Due, s, w.dueAt, w.open)
	}
	return v
}

// Row judges the next line of a file. number counts its lines from 1.
func (j *Judge) Row(file string, number int, line []byte) wire.AtddRow {
	r := wire.AtddRow{File: file, Line: number, Sum: Sum(line)}
	var m members
	if err := json.Unmarshal(line, &m, jsontext.AllowInvalidUTF8(true)); err != nil {
		r.Kind = "damaged"
		j.view.Damaged++
		r.Problems = []wire.AtddProblem{refused("unreadable", "%s", whyUnreadable(err))}
		if file == LogFile && saysFailed(line, "") {
			r.Problems = append(r.Problems, corrupted())
		}
	} else {
		r.Step, r.Verdict, r.Fingerprint, r.Reason, r.At = m.Step, m.Verdict, m.Print, m.Reason, m.At
		r.Commit, r.Impl, r.Test = m.Commit, m.Impl, m.File
		j.read(&r, m)
	}
	j.view.Rows++
	made, open := split(r)
	count(&j.view, made)
	j.view.Due = due(j.view.Due, r.Step, r.Line, made)
	if len(open) > 0 {
		j.walk(r.Step).open = open
	}
	return r
}

// railCodes are the halts that a row of an iteration gives reason for.
var railCodes = []string{"MAX_ITERATIONS", "sameness-detector", "stuck"}

// split parts the problems of a row: halts by a rail are none where the loop halts.
func split(r wire.AtddRow) (made, open []wire.AtddProblem) {
	for _, p := range r.Problems {
		if p.Class == wire.AtddHalt && slices.Contains(railCodes, p.Code) {
			open = append(open, p)
			continue
		}
		made = append(made, p)
	}
	return made, open
}

// Halted are the problems of a row where the loop halted behind it, as it had to.
func Halted(r wire.AtddRow) []wire.AtddProblem {
	made, _ := split(r)
	return made
}

// wentOn counts the halts that were due behind the last row of a step.
func (j *Judge) wentOn(step string, w *walk) {
	count(&j.view, w.open)
	j.view.Due = due(j.view.Due, step, w.dueAt, w.open)
	w.open = nil
}

// due adds the halts among these problems of a row, by step and reason.
func due(all []wire.AtddDue, step string, line int, problems []wire.AtddProblem) []wire.AtddDue {
	for _, p := range problems {
		if p.Class != wire.AtddHalt {
			continue
		}
		i := slices.IndexFunc(all, func(d wire.AtddDue) bool { return d.Step == step && d.Code == p.Code })
		if i < 0 {
			i = len(all)
			all = append(all, wire.AtddDue{Step: step, Code: p.Code, First: line})
		}
		all[i].Times++
		all[i].Last = line
	}
	return all
}

// Count adds the problems of a row to what View says.
func (j *Judge) Count(r wire.AtddRow) { count(&j.view, r.Problems) }

func count(v *wire.AtddView, problems []wire.AtddProblem) {
	for _, p := range problems {
		switch p.Class {
		case wire.AtddRefused:
			v.Refused++
		case wire.AtddHalt:
			v.Halts++
		case wire.AtddAllowed:
			v.Allowed++
		default:
			v.Changed++
		}
	}
}

// members are those of all kinds of rows.
type members struct {
	Iteration jsontext.Value `json:"iteration"`
	Step      string         `json:"step"`
	Verdict   string         `json:"verdict"`
	Print     string         `json:"fingerprint"`
	Outcome   string         `json:"outcome"`
	Reason    string         `json:"reason"`
	Findings  jsontext.Value `json:"findings_digest"`
	Commit    string         `json:"commit"`
	Impl      string         `json:"impl_sha"`
	File      string         `json:"at_file"`
	At        string         `json:"timestamp"`
	Rest      jsontext.Value `json:",unknown"`
}

func (j *Judge) read(r *wire.AtddRow, m members) {
	switch {
	case m.Outcome == "HALT":
		r.Kind = "halt"
		j.halt(r, m)
	case m.Step == "red" && m.Verdict == "":
		r.Kind = "red"
		red(r)
	case r.File == LogFile && (m.Verdict != "" || m.Iteration != nil || m.Print != ""):
		r.Kind = "iteration"
		j.iteration(r, m)
	default:
		r.Kind = "unknown"
		r.Problems = append(r.Problems, refused("unknown", "neither an iteration, nor a halt, nor a test that was seen red"))
	}
}

func (j *Judge) iteration(r *wire.AtddRow, m members) {
	add := func(p wire.AtddProblem) { r.Problems = append(r.Problems, p) }
	n, err := strconv.Atoi(string(m.Iteration))
	if err != nil || n < 0 {
		add(refused("iteration", "the iteration is not a number: %s", shown(m.Iteration)))
	}
	r.Iteration = max(n, 0)
	if strings.TrimSpace(m.Step) == "" {
		add(refused("step", "the step has no name"))
	}
	if m.Verdict != Pass && m.Verdict != Fail {
		add(refused("verdict", "the verdict is neither %s nor %s: %q, so no rail looks at the row", Pass, Fail, m.Verdict))
	}
	if err := CheckPrint("fingerprint", m.Print); err != nil {
		add(refused("fingerprint", "%s", Because(err)))
	}
	w := j.walk(m.Step)
	j.wentOn(m.Step, w)
	j.sequence(r, w, err == nil)
	w.of.Iterations, w.of.Halt = w.of.Iterations+1, ""
	w.last, w.due = r.Iteration, nil
	switch m.Verdict {
	case Pass:
		w.of.Passed++
		j.passed(r)
	case Fail:
		w.of.Failed++
		j.failed(r, w)
	}
}

// sequence looks at the number of an iteration, and whether the loop should have been
// there at all.
func (j *Judge) sequence(r *wire.AtddRow, w *walk, number bool) {
	if number && r.Iteration != 1 && r.Iteration != w.last+1 {
		detail := fmt.Sprintf("iteration %d follows %d: rows are missing, or were added", r.Iteration, w.last)
		if w.of.Iterations == 0 {
			detail = fmt.Sprintf("iteration %d is the first row of its step: rows are missing", r.Iteration)
		}
		r.Problems = append(r.Problems, wire.AtddProblem{Class: wire.AtddChanged, Code: "log-integrity", Detail: detail})
	}
	if len(w.due) > 0 && r.Iteration != 1 {
		r.Problems = append(r.Problems, halt("went-on", "line %d had to halt the loop (%s), and it went on", w.dueAt, strings.Join(w.due, ", ")))
	}
}

// failed looks at the rails, in their order.
func (j *Judge) failed(r *wire.AtddRow, w *walk) {
	if !isName(r.Fingerprint) {
		r.Problems = append(r.Problems, corrupted())
		return
	}
	before := len(r.Problems)
	if most := budget(r.Step); r.Iteration >= most {
		r.Problems = append(r.Problems, halt("MAX_ITERATIONS", "iteration %d of %d", r.Iteration, most))
	}
	if n := len(w.prints); n > 0 && w.prints[n-1] == r.Fingerprint {
		r.Problems = append(r.Problems, halt("sameness-detector", "the last two failed iterations have the fingerprint %s", r.Fingerprint))
	}
	w.prints = append(w.prints, r.Fingerprint)
	if len(w.prints) > window {
		w.prints = w.prints[1:]
	}
	if twice, yes := repeated(w.prints); yes && len(w.prints) == window {
		r.Problems = append(r.Problems, halt("stuck", "fingerprint %s stands twice in the last %d failed iterations", twice, window))
	}
	for _, p := range r.Problems[before:] {
		w.due, w.dueAt = append(w.due, p.Code), r.Line
	}
}

func repeated(prints []string) (string, bool) {
	for i, p := range prints {
		for _, q := range prints[:i] {
			if p == q {
				return p, true
			}
		}
	}
	return "", false
}

// passed asks for the proof that the tests of the implementation failed before it.
func (j *Judge) passed(r *wire.AtddRow) {
	if r.Step != StepImpl || j.Proven == nil {
		return
	}
	if err := j.Proven(); err != nil {
		r.Problems = append(r.Problems, halt("gate-unverifiable", "it passed, and nothing proves that its tests failed before: %s", Because(err)))
	}
}

func (j *Judge) halt(r *wire.AtddRow, m members) {
	w := j.walk(m.Step)
	if _, err := Halt(m.Step, m.Reason, string(m.Findings), time.Time{}); err != nil {
		r.Problems = append(r.Problems, refused("halt", "%s", Because(err)))
	}
	switch m.Reason {
	case "MAX_ITERATIONS", "sameness-detector", "stuck":
		if !slices.Contains(w.due, m.Reason) {
			r.Problems = append(r.Problems, refused("unfounded", "the rows before it give no reason for a halt by %s", m.Reason))
		}
	}
	w.of.Halt, w.due, w.open = m.Reason, nil, nil
}

func red(r *wire.AtddRow) {
	if r.Impl == r.Commit && r.Impl != "" {
		r.Problems = append(r.Problems, refused("impl_sha", "tests and implementation are the same commit"))
		return
	}
	if _, err := Seen(r.Commit, r.Test, r.Impl, time.Time{}); err != nil {
		r.Problems = append(r.Problems, refused("red", "%s", Because(err)))
	}
	if r.Impl == "" {
		r.Problems = append(r.Problems, refused("impl_sha", "it names no implementation, and HEAD takes the place of none"))
	}
}

func (j *Judge) walk(step string) *walk {
	w, ok := j.steps[step]
	if !ok {
		if j.steps == nil {
			j.steps = map[string]*walk{}
		}
		w = &walk{of: wire.AtddStep{Step: step}}
		j.steps[step], j.order = w, append(j.order, step)
	}
	return w
}

func corrupted() wire.AtddProblem {
	return halt("corrupt-log", "a failed iteration that cannot be read: every check behind it halts here")
}

// whyUnreadable says it in words that stay the same, whatever reads the JSON.
func whyUnreadable(err error) string {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return "a member stands in it twice"
	case errors.As(err, &syntax):
		return "it is not valid JSON"
	}
	return "it is not a row: a member has a value of another kind"
}

// Because is what an error says beside its class.
func Because(err error) string {
	s := err.Error()
	for _, class := range []error{ErrInvalid, ErrFired, ErrCorrupt} {
		s = strings.TrimPrefix(s, class.Error()+": ")
	}
	return s
}

// shown is a value, short enough for a line.
func shown(v jsontext.Value) string {
	const most = 40
	switch {
	case v == nil:
		return "it is not there"
	case len(v) > most:
		return strings.ToValidUTF8(string(v[:most]), "") + "..."
	}
	return string(v)
}

// Sum names a row by its bytes.
func Sum(line []byte) string {
	sum := sha256.Sum256(line)
	return hex.EncodeToString(sum[:])
}

func refused(code, format string, args ...any) wire.AtddProblem {
	return wire.AtddProblem{Class: wire.AtddRefused, Code: code, Detail: fmt.Sprintf(format, args...)}
}

func halt(code, format string, args ...any) wire.AtddProblem {
	return wire.AtddProblem{Class: wire.AtddHalt, Code: code, Detail: fmt.Sprintf(format, args...)}
}
