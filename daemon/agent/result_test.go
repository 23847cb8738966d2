package agent_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/agent"
	"autopilot/events"
	"autopilot/events/wire"
)

func TestResultIsRead(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]agent.Result{
		`{"v":1,"claim":"progress","summary":"did it","question":null}`: {Claim: events.ClaimProgress, Summary: "did it"},
		`{"v":1,"claim":"done"}`: {Claim: events.ClaimDone},
		` {"claim":"blocked","v":1,"question":" which one?\n"} ` + "\n":                                                {Claim: events.ClaimBlocked, Ask: wire.Ask{Question: "which one?"}},
		`{"v":1,"claim":"done","summary":"日本\r\n\tok","more":{"deep":[1,{}]}}`:                                         {Claim: events.ClaimDone, Summary: "日本\n\tok"},
		`{"v":1,"claim":"done","summary":"\u001b[31mred\u001b[0m \u001b]0;title\u0007\u001b(B\u009b2Jx\u202ey\u0000"}`: {Claim: events.ClaimDone, Summary: "red xy"},
		`{"v":1,"claim":"done","session":null,"red":null}`:                                                             {Claim: events.ClaimDone},
		`{"v":1,"claim":"done","session":` + wire.SessionReportForm + `,"red":[{"commit":"c"}]}`: {
			Claim: events.ClaimDone, Session: events.SessionReport{V: 1, Complete: 3, Planned: 3, Completed: 3}, Red: `[{"commit":"c"}]`,
		},
		`{"v":1,"claim":"done","session":[],"summary":"kept"}`: {
			Claim: events.ClaimDone, Summary: "kept", BadSession: badSession(`[]`),
		},
		`{"v":1,"claim":"progress","question":"which?","options":["\u001b[1mthis\u001b[0m","that"],"recommended":2,"reason":" it is small\u0007"}`: {
			Claim: events.ClaimProgress, Ask: wire.Ask{Question: "which?", Options: []string{"this", "that"}, Recommended: 2, Reason: "it is small"},
		},
		`{"v":1,"claim":"blocked","reason":"no key","question":null,"options":null,"recommended":null}`: {Claim: events.ClaimBlocked, Ask: wire.Ask{Reason: "no key"}},
		`{"v":1,"claim":"done","recommended":"none"}`:                                                   {Claim: events.ClaimDone},
		`{"v":1,"claim":"done","question":"\u001b[2J \u0007"}`:                                          {Claim: events.ClaimDone},
	} {
		if got, err := agent.ParseResult([]byte(src)); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", src, got, err, want)
		}
	}
}

func badSession(src string) string {
	_, err := wire.ReadSessionReport([]byte(src))
	return err.Message
}

func TestBadResultsAreNoResult(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ src, want string }{
		"empty":             {"", ""},
		"cut off":           {`{"v":1,"claim":"done"`, ""},
		"prose":             {"all done!", ""},
		"two objects":       {`{"v":1,"claim":"done"} {}`, ""},
		"a list":            {`[]`, ""},
		"name given twice":  {`{"v":1,"claim":"done","claim":"blocked"}`, "duplicate"},
		"unknown twice":     {`{"v":1,"claim":"done","x":1,"x":2}`, "duplicate"},
		"other case":        {`{"V":1,"Claim":"done"}`, "v is absent, want 1"},
		"no v":              {`{"claim":"done"}`, "v is absent, want 1"},
		"later v":           {`{"v":2,"claim":"done"}`, "v is 2, want 1"},
		"v as text":         {`{"v":"1","claim":"done"}`, `v is "1", want 1`},
		"v as fraction":     {`{"v":1.0,"claim":"done"}`, "v is 1.0, want 1"},
		"huge v":            {`{"v":` + strings.Repeat("9", 5000) + `,"claim":"done"}`, "..."},
		"no claim":          {`{"v":1}`, "there is no claim"},
		"null claim":        {`{"v":1,"claim":null}`, "there is no claim"},
		"other claim":       {`{"v":1,"claim":"finished"}`, `claim is "finished", want progress`},
		"number as claim":   {`{"v":1,"claim":1}`, ""},
		"null summary":      {`{"v":1,"claim":"done","summary":null}`, "summary is null, want a text"},
		"list as summary":   {`{"v":1,"claim":"done","summary":["a"]}`, "want a text"},
		"number as quest.":  {`{"v":1,"claim":"done","question":1}`, ""},
		"invalid UTF-8":     {"{\"v\":1,\"claim\":\"done\",\"summary\":\"\xff\"}", "UTF-8"},
		"lone surrogate":    {`{"v":1,"claim":"done","summary":"\ud83d"}`, "surrogate"},
		"too long":          {`{"v":1,"claim":"done","summary":"` + strings.Repeat("x", agent.MaxResult) + `"}`, "at most 65536 are read"},
		"very deep":         {`{"v":1,"claim":"done","x":` + strings.Repeat("[", 60000), ""},
		"byte order mark":   {"\uFEFF" + `{"v":1,"claim":"done"}`, ""},
		"control character": {"{\"v\":1,\"claim\":\"done\",\"summary\":\"a\x00\"}", ""},
	} {
		if got, err := agent.ParseResult([]byte(tt.src)); !errors.Is(err, agent.ErrResult) || !strings.Contains(err.Error(), tt.want) || !cmp.Equal(got, agent.Result{}) {
			t.Errorf("%s: got %+v, %v; want %q", name, got, err, tt.want)
		} else if len(err.Error()) > 300 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
	}
}

// What cannot be put to a person does not take the rest of the result with it.
func TestAQuestionThatIsNoneIsToldAndTheRestIsKept(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", wire.MaxAnswer)
	for name, tt := range map[string]struct{ members, says string }{
		"options without a question":     {`"options":["a","b"],"recommended":1,"reason":"r"`, "the question is empty"},
		"no option":                      {`"question":"q","options":[],"recommended":1`, "has no options"},
		"one option":                     {`"question":"q","options":["a"],"recommended":1,"reason":"r"`, "not 1"},
		"five options":                   {`"question":"q","options":["a","b","c","d","e"],"recommended":1,"reason":"r"`, "not 5"},
		"an option that is empty":        {`"question":"q","options":["a"," "],"recommended":1,"reason":"r"`, "one line of text"},
		"an option that only steers":     {`"question":"q","options":["a","\u001b[2J"],"recommended":1,"reason":"r"`, "one line of text"},
		"two that are the same":          {`"question":"q","options":["a","A "],"recommended":1,"reason":"r"`, "the same"},
		"none recommended":               {`"question":"q","options":["a","b"],"reason":"r"`, "none of the 2 options"},
		"recommended 0":                  {`"question":"q","options":["a","b"],"recommended":0,"reason":"r"`, "none of the 2 options"},
		"recommended beyond":             {`"question":"q","options":["a","b"],"recommended":3,"reason":"r"`, "none of the 2 options"},
		"recommended as a letter":        {`"question":"q","options":["a","b"],"recommended":"B","reason":"r"`, `recommended is "B", and has to be the number`},
		"recommended as a fraction":      {`"question":"q","options":["a","b"],"recommended":1.5,"reason":"r"`, "recommended is 1.5"},
		"without a reason":               {`"question":"q","options":["a","b"],"recommended":1`, "without a reason"},
		"options that are no list":       {`"question":"q","options":"a or b"`, `options is "a or b", and has to be a list of texts`},
		"options that are no texts":      {`"question":"q","options":[1,2],"recommended":1,"reason":"r"`, "options is [1,2]"},
		"options that are objects":       {`"question":"q","options":[{"label":"a"},{"label":"b"}]`, `options is [{"label":"a"},{"label":"b"}], and has`},
		"a reason that is none":          {`"question":"q","reason":["r"]`, "reason is"},
		"more than a person can read":    {`"question":"` + huge + `"`, "the limit is 16384"},
		"an option that nobody can read": {`"question":"q","options":["a","` + huge + `"],"recommended":1,"reason":"r"`, "the limit is 16384"},
	} {
		got, err := agent.ParseResult([]byte(`{"v":1,"claim":"progress","summary":"did it",` + tt.members + `}`))
		if err != nil || got.Claim != events.ClaimProgress || got.Summary != "did it" || !strings.Contains(got.Bad, tt.says) || len(got.Bad) > 300 || got.Asked == "" || len(got.Asked) > 3<<10 {
			t.Errorf("%s: %+v, %v; want %q", name, got.Bad, err, tt.says)
		}
	}
	form, err := agent.ParseResult([]byte(wire.AskForm))
	if err != nil || form.Bad != "" || form.Asked != "" || len(form.Ask.Options) != 2 || form.Ask.Recommended != 1 {
		t.Errorf("the form that agents are told: %+v %v", form, err)
	}
}

func FuzzParseResult(f *testing.F) {
	f.Add([]byte(`{"v":1,"claim":"progress","summary":"","question":null}`))
	f.Add([]byte(`{"v":1,"claim":"blocked","question":"\u001b]8;;x\u0007 ?"}`))
	f.Add([]byte(`{"v":1,"claim":"done","x":[{}]}`))
	f.Add([]byte(`{"v":1,"claim":"done","question":"q","options":["a","b"],"recommended":2,"reason":"r"}`))
	f.Fuzz(func(t *testing.T, src []byte) {
		got, err := agent.ParseResult(src)
		if err != nil {
			if !errors.Is(err, agent.ErrResult) {
				t.Fatal(err)
			}
			return
		}
		for _, s := range append(got.Ask.Options, got.Summary, got.Ask.Question, got.Ask.Reason) {
			if !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }) {
				t.Fatalf("%q can steer a terminal", s)
			}
		}
	})
}
