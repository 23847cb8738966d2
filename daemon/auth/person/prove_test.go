package person_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/auth/person"
	"autopilot/events"
)

// The processes of a host: the daemon, and a person's terminal over ssh.
const (
	pidInit   = 1
	pidDaemon = 40
	pidSSH    = 100
	pidShell  = 101
	pidApctl  = 200

	uid  = 1000
	pts3 = 136<<8 | 3
)

var here = person.Namespaces{User: "user:[1]", Mount: "mnt:[2]", PID: "pid:[3]"}

// host is a table of processes.
type host struct {
	processes map[int]person.Process
	spaces    map[int]person.Namespaces
	ends      bool // the caller is gone when it is looked at again
	looks     int
}

func (h *host) Process(pid int) (person.Process, error) {
	p, ok := h.processes[pid]
	if h.looks++; !ok || h.ends && pid == pidApctl && h.looks > 2 {
		return person.Process{}, errors.New("process is gone")
	}
	return p, nil
}

func (h *host) Namespaces(pid int) (person.Namespaces, error) {
	n, ok := h.spaces[pid]
	if !ok {
		return n, errors.New("permission denied")
	}
	return n, nil
}

// sitting is a host at which a person has typed apctl.
func sitting() *host {
	return &host{
		processes: map[int]person.Process{
			pidInit:   {PID: pidInit, Start: 1, Program: "/usr/lib/systemd/systemd", Name: "systemd"},
			pidDaemon: {PID: pidDaemon, Parent: pidInit, Group: pidDaemon, Start: 50, UID: uid, Program: "/usr/bin/autopilotd", Name: "autopilotd"},
			pidSSH:    {PID: pidSSH, Parent: pidInit, Group: pidSSH, Start: 60, Name: "sshd", Argv: []string{"sshd: me@pts/3"}},
			pidShell:  {PID: pidShell, Parent: pidSSH, Group: pidShell, Start: 61, UID: uid, TTY: pts3, Foreground: pidApctl, Program: "/bin/bash", Name: "bash", Argv: []string{"-bash"}},
			pidApctl:  {PID: pidApctl, Parent: pidShell, Group: pidApctl, Start: 70, UID: uid, TTY: pts3, Foreground: pidApctl, Program: "/usr/bin/apctl", Name: "apctl", Argv: []string{"apctl", "trust"}},
		},
		spaces: map[int]person.Namespaces{pidDaemon: here, pidApctl: here},
	}
}

// change changes one process.
func (h *host) change(pid int, f func(*person.Process)) {
	p := h.processes[pid]
	f(&p)
	h.processes[pid] = p
}

// between puts a process between the caller and its parent. The first has the
// pid 150.
func (h *host) between(p person.Process) {
	n := len(h.processes) - 5
	p.PID, p.UID, p.Start, p.TTY, p.Foreground = 150+n, uid, uint64(65+n), pts3, pidApctl
	h.change(pidApctl, func(c *person.Process) { p.Parent, c.Parent = c.Parent, p.PID })
	h.processes[p.PID] = p
}

// leave lets the process with that pid be a child of the first process, as
// after a double fork.
func (h *host) leave(pid int) {
	h.change(pid, func(p *person.Process) { p.Parent = pidInit })
}

func prove(h *host) (person.Proof, []string) {
	owner := func(int) (string, bool) { return "", false }
	p, err := person.Prove(h, person.Daemon{PID: pidDaemon, UID: uid, Owner: owner}, person.Caller{PID: pidApctl, Start: 70})
	var r *person.Refusal
	if errors.As(err, &r) {
		return p, r.Reasons
	}
	return p, nil
}

func TestAPersonAtATerminalIsProven(t *testing.T) {
	t.Parallel()
	want := person.Proof{Assurance: events.AssuredTTY, TTY: "pts/3"}
	for name, arrange := range map[string]func(*host){
		"over ssh": func(*host) {},
		"in a pane of tmux": func(h *host) {
			h.leave(pidSSH)
			h.change(pidSSH, func(p *person.Process) { p.Name, p.UID, p.Program = "tmux: server", uid, "/usr/bin/tmux" })
		},
		"in a container, whose shell has no parent in it": func(h *host) {
			h.change(pidShell, func(p *person.Process) { p.Parent = 0 })
		},
		"from an editor that shows an agent's notes": func(h *host) {
			h.between(person.Process{Program: "/usr/bin/vim", Name: "vim", Argv: []string{"vim", "claude"}})
		},
		"from a task runner of node": func(h *host) {
			h.between(person.Process{Program: "/usr/bin/node", Name: "node", Argv: []string{"node", "--inspect", "/home/me/claude/tools/run.js", "codex"}})
		},
		"from a program with a longer name": func(h *host) {
			h.between(person.Process{Program: "/opt/goosefs/bin/goosefs", Name: "goosefs"})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := sitting()
			arrange(h)
			if got, reasons := prove(h); len(reasons) > 0 || got != want {
				t.Errorf("%+v, refused as %q", got, reasons)
			}
		})
	}
}

func TestWhoIsNotAPersonAtATerminalIsRefused(t *testing.T) {
	t.Parallel()
	space := func(f func(*person.Namespaces)) func(*host) {
		return func(h *host) {
			n := here
			f(&n)
			h.spaces[pidApctl] = n
		}
	}
	for name, c := range map[string]struct {
		arrange func(*host)
		want    string
	}{
		"no terminal":             {func(h *host) { h.change(pidApctl, func(p *person.Process) { p.TTY = 0 }) }, "no terminal"},
		"in the background":       {func(h *host) { h.change(pidApctl, func(p *person.Process) { p.Foreground = pidShell }) }, "foreground"},
		"another user":            {func(h *host) { h.change(pidApctl, func(p *person.Process) { p.UID = 0 }) }, "another user"},
		"a pid that was reused":   {func(h *host) { h.change(pidApctl, func(p *person.Process) { p.Start++ }) }, "gone"},
		"a caller that has left":  {func(h *host) { delete(h.processes, pidApctl) }, "gone"},
		"one that leaves":         {func(h *host) { h.ends = true }, "has ended"},
		"another user namespace":  {space(func(n *person.Namespaces) { n.User = "user:[9]" }), "namespaces"},
		"another mount namespace": {space(func(n *person.Namespaces) { n.Mount = "mnt:[9]" }), "namespaces"},
		"another pid namespace":   {space(func(n *person.Namespaces) { n.PID = "pid:[9]" }), "namespaces"},
		"namespaces not shown":    {func(h *host) { delete(h.spaces, pidApctl) }, "namespaces"},
		"the daemon's not shown":  {func(h *host) { delete(h.spaces, pidDaemon) }, "namespaces cannot be read"},
		"a child of the daemon":   {func(h *host) { h.change(pidShell, func(p *person.Process) { p.Parent = pidDaemon }) }, "daemon"},
		"a child of another daemon": {func(h *host) {
			h.between(person.Process{Program: "/opt/autopilotd"})
		}, "daemon"},
		"under a supervisor": {func(h *host) { h.between(person.Process{Program: "/usr/bin/apshim"}) }, "daemon"},
		"marked as an effect": {func(h *host) {
			h.change(pidApctl, func(p *person.Process) { p.Effect = "01E" })
		}, "autopilot started it (01E)"},
		"an ancestor is marked":  {func(h *host) { h.between(person.Process{Effect: "01E"}) }, "autopilot started it (01E)"},
		"an ancestor is missing": {func(h *host) { delete(h.processes, pidSSH) }, "cannot be read"},
		"an ancestor's pid was reused": {func(h *host) {
			h.change(pidShell, func(p *person.Process) { p.Start = 1000 })
		}, "cannot be read"},
		"a line without an end": {func(h *host) {
			h.change(pidShell, func(p *person.Process) { p.Parent, p.Start = pidApctl, 70 })
		}, "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := sitting()
			c.arrange(h)
			got, reasons := prove(h)
			if got != (person.Proof{}) || !strings.Contains(strings.Join(reasons, "; "), c.want) {
				t.Errorf("%+v, refused as %q", got, reasons)
			}
		})
	}
}

func TestAnAgentProgramAmongTheAncestorsIsFound(t *testing.T) {
	t.Parallel()
	argv := func(words ...string) []string { return words }
	for name, c := range map[string]struct {
		p    person.Process
		want string
	}{
		"an executable":                  {person.Process{Program: "/usr/local/bin/codex"}, "codex"},
		"one that is named by version":   {person.Process{Program: "/home/me/.local/share/claude/versions/2.1.3"}, "claude"},
		"one that names itself":          {person.Process{Program: "/usr/bin/node", Name: "claude"}, "claude"},
		"one that shows only its words":  {person.Process{Argv: argv("opencode", "run")}, "opencode"},
		"a script of node":               {person.Process{Program: "/usr/bin/node", Argv: argv("node", "/usr/bin/gemini", "-p", "x")}, "gemini"},
		"with options before":            {person.Process{Program: "/usr/bin/node", Argv: argv("node", "--no-warnings", "/usr/bin/gemini.mjs")}, "gemini"},
		"a file of its package":          {person.Process{Program: "/usr/bin/node", Argv: argv("node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js")}, "claude"},
		"a script of python":             {person.Process{Program: "/usr/bin/python3.12", Argv: argv("python3.12", "/home/me/.local/bin/aider")}, "aider"},
		"a module of python":             {person.Process{Program: "/usr/bin/python3", Argv: argv("python3", "-m", "aider")}, "aider"},
		"goose":                          {person.Process{Program: "/usr/bin/goose"}, "goose"},
		"a version of cursor-agent":      {person.Process{Program: "/home/me/.local/share/cursor-agent/versions/2026.1/node"}, "cursor-agent"},
		"one replaced while it was used": {person.Process{Program: "/usr/bin/claude"}, "claude"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := sitting()
			h.between(c.p)
			if _, reasons := prove(h); !slices.Contains(reasons, "an agent program is among its ancestors: "+c.want) {
				t.Errorf("refused as %q", reasons)
			}
		})
	}
}

// tricks are ways in which what an agent started gets away from it, and what is
// left to see.
func TestWaysOfLeavingAnAgentBehind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		arrange func(*host)
		want    string // empty: it looks like a person
	}{
		"a double fork and setsid leave the terminal too": {func(h *host) {
			h.leave(pidApctl)
			h.change(pidApctl, func(p *person.Process) { p.TTY, p.Foreground = 0, -1 })
		}, "no terminal"},
		"script gives a terminal, below the agent": {func(h *host) {
			h.between(person.Process{Program: "/usr/bin/claude"})
			h.between(person.Process{Program: "/usr/bin/script", Name: "script"})
		}, "an agent program is among its ancestors: claude"},
		"script after a double fork has the agent's environment": {func(h *host) {
			h.between(person.Process{Program: "/usr/bin/script", Name: "script", Agent: "claude"})
			h.leave(150)
		}, "started from within an agent program: claude"},
		"or that of an effect": {func(h *host) {
			h.between(person.Process{Program: "/usr/bin/script", Name: "script", Effect: "01E"})
			h.leave(150)
		}, "autopilot started it (01E)"},
		"a tmux server that an agent started keeps its environment": {func(h *host) {
			h.leave(pidSSH)
			h.change(pidSSH, func(p *person.Process) { p.Name, p.Program, p.Agent = "tmux: server", "/usr/bin/tmux", "codex" })
		}, "started from within an agent program: codex"},
		"a new namespace is seen": {func(h *host) {
			h.leave(pidApctl)
			h.spaces[pidApctl] = person.Namespaces{User: "user:[9]", Mount: here.Mount, PID: here.PID}
		}, "namespaces"},
		"all of it at once, without the environment, is not seen": {func(h *host) {
			h.between(person.Process{Program: "/usr/bin/script", Name: "script"})
			h.leave(150)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := sitting()
			c.arrange(h)
			_, reasons := prove(h)
			if got := strings.Join(reasons, "; "); (c.want == "") != (got == "") || !strings.Contains(got, c.want) {
				t.Errorf("refused as %q, want %q", got, c.want)
			}
		})
	}
}

func TestAnEffectIsRefusedWhateverItLooksLike(t *testing.T) {
	t.Parallel()
	owner := func(pid int) (string, bool) { return "01E", pid == pidApctl }
	_, err := person.Prove(sitting(), person.Daemon{PID: pidDaemon, UID: uid, Owner: owner}, person.Caller{PID: pidApctl, Start: 70})
	if err == nil || err.Error() != "autopilot started it (01E)" {
		t.Errorf("error: %v", err)
	}
}

func TestEveryReasonIsGiven(t *testing.T) {
	t.Parallel()
	h := sitting()
	h.change(pidApctl, func(p *person.Process) { p.TTY = 0 })
	h.between(person.Process{Program: "/usr/bin/claude"})
	delete(h.spaces, pidApctl)
	_, reasons := prove(h)
	want := []string{"it has no terminal", "it is not in the namespaces of the daemon", "an agent program is among its ancestors: claude"}
	if d := cmp.Diff(want, reasons); d != "" {
		t.Error(d)
	}
}

// mute is a system that shows nothing.
type mute struct{}

func (mute) Process(int) (person.Process, error) { return person.Process{}, person.ErrUnsupported }

func (mute) Namespaces(int) (person.Namespaces, error) {
	return person.Namespaces{}, person.ErrUnsupported
}

func TestASystemThatShowsTooLittleProvesNobody(t *testing.T) {
	t.Parallel()
	_, err := person.Prove(mute{}, person.Daemon{}, person.Caller{PID: 1})
	if err == nil || err.Error() != person.ErrUnsupported.Error() {
		t.Errorf("error: %v", err)
	}
}

func TestTerminalsAreNamedAsBelowDev(t *testing.T) {
	t.Parallel()
	for tty, want := range map[int]string{
		pts3: "pts/3", 136<<8 | 255: "pts/255", 137 << 8: "pts/256", 4<<8 | 1: "tty1", 4<<8 | 65: "ttyS1",
		136<<8 | 1<<20 | 4: "pts/260", 5 << 8: "tty-5-0",
	} {
		if got := person.TerminalName(tty); got != want {
			t.Errorf("%#x: %s, want %s", tty, got, want)
		}
	}
}

func TestTheAgentProgramsByName(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "cursor-agent", "goose", "aider"} {
		h := sitting()
		h.between(person.Process{Program: "/x/" + name})
		if _, reasons := prove(h); len(reasons) == 1 {
			known[name] = true
		}
	}
	if len(known) != 7 {
		t.Errorf("only %v are known", slices.Sorted(maps.Keys(known)))
	}
}
