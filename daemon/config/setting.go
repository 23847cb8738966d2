package config

import (
	"fmt"
	"slices"
	"strings"

	"autopilot/daemon/repo/land"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/when"
)

// Origin says which layer a value comes from.
type Origin string

// The origins, strongest first.
const (
	FromFlag        Origin = "flag"
	FromEnvironment Origin = "environment"
	FromProject     Origin = "project"
	FromUser        Origin = "user"
	FromDefault     Origin = "default"
)

// Setting is one thing that can be set. NAME in a key stands for a name that
// the file chooses.
type Setting struct {
	Key      string
	Default  string // as config show prints it; empty is nothing
	Help     string // one line
	Flag     string // of apctl run
	Variable string // of the caller
	Project  bool   // the project's file may set it
	User     bool   // the user's file may set it
	Restart  bool   // read when the daemon starts
	Secret   bool   // only names of it are shown
}

// Settings are all of them, in the order of the documentation.
func Settings() []Setting {
	return []Setting{
		{Key: "agent", Help: "profile that runs use", Flag: "--agent", Variable: "AUTOPILOT_AGENT", Project: true, User: true},
		{Key: "model", Help: "model of the agent, over that of its profile", Flag: "--model", Variable: "AUTOPILOT_MODEL"},
		{Key: "agents.NAME.command", Help: "command of an own profile: text for /bin/sh -c, or a list", Flag: "--agent-cmd", Project: true, User: true},
		{Key: "agents.NAME.prompt", Help: "how an own profile gets the prompt: stdin or file", Project: true, User: true},
		{Key: "agents.NAME.stream", Help: "what an own profile prints: text (the default), or the stream of a shipped one that it wraps, as claude", Project: true, User: true},
		{Key: "agents.NAME.reports", Help: "usage that an own profile reports in ::autopilot lines: tokens, cost, or both", Project: true, User: true},
		{Key: "agents.NAME.account", Help: "name of the account that it works on: agents with one name share the limits of their provider", Project: true, User: true},
		{Key: "agents.NAME.model", Help: "model of the profile", Project: true, User: true},
		{Key: "agents.NAME.permissions", Help: "full: the agent may do anything unasked", Flag: "--permissions", Project: true, User: true},
		{Key: "agents.NAME.args", Help: "further arguments of the profile", Project: true, User: true},
		{Key: "agents.NAME.env", Help: "variables that the agent gets too", Flag: "--env", Project: true, User: true, Secret: true},
		{Key: "roles.NAME", Help: "agent of a role that its workflow leaves open: a profile, or several; the next one takes over if the work does not converge", Project: true, User: true},
		{Key: "gates.NAME", Help: "a command, or {run: CMD, role: invariant}, or {artifact: [GLOB]}", Flag: "--gate, --invariant, --artifact", Project: true},
		{Key: "holdout.dir", Help: "folder of files that agents do not see, laid over the work tree for held-out gates alone; best outside of the repository", Flag: "--holdout-dir", Project: true},
		{Key: "holdout.gates.NAME", Help: "command of a held-out gate: it runs when all else passes, and the agent learns pass or fail and a count; see holdout", Flag: "--holdout", Project: true},
		{Key: "inputs.NAME", Help: "an input of workflows: text, a number or a command; apctl workflow show NAME lists those of one", Flag: "--input", Project: true},
		{Key: "land.gates.NAME", Help: "command that must pass on the merged tree before work lands on a branch, as a whole-repository suite; see landing", Project: true},
		{Key: "land.into", Help: "branches that a queue may merge into: the standing consent of the person who trusts the file; see queue", Project: true},
		{Key: "land.how", Default: string(land.Merge), Help: "how work lands on a branch: merge, rebase or squash", Project: true},
		{Key: "setup", Help: "command that prepares a clean checkout", Flag: "--setup", Project: true},
		{Key: "checkout", Default: CheckoutInPlace, Help: "where gates have to pass before done: in-place or clean", Flag: "--clean", Project: true, User: true},
		{Key: "answers", Default: AnswersPerson, Help: "who answers the gates of a run that a chat drives: person, or session, which lets that chat answer from a dialog of its own; recorded as weak", Project: true, User: true},
		{Key: "worktree", Default: "false", Help: "a run works on a branch and in a directory of its own", Flag: "--worktree", Project: true, User: true},
		{Key: "worktree_base", Default: string(wire.WorktreeHead), Help: "what its branch begins from: head, or origin, the default branch of the remote as it was last fetched", Flag: "--base", Project: true, User: true},
		{Key: "worktree_root", Help: "directory that work trees are made in, as REPOSITORY/NAME; without it beside the repository", User: true},
		{Key: "worktree_seed", Default: seedDefault(), Help: "globs of ignored files that are copied into a new work tree, instead of the default list; [] copies none", Project: true, User: true},
		{Key: "priority", Default: events.PriorityNormal.String(), Help: "priority of a waiting run: low, normal or high; high is for runs that people start", Flag: "--priority", Project: true, User: true},
		{Key: "protect", Help: "globs of files that are pinned too; flags add to it", Flag: "--protect", Project: true},
		{Key: "allow_test_changes", Help: "globs of pinned files that the agent may change", Flag: "--allow-test-changes", Project: true},
		{Key: "git.push", Default: events.GitAllow, Help: "deny: a push halts the run; allow: a push is reported; the stricter of two files counts", Flag: "--git-push", Variable: "AUTOPILOT_GIT_PUSH", Project: true, User: true},
		{Key: "git.history", Default: events.GitAny, Help: "keep: commits, branches, tags and stashes of the start must stay; any: changes are reported; the stricter of two files counts", Flag: "--git-history", Variable: "AUTOPILOT_GIT_HISTORY", Project: true, User: true},
		{Key: "sandbox", Default: string(events.SandboxGuard), Help: "what agents and gates may touch: off, guard, workspace or readonly, or {mode: MODE, allow: [PATH or WORD]}; off by default where there is none", Flag: "--sandbox", Project: true, User: true},
		{Key: "limits.iterations", Default: "10", Help: "iterations of a run at most; 50 by default with a limit in time", Flag: "--max-iterations", Variable: "AUTOPILOT_MAX_ITERATIONS", Project: true, User: true},
		{Key: "limits.for", Help: "time of activity of a run at most: 90m, 8h, 2d", Flag: "--for", Variable: "AUTOPILOT_FOR", Project: true, User: true},
		{Key: "limits.until", Help: "a run ends by this local time: \"07:00\", \"2026-01-02T07:00\"", Flag: "--until", Variable: "AUTOPILOT_UNTIL", Project: true, User: true},
		{Key: "limits.usd", Help: "what a run may cost at most, in dollars: 5, 0.50; see limits", Flag: "--max-usd", Variable: "AUTOPILOT_MAX_USD", Project: true, User: true},
		{Key: "limits.tokens", Help: "tokens of all kinds that a run may use: 200000, 1.5M", Flag: "--max-tokens", Variable: "AUTOPILOT_MAX_TOKENS", Project: true, User: true},
		{Key: "limits.turns", Help: "turns of the agent in a run, over all iterations", Flag: "--max-turns", Variable: "AUTOPILOT_MAX_TURNS", Project: true, User: true},
		{Key: keyIdle, Default: when.Text(when.DefaultIdle), Help: "an agent without output, CPU time or a changed file for this time is ended, and restarted once: 20m; off means no limit; see limits", Flag: "--idle", Variable: "AUTOPILOT_IDLE", Project: true, User: true},
		{Key: keyAttempt, Default: when.Text(when.DefaultAttempt), Help: "time limit of one agent in an iteration: 4h; off means no limit", Flag: "--iteration-timeout", Variable: "AUTOPILOT_ITERATION_TIMEOUT", Project: true, User: true},
		{Key: keyGate, Default: when.Text(when.DefaultGate), Help: "time limit of one command of a gate, which then fails: 1h", Flag: "--gate-timeout", Variable: "AUTOPILOT_GATE_TIMEOUT", Project: true, User: true},
		{Key: "limits.day.usd", Help: "what all runs of a calendar day may cost", User: true},
		{Key: "limits.day.tokens", Help: "tokens of all runs of a calendar day", User: true},
		{Key: "limits.day.turns", Help: "turns of all runs of a calendar day", User: true},
		{Key: "limits.day.hours", Help: "hours that agents may work in a calendar day, all runs added: 8, 1.5, 90m", User: true},
		{Key: "limits.project.usd", Help: "daily limits for the runs of the project alone; the lower of two files counts", Project: true, User: true},
		{Key: "limits.project.tokens", Help: "ditto", Project: true, User: true},
		{Key: "limits.project.turns", Help: "ditto", Project: true, User: true},
		{Key: "limits.project.hours", Help: "ditto", Project: true, User: true},
		{Key: "prices", Help: "dollars per million tokens, over the built-in table: {MODEL: {input: 3, cache_read: 0.3, cache_write: 3.75, output: 15}}", User: true},
		{Key: "redact.env", Help: "names of variables whose values are secret too; both files count", Project: true, User: true},
		{Key: "gate.env", Help: "variables that gates get, over all others", User: true, Secret: true},
		{Key: "resources.policy", Help: "how the machine is judged: signals, tiers, or off to look at nothing; the workflow's by default", User: true},
		{Key: "resources.agents", Help: "agents at work at once, over all runs", User: true},
		{Key: "resources.ram_per_agent", Default: DefaultRAM, Help: "memory that one more agent is expected to need; of two files the larger one counts", Project: true, User: true},
		{Key: "resources.project.agents", Help: "agents at work at once in runs of the project; of two files the lower one counts", Project: true, User: true},
		{Key: "after_reboot", Default: string(ResumeAfterReboot), Help: "what live runs do after a reboot: resume or ask", User: true},
		{Key: "notify.rules", Help: "rules for notifications, see apctl help notify", User: true, Secret: true},
		{Key: "notify.quiet", Help: "quiet time of day, without notifications: \"22:00-07:00\"", User: true},
		{Key: "notify.quiet_pass", Help: "kinds of notifications that are sent in quiet time too", User: true},
		{Key: "language", Help: "language of texts about runs: en or ja; the default is the language of the workflow", User: true},
		{Key: "bus.listen", Help: "HOST:PORT at which other NATS clients are let in; see bus", User: true, Restart: true},
		{Key: "bus.tls.cert", Help: "file of the certificate, in PEM; needed but on loopback", User: true, Restart: true},
		{Key: "bus.tls.key", Help: "file of its private key", User: true, Restart: true},
		{Key: "bus.identities.NAME.key", Help: "public key of the client, from apctl daemon key FILE", User: true, Restart: true},
		{Key: "bus.identities.NAME.may", Default: "read", Help: "rights of the client: read or operate", User: true, Restart: true},
		{Key: "team.url", Help: "NATS servers with JetStream over which claims and accounts are shared with other hosts, with commas between them; see team", User: true, Restart: true},
		{Key: "team.credentials", Help: "file of the user there: JWT and key (.creds), or the key alone", User: true, Restart: true},
		{Key: "team.ca", Help: "file of the certificate that signs theirs, where the host does not trust it", User: true, Restart: true},
		{Key: "team.replicas", Default: "3", Help: "number of servers that store shared data; 1 for a single server", User: true, Restart: true},
		{Key: "durability", Default: "power", Help: "what a stored event survives: power (a power cut) or process", User: true, Restart: true},
		{Key: "quota", Default: DefaultQuota, Help: "size of the event store at most", User: true, Restart: true},
		{Key: "idle", Default: "30m", Help: "the idle daemon ends after this time; 0s means never, the default with bus.listen", User: true, Restart: true},
	}
}

// Find is the setting that a key belongs to, as gates.test to gates.NAME.
func Find(key string) (Setting, bool) {
	for _, s := range Settings() {
		if s.covers(key) {
			return s, true
		}
	}
	return Setting{}, false
}

// covers says that a key is the setting itself, or a part of its value.
func (s Setting) covers(key string) bool {
	pattern, parts := strings.Split(s.Key, "."), strings.Split(key, ".")
	if len(parts) < len(pattern) {
		return false
	}
	for i, p := range pattern {
		if parts[i] == "" || p != "NAME" && p != parts[i] {
			return false
		}
	}
	return true
}

// explain puts a mistake of decoding into the terms of settings.
func explain(e *strictyaml.Error, dst any) *strictyaml.Error {
	_, user := dst.(*User)
	switch {
	case e.Unknown != "" && !strings.Contains(e.Unknown, "."):
		elsewhere(e, user)
	case strings.HasPrefix(e.Msg, "quota: want text, found a number"):
		e.Fix = "write it as 64MiB or 4GiB" // quotes alone would not make a size of it
	}
	return e
}

// elsewhere says it when a key belongs in the other file.
func elsewhere(e *strictyaml.Error, user bool) {
	mine := func(s Setting) bool { return user && s.User || !user && s.Project }
	here := slices.ContainsFunc(Settings(), func(s Setting) bool { return mine(s) && s.root() == e.Unknown })
	other := slices.ContainsFunc(Settings(), func(s Setting) bool { return (s.Project || s.User) && s.root() == e.Unknown })
	if here || !other {
		return
	}
	file := "user's file"
	if user {
		file = "project's file"
	}
	if strings.HasPrefix(e.Fix, "did you mean") {
		e.Fix += fmt.Sprintf(" %s belongs in the %s", e.Unknown, file)
		return
	}
	e.Msg = fmt.Sprintf("%s belongs in the %s", e.Unknown, file)
	e.Fix = "apctl config path   shows where that is"
}

// root is the first part of the key.
func (s Setting) root() string {
	root, _, _ := strings.Cut(s.Key, ".")
	return root
}
