package workflow

import (
	"bytes"
	"fmt"
	"strings"
	"text/template"
	"time"

	"autopilot/events"
	"autopilot/projections/when"
)

// PromptData is all that a prompt template can use. Texts may hold anything but
// should be quoted with the template's functions:
//
//	quote TEXT   a fenced block whose fence is longer than any inside
//	code TEXT    inline code, or a block when there are several lines
//	head N LIST  the first N
//	more N LIST  how many there are beyond N
//
// Each of them replaces invalid UTF-8 and NUL.
type PromptData struct {
	Task          string
	Phase         string
	Brief         string // what the phase, or the role, is for
	Iteration     int    // from 1
	MaxIterations int    // 0 is no limit
	Attempt       int    // from 1; later ones repeat an iteration whose agent was lost or did nothing
	Session       bool   // a chat does the work, and delivers it
	Resumed       bool   // it goes on in the session of an agent that was cut short
	Gates         []PromptGate
	Checkout      bool      // the gates have to pass in a clean checkout too
	Setup         string    // that prepares it
	Findings      []Finding // of the iteration before, or of the baseline
	PersonNotes   []string  // what a person answered, and said when resuming
	Pinned        []string  // files that must stay as they are
	NotesDir      string    // a folder left out of comparisons
	SharedStash   bool      // other work trees of the repository have the same stash
	ResultFile    string    // where the agent may write its result
	Report        string    // what that has to tell of how the session went, as an example; empty where no gate wants it
	Warning       string    // asks for another approach; see RepeatedFailure and OtherAgent
	Look          *Look     // of a role that looks; nil for who works
	Questions     []string  // classes of questions; empty takes any
	Inputs        map[string]string
	Mode          string // of the session, where iterations are sessions
}

// Input is what the run has brought along by that name; empty where the workflow has
// no such input.
func (d PromptData) Input(name string) string { return d.Inputs[name] }

// Look is what a role is told of what it looks at.
type Look struct {
	Gate    string
	Kind    events.GateKind
	Role    string
	Files   []string // of the set; empty is all that was changed
	Changed []string // since the run began
	Form    string   // of the result file
	Round   int      // of an interview
	Rounds  int
	Answers []Answer // of a person, so far
	Bare    string   // what the role said last without a finding, and without approval
}

// Answer is what a person said to a question.
type Answer struct {
	ID       int // of the question, within the run
	Question string
	Text     string
	At       string // when it was given: RFC 3339
}

// PromptGate is a gate as the agent is told of it.
type PromptGate struct {
	Name    string
	Role    events.GateRole
	Command string
	Files   []string // that have to be written, instead of a command: globs
	Says    string   // what else it wants
}

// Finding is what a gate said.
type Finding struct {
	Gate    string
	Verdict events.Verdict
	Text    string // verbatim, as far as it is quoted
	Path    string // of the whole output, when Text is cut; may be empty
}

// RepeatedFailure is the warning of the signature rail after count equal
// failures in a row, where halts of them halt the run; zero is never.
func RepeatedFailure(count, halts int) string {
	out := fmt.Sprintf("The last %d iterations failed in the same way. The approach does not work: "+
		"look for another cause, read the failing code again, and take another approach.", count)
	if halts > 0 {
		out += fmt.Sprintf(" After %d in a row the run is halted.", halts)
	}
	return out
}

// Returned is the warning after an iteration that left the files as iteration first
// had, and failed as that did, with other notes.
func Returned(first int) string {
	return fmt.Sprintf("The files equal those of iteration %d, and fail in the same way; only the notes are new. "+
		"One more such iteration halts the run: follow the notes now, or change the approach.", first)
}

// OtherAgent is the warning to who goes on where the agent before did not get on.
const OtherAgent = "Another agent worked on this before you, without success. " +
	"Do not take its approach for granted: look for the cause yourself."

// RepeatedTool is the warning after a turn that was cut, as one tool was used
// with the same input times over.
func RepeatedTool(tool string, times int) string {
	return fmt.Sprintf("The last turn was ended, because it used this tool %d times in a row with the same input: %s\n"+
		"The answer is always the same. Do something else.", times, tool)
}

// HungBefore is the warning after an agent that was ended as it showed no sign of life
// for so long.
func HungBefore(silent time.Duration) string {
	return fmt.Sprintf("The agent before you was ended: for %s it printed nothing, used no CPU time and changed no file. "+
		"Start servers and watchers in the background, and give every wait a time limit.", when.Text(silent))
}

// LateBefore is the warning after an agent that was ended at its time limit.
func LateBefore(limit time.Duration) string {
	return fmt.Sprintf("The agent before you was ended at its time limit of %s. Work in smaller steps, and end your turn before that.", when.Text(limit))
}

// Prompt is a parsed template.
type Prompt struct{ tmpl *template.Template }

// ParsePrompt reads a template and tries it, with every part of PromptData full
// and with every part empty, so that a mistake shows before a run begins.
func ParsePrompt(name string, src []byte) (*Prompt, error) {
	tmpl, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"quote": quote, "code": code, "head": head[string], "more": more[string],
	}).Parse(string(src))
	if err != nil {
		return nil, fmt.Errorf("parse prompt: %w", err)
	}
	p := &Prompt{tmpl: tmpl}
	for _, sample := range []PromptData{{}, sampleData()} {
		if _, err := p.Render(sample); err != nil {
			return nil, fmt.Errorf("try prompt: %w", err)
		}
	}
	return p, nil
}

// Render makes the prompt of one iteration. The result is valid UTF-8 without
// NUL.
func (p *Prompt) Render(d PromptData) ([]byte, error) {
	var b bytes.Buffer
	if err := p.tmpl.Execute(&b, d); err != nil {
		return nil, fmt.Errorf("render prompt: %w", err)
	}
	return []byte(clean(b.String())), nil
}

func sampleData() PromptData {
	return PromptData{
		Task: "task", Phase: "work", Brief: "brief", Iteration: 2, MaxIterations: 10, Attempt: 2, Session: true,
		Gates: []PromptGate{
			{Name: "test", Role: events.RoleGoal, Command: "make test"},
			{Name: "vet", Role: events.RoleInvariant, Command: "make vet"},
			{Name: "report", Role: events.RoleGoal, Files: []string{"docs/*.md"}},
			{Name: "reviewed", Role: events.RoleCheck, Says: "somebody looks"},
		},
		Checkout: true, Setup: "make setup",
		Findings:    []Finding{{Gate: "test", Verdict: events.Fail, Text: "text", Path: "path"}},
		PersonNotes: []string{"note"},
		Pinned:      []string{"glob"},
		NotesDir:    "notes", ResultFile: "result.json", Report: "{}", Warning: RepeatedFailure(3, 5),
		Look: &Look{
			Gate: "reviewed", Kind: events.GateReview, Role: "reviewer", Files: []string{"a.md"}, Changed: []string{"a.go"},
			Form: "{}", Round: 1, Rounds: 3, Answers: []Answer{{ID: 1, Question: "what?", Text: "this", At: "2026-03-01T22:00:00Z"}},
		},
	}
}

// clean makes text that every agent program accepts on stdin or in a file.
func clean(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// quote fences text so that nothing in it can end the quotation.
func quote(s string) string {
	s = clean(s)
	fence := strings.Repeat("`", max(3, longestRun(s, '`')+1))
	end := "\n"
	if s == "" || strings.HasSuffix(s, "\n") {
		end = ""
	}
	return fence + "\n" + s + end + fence
}

// code quotes text within a line, when it is one line.
func code(s string) string {
	if strings.ContainsAny(s, "\n\r") {
		return "\n\n" + quote(s) + "\n"
	}
	s = clean(s)
	tick := strings.Repeat("`", longestRun(s, '`')+1)
	if len(tick) > 1 {
		return tick + " " + s + " " + tick
	}
	return tick + s + tick
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

func head[T any](n int, list []T) []T { return list[:min(n, len(list))] }

func more[T any](n int, list []T) int { return max(0, len(list)-n) }
