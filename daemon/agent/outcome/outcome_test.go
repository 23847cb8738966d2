package outcome_test

import (
	"fmt"
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

		"copilot ends":              {stream.Copilot, sample(t, "ok.copilot"), 0, "", outcome.Ended, outcome.FromStream, ""},
		"copilot, no login":         {stream.Copilot, sample(t, "login.copilot"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"pi ends":                   {stream.Pi, sample(t, "ok.pi"), 0, "", outcome.Ended, outcome.FromStream, ""},
		"pi, no login with exit 0":  {stream.Pi, sample(t, "login.pi"), 0, "", outcome.AuthFailed, outcome.FromStream, "exit"},
		"cline ends":                {stream.Cline, sample(t, "ok.cline"), 0, "", outcome.Ended, outcome.FromStream, ""},
		"cline, no login":           {stream.Cline, sample(t, "login.cline"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"qwen ends":                 {stream.Qwen, sample(t, "ok.qwen"), 0, "", outcome.Ended, outcome.FromStream, ""},
		"qwen, no login":            {stream.Qwen, sample(t, "login.qwen"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"droid ends":                {stream.Droid, sample(t, "ok.droid"), 0, "", outcome.Ended, outcome.FromStream, ""},
		"amp ends":                  {stream.Amp, sample(t, "ok.amp"), 0, "", outcome.Ended, outcome.FromStream, ""},
		"amp, no login":             {stream.Amp, []string{"No API key found. Starting login flow..."}, 1, "", outcome.AuthFailed, outcome.FromText, ""},
		"auggie, no login":          {stream.Auggie, []string{"❌ No auth provided. Please log in with `auggie login` or set the AUGMENT_SESSION_AUTH environment variable."}, 1, "", outcome.AuthFailed, outcome.FromText, ""},
		"cn, no login":              {stream.Text, []string{`{"status":"error","message":"{\"type\": \"error\", \"error\": {\"type\": \"authentication_error\", \"message\": \"no key\"}}"}`}, 1, "", outcome.AuthFailed, outcome.FromText, ""},
		"claude, no login":          {stream.Claude, sample(t, "login.claude"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"claude, status 429":        {stream.Claude, sample(t, "rejected.claude"), 1, "", outcome.RateLimited, outcome.FromStream, ""},
		"claude, status 529":        {stream.Claude, sample(t, "overloaded.claude"), 1, "", outcome.Overloaded, outcome.FromStream, ""},
		"claude, no credit":         {stream.Claude, sample(t, "billing.claude"), 1, "", outcome.Billing, outcome.FromStream, ""},
		"claude, prompt too long":   {stream.Claude, sample(t, "long.claude"), 1, "", outcome.ContextOverflow, outcome.FromStream, ""},
		"claude, answer cut":        {stream.Claude, sample(t, "malformed.claude"), 1, "", outcome.Unreachable, outcome.FromStream, ""},
		"claude, connection lost":   {stream.Claude, sample(t, "cut.claude"), 1, "", outcome.Unreachable, outcome.FromStream, ""},
		"claude, limit of a plan":   {stream.Claude, sample(t, "limit.claude"), 1, events.Exited, outcome.RateLimited, outcome.FromStream, ""},
		"gemini, connection lost":   {stream.Gemini, sample(t, "cut.gemini"), 1, events.Exited, outcome.Unreachable, outcome.FromStream, ""},
		"gemini, quota of the day":  {stream.Gemini, sample(t, "quota.gemini"), 173, events.Exited, outcome.RateLimited, outcome.FromStream, ""},
		"opencode waits at a limit": {stream.Opencode, sample(t, "limit.opencode"), -1, events.IdleTimeout, outcome.RateLimited, outcome.FromStream, "supervisor"},
		"opencode tries for ever":   {stream.Opencode, sample(t, "overloaded.opencode"), -1, events.WallTimeout, outcome.Overloaded, outcome.FromStream, "supervisor"},
		"opencode is cut for ever":  {stream.Opencode, sample(t, "cut.opencode"), -1, events.WallTimeout, outcome.Unreachable, outcome.FromStream, "supervisor"},
		"opencode begins again":     {stream.Opencode, sample(t, "again.opencode"), -1, events.WallTimeout, outcome.Unreachable, outcome.FromStream, "supervisor"},
		"opencode, stopped then":    {stream.Opencode, sample(t, "overloaded.opencode"), -1, events.Stopped, outcome.Stopped, outcome.FromSupervisor, ""},
		"opencode went on":          {stream.Opencode, sample(t, "passed.opencode"), 0, events.Exited, outcome.Ended, outcome.FromStream, ""},
		"claude tries at its end":   {stream.Claude, []string{initLine, workLine, `{"type":"system","subtype":"api_retry","attempt":3,"max_retries":10,"error_status":529,"error":"overloaded"}`}, -1, events.IdleTimeout, outcome.Overloaded, outcome.FromStream, "supervisor"},
		"claude tried, went on":     {stream.Claude, []string{initLine, `{"type":"system","subtype":"api_retry","attempt":3,"max_retries":10,"error_status":529,"error":"overloaded"}`, workLine}, -1, events.IdleTimeout, outcome.IdleTimeout, outcome.FromSupervisor, ""},
		"codex warns, and is idle":  {stream.Codex, []string{turnLine, `{"type":"item.completed","item":{"id":"item_0","type":"error","message":"Model metadata not found."}}`}, -1, events.IdleTimeout, outcome.IdleTimeout, outcome.FromSupervisor, ""},
		"codex, no login":           {stream.Codex, sample(t, "login.codex"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"codex, status 429":         {stream.Codex, sample(t, "rejected.codex"), 1, "", outcome.RateLimited, outcome.FromStream, ""},
		"codex, usage limit":        {stream.Codex, sample(t, "limit.codex"), 1, "", outcome.RateLimited, outcome.FromStream, ""},
		"codex, no quota":           {stream.Codex, sample(t, "quota.codex"), 1, "", outcome.Billing, outcome.FromStream, ""},
		"codex, status 503":         {stream.Codex, sample(t, "overloaded.codex"), 1, "", outcome.Overloaded, outcome.FromStream, ""},
		"codex, prompt too long":    {stream.Codex, sample(t, "long.codex"), 1, "", outcome.ContextOverflow, outcome.FromStream, ""},
		"codex, answer cut":         {stream.Codex, sample(t, "cut.codex"), 1, "", outcome.Unreachable, outcome.FromStream, ""},
		"codex failed with exit 0":  {stream.Codex, sample(t, "failed.codex"), 0, "", outcome.RateLimited, outcome.FromStream, "exit"},
		"codex reconnects":          {stream.Codex, []string{turnLine, `{"type":"error","message":"Reconnecting... 1/5"}`, `{"type":"item.completed","item":{"id":"1","type":"agent_message","text":"ok"}}`, `{"type":"turn.completed","usage":{"output_tokens":1}}`}, 0, "", outcome.Ended, outcome.FromStream, ""},
		"codex reconnects, is cut":  {stream.Codex, []string{turnLine, `{"type":"error","message":"Reconnecting... 1/5"}`}, 0, "", outcome.TruncatedStream, outcome.FromStream, "exit"},
		"codex unauthorized":        {stream.Codex, failedTurn("unexpected status 401 Unauthorized"), 1, "", outcome.AuthFailed, outcome.FromStream, ""},
		"codex disconnected":        {stream.Codex, failedTurn("stream disconnected before completion: x"), 1, "", outcome.Unreachable, outcome.FromStream, ""},
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
		"claude, prompt limit":      {stream.Claude, sample(t, "blocking.claude"), 1, "", outcome.ContextOverflow, outcome.FromStream, ""},
		"claude repeats a tool":     {stream.Claude, sample(t, "spam.claude"), -1, events.Stopped, outcome.Stopped, outcome.FromSupervisor, ""},
		"claude, near its limit":    {stream.Claude, []string{initLine, `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","rateLimitType":"five_hour","utilization":1}}`, workLine, resultLine}, 0, "", outcome.Ended, outcome.FromStream, ""},
		"claude, task pending":      {stream.Claude, []string{initLine, workLine, `{"type":"system","subtype":"task_started","task_id":"t1"}`, resultLine}, 0, "", outcome.Ended, outcome.FromStream, ""},
		"claude aborts a tool":      {stream.Claude, []string{initLine, `{"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"}`}, 143, events.Exited, outcome.KilledExternal, outcome.FromExit, ""},
		"claude, schema failed":     {stream.Claude, []string{initLine, `{"type":"result","subtype":"error_max_structured_output_retries","is_error":true}`}, 1, "", outcome.AgentError, outcome.FromStream, ""},
		"claude, no credit by word": {stream.Claude, []string{`{"type":"assistant","error":"billing_error","message":{"content":[]}}`}, 1, "", outcome.Billing, outcome.FromStream, ""},
		"claude, limit by word":     {stream.Claude, []string{`{"type":"assistant","error":"rate_limit","message":{"content":[]}}`}, 1, "", outcome.RateLimited, outcome.FromStream, ""},
		"claude, server by word":    {stream.Claude, []string{`{"type":"assistant","error":"server_error","message":{"content":[]}}`}, 1, "", outcome.Overloaded, outcome.FromStream, ""},
		"opencode ends, one denied": {stream.Opencode, []string{`{"type":"step_start"}`, `{"type":"tool_use","part":{"tool":"edit","callID":"a","state":{"status":"completed","input":{"x":"1"}}}}`, `{"type":"tool_use","part":{"tool":"bash","callID":"b","state":{"status":"error"}}}`, `{"type":"done","reason":"idle","rejected":["bash"]}`}, 0, "", outcome.Ended, outcome.FromStream, ""},
		"opencode, all denied":      {stream.Opencode, sample(t, "rejected.opencode"), 0, "", outcome.NeedsPermission, outcome.FromStream, "exit"},
		"opencode says nothing":     {stream.Opencode, nil, 0, events.Exited, outcome.EmptyResult, outcome.FromExit, ""},
		"gemini loops":              {stream.Gemini, []string{`{"type":"init"}`, `{"type":"error","severity":"warning","message":"Loop detected, stopping execution"}`, `{"type":"result","status":"success","stats":{"input_tokens":5,"output_tokens":1}}`}, 0, "", outcome.Ended, outcome.FromStream, ""},
		"cursor ends":               {stream.Cursor, sample(t, "ok.cursor-agent"), 0, events.Exited, outcome.Ended, outcome.FromStream, ""},
		"cursor, limit":             {stream.Cursor, sample(t, "nojson.cursor-agent"), 1, events.Exited, outcome.RateLimited, outcome.FromText, ""},
		"cursor, no login":          {stream.Cursor, []string{"Error: Authentication required. Please run 'agent login' first"}, 1, events.Exited, outcome.AuthFailed, outcome.FromText, ""},
		"cursor fails unexplained":  {stream.Cursor, []string{`{"type":"system","subtype":"init","session_id":"c"}`, "something new"}, 1, events.Exited, outcome.AgentError, outcome.FromExit, ""},
		"cursor ends early":         {stream.Cursor, []string{`{"type":"system","subtype":"init","session_id":"c"}`}, 0, events.Exited, outcome.TruncatedStream, outcome.FromStream, "exit"},
		"cursor says that it erred": {stream.Cursor, []string{`{"type":"result","subtype":"success","is_error":true,"result":"no"}`}, 0, events.Exited, outcome.AgentError, outcome.FromStream, "exit"},
		"goose ends":                {stream.Goose, sample(t, "ok.goose"), 0, events.Exited, outcome.Ended, outcome.FromStream, ""},
		"goose, limit":              {stream.Goose, sample(t, "failed.goose"), 0, events.Exited, outcome.RateLimited, outcome.FromStream, "exit"},
		"goose fails somehow":       {stream.Goose, []string{`{"type":"error","error":"it broke"}`}, 1, events.Exited, outcome.AgentError, outcome.FromStream, ""},
		"goose, no login":           {stream.Goose, []string{`{"type":"error","error":{"message":"Authentication error: 401"}}`}, 0, events.Exited, outcome.AuthFailed, outcome.FromStream, "exit"},
		"goose is cut":              {stream.Goose, []string{`{"type":"message","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"I"}]}}`}, 0, events.Exited, outcome.TruncatedStream, outcome.FromStream, "exit"},
		"goose asks":                {stream.Goose, []string{`{"type":"message","message":{"id":"m","role":"assistant","content":[{"type":"toolConfirmationRequest","id":"q"}]}}`, `{"type":"complete"}`}, 0, events.Exited, outcome.NeedsHuman, outcome.FromStream, "exit"},
		"aider ends":                {stream.Aider, sample(t, "ok.aider"), 0, events.Exited, outcome.Ended, outcome.FromExit, ""},
		"aider, limit with exit 0":  {stream.Aider, sample(t, "limit.aider"), 0, events.Exited, outcome.RateLimited, outcome.FromText, "exit"},
		"aider, no login":           {stream.Aider, []string{"Aider v0.86.1", "litellm.AuthenticationError: wrong key"}, 1, events.Exited, outcome.AuthFailed, outcome.FromText, ""},
		"aider writes about limits": {stream.Aider, []string{"The API provider has rate limited you.", "Tokens: 6k sent, 9 received."}, 0, events.Exited, outcome.Ended, outcome.FromExit, ""},
		"a command asks":            {stream.Text, []string{"x", `::autopilot {"v":1,"type":"need_human","question":"Which?"}`}, 0, events.Exited, outcome.NeedsHuman, outcome.FromStream, "exit"},
		"a command claims":          {stream.Text, []string{`::autopilot {"v":1,"type":"claim_done"}`}, 0, events.Exited, outcome.Ended, outcome.FromExit, ""},
		"a command worked":          {stream.Text, []string{`::autopilot {"v":1,"type":"usage","input_tokens":5}`, "Rate limit exceeded"}, 0, events.Exited, outcome.Ended, outcome.FromExit, ""},
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

// Without a network no agent has nothing to do, and no provider too much.
func TestNoNetworkIsToldApart(t *testing.T) {
	t.Parallel()
	claude := func(text string) []string {
		return []string{
			fmt.Sprintf(`{"type":"assistant","error":"server_error","message":{"content":[{"type":"text","text":%q}]}}`, text),
			fmt.Sprintf(`{"type":"result","subtype":"success","is_error":true,"result":%q,"total_cost_usd":0}`, text),
		}
	}
	opencode := func(status int, text string) []string {
		return []string{fmt.Sprintf(`{"type":"error","error":{"name":"APIError","data":{"message":%q,"statusCode":%d}}}`, text, status)}
	}
	for name, c := range map[string]struct {
		format stream.Format
		lines  []string
		exit   int
		want   outcome.Outcome
	}{
		"claude":                    {stream.Claude, claude("API Error: Unable to connect to API (ConnectionRefused)"), 1, outcome.Unreachable},
		"claude, a name":            {stream.Claude, claude("API Error: getaddrinfo ENOTFOUND api.anthropic.com"), 1, outcome.Unreachable},
		"claude, TLS":               {stream.Claude, claude("API Error: Unable to connect to API: Self-signed certificate detected"), 1, outcome.Unreachable},
		"claude, a captive portal":  {stream.Claude, claude("API Error: Unexpected token '<', \"<!DOCTYPE \"... is not valid JSON"), 1, outcome.Unreachable},
		"claude, overloaded":        {stream.Claude, claude("API Error: 529 Overloaded"), 1, outcome.Overloaded},
		"codex":                     {stream.Codex, failedTurn("stream disconnected before completion: error sending request for url (https://x/v1)"), 1, outcome.Unreachable},
		"codex, a gateway":          {stream.Codex, failedTurn("unexpected status 502 Bad Gateway: x"), 1, outcome.Unreachable},
		"codex, load":               {stream.Codex, failedTurn("unexpected status 503 Service Unavailable"), 1, outcome.Overloaded},
		"gemini":                    {stream.Gemini, []string{`{"type":"init"}`, `{"type":"result","status":"error","error":{"type":"Error","message":"[API Error: exception TypeError: fetch failed sending request]"}}`}, 1, outcome.Unreachable},
		"gemini that only retries":  {stream.Gemini, []string{"Attempt 1 failed. Retrying with backoff... TypeError: fetch failed", `{"type":"result","status":"success"}`}, 0, outcome.Unreachable},
		"gemini in words":           {stream.Gemini, []string{"Error when talking to Gemini API Full report available at: /tmp/x TypeError: fetch failed sending request"}, 1, outcome.Unreachable},
		"opencode":                  {stream.Opencode, opencode(0, "Unable to connect. Is the computer able to access the url?"), 1, outcome.Unreachable},
		"opencode, a gateway":       {stream.Opencode, opencode(504, "Gateway Timeout"), 1, outcome.Unreachable},
		"opencode, no upstream":     {stream.Opencode, opencode(503, "no healthy upstream"), 1, outcome.Unreachable},
		"opencode, a portal":        {stream.Opencode, opencode(511, "log in"), 1, outcome.Unreachable},
		"aider":                     {stream.Aider, []string{"litellm.InternalServerError: InternalServerError: OpenAIException - Connection error."}, 0, outcome.Unreachable},
		"goose":                     {stream.Goose, []string{`{"type":"error","error":"Request failed: error sending request for url (https://x)"}`}, 1, outcome.Unreachable},
		"cursor":                    {stream.Cursor, []string{"ConnectError: [unavailable] getaddrinfo ENOTFOUND api2.cursor.sh"}, 1, outcome.Unreachable},
		"any command":               {stream.Text, []string{"curl: (6) Could not resolve host: api.example.com"}, 6, outcome.Unreachable},
		"a database of the work":    {stream.Text, []string{"Error: connect ECONNREFUSED 127.0.0.1:5432", "1 test failed"}, 1, outcome.AgentError},
		"a quota to pay for":        {stream.Opencode, opencode(429, "You exceeded your current quota, please check your plan and billing details."), 1, outcome.Billing},
		"a quota of a word":         {stream.Codex, failedTurn("error: insufficient_quota"), 1, outcome.Billing},
		"a quota of a month":        {stream.Opencode, opencode(403, "Key limit exceeded (monthly limit). Usage limit reached, resets on 2026-09-01"), 1, outcome.RateLimited},
		"a quota in other words":    {stream.Opencode, opencode(0, "You have exceeded your monthly included credits for Inference Providers."), 1, outcome.RateLimited},
		"an organisation's quota":   {stream.Claude, claude("Your organization has reached its monthly usage limit"), 1, outcome.RateLimited},
		"an API's quota of a month": {stream.Claude, claude("API Error: 400 You have reached your specified API usage limits. You will regain access on 2026-09-01 at 00:00 UTC."), 1, outcome.RateLimited},
	} {
		if d := outcome.Decide(outcome.Input{Exit: c.exit, Stream: summary(c.format, c.lines...), Now: now}); d.Outcome != c.want {
			t.Errorf("%s: %s by %+v, want %s", name, d.Outcome, d.By, c.want)
		}
	}
	retries := summary(stream.Claude, `{"type":"system","subtype":"api_retry","attempt":9,"max_retries":10,"error_status":null,"error":"unknown"}`)
	if d := outcome.Decide(outcome.Input{Supervisor: events.Stopped, Cut: events.CutTrying, Exit: -1, Stream: retries, Now: now}); d.Outcome != outcome.Unreachable {
		t.Errorf("claude that tries for ever: %+v", d)
	}
}

// Field reports, B-24 and B-26: a limit in words is one whatever the exit code is.
func TestALimitIsReadInAllItsWordings(t *testing.T) {
	t.Parallel()
	for text, reset := range map[string]string{
		"You've hit your limit · resets 5pm (Europe/Vilnius)":                                "2026-08-21T14:00:00Z",
		"You've hit your session limit · resets 3:50pm (Asia/Tokyo)":                         "2026-08-22T06:50:00Z",
		"You've hit your weekly limit · resets Oct 9, 5pm (UTC)":                             "2026-10-09T17:00:00Z",
		"You’ve reached your Opus limit · resets 9am (America/Los_Angeles)":                  "2026-08-21T16:00:00Z",
		"You're out of extra usage · resets 9pm":                                             "2026-08-21T21:00:00Z",
		"Claude AI usage limit reached|1790000000":                                           "2026-09-21T14:13:20Z",
		"Claude usage limit reached. Your limit will reset at 2pm (America/New_York).":       "2026-08-21T18:00:00Z",
		"5-hour limit reached ∙ resets 3am (Australia/Sydney)":                               "2026-08-21T17:00:00Z",
		"API Error: Rate limit reached":                                                      "",
		"You've hit your usage limit. Try again at 5:12 PM.":                                 "2026-08-21T17:12:00Z",
		"You've hit your usage limit. Upgrade to Pro, or try again in 3 days 4 hours.":       "2026-08-24T14:00:00Z",
		"exceeded retry limit, last status: 429 Too Many Requests":                           "",
		"[API Error: You exceeded your current quota. Please retry in 34.5s. (Status: 429)]": "2026-08-21T10:00:34Z",
		"Usage limit reached for this month. Your limit resets on December 1.":               "2026-12-01T00:00:00Z",
		"You've reached your monthly limit. It resets on 2026-09-01.":                        "2026-09-01T00:00:00Z",
		"You've hit your usage limit. Your limits will reset on 9/15/2026.":                  "2026-09-15T00:00:00Z",
		"API usage limits reached. You will regain access on 2026-09-01 at 00:30 UTC.":       "2026-09-01T00:30:00Z",
		"Monthly quota exceeded. It resets next month.":                                      "2026-09-01T00:00:00Z",
		"Weekly quota exceeded, resets in 3 days":                                            "2026-08-24T10:00:00Z",
		"You have exhausted your capacity on this model. Your quota will reset after 2h3m.":  "2026-08-21T12:03:00Z",
		"Too Many Requests: try again in 90 seconds":                                         "2026-08-21T10:01:30Z",
	} {
		for _, exit := range []int{0, 1} {
			d := outcome.Decide(outcome.Input{Exit: exit, Stream: summary(stream.Text, text), Now: now, Zone: time.UTC})
			got := ""
			if !d.Reset.IsZero() {
				got = d.Reset.Truncate(time.Second).Format(time.RFC3339)
			}
			if d.Outcome != outcome.RateLimited || got != reset {
				t.Errorf("%q, exit %d: %s until %q, want %q", text, exit, d.Outcome, got, reset)
			}
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
	if got, _ := at(stream.Gemini, sample(t, "quota.gemini")...); !got.Equal(now.Add(10783 * time.Second)) {
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
		"Try again at 17:12":                                     "2026-08-21T15:12:00Z",
		"resets 9:05 (UTC)":                                      "2026-08-22T09:05:00Z",
		"resets 5pm UTC":                                         "2026-08-21T17:00:00Z",
		"resets at 5:12 PM PDT.":                                 "2026-08-22T00:12:00Z",
		"resets 2am (ET)":                                        "2026-08-22T06:00:00Z",
		"resets 5pm AND then goes on":                            "2026-08-21T15:00:00Z",
		"resets tomorrow at 3am":                                 "2026-08-22T01:00:00Z",
		"resets today at 5pm":                                    "2026-08-21T15:00:00Z",
		"resets Monday at 9am (UTC)":                             "2026-08-24T09:00:00Z",
		"resets Fri 9am (UTC)":                                   "2026-08-28T09:00:00Z",
		"Your limit resets at 2026-08-22T01:02:03Z":              "2026-08-22T01:02:03Z",
		"retry after 2026-08-22T01:02:03+02:00":                  "2026-08-21T23:02:03Z",
		"resets today at 5am":                                    "2026-08-21T03:00:00Z", // it has passed
		"resets Aug 20, 5pm (UTC)":                               "2026-08-20T17:00:00Z",
		"Try again at Oct 9th, 2036 5:12 PM.":                    "",
		"limit reached|1700000000":                               "2023-11-14T22:13:20Z",
		"try again in 500 days":                                  "",
		"resets 5pm (PQR)":                                       "",
		"resets 24:00":                                           "",
		"2026-08-22T01:02:03Z ERROR it says no more":             "",
		"resets 17pm":                                            "",
		"resets Feb 30, 5pm":                                     "",
		"resets soon":                                            "",
		"Rate limit reached":                                     "",
		"try again in 999999999999999999999999999999 days":       "",
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

// The clock goes back at 03:00 EEST in Vilnius, at 02:00 EDT in New York, and
// forward at 02:00 EST there.
func TestAClockThatChangesIsReadAsItIsMeant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, now, want string }{
		{"resets 1:30am (America/New_York)", "2026-11-01T04:00:00Z", "2026-11-01T05:30:00Z"}, // the first of two
		{"resets 1:30am (America/New_York)", "2026-11-01T05:35:00Z", "2026-11-01T05:30:00Z"}, // it was just now
		{"resets 1:30am (America/New_York)", "2026-11-01T06:00:00Z", "2026-11-01T06:30:00Z"}, // the second
		{"resets 1:30am (America/New_York)", "2026-11-01T07:00:00Z", "2026-11-02T06:30:00Z"}, // tomorrow's
		{"resets 3:30am (Europe/Vilnius)", "2026-10-25T00:45:00Z", "2026-10-25T01:30:00Z"},
		{"resets 5am (America/New_York)", "2026-03-08T03:00:00Z", "2026-03-08T09:00:00Z"}, // a day of 23 hours
		{"resets 5pm (America/New_York)", "2026-03-07T22:30:00Z", "2026-03-08T21:00:00Z"},
		{"resets 11pm (Pacific/Auckland)", "2026-08-21T12:00:00Z", "2026-08-22T11:00:00Z"}, // its date is another
		{"resets 1:45am (Australia/Lord_Howe)", "2026-04-04T14:30:00Z", "2026-04-04T14:45:00Z"},
		{"resets 1:45am (Australia/Lord_Howe)", "2026-04-04T15:00:00Z", "2026-04-04T15:15:00Z"},
		{"resets Jan 2, 5pm (UTC)", "2026-12-31T23:00:00Z", "2027-01-02T17:00:00Z"},
	} {
		now, err := time.Parse(time.RFC3339, c.now)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := outcome.ResetIn(c.text, now, time.UTC)
		if s := got.Format(time.RFC3339); !ok || s != c.want {
			t.Errorf("%q at %s: %s, want %s", c.text, c.now, s, c.want)
		}
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
			Stream: summary(rapid.SampledFrom(stream.Formats()).Draw(r, "format"), lines...),
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
