//go:build linux

package crashtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
)

// claudeProgram speaks as claude does. It keeps an account of its own in
// $HOME/claude: in sessions what it was told to go on in, in used a line for
// each message that it told of. What it does in a turn follows it.
const claudeProgram = `#!/bin/sh
me=$HOME/claude
mkdir -p "$me"
echo "$*" >> "$me/argv"
session= how=new
while [ $# -gt 0 ]; do
	case $1 in
	--session-id) session=$2; shift ;;
	--resume) session=$2 how=resume; shift ;;
	esac
	shift
done
cat > /dev/null
echo "$AUTOPILOT_EFFECT" >> "$HOME/../starts"
echo "$AUTOPILOT_EFFECT $how $session" >> "$me/sessions"
say() { printf '%s\n' "$1"; }
say '{"type":"system","subtype":"init","session_id":"'$session'","model":"claude-test-1"}'
n=0

# message uses a tool, whose output is $1.
message() {
	n=$((n + 1))
	say '{"type":"assistant","session_id":"'$session'","message":{"id":"m'$$-$n'","role":"assistant","model":"claude-test-1","content":[{"type":"tool_use","id":"t'$n'","name":"Bash","input":{"command":"step '$n'"}}],"usage":{"input_tokens":10,"cache_read_input_tokens":3,"output_tokens":2}}}'
	say '{"type":"user","session_id":"'$session'","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t'$n'","content":"'"$1"'"}]}}'
	echo "$AUTOPILOT_EFFECT" >> "$me/used"
}

# result is the last event of a turn, with what its messages used.
result() {
	say '{"type":"result","subtype":"success","is_error":false,"result":"Done.","num_turns":'$n',"session_id":"'$session'","total_cost_usd":'$n',"usage":{"input_tokens":'$((10 * n))',"cache_read_input_tokens":'$((3 * n))',"output_tokens":'$((2 * n))'}}'
}

# limited is the end of a turn that the provider cut, until $1.
limited() {
	say '{"type":"rate_limit_event","session_id":"'$session'","rate_limit_info":{"status":"rejected","resetsAt":'$1',"rateLimitType":"five_hour","utilization":1}}'
	say '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error: Rate limit reached","num_turns":'$n',"session_id":"'$session'","total_cost_usd":'$n',"usage":{"input_tokens":'$((10 * n))',"cache_read_input_tokens":'$((3 * n))',"output_tokens":'$((2 * n))'}}'
}

`

// Of each message of claudeProgram.
const (
	messageTokens = 15
	messageUSD    = 1_000_000 // in millionths
)

// install puts a program named claude first on a PATH that is below home.
func install(t testing.TB, home, turn string) {
	t.Helper()
	dir := filepath.Join(home, "bin")
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		err = proctest.WriteProgram(filepath.Join(dir, "claude"), claudeProgram+turn)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// agentEvent is what is looked at in the events of a run that are about agents.
type agentEvent struct {
	Iteration, Attempt int
	Effect, Session    string
	Resumes, Truncated bool
	Outcome            events.Outcome
	Cut                events.Cut
	Result             events.Result
	Verdict            events.Verdict
	Usage              events.Usage
}

func eventData(t testing.TB, s stored) agentEvent {
	t.Helper()
	var e struct{ Data agentEvent }
	if err := json.Unmarshal([]byte(s.bytes), &e, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	return e.Data
}

// notes are the lines that claudeProgram wrote into one of its files.
func notes(t testing.TB, home, name string) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(home, "claude", name))
	if err != nil {
		t.Error(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// agents compares what the log tells of agents with what these noted.
func (r *round) agents(log []stored, v wire.RunView) {
	r.t.Helper()
	told, sum, spent := map[string]string{}, events.Usage{}, 0
	var last, begun agentEvent
	for _, s := range log {
		switch e := eventData(r.t, s); s.Type {
		case events.TypeIterationStarted:
			told[e.Effect] = how(e) + " " + e.Session
			if e.Resumes && e.Session != last.Session {
				r.t.Errorf("event %d resumes session %q, the one before was %q", s.Seq, e.Session, last.Session)
			}
			begun = e
		case events.TypeAgentEnded:
			r.counted(s, e)
			sum = add(sum, e.Usage)
			last = e
			if last.Session == "" {
				last.Session = begun.Session
			}
		case events.TypeIterationRecorded:
			if e.Verdict != events.Skipped {
				spent++
			}
		}
	}
	for _, line := range notes(r.t, r.path("home"), "sessions") {
		if effect, want, _ := strings.Cut(line, " "); told[effect] != want {
			r.t.Errorf("effect %s was called with %q, its event says %q", effect, want, told[effect])
		}
	}
	if spent != v.Iteration {
		r.t.Errorf("%d iterations are recorded, the status counts %d", spent, v.Iteration)
	}
	if u := v.Usage; u != nil && (u.Tokens != sum.Tokens() || u.MicroUSD != sum.MicroUSD) {
		r.t.Errorf("the status counts %+v, the log %+v", *u, sum)
	}
}

func how(e agentEvent) string {
	if e.Resumes {
		return "resume"
	}
	return "new"
}

func add(a, b events.Usage) events.Usage {
	a.Input, a.CacheRead, a.CacheWrite = a.Input+b.Input, a.CacheRead+b.CacheRead, a.CacheWrite+b.CacheWrite
	a.Output, a.MicroUSD = a.Output+b.Output, a.MicroUSD+b.MicroUSD
	return a
}

// counted proves that an agent is said to have used what it told: all of it, or,
// if it was lost, what came as far as the spool.
func (r *round) counted(s stored, e agentEvent) {
	r.t.Helper()
	told := int64(0)
	for _, effect := range notes(r.t, r.path("home"), "used") {
		if effect == e.Effect {
			told++
		}
	}
	got := e.Usage.Tokens()
	switch lost := e.Outcome == events.Lost; {
	case got%messageTokens != 0:
		r.t.Errorf("event %d: %d tokens are no whole messages", s.Seq, got)
	case !lost && got != told*messageTokens:
		r.t.Errorf("event %d: %d tokens were used, the agent told of %d", s.Seq, got, told*messageTokens)
	case lost && got > (told+1)*messageTokens: // it may end between telling and noting
		r.t.Errorf("event %d: %d tokens were used, the lost agent told of %d", s.Seq, got, told*messageTokens)
	case !lost && e.Usage.MicroUSD != told*messageUSD:
		r.t.Errorf("event %d: %d were spent, the agent told of %d", s.Seq, e.Usage.MicroUSD, told*messageUSD)
	}
}

// waits counts the waits for a limit in a log.
func waits(log []stored) (n int) {
	for _, s := range log {
		if s.Type == events.TypeLimitWaiting {
			n++
		}
	}
	return n
}

// big is a text of 300 kB in the program of an agent: two of them, and what was
// used is kept while it works.
var big = "big=$(head -c 300000 /dev/zero | tr '\\0' x)\n"

// claudePlans are runs of an agent that tells of what it does.
func claudePlans() []plan {
	return []plan{
		{
			name: "claude", check: "grep -q three work.txt",
			own: ownPoints, claude: big + `
case $AUTOPILOT_ITERATION in
1) message "$big"; message "$big"; echo one > work.txt; sleep 0.2; message "$big"; message "$big"; result ;;
2) message ok; ` + leave + `; echo two > work.txt; sleep 0.2; result ;;
*) message ok; mkdir -p new; echo new > new/file.txt; echo three > work.txt; sleep 0.2; message "$big"; message "$big"; result ;;
esac
`,
		},
		{
			name: "limit", check: "grep -q two work.txt", own: limitPoints, waits: true, claude: `
message ok
if ! [ -e "$me/limited" ]; then
	limited $(($(date +%s) + 3))
	touch "$me/limited"
	exit 1
fi
case $AUTOPILOT_ITERATION in
1) echo one > work.txt; sleep 0.1; message ok; result; ` + leave + `; exec sleep 1000 ;;
*) echo two > work.txt; sleep 0.2; result ;;
esac
`,
		},
	}
}
