package person_test

import (
	"testing"

	"autopilot/daemon/auth/person"
)

const pidHost = 300

// chatting is a host at which the caller has these ancestors, the nearest first.
func chatting(t *testing.T, above ...person.Process) []person.Process {
	t.Helper()
	h := sitting()
	parent := pidShell
	for i := len(above) - 1; i >= 0; i-- {
		p := above[i]
		p.PID, p.Parent, p.Start = pidHost+i, parent, uint64(66-i)
		h.processes[p.PID], parent = p, p.PID
	}
	h.change(pidApctl, func(p *person.Process) { p.Parent = parent })
	line, err := person.Line(h, person.Caller{PID: pidApctl, Start: 70})
	if err != nil {
		t.Fatal(err)
	}
	return line
}

func TestAChatIsTheProcessThatOutlivesItsCalls(t *testing.T) {
	t.Parallel()
	bash := person.Process{Program: "/bin/bash", Argv: []string{"/bin/bash", "-lc", "apctl session next"}}
	claude := person.Process{Program: "/usr/bin/node", Argv: []string{"node", "/usr/lib/node_modules/@anthropic-ai/claude-code/cli.js"}}
	for name, tt := range map[string]struct {
		above   []person.Process
		pid     int
		program string
	}{
		"of an agent program":               {[]person.Process{claude}, pidHost, "claude"},
		"through a shell for one command":   {[]person.Process{bash, claude}, pidHost + 1, "claude"},
		"through a program of the agent":    {[]person.Process{bash, {Program: "/usr/bin/python3", Argv: []string{"python3", "tool.py"}}, claude}, pidHost + 2, "claude"},
		"a shell at a terminal":             {nil, pidShell, ""},
		"through a wrapper":                 {[]person.Process{{Program: "/usr/bin/timeout", Argv: []string{"timeout", "60", "apctl"}}}, pidShell, ""},
		"a host that has said so":           {[]person.Process{{Program: "/usr/bin/python3", Argv: []string{"python3", "tool.py"}}, {Program: "/opt/host"}}, pidHost + 1, ""},
		"an agent program within a host":    {[]person.Process{bash, claude, {Program: "/opt/host"}}, pidHost + 1, "claude"},
		"a program that nobody knows":       {[]person.Process{bash, {Program: "/opt/chat", Argv: []string{"chat"}}}, pidHost + 1, ""},
		"a script of a shell":               {[]person.Process{{Program: "/bin/sh", Argv: []string{"sh", "drive.sh"}}}, pidHost, ""},
		"a shell with options, and no text": {[]person.Process{{Program: "/bin/bash", Argv: []string{"bash", "-i"}}}, pidHost, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, program, ok := person.Chat(chatting(t, tt.above...), func(p person.Process) bool { return p.Program == "/opt/host" })
			if !ok || p.PID != tt.pid || program != tt.program {
				t.Errorf("%d %q %v, want %d %q", p.PID, program, ok, tt.pid, tt.program)
			}
		})
	}
}

func TestAChatWhoseProcessIsAnotherIsGone(t *testing.T) {
	t.Parallel()
	h := sitting()
	if !person.Alive(h, person.Caller{PID: pidShell, Start: 61}) {
		t.Error("it is there")
	}
	if person.Alive(h, person.Caller{PID: pidShell, Start: 60}) || person.Alive(h, person.Caller{PID: 12, Start: 1}) {
		t.Error("a reused pid, or none, is no process of a chat")
	}
	if _, err := person.Line(h, person.Caller{PID: pidApctl, Start: 71}); err == nil {
		t.Error("a caller whose pid was reused has a line")
	}
}
