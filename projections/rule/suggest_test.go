package rule_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/projections/rule"
)

var everything = []string{"converge", "omx", "omx-ralph", "atdd", "atdd-bugfix", "atdd-flaky"}

// oh-my-codex, section 4.1.4, and the words for continue and stop.
func TestATextSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		do   rule.Do
		by   rule.SuggestRule
	}{
		{"autopilot: parse.go loses the last line", rule.DoRun, rule.RuleStart},
		{"build me a parser in src/parse.go", rule.DoRun, rule.RuleStart},
		{"create me a report from data/in.csv", rule.DoRun, rule.RuleStart},
		{"make me a parser, see #12", rule.DoRun, rule.RuleStart},
		{"full auto on issue #12", rule.DoRun, rule.RuleStart},
		{"handle it all: issue 12", rule.DoRun, rule.RuleStart},
		{"I want a parser in src/parse.go", rule.DoRun, rule.RuleStart},
		{"I want an index, see docs/index.md", rule.DoRun, rule.RuleStart},
		{"make the suite pass", rule.DoRun, rule.RuleRoute},
		{"continue", rule.DoContinue, rule.RuleContinue},
		{"Please resume the run.", rule.DoContinue, rule.RuleContinue},
		{"continue numbering where the list ends", rule.DoRun, rule.RuleRoute},
		{"stop", rule.DoStop, rule.RuleStop},
		{"cancel autopilot!", rule.DoStop, rule.RuleStop},
		{"$cancel", rule.DoStop, rule.RuleToken},
		{"stop the leak in pool.go", rule.DoRun, rule.RuleRoute},
		{"explore how we could store events", rule.DoClarify, rule.RuleExclude},
		{"brainstorm names", rule.DoClarify, rule.RuleExclude},
		{"just explain the cache", rule.DoAnswer, rule.RuleExclude},
		{"draft only: a release note", rule.DoAnswer, rule.RuleExclude},
		{"what would you suggest?", rule.DoAnswer, rule.RuleExclude},
		{"how does the cache work", rule.DoAnswer, rule.RuleExclude},
		{"fix the typo in the title", rule.DoEdit, rule.RuleExclude},
		{"rename foo to bar", rule.DoEdit, rule.RuleExclude},
		{"fix a typo, then refactor the entire codebase", rule.DoRun, rule.RuleRoute},
		{"review the change", rule.DoReview, rule.RuleExclude},
		{"only review, please", rule.DoReview, rule.RuleExclude},
		{"$ralph review the change in a.go and settle it", rule.DoRun, rule.RuleToken},
	} {
		s := rule.Suggest(c.text, nil, everything)
		if s.Do != c.do || !slices.ContainsFunc(s.Because, func(r rule.SuggestReason) bool { return r.Rule == c.by }) {
			t.Errorf("%q: %+v", c.text, s)
		}
		if (s.Workflow != "") != (s.Do == rule.DoRun) {
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
		for _, s := range rule.Skills(text) {
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
	for text, do := range map[string]rule.Do{
		"autopilot make it better":                   rule.DoPlan,
		"ralph improve the thing":                    rule.DoPlan,
		"build me a todo app":                        rule.DoPlan,
		"start a team of 3 and make it nice":         rule.DoPlan,
		"force: autopilot make it better":            rule.DoRun,
		"! ralph improve the thing":                  rule.DoRun,
		"ralplan, then autopilot make it better":     rule.DoRun,
		"autopilot improve parse.go":                 rule.DoRun, // a file
		"autopilot improve src/parse":                rule.DoRun, // a path
		"autopilot improve #12":                      rule.DoRun, // an issue
		"autopilot improve function Parse":           rule.DoRun, // a symbol
		"autopilot improve parse_line":               rule.DoRun, // a symbol
		"autopilot:\n1. read it\n2. write it":        rule.DoRun, // steps
		"autopilot with acceptance criteria met":     rule.DoRun, // criteria
		"autopilot away the TypeError":               rule.DoRun, // an error
		"autopilot this ```x := 1```":                rule.DoRun, // code
		"autopilot until go test passes":             rule.DoRun, // a test command
		"make it better":                             rule.DoRun, // no word that executes
		"autopilot " + strings.Repeat("word ", 15):   rule.DoPlan,
		"autopilot " + strings.Repeat("word ", 16):   rule.DoRun,
		"see `autopilot` in the manual and index it": rule.DoRun, // a quotation executes nothing
	} {
		if s := rule.Suggest(text, nil, everything); s.Do != do {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// oh-my-codex, section 4.7: escape, large, many, small, few; in this order.
func TestTheSizeOfATask(t *testing.T) {
	t.Parallel()
	many := strings.Repeat("word ", 201)
	for text, want := range map[string]rule.Size{
		"":                                    rule.SizeSmall,
		"quick: refactor the entire codebase": rule.SizeSmall,
		"refactor it":                         rule.SizeLarge,
		"a typo across the codebase":          rule.SizeLarge,
		many:                                  rule.SizeLarge,
		"typo " + many:                        rule.SizeLarge,
		strings.Repeat("word ", 200):          rule.SizeMedium,
		strings.Repeat("word ", 51):           rule.SizeMedium,
		strings.Repeat("word ", 50):           rule.SizeSmall,
		"fix a typo " + strings.Repeat("word ", 100): rule.SizeSmall,
		"keep `refactor` as it is":                   rule.SizeSmall,
	} {
		if got, _ := rule.TaskSize(text); got != want {
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
		s := rule.Suggest(c.text, nil, c.known)
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
		route    rule.Route
		by       rule.RouteBy
		ask      bool
		workflow string
	}{
		{"a flaky test", []string{"type:bug"}, rule.RouteBugfix, rule.ByLabel, false, "atdd-bugfix"},
		{"a bug", []string{"p1", " Type:Flaky "}, rule.RouteFlaky, rule.ByLabel, false, "atdd-flaky"},
		{"the flaky bug", nil, rule.RouteFlaky, rule.ByKeyword, false, "atdd-flaky"},
		{"the test fails sometimes", nil, rule.RouteFlaky, rule.ByKeyword, false, "atdd-flaky"},
		{"a regression in parse.go", nil, rule.RouteBugfix, rule.ByKeyword, false, "atdd-bugfix"},
		{"parse.go crashes on an empty line", nil, rule.RouteBugfix, rule.ByJudgement, false, "atdd-bugfix"},
		{"add a retry where it fails", nil, rule.RouteFull, rule.ByDefault, true, "converge"},
		{"add a retry", nil, rule.RouteFull, rule.ByDefault, false, "converge"},
		{"make it so", []string{"type:chore"}, rule.RouteFull, rule.ByDefault, false, "converge"},
		{"a debugger", nil, rule.RouteFull, rule.ByDefault, false, "converge"},
		{"the login test fails at times", nil, rule.RouteFlaky, rule.ByKeyword, false, "atdd-flaky"},
		{"add a page for flaky tests", nil, rule.RouteFlaky, rule.ByKeyword, true, "atdd-flaky"},
		{"ログインのテストが時々失敗する", nil, rule.RouteFlaky, rule.ByKeyword, false, "atdd-flaky"},
		{"フレーキーテストを直す", nil, rule.RouteFlaky, rule.ByKeyword, false, "atdd-flaky"},
		{"CI でたまに落ちるテスト", nil, rule.RouteFlaky, rule.ByKeyword, false, "atdd-flaky"},
		{"検索のバグを直す", nil, rule.RouteBugfix, rule.ByKeyword, false, "atdd-bugfix"},
		{"空行で不具合が出る", nil, rule.RouteBugfix, rule.ByKeyword, false, "atdd-bugfix"},
		{"空行でクラッシュする", nil, rule.RouteBugfix, rule.ByJudgement, false, "atdd-bugfix"},
		{"失敗したときに再試行を追加する", nil, rule.RouteFull, rule.ByDefault, true, "converge"},
		{"検索を追加する", nil, rule.RouteFull, rule.ByDefault, false, "converge"},
		{"デバッグ画面", nil, rule.RouteFull, rule.ByDefault, false, "converge"},
		{"バグ報告の画面を追加", nil, rule.RouteBugfix, rule.ByKeyword, true, "atdd-bugfix"},
	} {
		s := rule.Suggest(c.text, c.labels, everything)
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
		route rule.Route
		by    rule.RouteBy
	}{
		{"---\ntitle: login\nlabels: [type:flaky, p1]\n---\na bug\n", rule.RouteFlaky, rule.ByLabel},
		{"---\r\nlabels:\r\n  - p1\r\n  - \"type:bug\"\r\n---\r\na flaky test\r\n", rule.RouteBugfix, rule.ByLabel},
		{"\uFEFF---\nlabels: 'type: flaky'\n---\nlogin\n", rule.RouteFlaky, rule.ByLabel},
		{"---\ntype: flaky\n---\nlogin\n", rule.RouteFlaky, rule.ByLabel},
		{"# Login\n\nLabels: type:bug, p1\n\nIt is slow.\n", rule.RouteBugfix, rule.ByLabel},
		{"# Login\n\n**Labels:** `type:flaky`\n", rule.RouteFlaky, rule.ByLabel},
		{"# ログイン\n\nラベル： type:flaky\n", rule.RouteFlaky, rule.ByLabel},
		{"# Login\n\nLabels:\n\n- type:flaky\n", rule.RouteFlaky, rule.ByLabel},
		{"# Login\n\nlabels: p1\n\n- type:flaky\n", rule.RouteFlaky, rule.ByKeyword}, // a list of something else
		{"type: flaky\n", rule.RouteFlaky, rule.ByKeyword},                           // in no front matter
		{"show what has the label type:chore\n", rule.RouteFull, rule.ByDefault},
		{"", rule.RouteFull, rule.ByDefault},
	} {
		if r, by, _ := rule.RouteOf(c.text, nil); r != c.route || by != c.by {
			t.Errorf("%q: %s by %s", c.text, r, by)
		}
	}
	if r, by, _ := rule.RouteOf("labels: type:chore\n", []string{"type:bug"}); r != rule.RouteBugfix || by != rule.ByLabel {
		t.Errorf("%s by %s", r, by)
	}
}

// The full route is the default, and atdd is named with it.
func TestTheFullRouteNamesAtdd(t *testing.T) {
	t.Parallel()
	if s := rule.Suggest("add a retry to the loader", nil, everything); s.Workflow != "converge" || !slices.Contains(s.Else, "atdd") {
		t.Errorf("%+v", s)
	}
	if s := rule.Suggest("$tdd add a retry to the loader", nil, everything); s.Workflow != "atdd" || slices.Contains(s.Else, "atdd") {
		t.Errorf("%+v", s)
	}
	if s := rule.Suggest("a flaky test in parse.go", nil, everything); slices.Contains(s.Else, "atdd") {
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
		if s := rule.Suggest(text, nil, everything); s.Express != want {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// What is unknown here is named, and never recommended.
// Lesson A63: it recommends, and switches nothing.
func TestOnlyWhatIsThereIsRecommended(t *testing.T) {
	t.Parallel()
	s := rule.Suggest("a flaky test in parse.go", nil, []string{"converge"})
	if s.Workflow != "converge" || !slices.Contains(s.Else, "atdd-flaky") {
		t.Errorf("%+v", s)
	}
	if s = rule.Suggest("a flaky test", nil, nil); s.Workflow != "" || s.Do != rule.DoRun {
		t.Errorf("%+v", s)
	}
}
