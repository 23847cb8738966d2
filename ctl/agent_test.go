package ctl

import (
	"strings"
	"testing"
	"time"

	"autopilot/events/wire"
)

func agentView(name string) wire.AgentView {
	return wire.AgentView{
		Name: name, Origin: "shipped", Program: "/bin/" + name, Login: "key", LoginFrom: "X_API_KEY", Verified: true, VerifiedWith: "1.0",
		Permissions: "edits files", Argv: []string{name, "--add-dir", "{box}"}, Prompt: "stdin",
	}
}

func agentsReply(views ...wire.AgentView) *fakeDaemon {
	return &fakeDaemon{replies: map[string]any{"agent.list": wire.AgentsView{Agents: views}}}
}

func TestAgentsAreAskedForWithTheEnvironmentOfARun(t *testing.T) {
	t.Parallel()
	d := agentsReply(agentView("claude"))
	w := newWorld(t, d, "agent", "show", "claude")
	w.Environ = append(w.Environ, "CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=x", "CLAUDE_CONFIG_DIR=/c", "SECRET=x")
	code(t, w, 0)
	want := `{"workspace":"` + w.Dir + `","env":["CLAUDE_CONFIG_DIR=/c","HOME=/home/u","LANG=en_US.UTF-8","PATH=/bin","TERM=xterm"],"name":"claude"}`
	if got := sorted(t, d.body(t, wire.AgentList.Spec)); got != sorted(t, want) {
		t.Errorf("asked %s, want %s", got, want)
	}
	contains(t, "stdout", w.out.String(), "claude --add-dir '{box}'", "key, by X_API_KEY", "is the folder of the iteration")
}

func TestAgentCheckExitsWithWhatItFound(t *testing.T) {
	t.Parallel()
	bad, absent, own := agentView("claude"), agentView("codex"), agentView("mine")
	bad.Problems = []string{"claude has no login: log in"}
	absent.Program, absent.Problems = "", []string{"command not found: install it"}
	own.Program, own.Problems, own.Origin = "", absent.Problems, "project"
	for name, c := range map[string]struct {
		args  []string
		views []wire.AgentView
		want  int
		says  string
	}{
		"all is well":             {nil, []wire.AgentView{agentView("claude"), absent}, 0, "claude  ok"},
		"a problem":               {nil, []wire.AgentView{bad, agentView("codex")}, 1, "claude has no login: log in"},
		"none is here":            {nil, []wire.AgentView{absent}, 1, "no agent is installed"},
		"an own one is not here":  {nil, []wire.AgentView{agentView("claude"), own}, 1, "install it"},
		"that one is not here":    {[]string{"codex"}, []wire.AgentView{absent}, 1, "codex  not found"},
		"that one is here":        {[]string{"codex"}, []wire.AgentView{agentView("codex")}, 0, "codex  ok"},
		"the daemon says nothing": {[]string{"codex"}, nil, 4, "knows no agent"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := agentsReply(c.views...)
			w := newWorld(t, d, append([]string{"agent", "check"}, c.args...)...)
			code(t, w, c.want)
			contains(t, "output", w.out.String()+w.err.String(), c.says)
			contains(t, "request", d.body(t, wire.AgentList.Spec), `"check":true`)
		})
	}
}

func TestAgentsAreListedAndAnUntrustedFileIsSaid(t *testing.T) {
	t.Parallel()
	full := agentView("claude")
	full.Full = true
	d := &fakeDaemon{replies: map[string]any{"agent.list": wire.AgentsView{Agents: []wire.AgentView{full}, Untrusted: "/p/c.yaml"}}}
	w := newWorld(t, d, "agent", "ls")
	code(t, w, 0)
	contains(t, "stdout", w.out.String(), "permissions full", "shipped  1.0")
	contains(t, "stderr", w.err.String(), "/p/c.yaml is not trusted")
	w = newWorld(t, d, "agent", "ls", "--json")
	code(t, w, 0)
	contains(t, "stdout", w.out.String(), `"schema":"autopilot.agents"`, `"untrusted":"/p/c.yaml"`)
	if w.err.String() != "" {
		t.Errorf("stderr %q", w.err.String())
	}
}

func TestAgentNamesAreCompletedWithoutStartingADaemon(t *testing.T) {
	t.Parallel()
	absent := agentView("codex")
	absent.Program = ""
	for _, args := range [][]string{{"agent", "show", ""}, {"agent", "check", ""}, {"run", "--agent", ""}} {
		w := newWorld(t, agentsReply(agentView("claude"), absent), append([]string{"__complete"}, args...)...)
		code(t, w, 0)
		contains(t, "completion of "+strings.Join(args, " "), w.out.String(), "claude\t/bin/claude\n", "codex\tnot found\n", ":36\n")
		if len(w.starts) != 1 || w.starts[0] {
			t.Errorf("starts %v", w.starts)
		}
		w = newWorld(t, nil, append([]string{"__complete"}, args...)...)
		code(t, w, 0)
	}
}

func TestARunNamesItsAgent(t *testing.T) {
	t.Parallel()
	v := liveView()
	v.Agent, v.Permissions = "claude (opus)", "full"
	d := &fakeDaemon{replies: map[string]any{"run.start": v}}
	w := newWorld(t, d, "run", "-d", "x", "--no-config", "--gate", "t=make", "--agent", "claude", "--model", "opus", "--permissions", "full")
	code(t, w, 0)
	contains(t, "request", d.body(t, wire.RunStart.Spec), `"agent":{"profile":"claude","model":"opus","permissions":"full"}`)
	contains(t, "stderr", w.err.String(), "note: permissions are full: claude (opus) may do anything unasked\n")
}

func TestASampleIsSentWithWhatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	reset, cost := time.Date(2001, 9, 9, 1, 46, 40, 0, time.UTC), int64(12500)
	d := &fakeDaemon{replies: map[string]any{
		"agent.classify": wire.OutcomeView{
			Agent: "claude", Outcome: "rate-limited", Signal: "stream", Reason: "status 429", Reset: &reset, Lines: 3, Junk: 1,
			Conflicts: []wire.SignalView{{Signal: "exit", Outcome: "ended", Reason: "exit 0"}}, Last: "a\nb\x1b[2J",
			Usage: &wire.UsageView{Input: 10}, MicroUSD: &cost,
		},
		"blob.put": wire.BlobReply{Ref: "stored"},
	}}
	w := newWorld(t, d, "agent", "classify", "--exit", "0", "--agent", "claude")
	w.In = strings.NewReader("sample")
	code(t, w, 0)
	if got, want := sorted(t, d.body(t, wire.AgentClassify.Spec)), sorted(t, `{"agent":"claude","exit":0,"sample":"c2FtcGxl"}`); got != want {
		t.Errorf("asked %s, want %s", got, want)
	}
	contains(t, "stdout", w.out.String(), "rate-limited\n", "stream: status 429", "exit: exit 0, so ended", "which has passed",
		"10 in, 0 read from cache", "$0.0125 as reported", "3 lines, 1 not of the stream", "said     b\n")
}
