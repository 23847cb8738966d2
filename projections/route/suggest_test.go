package route_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/projections/route"
)

var everything = []string{"converge", "omx", "omx-ralph", "atdd", "atdd-bugfix", "atdd-flaky"}

// oh-my-codex, section 4.1.4, and the words for continue and stop.
func TestATextSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		do   route.Do
		by   route.SuggestRule
	}{
		{"autopilot: parse.go loses the last line", route.DoRun, route.RuleStart},
		{"build me a parser in src/parse.go", route.DoRun, route.RuleStart},
		{"create me a report from data/in.csv", route.DoRun, route.RuleStart},
		{"make me a parser, see #12", route.DoRun, route.RuleStart},
		{"full auto on issue #12", route.DoRun, route.RuleStart},
		{"handle it all: issue 12", route.DoRun, route.RuleStart},
		{"I want a parser in src/parse.go", route.DoRun, route.RuleStart},
		{"I want an index, see docs/index.md", route.DoRun, route.RuleStart},
		{"make the suite pass", route.DoRun, route.RuleRoute},
		{"continue", route.DoContinue, route.RuleContinue},
		{"Please resume the run.", route.DoContinue, route.RuleContinue},
		{"continue numbering where the list ends", route.DoRun, route.RuleRoute},
		{"stop", route.DoStop, route.RuleStop},
		{"cancel autopilot!", route.DoStop, route.RuleStop},
		{"$cancel", route.DoStop, route.RuleToken},
		{"stop the leak in pool.go", route.DoRun, route.RuleRoute},
		{"explore how we could store events", route.DoClarify, route.RuleExclude},
		{"brainstorm names", route.DoClarify, route.RuleExclude},
		{"just explain the cache", route.DoAnswer, route.RuleExclude},
		{"draft only: a release note", route.DoAnswer, route.RuleExclude},
		{"what would you suggest?", route.DoAnswer, route.RuleExclude},
		{"how does the cache work", route.DoAnswer, route.RuleExclude},
		{"fix the typo in the title", route.DoEdit, route.RuleExclude},
		{"rename foo to bar", route.DoEdit, route.RuleExclude},
		{"fix a typo, then refactor the entire codebase", route.DoRun, route.RuleRoute},
		{"review the change", route.DoReview, route.RuleExclude},
		{"only review, please", route.DoReview, route.RuleExclude},
		{"$ralph review the change in a.go and settle it", route.DoRun, route.RuleToken},
	} {
		s := route.Suggest(c.text, nil, everything)
		if s.Do != c.do || !slices.ContainsFunc(s.Because, func(r route.SuggestReason) bool { return r.Rule == c.by }) {
			t.Errorf("%q: %+v", c.text, s)
		}
		if (s.Workflow != "") != (s.Do == route.DoRun || s.Do == route.DoPlan) {
			t.Errorf("%q: workflow %q to %s", c.text, s.Workflow, s.Do)
		}
	}
}

// oh-my-codex, section 4.7: tokens first, then priority, length, alphabet; each
// once; word bounds; ordinary words start no team (O34).
func TestSkillsAreNamedInTheirOrder(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                       nil,
		"$ultraqa then $ralph":                   {"ultraqa", "ralph"},
		"$ralph, with a ralplan, $ralph":         {"ralph", "ralplan"},
		"ralph and autopilot and ralplan":        {"ralplan", "autopilot", "ralph"},
		"ultrawork autopilot":                    {"autopilot", "ultrawork"},
		"ulw autopilot":                          {"autopilot", "ultrawork"},
		"ultraqa, then a team of 3":              {"team", "ultraqa"},
		"/prompts:architect use ralph":           nil,
		"/prompts:architect use $ralph, ralplan": {"ralph", "ralplan"},
		"my team likes it":                       nil,
		"the team page":                          nil,
		"start a team of reviewers":              {"team"},
		"swarm theory":                           nil,
		"autopilots ralphs":                      nil,
		"$unknown":                               nil,
	} {
		var got []string
		for _, s := range route.Skills(text) {
			got = append(got, s.Name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
}

// oh-my-codex, section 4.7, the gate before execution.
func TestTooLittleIsPlannedFirst(t *testing.T) {
	t.Parallel()
	for text, do := range map[string]route.Do{
		"autopilot make it better":                   route.DoPlan,
		"ralph improve the thing":                    route.DoPlan,
		"build me a todo app":                        route.DoPlan,
		"start a team of 3 and make it nice":         route.DoPlan,
		"force: autopilot make it better":            route.DoRun,
		"! ralph improve the thing":                  route.DoRun,
		"ralplan, then autopilot make it better":     route.DoRun,
		"autopilot improve parse.go":                 route.DoRun, // a file
		"autopilot improve src/parse":                route.DoRun, // a path
		"autopilot improve #12":                      route.DoRun, // an issue
		"autopilot improve function Parse":           route.DoRun, // a symbol
		"autopilot improve parse_line":               route.DoRun, // a symbol
		"autopilot:\n1. read it\n2. write it":        route.DoRun, // steps
		"autopilot with acceptance criteria met":     route.DoRun, // criteria
		"autopilot away the TypeError":               route.DoRun, // an error
		"autopilot this ```x := 1```":                route.DoRun, // code
		"autopilot until go test passes":             route.DoRun, // a test command
		"make it better":                             route.DoRun, // no word that executes
		"autopilot " + strings.Repeat("word ", 15):   route.DoPlan,
		"autopilot " + strings.Repeat("word ", 16):   route.DoRun,
		"see `autopilot` in the manual and index it": route.DoRun, // a quotation executes nothing
	} {
		if s := route.Suggest(text, nil, everything); s.Do != do {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// oh-my-codex, section 4.7: escape, large, many, small, few; in this order.
func TestTheSizeOfATask(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("word ", 201)
	for text, want := range map[string]route.Size{
		"":                                    route.SizeSmall,
		"quick: refactor the entire codebase": route.SizeSmall,
		"refactor it":                         route.SizeLarge,
		"a typo across the codebase":          route.SizeLarge,
		many:                                  route.SizeLarge,
		"typo " + many:                        route.SizeLarge,
		strings.Repeat("word ", 200):          route.SizeMedium,
		strings.Repeat("word ", 51):           route.SizeMedium,
		strings.Repeat("word ", 50):           route.SizeSmall,
		"fix a typo " + strings.Repeat("word ", 100): route.SizeSmall,
		"keep `refactor` as it is":                   route.SizeSmall,
	} {
		if got, _ := route.TaskSize(text); got != want {
			t.Errorf("%.40q: %s, want %s", text, got, want)
		}
	}
}

func TestASmallTaskTakesNoHeavyWorkflow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, want string
		known      []string
	}{
		{"ralph: mend parse.go", "converge", everything},
		{"$ralph mend parse.go", "omx-ralph", everything},
		{"$ralph mend parse.go", "converge", []string{"converge"}},
		{"autopilot: refactor parse.go and all files", "omx", everything},
		{"refactor the entire project by its plan", "omx", everything},
		{"refactor the entire project by its plan", "atdd", []string{"converge", "atdd"}},
	} {
		s := route.Suggest(c.text, nil, c.known)
		if s.Workflow != c.want || slices.Contains(s.Else, c.want) {
			t.Errorf("%q: %+v", c.text, s)
		}
	}
}

// atdd-kit, section 3.8: label, keyword, judgement; low confidence asks; the
// default is the full route.
// Seeds 3.8: label, keyword, judgement; where they do not agree, ask.
func TestARouteIsDecidedInItsOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		labels   []string
		route    route.Route
		by       route.By
		ask      bool
		workflow string
	}{
		{"a flaky test", []string{"type:bug"}, route.RouteBugfix, route.ByLabel, false, "atdd-bugfix"},
		{"a bug", []string{"p1", " Type:Flaky "}, route.RouteFlaky, route.ByLabel, false, "atdd-flaky"},
		{"the flaky bug", nil, route.RouteFlaky, route.ByKeyword, false, "atdd-flaky"},
		{"the test fails sometimes", nil, route.RouteFlaky, route.ByKeyword, false, "atdd-flaky"},
		{"a regression in parse.go", nil, route.RouteBugfix, route.ByKeyword, false, "atdd-bugfix"},
		{"parse.go crashes on an empty line", nil, route.RouteBugfix, route.ByJudgement, false, "atdd-bugfix"},
		{"add a retry where it fails", nil, route.RouteFull, route.ByDefault, true, "converge"},
		{"add a retry", nil, route.RouteFull, route.ByDefault, false, "converge"},
		{"make it so", []string{"type:chore"}, route.RouteFull, route.ByDefault, false, "converge"},
		{"a debugger", nil, route.RouteFull, route.ByDefault, false, "converge"},
		{"the login test fails at times", nil, route.RouteFlaky, route.ByKeyword, false, "atdd-flaky"},
		{"add a page for flaky tests", nil, route.RouteFlaky, route.ByKeyword, true, "atdd-flaky"},
		{"ログインのテストが時々失敗する", nil, route.RouteFlaky, route.ByKeyword, false, "atdd-flaky"},
		{"フレーキーテストを直す", nil, route.RouteFlaky, route.ByKeyword, false, "atdd-flaky"},
		{"CI でたまに落ちるテスト", nil, route.RouteFlaky, route.ByKeyword, false, "atdd-flaky"},
		{"検索のバグを直す", nil, route.RouteBugfix, route.ByKeyword, false, "atdd-bugfix"},
		{"空行で不具合が出る", nil, route.RouteBugfix, route.ByKeyword, false, "atdd-bugfix"},
		{"空行でクラッシュする", nil, route.RouteBugfix, route.ByJudgement, false, "atdd-bugfix"},
		{"失敗したときに再試行を追加する", nil, route.RouteFull, route.ByDefault, true, "converge"},
		{"検索を追加する", nil, route.RouteFull, route.ByDefault, false, "converge"},
		{"デバッグ画面", nil, route.RouteFull, route.ByDefault, false, "converge"},
		{"バグ報告の画面を追加", nil, route.RouteBugfix, route.ByKeyword, true, "atdd-bugfix"},
	} {
		s := route.Suggest(c.text, c.labels, everything)
		if s.Route != c.route || s.RouteBy != c.by || s.Ask != c.ask || s.Workflow != c.workflow {
			t.Errorf("%q %q: %+v", c.text, c.labels, s)
		}
	}
}

// Seeds 3.8: labels stand in the file of an issue too, and a word that is only about
// labels is none.
func TestALabelOfTheIssueFileDecides(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text  string
		route route.Route
		by    route.By
	}{
		{"---\ntitle: login\nlabels: [type:flaky, p1]\n---\na bug\n", route.RouteFlaky, route.ByLabel},
		{"---\r\nlabels:\r\n  - p1\r\n  - \"type:bug\"\r\n---\r\na flaky test\r\n", route.RouteBugfix, route.ByLabel},
		{"\uFEFF---\nlabels: 'type: flaky'\n---\nlogin\n", route.RouteFlaky, route.ByLabel},
		{"---\ntype: flaky\n---\nlogin\n", route.RouteFlaky, route.ByLabel},
		{"# Login\n\nLabels: type:bug, p1\n\nIt is slow.\n", route.RouteBugfix, route.ByLabel},
		{"# Login\n\n**Labels:** `type:flaky`\n", route.RouteFlaky, route.ByLabel},
		{"# ログイン\n\nラベル： type:flaky\n", route.RouteFlaky, route.ByLabel},
		{"# Login\n\nLabels:\n\n- type:flaky\n", route.RouteFlaky, route.ByLabel},
		{"# Login\n\nlabels: p1\n\n- type:flaky\n", route.RouteFlaky, route.ByKeyword}, // a list of something else
		{"type: flaky\n", route.RouteFlaky, route.ByKeyword},                           // in no front matter
		{"show what has the label type:chore\n", route.RouteFull, route.ByDefault},
		{"", route.RouteFull, route.ByDefault},
	} {
		if r, by, _ := route.Of(c.text, nil); r != c.route || by != c.by {
			t.Errorf("%q: %s by %s", c.text, r, by)
		}
	}
	if r, by, _ := route.Of("labels: type:chore\n", []string{"type:bug"}); r != route.RouteBugfix || by != route.ByLabel {
		t.Errorf("%s by %s", r, by)
	}
}

// The full route is the default, and atdd is named with it.
func TestTheFullRouteNamesAtdd(t *testing.T) {
	t.Parallel()
	if s := route.Suggest("add a retry to the loader", nil, everything); s.Workflow != "converge" || !slices.Contains(s.Else, "atdd") {
		t.Errorf("%+v", s)
	}
	if s := route.Suggest("$tdd add a retry to the loader", nil, everything); s.Workflow != "atdd" || slices.Contains(s.Else, "atdd") {
		t.Errorf("%+v", s)
	}
	if s := route.Suggest("a flaky test in parse.go", nil, everything); slices.Contains(s.Else, "atdd") {
		t.Errorf("%+v", s)
	}
}

// atdd-kit, section 3.1: eligible asks once, all else is silent.
func TestExpressIsForSmallAndHarmlessTexts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"fix the typo in the title":            true,
		"update the readme":                    true,
		"bump the version":                     true,
		"update the readme across all files":   false, // large
		"update the docs of the security page": false, // risky
		"document the api in the readme":       false,
		"mend the parser":                      false,
		"just explain the readme":              false, // no work
	} {
		if s := route.Suggest(text, nil, everything); s.Express != want {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// What is unknown here is neither recommended nor named.
// Lesson A63: it recommends, and switches nothing.
func TestOnlyWhatIsThereIsRecommended(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a flaky test in parse.go", "$ralplan", "refactor the entire project by its plan in plan.md"} {
		s := route.Suggest(text, nil, []string{"converge"})
		if s.Workflow != "converge" || len(s.Else) > 0 {
			t.Errorf("%q: %+v", text, s)
		}
		if s = route.Suggest(text, nil, nil); s.Workflow != "" || s.Do != route.DoRun || len(s.Else) > 0 {
			t.Errorf("%q: %+v", text, s)
		}
	}
	for text := range map[string]bool{"$ralplan": true, "$team a.go": true, "$autopilot a.go": true, "$ralph a.go": true, "$tdd": true, "a flaky bug": true, "refactor the entire project by its plan": true} {
		s := route.Suggest(text, nil, route.Shipped())
		for _, w := range append(s.Else, s.Workflow) {
			if !slices.Contains(route.Shipped(), w) {
				t.Errorf("%q names %q", text, w)
			}
		}
	}
}
