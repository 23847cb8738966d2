package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
	"autopilot/projections/route"
)

// Workflows is workflow ls: what a run could name.
func (s Style) Workflows(v wire.WorkflowsView) string {
	rows := [][]string{{"WORKFLOW", "FROM", "STATE", "PHASES", "FOR"}}
	for _, w := range v.Workflows {
		rows = append(rows, []string{Line(w.Name), workflowFrom(w), workflowState(w), Line(strings.Join(w.Phases, ", ")), Line(w.Description)})
	}
	s.fit(rows, 4)
	return table(rows)
}

func workflowFrom(w wire.WorkflowView) string {
	if w.Hides {
		return Line(w.Origin) + ", hides a shipped one"
	}
	return Line(w.Origin)
}

func workflowState(w wire.WorkflowView) string {
	switch {
	case w.Problems > 0:
		return count(w.Problems, "mistake")
	case !w.Trusted:
		return "not trusted"
	}
	return "ready"
}

// Workflow is workflow show: one workflow, with its prompts.
func (s Style) Workflow(w wire.WorkflowView) string {
	from := workflowFrom(w)
	if w.Path != "" {
		from += ", " + Line(w.Path)
	}
	pairs := [][2]string{{"from", from}, {"state", workflowState(w)}, {"language", Line(w.Language)}}
	for _, in := range w.Inputs {
		pairs = append(pairs, [2]string{"input", inputLine(in)})
	}
	for _, p := range w.Prompts {
		text := Line(p.File) + ", " + Line(p.Origin)
		if p.Hides {
			text += ", hides a shipped one"
		}
		pairs = append(pairs, [2]string{"prompt", text})
	}
	text := s.paint(bold, Line(w.Name)) + "\n" + s.facts(pairs)
	switch {
	case w.Problems > 0:
		return text + "\n" + s.paint(red, "it cannot be run") + ":\n  apctl workflow lint " + Line(w.Name) + "\n"
	case !w.Trusted:
		text += "\n" + s.paint(yellow, "not trusted:") + " a run does not use it as it is\n  apctl trust\n"
	}
	return text + "\n" + indent("  ", Clean(w.Graph))
}

// inputLine is an input, and where its value is from.
func inputLine(in wire.WorkflowInput) string {
	text := Line(in.Name)
	if in.About != "" {
		text += ", " + Line(in.About)
	}
	switch {
	case in.Find != "":
		return text + ": found as " + Line(in.Find)
	case in.Kind == "issue":
		return text + ": --issue 24"
	case in.Kind == "slug":
		return text + ": from the task"
	case len(in.Of) > 0:
		return text + ": " + Line(in.Default) + ", of " + Line(strings.Join(in.Of, ", "))
	case in.Default != "":
		return text + ": " + Line(in.Default)
	case in.Optional:
		return text + ": has to be given, --input " + Line(in.Name) + "=..., or none where it does not apply"
	}
	return text + ": has to be given, --input " + Line(in.Name) + "=..."
}

// WorkflowWritten says what was written, and what comes next.
func (s Style) WorkflowWritten(w wire.WorkflowView) string {
	name := Line(w.Name)
	return s.paint(green, "written") + ": " + Line(w.Path) + "\n" + table([][]string{
		{"apctl workflow lint " + name, "every mistake, while you change it"},
		{"apctl workflow graph " + name, "what it looks like"},
		{"apctl trust", "a person has to agree to it before a run uses it"},
	})
}

// Lint shows what is wrong with workflows.
func (s Style) Lint(v wire.LintView) string {
	if len(v.Problems) > 0 {
		return strings.TrimPrefix(s.configProblems(v.Problems), "\n") + "\n" + count(len(v.Problems), "mistake") + "\n"
	}
	if len(v.Checked) == 0 {
		return "the project has no workflow of its own\n  apctl workflow new NAME   writes one\n"
	}
	return "nothing is wrong with " + Line(strings.Join(v.Checked, ", ")) + "\n"
}

// Suggestion says what a text would best be done with, why, and what else.
func (s Style) Suggestion(v wire.SuggestionView) string {
	what := route.Do(v.Do).Instead()
	switch {
	case what == "" && v.Workflow == "":
		what = "no workflow that is here fits"
	case what == "":
		what = "the workflow " + Line(v.Workflow)
	}
	var b strings.Builder
	b.WriteString(s.paint(bold, what) + "\n")
	if v.Ask {
		b.WriteString(s.paint(yellow, "ask first:") + " it names both what is broken and what is new\n")
	}
	if v.Express {
		b.WriteString(s.paint(yellow, "ask once:") + " it looks small and harmless, and might go without a workflow; only after an explicit yes\n")
	}
	pairs := [][2]string{{"size", fmt.Sprintf("%s, %s", Line(v.Size), count(v.Words, "word"))}}
	if v.Workflow != "" && v.Do != "run" {
		pairs = append(pairs, [2]string{"workflow", Line(v.Workflow) + " asks and plans before it works"})
	}
	if v.Route != "" && v.Do == "run" && route.Routed(v.Workflow) {
		pairs = append(pairs, [2]string{"route", Line(v.Route) + ", by " + Line(v.RouteBy)})
	}
	for _, r := range v.Because {
		if text := suggestWords[r.Rule]; text != "" {
			pairs = append(pairs, [2]string{"because", fmt.Sprintf(text, "\""+s.cut(Line(r.Saw), 40)+"\"")})
		}
	}
	if len(v.Else) > 0 {
		pairs = append(pairs, [2]string{"or else", Line(strings.Join(v.Else, ", "))})
	}
	return b.String() + s.facts(pairs)
}

// suggestWords say what a rule saw.
var suggestWords = map[string]string{
	"token":    "%s asks for it",
	"stop":     "%s is all that is said",
	"continue": "%s is all that is said",
	"exclude":  "%s is not for a run",
	"size":     "%s asks for a heavy workflow, and the task is small",
	"start":    "%s begins work",
	"keyword":  "%s asks for it",
	"concrete": "%s can be worked on",
	"bypass":   "%s asks for no plan",
	"vague":    "%s asks for work, and little else is said",
	"express":  "%s looks harmless",
}

// BadInput is an input that was not written as one.
func BadInput(v string) *wire.Error {
	return usage("--input NAME=VALUE", "%q is not an input of a workflow", Line(v))
}

// InputTwice is an input that was given twice.
func InputTwice(name string) *wire.Error {
	return usage("leave one of them out", "the input %s is given twice", name)
}

// NoText is a text without a word in it.
func NoText() *wire.Error {
	return usage(`apctl route "build me a parser in src/parse.go"`, "the text is empty")
}
