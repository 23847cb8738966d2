package route_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/projections/route"
)

// large is enough words for no small task, and says something concrete.
var large = " so that parse.go reads what it is given" + strings.Repeat(" and more of it", 20)

func TestSeeds414EveryStartWordIsForTheStrictLoop(t *testing.T) {
	t.Parallel()
	for _, word := range []string{
		"autopilot", "auto pilot", "autonomous", "autonomously", "build me", "create me", "make me", "full auto", "handle it all", "I want a", "I want an",
		"Autopilot", "BUILD ME",
	} {
		s := route.Suggest(word+" parser"+large, nil, everything)
		if s.Do != route.DoRun || s.Workflow != "omx" || len(s.Skills) != 1 || s.Skills[0].Name != "autopilot" || s.Skills[0].Explicit {
			t.Errorf("%q: %+v", word, s)
		}
	}
}

func TestSeeds414EachExclusionSaysWhereToGoInstead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do    route.Do
		texts []string
	}{
		"exploration": {route.DoClarify, []string{"explore how events could be stored", "brainstorm names for it", "not sure whether to cache it", "compare approaches to paging", "ideas for a title page"}},
		"explain, draft or suggest only": {route.DoAnswer, []string{
			"just explain the cache", "explain how the cache works", "draft only: a note", "only a draft of the note", "suggest a name", "what would you suggest", "why does it fail", "autopilot: just explain the cache",
		}},
		"a single focused edit": {route.DoEdit, []string{"fix the typo in a.go", "rename foo to bar", "add a comment to parse.go", "bump the version", "change this line"}},
		"review only":           {route.DoReview, []string{"review the change", "just review it", "please audit a.go", "review only", "$code-review", "$security-review of a.go"}},
	} {
		for _, text := range c.texts {
			s := route.Suggest(text, nil, everything)
			if v := s.View(); s.Do != c.do || s.Workflow != "" || v.Instead == "" || v.Instead != c.do.Instead() {
				t.Errorf("%s: %q: %+v", name, text, v)
			}
		}
	}
}

func TestSeeds414WhatIsExcludedMayBeAPartOfTheTask(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"build me a page to explore src/events.go",
		"I want a command that can suggest a name, in cmd/name.go",
		"don't just explain it, settle #12",
		"not only review a.go: settle what is wrong with it",
		"rename foo to bar, then refactor the entire project", // no small task
		"$ralph review a.go and settle it",
	} {
		if s := route.Suggest(text, nil, everything); s.Do != route.DoRun {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// The contract and the present release have the same words; more than the word is a task.
func TestOnlyAWholePromptContinuesOrStops(t *testing.T) {
	t.Parallel()
	for text, do := range map[string]route.Do{
		"continue": route.DoContinue, "resume": route.DoContinue, "keep going": route.DoContinue, "Keep going!": route.DoContinue, " \n continue \n": route.DoContinue,
		"stop": route.DoStop, "cancel": route.DoStop, "abort": route.DoStop, "STOP.": route.DoStop, "$cancel": route.DoStop, "$cancel, and say where it stands": route.DoStop,
		"continue the list in a.md":        route.DoRun,
		"resume uploads where they ended":  route.DoRun,
		"keep going through a.go":          route.DoRun,
		"stop the leak in pool.go":         route.DoRun,
		"abort the transaction on error":   route.DoRun,
		"cancel contexts in server.go":     route.DoRun,
		"\"stop\"":                         route.DoRun,
		"`continue`":                       route.DoRun,
		"don't use $cancel in pool.go":     route.DoRun,
		"$ralph settle $cancel in pool.go": route.DoRun,
	} {
		s := route.Suggest(text, nil, everything)
		if s.Do != do || (s.View().Instead == "") != (do == route.DoRun) {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

func TestO35ExplicitTokensComeFirstAndInTheirOrder(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text     string
		want     string // names in order, explicit ones with their mark
		workflow string
	}{
		{"$ralph $autopilot in a.go", "$ralph $autopilot", "omx-ralph"},
		{"$autopilot $ralph in a.go", "$autopilot $ralph", "omx"},
		{"ralplan, then ($ultraqa), then $ralph: a.go", "$ultraqa $ralph ralplan", "omx-ralph"},
		{"$ralph and $ralph, ralph: a.go", "$ralph", "omx-ralph"},
		{"$RALPH a.go", "$ralph", "omx-ralph"},
		{"$swarm a.go", "$team", "omx"},
		{"$pipeline a.go", "$autopilot", "omx"},
		{"$ultragoal a.go", "$ultragoal", "omx"},
		{"$ralplan", "$ralplan", "omx"},
		{"$tdd a.go", "$tdd", "atdd"},
		{"$unknown $HOME a.go", "", "converge"},
		{"price$ralph, $ralphs, $ralph_x, $ralph/x, $ralph-x", "", "converge"},
		{"/prompts:critic autopilot, build me a page in a.go", "", "converge"},
		{"/prompts:autopilot a.go", "", "converge"},
		{"/prompts:critic $ralph autopilot a.go", "$ralph autopilot", "omx-ralph"},
		{"see docs/prompts:critic, autopilot a.go", "autopilot", "converge"},
	} {
		s := route.Suggest(c.text, nil, everything)
		if diff := cmp.Diff(c.want, named(s)); diff != "" || s.Workflow != c.workflow {
			t.Errorf("%q: %+v\n%s", c.text, s, diff)
		}
	}
}

func named(s route.Suggestion) string {
	var names []string
	for _, k := range s.Skills {
		if k.Explicit {
			k.Name = "$" + k.Name
		}
		names = append(names, k.Name)
	}
	return strings.Join(names, " ")
}

func TestSeeds47WordsAreSortedByPriorityLengthAndName(t *testing.T) {
	t.Parallel()
	text := "stop autopilot; security review, code review, fix build, tdd, investigate, make a plan, interview me, ultragoal, ultraqa, team mode, ralph, ulw, autopilot, ralplan"
	want := "ralplan autopilot ultrawork ralph deep-interview plan team ultragoal ultraqa analyze security-review code-review build-fix tdd cancel"
	// Of equal priority the longer goes first: interview me, make a plan, team mode and ultragoal, ultraqa.
	var got []string
	for _, k := range route.Skills(text) {
		got = append(got, k.Name)
	}
	if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
		t.Error(diff)
	}
}

func TestO34OrdinaryWordsStartNoTeam(t *testing.T) {
	t.Parallel()
	for text, team := range map[string]bool{
		"my team likes it": false, "the team page": false, "swarm theory": false, "teamwork": false, "a team of 3": true, "use a team of reviewers": true,
		"start the swarm": true, "team mode": true, "don't use a team of 3": false, "a swarm of 5": true, "the page says \"team mode\"": false, "$team": true, "$swarm": true,
	} {
		if got := strings.Contains(named(route.Suggest(text, nil, everything)), "team"); got != team {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// Seeds 4.7, word bounds; the rest is of the present release, where the contract is silent.
func TestWordsThatAreQuotedDeniedOrPartOfOthersAreInert(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][]string{
		"quoted":         {`the title is "autopilot"`, "it is called 'ralph', as ever", "“build me”, they said", "「autopilot」と書く", "> autopilot: do it\nis what they wrote", "<!-- $ralph -->"},
		"code":           {"see `$ralph`", "```\nautopilot\n```", "```\n$autopilot and no end", "~~~\nralph\n~~~"},
		"denied":         {"don't use autopilot", "do not run ralph here", "without $ralph", "no autopilot", "never build me such a thing", "not with ralph", "rather than autopilot", "don’t use ralph"},
		"a path":         {"autopilot/daemon.go loses a line", "in src/ralph/", "cmd/autopilot", "autopilot.yaml is old", `c:\ralph`},
		"a symbol":       {"ralph_x", "autopilot() is slow", "@ralph", "#autopilot", "x.ralph"},
		"another word":   {"autopilots", "ralphs", "non-autopilot", "autopilot-like", "autopilot's log"},
		"an option":      {"--ralph", "mode=autopilot", "--mode=ralph"},
		"a stop in code": {"`$cancel` is slow"},
	} {
		for _, text := range texts {
			if s := route.Suggest(text, nil, everything); len(s.Skills) > 0 || s.Do != route.DoRun {
				t.Errorf("%s: %q: %+v", name, text, s)
			}
		}
	}
	for _, text := range []string{"no tests are there; autopilot a.go", "it does not work: autopilot a.go", "don't wait. autopilot a.go", "autopilot, a.go", "(autopilot) a.go", "autopilot... a.go"} {
		if named(route.Suggest(text, nil, everything)) != "autopilot" {
			t.Errorf("%q", text)
		}
	}
}

func TestSeeds47TheSameTextFollowsTheGateInItsOrder(t *testing.T) {
	t.Parallel()
	vague := "%s make all of it better"
	for _, word := range []string{"ralph", "autopilot", "team mode", "ultrawork", "$ralph", "$autopilot", "$team", "$ultrawork", "build me"} {
		text := strings.ReplaceAll(vague, "%s", word)
		if s := route.Suggest(text, nil, everything); s.Do != route.DoPlan || s.Workflow != "omx" {
			t.Errorf("%q: %+v", text, s)
		}
		for _, passes := range []string{
			"force: " + text, "! " + text, "!" + text, text + ", with ralplan", text + " stop autopilot", text + " in a.go", text + " in src/a", text + " #12", text + " issue 12", text + "\n- one\n- two",
			text + " with `x := 1`", text + " until go test passes", text + " as a TypeError shows", text + " so that it is read", text + strings.Repeat(" word", 20),
		} {
			if s := route.Suggest(passes, nil, everything); s.Do != route.DoRun {
				t.Errorf("%q: %+v", passes, s)
			}
		}
	}
}

func TestSeeds47ASmallTaskTakesAHeavyWorkflowOnlyByItsToken(t *testing.T) {
	t.Parallel()
	for text, workflow := range map[string]string{
		"autopilot a.go": "converge", "$autopilot a.go": "omx", "ralph a.go": "converge", "$ralph a.go": "omx-ralph", "simple: autopilot" + large: "converge",
		"autopilot" + large: "omx", "ralph" + large: "omx-ralph", "team mode" + large: "omx", "$autopilot simple: a.go": "omx", "autopilot the migration of a.go": "omx",
	} {
		if s := route.Suggest(text, nil, everything); s.Workflow != workflow {
			t.Errorf("%.60q: %+v", text, s)
		}
	}
}

func TestNoTextMakesTheRouterPanicOrNameWhatIsNotThere(t *testing.T) {
	t.Parallel()
	piece := rapid.SampledFrom([]string{"autopilot", "$ralph", "`", "```", "\"", "'", ">", "\n", " ", "don't ", "stop", "explore", "/prompts:x", "$", "=", "é", "バグ", "\xff", ".", "review", "force:", "typo"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(piece).Draw(t, "text"), "")
		s := route.Suggest(text, nil, everything)
		if (s.Do == route.DoRun || s.Do == route.DoPlan) != (s.Workflow != "") || (s.View().Instead == "") != (s.Do == route.DoRun) {
			t.Fatalf("%q: %+v", text, s)
		}
	})
}
