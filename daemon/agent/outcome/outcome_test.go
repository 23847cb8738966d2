package outcome_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"autopilot/daemon/agent/outcome"
	"autopilot/daemon/agent/stream"
	"autopilot/events"
)

var now = time.Date(2026, 8, 21, 10, 0, 0, 0, time.UTC)

func summary(f stream.Format, lines ...string) stream.Summary {
	r := stream.New(f, nil)
	_, _ = r.Write([]byte(strings.Join(lines, "\n")))
	return r.End()
}

func sample(t *testing.T, name string) []string {
	t.Helper()
	b, err := os.ReadFile("../stream/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return []string{string(b)}
}

const (
	initLine   = `{"type":"system","subtype":"init","session_id":"s","model":"m"}`
	workLine   = `{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"The rate limiting has a race."},{"type":"tool_use","id":"t","name":"Bash","input":{"command":"make"}}],"usage":{"input_tokens":9,"output_tokens":9}}}`
	resultLine = `{"type":"result","subtype":"success","is_error":false,"result":"Rate limit reached is what the docs say.","usage":{"input_tokens":9,"output_tokens":9}}`
	turnLine   = `{"type":"turn.started"}`
)

func failedTurn(message string) []string {
	return []string{turnLine, `{"type":"turn.failed","error":{"message":"` + message + `"}}`}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	is := func(status, result string) string {
		return `{"type":"result","subtype":"success","is_error":true,"result":"` + result + `","api_error_status":` + status + `,"usage":{"input_tokens":0,"output_tokens":0}}`
	}
	for name, c := range map[string]struct {
		format    stream.Format
		lines     []string
		exit      int
		saw       events.Outcome
		want      outcome.Outcome
		by        outcome.Source
		conflicts string // sources
	}{
		"claude ends":              {stream.Claude, sample(t, "ok.claude"), 0, events.Exited, outcome.Ended, outcome.FromStream, ""},
		"codex ends":               {stream.Codex, sample(t, "ok.codex"), 0, "", outcome.Ended, outcome.FromStream, ""},
		"gemini ends":              {stream.Gemini, sample(t, "ok.gemini"), 0, "", outcome.Ended, outcome.FromStream, ""},
		"opencode ends":            {stream.Opencode, sample(t, "ok.opencode"), 0, "", outcome.Ended, outcome.FromStream, ""},
		"a command ends":           {stream.Text, []string{"worked"}, 0, events.Exited, outcome.Ended, outcome.FromExit, ""},
		"limit with exit 0":        {stream.Claude, sample(t, "ratelimit.claude"), 0, events.Exited, outcome.RateLimited, outcome.FromStream, "exit"},
		"limit with exit 1":        {stream.Claude, sample(t, "ratelimit.claude"), 1, events.Exited, outcome.RateLimited, outcome.FromStream, ""},
		"limit without a status":   {stream.Claude, []string{initLine, strings.Replace(is("0", "You've hit your limit · resets 5pm (Europe/Vilnius)"), `,"api_error_status":0`, "", 1)}, 1, "", outcome.RateLimited, outcome.FromStream, ""},
		"limit as an answer":       {stream.Claude, []string{initLine, `{"type":"result","subtype":"success","is_error":false,"result":"You've hit your limit · resets 5pm (Europe/Vilnius)","usage":{"input_tokens":0,"output_tokens":0}}`}, 0, "", outcome.RateLimited, outcome.FromText, "stream exit"},
		"limit rejected, then cut": {stream.Claude, sample(t, "ratelimit.claude")[:1:1], 0, events.IdleTimeout, outcome.RateLimited, outcome.FromStream, "supervisor"},
		"an answer about limits":   {stream.Claude, []string{initLine, workLine, resultLine}, 0, "", outcome.Ended, outcome.FromStream, ""},
		"turns":                    {stream.Claude, sample(t, "turns.claude"), 1, "", outcome.MaxTurns, outcome.FromStream, ""},
		"budget":                   {stream.Claude, []string{`{"type":"result","subtype":"error_max_budget_usd","is_error":true,"usage":{}}`}, 1, "", outcome.Budget, outcome.FromStream, ""},
		"during execution":         {stream.Claude, []string{`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["it broke"]}`}, 1, "", outcome.AgentError, outcome.FromStream, ""},
		"auth by status":           {stream.Claude, []string{initLine, is("401", "Please run /login")}, 0, "", outcome.AuthFailed, outcome.FromStream, "exit"},
		"auth by word":             {stream.Claude, []string{`{"type":"assistant","error":"authentication_failed","message":{"content":[]}}`}, 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"auth on stderr":           {stream.Claude, []string{"Invalid API key · Please run /login"}, 1, "", outcome.AuthFailed, outcome.FromText, ""},
		"overloaded":               {stream.Claude, []string{is("529", "API Error: Overloaded")}, 1, "", outcome.Overloaded, outcome.FromStream, ""},
		"billing":                  {stream.Claude, []string{is("400", "Credit balance is too low")}, 1, "", outcome.Billing, outcome.FromStream, ""},
		"billing as 429":           {stream.Claude, []string{is("429", "Credit balance is too low")}, 1, "", outcome.Billing, outcome.FromStream, ""},
		"context":                  {stream.Claude, []string{is("400", "Prompt is too long")}, 1, "", outcome.ContextOverflow, outcome.FromStream, ""},
		"cut":                      {stream.Claude, []string{initLine, workLine, resultLine[:60]}, 0, "", outcome.TruncatedStream, outcome.FromStream, "exit"},
		"cut, killed":              {stream.Claude, []string{initLine, workLine}, -1, events.Signaled, outcome.KilledExternal, outcome.FromSupervisor, ""},
		"stalled":                  {stream.Claude, []string{initLine, workLine}, -1, events.IdleTimeout, outcome.IdleTimeout, outcome.FromSupervisor, ""},
		"too long":                 {stream.Claude, []string{initLine, workLine}, -1, events.WallTimeout, outcome.WallTimeout, outcome.FromSupervisor, ""},
		"lingers":                  {stream.Claude, []string{initLine, workLine, resultLine}, -1, events.IdleTimeout, outcome.Ended, outcome.FromStream, "supervisor"},
		"stopped after its result": {stream.Claude, []string{initLine, workLine, resultLine}, -1, events.Stopped, outcome.Stopped, outcome.FromSupervisor, ""},
		"lost":                     {stream.Claude, []string{initLine}, -1, events.Lost, outcome.Interrupted, outcome.FromSupervisor, ""},
		"not started":              {stream.Claude, nil, -1, events.SpawnFailed, outcome.SpawnFailed, outcome.FromSupervisor, ""},
		"ends with exit 1":         {stream.Claude, []string{initLine, workLine, resultLine}, 1, events.Exited, outcome.Ended, outcome.FromStream, "exit"},
		"all refused":              {stream.Claude, []string{initLine, `{"type":"result","subtype":"success","is_error":false,"result":"I may not.","permission_denials":[{"tool_name":"Bash"}],"usage":{"output_tokens":3}}`}, 0, "", outcome.NeedsPermission, outcome.FromStream, "exit"},
		"empty":                    {stream.Claude, nil, 0, events.Exited, outcome.EmptyResult, outcome.FromExit, ""},
		"empty, any command":       {stream.Text, nil, 0, events.Exited, outcome.EmptyResult, outcome.FromExit, ""},
		"an empty answer":          {stream.Gemini, []string{`{"type":"result","status":"success"}`}, 0, "", outcome.EmptyResult, outcome.FromStream, "exit"},

		"claude, no login":          {stream.Claude, sample(t, "login.claude"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"claude, status 429":        {stream.Claude, sample(t, "rejected.claude"), 1, "", outcome.RateLimited, outcome.FromStream, ""},
		"claude, status 529":        {stream.Claude, sample(t, "overloaded.claude"), 1, "", outcome.Overloaded, outcome.FromStream, ""},
		"claude, no credit":         {stream.Claude, sample(t, "billing.claude"), 1, "", outcome.Billing, outcome.FromStream, ""},
		"claude, prompt too long":   {stream.Claude, sample(t, "long.claude"), 1, "", outcome.ContextOverflow, outcome.FromStream, ""},
		"claude, answer cut":        {stream.Claude, sample(t, "malformed.claude"), 1, "", outcome.AgentError, outcome.FromStream, ""},
		"codex, no login":           {stream.Codex, sample(t, "login.codex"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"codex, status 429":         {stream.Codex, sample(t, "rejected.codex"), 1, "", outcome.RateLimited, outcome.FromStream, ""},
		"codex, usage limit":        {stream.Codex, sample(t, "limit.codex"), 1, "", outcome.RateLimited, outcome.FromStream, ""},
		"codex, no quota":           {stream.Codex, sample(t, "quota.codex"), 1, "", outcome.Billing, outcome.FromStream, ""},
		"codex, status 503":         {stream.Codex, sample(t, "overloaded.codex"), 1, "", outcome.Overloaded, outcome.FromStream, ""},
		"codex, prompt too long":    {stream.Codex, sample(t, "long.codex"), 1, "", outcome.ContextOverflow, outcome.FromStream, ""},
		"codex, answer cut":         {stream.Codex, sample(t, "cut.codex"), 1, "", outcome.TruncatedStream, outcome.FromStream, ""},
		"codex failed with exit 0":  {stream.Codex, sample(t, "failed.codex"), 0, "", outcome.RateLimited, outcome.FromStream, "exit"},
		"codex reconnects":          {stream.Codex, []string{turnLine, `{"type":"error","message":"Reconnecting... 1/5"}`, `{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"ok"}}`, `{"type":"turn.completed","usage":{"output_tokens":1}}`}, 0, "", outcome.Ended, outcome.FromStream, ""},
		"codex reconnects, is cut":  {stream.Codex, []string{turnLine, `{"type":"error","message":"Reconnecting... 1/5"}`}, 0, "", outcome.TruncatedStream, outcome.FromStream, "exit"},
		"codex unauthorized":        {stream.Codex, failedTurn("unexpected status 401 Unauthorized"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"codex disconnected":        {stream.Codex, failedTurn("stream disconnected before completion: x"), 1, "", outcome.TruncatedStream, outcome.FromStream, ""},
		"codex fails somehow":       {stream.Codex, failedTurn("something new"), 1, "", outcome.AgentError, outcome.FromStream, ""},
		"codex asks":                {stream.Codex, []string{turnLine, `{"type":"request_user_input"}`}, 0, "", outcome.NeedsHuman, outcome.FromStream, "exit"},
		"gemini turns":              {stream.Gemini, sample(t, "failed.gemini"), 53, "", outcome.MaxTurns, outcome.FromStream, ""},
		"gemini turns by exit":      {stream.Gemini, []string{`{"type":"init"}`}, 53, "", outcome.MaxTurns, outcome.FromExit, ""},
		"gemini auth":               {stream.Gemini, []string{"Please set an Auth method in your settings"}, 41, "", outcome.AuthFailed, outcome.FromExit, ""},
		"gemini untrusted":          {stream.Gemini, nil, 55, "", outcome.NeedsPermission, outcome.FromExit, ""},
		"gemini 429 forty times":    {stream.Gemini, slices.Repeat([]string{"Attempt 1 failed with status 429. Retrying with backoff... GaxiosError: no capacity"}, 40), 0, "", outcome.RateLimited, outcome.FromText, "exit"},
		"gemini 429, empty answer":  {stream.Gemini, append(slices.Repeat([]string{"Attempt 1 failed with status 429. Retrying with backoff..."}, 40), `{"type":"result","status":"success"}`), 0, "", outcome.RateLimited, outcome.FromText, "exit"},
		"gemini works after 429":    {stream.Gemini, append([]string{"Attempt 1 failed with status 429. Retrying with backoff..."}, sample(t, "ok.gemini")...), 0, "", outcome.Ended, outcome.FromStream, ""},
		"opencode has no login":     {stream.Opencode, sample(t, "failed.opencode"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"opencode, status 401":      {stream.Opencode, sample(t, "login.opencode"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"opencode, too long":        {stream.Opencode, sample(t, "long.opencode"), 1, "", outcome.ContextOverflow, outcome.FromStream, ""},
		"opencode was refused":      {stream.Opencode, []string{`{"type":"step_start","sessionID":"s"}`, `{"type":"done","sessionID":"s","reason":"idle","rejected":["external_directory"]}`}, 0, "", outcome.NeedsPermission, outcome.FromStream, "exit"},
		"opencode wants a tool":     {stream.Opencode, []string{`{"type":"step_start"}`, `{"type":"step_finish","part":{"id":"a","reason":"tool-calls","tokens":{"output":3}}}`}, 0, "", outcome.TruncatedStream, outcome.FromStream, "exit"},
		"limit in text, exit 0":     {stream.Text, sample(t, "limit.text"), 0, "", outcome.RateLimited, outcome.FromText, "exit"},
		"limit in text, exit 1":     {stream.Text, sample(t, "limit.text"), 1, "", outcome.RateLimited, outcome.FromText, ""},
		"docs of limits":            {stream.Text, append(slices.Repeat([]string{"a line"}, 9), "Rate limit exceeded"), 0, "", outcome.Ended, outcome.FromExit, ""},
		"a review of limits":        {stream.Text, []string{"rate limiting has a race"}, 0, "", outcome.Ended, outcome.FromExit, ""},
		"a failure in many words":   {stream.Text, []string{"it says: rate limit exceeded is shown"}, 1, "", outcome.AgentError, outcome.FromExit, ""},
		"terminated from outside":   {stream.Text, []string{"x"}, 143, events.Exited, outcome.KilledExternal, outcome.FromExit, ""},
		"not a command":             {stream.Text, []string{"sh: agent: not found"}, 127, events.Exited, outcome.AgentError, outcome.FromExit, ""},
		"nothing is known":          {stream.Text, nil, -1, events.Exited, outcome.AgentError, outcome.FromExit, ""},
		"an unknown exit":           {stream.Text, []string{"worked"}, -1, "", outcome.Ended, outcome.FromExit, ""},
		"nothing, an unknown exit":  {stream.Text, nil, -1, "", outcome.EmptyResult, outcome.FromExit, ""},
		"says that all is done":     {stream.Text, []string{"project complete", "DONE"}, 0, "", outcome.Ended, outcome.FromExit, ""},
		"a giant cut line":          {stream.Claude, []string{initLine, `{"type":"user","message":{"content":"` + strings.Repeat("x", 5<<20)}, 0, "", outcome.TruncatedStream, outcome.FromStream, "exit"},
		"no newline after a result": {stream.Claude, []string{initLine, workLine, resultLine + "   "}, 0, "", outcome.Ended, outcome.FromStream, ""},
	} {
		d := outcome.Decide(outcome.Input{Supervisor: c.saw, Exit: c.exit, Stream: summary(c.format, c.lines...), Now: now})
		var conflicts []string
		for _, s := range d.Conflicts {
			conflicts = append(conflicts, string(s.Source))
		}
		if d.Outcome != c.want || d.By.Source != c.by || strings.Join(conflicts, " ") != c.conflicts {
			t.Errorf("%s: %s by %+v, conflicts %q (%+v); want %s by %s, %q", name, d.Outcome, d.By, conflicts, d.Conflicts, c.want, c.by, c.conflicts)
		}
	}
}

func TestAnOutOfMemoryKillIsTold(t *testing.T) {
	t.Parallel()
	for _, saw := range []events.Outcome{events.Signaled, events.Exited} {
		d := outcome.Decide(outcome.Input{Supervisor: saw, OutOfMemory: true, Exit: -1, Stream: summary(stream.Claude, initLine), Now: now})
		if d.Outcome != outcome.OutOfMemory {
			t.Errorf("%s: %+v", saw, d)
		}
	}
}

func TestALimitHasTheResetOfTheProvider(t *testing.T) {
	t.Parallel()
	at := func(f stream.Format, lines ...string) (time.Time, outcome.Source) {
		d := outcome.Decide(outcome.Input{Exit: 1, Stream: summary(f, lines...), Now: now, Zone: time.FixedZone("", 2*3600)})
		if d.Outcome != outcome.RateLimited {
			t.Errorf("%q: %+v", lines, d)
		}
		return d.Reset, d.ResetFrom
	}
	if got, from := at(stream.Claude, sample(t, "ratelimit.claude")...); got.Unix() != 1790000000 || from != outcome.FromStream {
		t.Errorf("%v from %s", got, from)
	}
	if got, from := at(stream.Codex, sample(t, "failed.codex")...); !got.Equal(time.Date(2026, 8, 21, 15, 12, 0, 0, time.UTC)) || from != outcome.FromText {
		t.Errorf("%v from %s", got, from)
	}
	if got, _ := at(stream.Codex, sample(t, "limit.codex")...); !got.Equal(time.Date(2026, 11, 29, 22, 53, 0, 0, time.UTC)) {
		t.Errorf("%v", got)
	}
	if got, _ := at(stream.Text, sample(t, "limit.text")...); !got.Equal(time.Date(2026, 8, 21, 14, 0, 0, 0, time.UTC)) {
		t.Errorf("%v", got)
	}
	if got, from := at(stream.Text, "API Error: Rate limit reached"); !got.IsZero() || from != "" {
		t.Errorf("%v from %q", got, from)
	}
}

func TestResetTimes(t *testing.T) {
	t.Parallel()
	here := time.FixedZone("here", 2*3600)
	for text, want := range map[string]string{ // now is 2026-08-21 10:00 UTC, 12:00 here
		"You've hit your limit · resets 5pm (Europe/Vilnius)":        "2026-08-21T14:00:00Z",
		"You've hit your session limit · resets 3:50pm (Asia/Tokyo)": "2026-08-22T06:50:00Z",
		"You're out of extra usage · resets 9pm":                     "2026-08-21T19:00:00Z",
		"resets 11am":       "2026-08-22T09:00:00Z",
		"resets 11:55am":    "2026-08-21T09:55:00Z", // just now
		"resets 12am (UTC)": "2026-08-22T00:00:00Z",
		"resets 12pm (UTC)": "2026-08-21T12:00:00Z",
		"Claude AI usage limit reached|1790000000":               "2026-09-21T14:13:20Z",
		"You've hit your weekly limit · resets Oct 9, 5pm (UTC)": "2026-10-09T17:00:00Z",
		"resets Jan 2 at 5pm (UTC)":                              "2027-01-02T17:00:00Z",
		"Your limit will reset at 2pm (America/New_York).":       "2026-08-21T18:00:00Z",
		"You've hit your usage limit. Try again at 5:12 PM.":     "2026-08-21T15:12:00Z",
		"Try again at Oct 9th, 2026 5:12 PM.":                    "2026-10-09T15:12:00Z",
		"or try again in 3 days 4 hours 5 minutes.":              "2026-08-24T14:05:00Z",
		"Please retry in 34s.":                                   "2026-08-21T10:00:34Z",
		`"retryDelay": "34s"`:                                    "2026-08-21T10:00:34Z",
		"Your quota will reset after 2h3m10s.":                   "2026-08-21T12:03:10Z",
		"5-hour limit reached ∙ resets 3am":                      "2026-08-22T01:00:00Z",
		"You've hit your limit · resets 5pm (Middle/Earth)":      "",
		"resets 17pm":        "",
		"resets Feb 30, 5pm": "",
		"resets soon":        "",
		"Rate limit reached": "",
		"try again in 999999999999999999999999999999 days": "",
	} {
		got, ok := outcome.ResetIn(text, now, here)
		if s := got.Format(time.RFC3339); ok != (want != "") || ok && s != want {
			t.Errorf("%q: %s, %v; want %s", text, s, ok, want)
		}
	}
}

// On the day on which the clocks go back, 3am is after the change.
func TestAResetIsOnTheClockOfItsZone(t *testing.T) {
	t.Parallel()
	before := time.Date(2026, 10, 24, 22, 0, 0, 0, time.UTC)
	got, _ := outcome.ResetIn("resets 5am (Europe/Vilnius)", before, time.UTC)
	if want := time.Date(2026, 10, 25, 3, 0, 0, 0, time.UTC); !got.Equal(want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestNothingThatAnAgentPrintsMakesMoreOfItThanEnded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		lines := rapid.SliceOf(rapid.SampledFrom([]string{
			initLine, workLine, resultLine, turnLine, "DONE", "::autopilot {}", `{"type":"turn.completed"}`,
			`{"type":"done","reason":"idle"}`, `{"type":"error","error":{"name":"x"}}`, "", "\x00", "You've hit your limit",
		})).Draw(r, "lines")
		d := outcome.Decide(outcome.Input{
			Supervisor: rapid.SampledFrom([]events.Outcome{"", events.Exited, events.Signaled, events.Lost, events.Stopped, events.IdleTimeout, "unheard-of"}).Draw(r, "saw"),
			Exit:       rapid.IntRange(-1, 255).Draw(r, "exit"), Now: now,
			Stream: summary(rapid.SampledFrom([]stream.Format{stream.Claude, stream.Codex, stream.Gemini, stream.Opencode, stream.Text}).Draw(r, "format"), lines...),
		})
		if !slices.Contains(outcome.All(), d.Outcome) || d.By.Outcome != d.Outcome || d.By.Detail == "" {
			r.Fatalf("%+v", d)
		}
		for _, s := range d.Conflicts {
			if s.Outcome == d.Outcome {
				r.Fatalf("agrees: %+v", d)
			}
		}
	})
}

func FuzzResetIn(f *testing.F) {
	f.Add("You've hit your limit · resets Oct 9, 5pm (Europe/Vilnius)")
	f.Add("try again in 3 days 4 hours 5 minutes")
	f.Fuzz(func(t *testing.T, s string) {
		if at, ok := outcome.ResetIn(s, now, time.UTC); ok == at.IsZero() {
			t.Fatalf("%q: %v, %v", s, at, ok)
		}
	})
}
