package explain_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"autopilot/events"
	"autopilot/projections/explain"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// enum lists the values that package events has of a type, by its source: a new
// one is among them without anybody thinking of it.
func enum[T ~string](t *testing.T) []T {
	t.Helper()
	name := reflect.TypeFor[T]().Name()
	files, err := filepath.Glob("../../events/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	var out []T
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			v, ok := n.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				return true
			}
			of, _ := v.Type.(*ast.Ident)
			lit, _ := v.Values[0].(*ast.BasicLit)
			if of != nil && lit != nil && of.Name == name {
				text, _ := strconv.Unquote(lit.Value)
				out = append(out, T(text))
			}
			return true
		})
	}
	if len(out) == 0 {
		t.Fatalf("events has no %s", name)
	}
	return out
}

func japanese(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) })
}

// said checks a sentence: in Japanese it is, in English it is not, and neither
// shows the code alone or a verb that found no value.
func said(t *testing.T, what string, sentence func(events.Language) string) {
	t.Helper()
	ja, en := sentence(events.Japanese), sentence(events.English)
	switch {
	case !japanese(ja) || ja == what:
		t.Errorf("%s is not said in Japanese: %q", what, ja)
	case japanese(en) || en == "":
		t.Errorf("%s is not said in English: %q", what, en)
	case strings.Contains(ja+en, "%!"):
		t.Errorf("%s: %q, %q", what, ja, en)
	}
}

func in(s run.State, l events.Language) run.State {
	s.Facts.Language = l
	return s
}

func TestEveryHaltIsSaidInEachLanguageWithWhatToDo(t *testing.T) {
	t.Parallel()
	for _, h := range enum[events.Halt](t) {
		s := halted(events.RunHalted{Reason: h, Gate: "test", Phase: "build", Iteration: 3, Iterations: []int{2, 3}, Limit: 10, Used: 11, Of: 12})
		said(t, string(h), func(l events.Language) string { _, because := explain.Why(in(s, l)); return because })
		for i, n := range explain.Next(in(s, events.Japanese)) {
			if !japanese(n.Why) {
				t.Errorf("%s: %s is for %q", h, n.Command, n.Why)
			}
			if en := explain.Next(in(s, events.English))[i]; en.Command != n.Command {
				t.Errorf("%s: the command is %q in English and %q in Japanese", h, en.Command, n.Command)
			}
		}
	}
}

func TestEveryEndAndRefusalIsSaidInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, e := range enum[events.End](t) {
		said(t, string(e), func(l events.Language) string {
			_, because := explain.Why(in(ended(events.RunEnded{State: e, Iteration: 2, Tree: "0123456789ab"}), l))
			return because
		})
	}
	for _, r := range enum[events.Refusal](t) {
		s := ended(events.RunEnded{State: events.EndRefused, Reason: r, Gate: "lint"})
		said(t, string(r), func(l events.Language) string { _, because := explain.Why(in(s, l)); return because })
	}
}

func TestEveryStageAndQuestionIsSaidInEachLanguage(t *testing.T) {
	t.Parallel()
	asks := run.Question{QuestionAsked: events.QuestionAsked{Gate: "agreed", Phase: "plan"}}
	for _, stage := range []run.Stage{run.Started, run.Agent, run.Ended, run.Gates, run.Judged, run.Looking, run.Asking, run.Ready} {
		s := state(func(s *run.State) { s.Stage, s.Question, s.Loop.Iteration = stage, &asks, 2 })
		said(t, string(stage), func(l events.Language) string { _, because := explain.Why(in(s, l)); return because })
	}
	for _, k := range enum[events.QuestionKind](t) {
		for _, again := range []bool{false, true} {
			q := asks
			q.Kind, q.Again = k, again
			s := state(func(s *run.State) { s.Stage, s.Question = run.Asking, &q })
			said(t, string(k), func(l events.Language) string { _, because := explain.Why(in(s, l)); return because })
		}
	}
	for _, limit := range enum[events.Limit](t) {
		s := state(func(s *run.State) {
			s.Stage, s.Waiting = run.Ready, &run.Waiting{LimitWaiting: events.LimitWaiting{Cause: limit, UntilMS: 1893488400000, Place: 3, Source: events.Guessed}}
		})
		said(t, string(limit), func(l events.Language) string { _, because := explain.Why(in(s, l)); return because })
		said(t, string(limit), func(l events.Language) string { return phrase.ShortLimit(l, limit) })
	}
}

func TestEveryReasonResultVoidAndVerdictIsSaidInEachLanguage(t *testing.T) {
	t.Parallel()
	for _, r := range enum[events.Reason](t) {
		if r != events.ReasonExit { // exit 1 is the same in both
			said(t, string(r), func(l events.Language) string {
				return phrase.Reason(l, events.GateResult{Reason: r, Exit: 1, Used: 2})
			})
		}
	}
	for _, r := range enum[events.Result](t) {
		said(t, string(r), func(l events.Language) string { return phrase.Result(l, r) })
	}
	for _, v := range enum[events.Verdict](t) {
		said(t, string(v), func(l events.Language) string { return phrase.Verdict(l, v) })
	}
	for _, v := range enum[events.Void](t) {
		said(t, string(v), func(l events.Language) string {
			return explain.Line(in(run.State{}, l), events.Event{Data: events.RoleEnded{Gate: "reviewed", Role: "critic", Void: v}})
		})
	}
	for _, o := range enum[events.Outcome](t) {
		said(t, string(o), func(l events.Language) string {
			return explain.Line(in(run.State{}, l), events.Event{Data: events.AgentEnded{Outcome: o, DurationMS: 1}})
		})
	}
	for _, m := range enum[events.StopMode](t) {
		said(t, string(m), func(l events.Language) string {
			return explain.Line(in(run.State{}, l), events.Event{Data: events.StopRequested{Mode: m}})
		})
	}
}

// Every call that has two languages has the same values in both.
func TestBothLanguagesSayTheSameValues(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, dir := range []string{".", "../phrase", "../summary", "../../ctl/render", "../../daemon", "../../daemon/api", "../../daemon/run/work", "../../daemon/report/notify", "../../daemon/report/notify/comment"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			seen += sameValues(t, file)
		}
	}
	if seen < 300 {
		t.Errorf("only %d sentences were looked at", seen)
	}
}

var (
	verb    = regexp.MustCompile(`%(\[\d+\])?[a-zA-Z]`)
	command = regexp.MustCompile("apctl [a-z]+")
)

func sameValues(t *testing.T, file string) (seen int) {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, file, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		var texts []string
		for _, arg := range call.Args[:min(3, len(call.Args))] {
			if lit, ok := arg.(*ast.BasicLit); ok && lit.Kind == token.STRING {
				text, _ := strconv.Unquote(lit.Value)
				texts = append(texts, text)
			}
		}
		if !says(call) || len(texts) < 2 {
			return true
		}
		seen++
		en, ja := texts[0], texts[1]
		same := slices.Equal(verb.FindAllString(en, -1), verb.FindAllString(ja, -1)) || strings.Contains(ja, "%[") && strings.Contains(en, "%[")
		if !same || !slices.Equal(command.FindAllString(en, -1), command.FindAllString(ja, -1)) {
			t.Errorf("%s: %q and %q have other values, or other commands", set.Position(call.Pos()), en, ja)
		}
		return true
	})
	return seen
}

// says is a call that makes a sentence.
func says(call *ast.CallExpr) bool {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return slices.Contains([]string{"say", "Say", "always", "resumeWhen"}, f.Name)
	case *ast.SelectorExpr:
		return f.Sel.Name == "say" || f.Sel.Name == "Say"
	}
	return false
}
