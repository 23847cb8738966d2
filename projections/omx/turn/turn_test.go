package turn_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/projections/omx"
	"autopilot/projections/omx/turn"
	"autopilot/projections/route"
)

func state(t interface{ Fatalf(string, ...any) }, text string) omx.Object {
	if text == "" {
		return nil
	}
	o, err := omx.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%v", err)
	}
	return o
}

func TestAStopIsHeldWhileAGateOfAutopilotIsOpen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state string
		e     turn.Event
		stop  string // empty lets it go
	}{
		"the interview":                       {`{"active":true,"current_phase":"deep-interview"}`, turn.Event{}, "autopilot_deep-interview"},
		"the plan":                            {`{"active":true,"current_phase":"ralplan"}`, turn.Event{}, "autopilot_ralplan"},
		"an alias of a phase":                 {`{"active":true,"current_phase":"replan"}`, turn.Event{}, "autopilot_ralplan"},
		"stories":                             {`{"active":true,"current_phase":"ultragoal"}`, turn.Event{}, "autopilot_ultragoal"},
		"rework":                              {`{"active":true,"current_phase":"rework"}`, turn.Event{}, "autopilot_rework"},
		"a team":                              {`{"active":true,"current_phase":"team"}`, turn.Event{}, "autopilot_team"},
		"ralph":                               {`{"active":true,"current_phase":"ralph"}`, turn.Event{}, "autopilot_ralph"},
		"the review":                          {`{"active":true,"current_phase":"code-review"}`, turn.Event{}, "autopilot_code-review"},
		"QA":                                  {`{"active":true,"current_phase":"ultraqa"}`, turn.Event{}, "autopilot_ultraqa"},
		"a phase that is none":                {`{"active":true,"current_phase":"done, really"}`, turn.Event{}, "autopilot_unknown"},
		"no phase":                            {`{"active":true}`, turn.Event{}, "autopilot_unknown"},
		"an ordinary reason":                  {`{"active":true,"current_phase":"ralplan"}`, turn.Event{Reasons: []string{"end_turn"}}, "autopilot_ralplan"},
		"no state that is its own":            {"", turn.Event{}, ""},
		"not active":                          {`{"active":false,"current_phase":"ralplan"}`, turn.Event{}, ""},
		"active as a text":                    {`{"active":"true","current_phase":"ralplan"}`, turn.Event{}, ""},
		"complete":                            {`{"active":true,"current_phase":"complete"}`, turn.Event{}, ""},
		"failed":                              {`{"active":true,"current_phase":"failed"}`, turn.Event{}, ""},
		"cancelled":                           {`{"active":true,"current_phase":"cancelled"}`, turn.Event{}, ""},
		"exhausted":                           {`{"active":true,"current_phase":"exhausted"}`, turn.Event{}, ""},
		"halted":                              {`{"active":true,"current_phase":"halted"}`, turn.Event{}, ""},
		"Q43 a question waits for a person":   {`{"active":true,"current_phase":"waiting-for-user"}`, turn.Event{}, ""},
		"Q43 blocked on the user":             {`{"active":true,"current_phase":"ralplan","run_outcome":"blocked_on_user"}`, turn.Event{}, ""},
		"Q43 a question of the host is open":  {`{"active":true,"current_phase":"ralplan","lifecycle_outcome":"askuserQuestion"}`, turn.Event{}, ""},
		"the reason cancel":                   {`{"active":true,"current_phase":"ralplan"}`, turn.Event{Reasons: []string{"user_cancelled"}}, ""},
		"the reason abort":                    {`{"active":true,"current_phase":"ralplan"}`, turn.Event{Reasons: []string{"end_turn", "aborted"}}, ""},
		"the reason context":                  {`{"active":true,"current_phase":"ralplan"}`, turn.Event{Reasons: []string{"context_window"}}, ""},
		"the reason compact":                  {`{"active":true,"current_phase":"ralplan"}`, turn.Event{Reasons: []string{"compacting"}}, ""},
		"the reason limit":                    {`{"active":true,"current_phase":"ralplan"}`, turn.Event{Reasons: []string{"rate_limit"}}, ""},
		"a permission in the last message":    {`{"active":true,"current_phase":"ultragoal"}`, turn.Event{Prompt: "May I?"}, "autopilot_ultragoal"},
		"a stop that follows on another hold": {`{"active":true,"current_phase":"ultragoal"}`, turn.Event{Again: true}, "autopilot_ultragoal"},
	} {
		a, signature, held := turn.Held(c.e, state(t, c.state))
		if held != (c.stop != "") || a.Stop != c.stop || (signature != "") != held {
			t.Errorf("%s: %+v %q", name, a, signature)
		}
		if !held {
			if a.Line() != turn.Nothing {
				t.Errorf("%s: %s", name, a.Line())
			}
			continue
		}
		// Nothing that it says answers a permission, or names a way around the gate.
		said := strings.ToLower(a.Reason + a.System)
		for _, word := range []string{"yes", "proceed", "approve it", "cancel", "skip", "clear", "active\":false"} {
			if strings.Contains(said, word) {
				t.Errorf("%s: %q is in %s", name, word, said)
			}
		}
		if a.Decision != "block" || a.Specific != nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
}

func TestAStopIsTheSameWhileNothingMoved(t *testing.T) {
	t.Parallel()
	of := func(e turn.Event, text string) string {
		_, s, _ := turn.Held(e, state(t, text))
		return s
	}
	first := of(turn.Event{Session: "s"}, `{"active":true,"current_phase":"ralplan","iteration":1,"review_cycle":0}`)
	for name, c := range map[string]struct {
		signature string
		same      bool
	}{
		"nothing moved":   {of(turn.Event{Session: "s", Again: true}, `{"active":true,"current_phase":"ralplan","iteration":1,"review_cycle":0,"x":1}`), true},
		"another phase":   {of(turn.Event{Session: "s"}, `{"active":true,"current_phase":"ultragoal","iteration":1,"review_cycle":0}`), false},
		"a return":        {of(turn.Event{Session: "s"}, `{"active":true,"current_phase":"ralplan","iteration":2,"review_cycle":1}`), false},
		"another session": {of(turn.Event{Session: "z"}, `{"active":true,"current_phase":"ralplan","iteration":1,"review_cycle":0}`), false},
		"another thread":  {of(turn.Event{Session: "s", Thread: "t"}, `{"active":true,"current_phase":"ralplan","iteration":1,"review_cycle":0}`), false},
	} {
		if (c.signature == first) != c.same {
			t.Errorf("%s: %q and %q", name, first, c.signature)
		}
	}
}

func TestAPromptIsRoutedAndNothingIsStarted(t *testing.T) {
	t.Parallel()
	const active = `{"active":true,"current_phase":"ultragoal","iteration":2}`
	for name, c := range map[string]struct {
		prompt, state string
		want          []string // empty: nothing is said
	}{
		"a token":                        {"$autopilot settle #12", "", []string{`"$autopilot" in the prompt`, "Nothing was started", "apctl run --workflow omx ", `autopilot start --task "TASK" --session s1`}},
		"the token of ralph":             {"$ralph settle #12", "", []string{"apctl run --workflow omx-ralph "}},
		"a start word of a small task":   {"autopilot: mend a.go", "", []string{"converge is enough"}},
		"too vague":                      {"build me a todo app", "", []string{"Too little is said", "ask, then plan"}},
		"an exclusion behind a word":     {"autopilot: just explain the cache", "", []string{"not for a run: answer it"}},
		"a review":                       {"$code-review", "", []string{"not for a run: review what is there"}},
		"a token while it is active":     {"$autopilot settle #12", active, []string{"active already, in phase ultragoal", "not begun anew"}},
		"keep going":                     {"keep going", active, []string{"is in phase ultragoal: go on there"}},
		"continue after its end":         {"continue", `{"active":false,"current_phase":"complete"}`, []string{"ended as complete", "not begun anew"}},
		"stop":                           {"stop", active, []string{`state write --input '{"mode":"autopilot","active":false,"current_phase":"cancelled","session_id":"s1"}'`, "What was recorded stays"}},
		"the token of a stop":            {"$cancel", active, []string{"cancelled"}},
		"continue after a cancel":        {"continue", `{"active":false,"current_phase":"cancelled","apctl":{"resume_phase":"ralplan"}}`, []string{"cancelled in phase ralplan", `"current_phase":"ralplan","session_id":"s1"`}},
		"a phase to resume that is none": {"continue", `{"active":false,"current_phase":"cancelled","apctl":{"resume_phase":"x'; rm"}}`, []string{"ended as cancelled"}},
		"continue without a state":       {"continue", "", nil},
		"stop without a state":           {"abort", "", nil},
		"stop after the end":             {"abort", `{"active":false,"current_phase":"complete"}`, nil},
		"an ordinary question":           {"what is in a.go?", "", nil},
		"an ordinary task":               {"mend the parser in a.go", active, nil},
		"a word that is quoted":          {"the title is \"autopilot\"", active, nil},
		"a word that is denied":          {"do not use $autopilot", "", nil},
		"a path":                         {"look at cmd/autopilot/main.go", "", nil},
		"a keyword that is no command":   {"add a code review page in a.go", "", nil},
	} {
		a := turn.Routed(turn.Event{Session: "s1"}, route.Suggest(c.prompt, nil, route.Shipped()), state(t, c.state))
		if a.Decision != "" || (a.Specific == nil) != (len(c.want) == 0) {
			t.Errorf("%s: %s", name, a.Line())
			continue
		}
		for _, want := range c.want {
			if a.Specific.Event != turn.Prompt || !strings.Contains(a.Specific.Context, want) {
				t.Errorf("%s: %q is not in %s", name, want, a.Line())
			}
		}
	}
}

func TestAChatThatBeginsHearsOfItsOwnAutopilot(t *testing.T) {
	t.Parallel()
	if a := turn.Begun(turn.Event{Session: "x; rm -r"}, state(t, `{"active":true,"current_phase":"ralplan"}`)); strings.Contains(a.Line(), "rm") {
		t.Errorf("a session that is no id is in a command: %s", a.Line())
	}
	for text, want := range map[string]string{
		"": "", `{"active":false,"current_phase":"ralplan"}`: "", `{"active":true,"current_phase":"complete"}`: "",
		`{"active":true,"current_phase":"ralplan","iteration":3}`: "in phase ralplan (iteration 3): it goes on there. apctl compat omx autopilot next --session s1",
		`{"active":true,"current_phase":"ralplan"}`:               "(iteration not counted)",
	} {
		a := turn.Begun(turn.Event{Session: "s1"}, state(t, text))
		if (a.Specific != nil) != (want != "") || want != "" && !strings.Contains(a.Specific.Context, want) {
			t.Errorf("%s: %s", text, a.Line())
		}
	}
}

func TestTheInputOfAHookIsReadStrictlyAndBounded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		want turn.Event
		ok   bool
	}{
		"all members": {
			`{"hook_event_name":"Stop","session_id":"s","thread_id":"t","turn_id":"u","cwd":"/w","source":"startup","prompt":"p","stop_hook_active":true,"stop_reason":"End","tool_input":{"a":[1]}}`,
			turn.Event{Name: "Stop", Session: "s", Thread: "t", Dir: "/w", Source: "startup", Prompt: "p", Again: true, Reasons: []string{"end"}},
			true,
		},
		"other names":                {`{"hookEventName":"Stop","sessionId":"s","stopHookActive":true,"exitReason":"x"}`, turn.Event{Name: "Stop", Session: "s", Again: true, Reasons: []string{"x"}}, true},
		"members of another kind":    {`{"hook_event_name":"Stop","session_id":7,"cwd":{},"prompt":[],"stop_hook_active":"true","reason":null}`, turn.Event{Name: "Stop"}, true},
		"a member twice":             {`{"hook_event_name":"Stop","prompt":"a","prompt":"b"}`, turn.Event{Name: "Stop", Prompt: "b"}, true},
		"no event":                   {`{"session_id":"s"}`, turn.Event{Session: "s"}, false},
		"an event of another kind":   {`{"hook_event_name":7}`, turn.Event{}, false},
		"a list":                     {`[]`, turn.Event{}, false},
		"null":                       {`null`, turn.Event{}, false},
		"nothing":                    {``, turn.Event{}, false},
		"cut off":                    {`{"hook_event_name":"Stop"`, turn.Event{}, false},
		"two objects":                {`{"hook_event_name":"Stop"}{}`, turn.Event{}, false},
		"more than a megabyte":       {`{"hook_event_name":"Stop","prompt":"` + strings.Repeat("x", turn.MaxInput) + `"}`, turn.Event{}, false},
		"a hundred thousand levels":  {`{"hook_event_name":"Stop","x":` + strings.Repeat("[", 100_000), turn.Event{}, false},
		"a text that is not UTF-8":   {"{\"hook_event_name\":\"Stop\",\"prompt\":\"\xff\"}", turn.Event{Name: "Stop", Prompt: "\ufffd"}, true},
		"a long prompt":              {`{"hook_event_name":"UserPromptSubmit","prompt":"$ralph ` + strings.Repeat("é", turn.MaxPrompt) + `"}`, turn.Event{Name: "UserPromptSubmit", Prompt: "$ralph " + strings.Repeat("é", (turn.MaxPrompt-7)/2)}, true},
		"an event that is not known": {`{"hook_event_name":"PreToolUse"}`, turn.Event{Name: "PreToolUse"}, true},
	} {
		got, ok := turn.Read([]byte(c.text))
		if diff := cmp.Diff(c.want, got); diff != "" || ok != c.ok {
			t.Errorf("%s: %v\n%s", name, ok, diff)
		}
	}
}

func TestEveryAnswerIsOneLineOfJSON(t *testing.T) {
	t.Parallel()
	phases := []string{"deep-interview", "ralplan", "ultragoal", "waiting-for-user", "complete", "x\n\u0000y", ""}
	rapid.Check(t, func(t *rapid.T) {
		o := omx.Object{}.Set("active", rapid.Bool().Draw(t, "active")).Set("current_phase", rapid.SampledFrom(phases).Draw(t, "phase"))
		e := turn.Event{Prompt: rapid.String().Draw(t, "prompt"), Again: rapid.Bool().Draw(t, "again"), Session: "s"}
		held, _, _ := turn.Held(e, o)
		routed := turn.Routed(e, route.Suggest(e.Prompt, nil, route.Shipped()), o)
		for _, a := range []turn.Answer{held, routed, turn.Begun(e, o)} {
			line := a.Line()
			if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "}\n") {
				t.Fatalf("%q", line)
			}
			if _, err := omx.Parse([]byte(line)); err != nil {
				t.Fatalf("%v: %q", err, line)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, seed := range []string{
		`{"hook_event_name":"Stop","session_id":"s","stop_hook_active":true,"cwd":"/w"}`, `{"hook_event_name":"UserPromptSubmit","prompt":"$autopilot x"}`,
		`{"hook_event_name":"SessionStart","source":"startup"}`, `{}`, `[`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		e, ok := turn.Read(text)
		if ok && (e.Name == "" || len(e.Prompt) > turn.MaxPrompt || len(e.Reasons) > 5) {
			t.Fatalf("%+v", e)
		}
		if len(text) < 1<<10 {
			_ = turn.Routed(e, route.Suggest(e.Prompt, nil, route.Shipped()), nil).Line()
		}
	})
}
