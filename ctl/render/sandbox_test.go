package render

import (
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
)

func TestASandboxIsShown(t *testing.T) {
	t.Parallel()
	guard := wire.SandboxView{
		Mode: events.SandboxGuard, Workspace: "/home/u/p", Argv: []string{"npm", "run", "a b"}, Program: "/usr/bin/npm",
		Hidden: []string{"/home/u/.local/state/autopilot", "/tmp/tmux-1000" + steering}, Emptied: []string{"/run/user/1000"},
		Shown: []string{"/run/user/1000/docker.sock"}, ReadOnly: []string{"/sys/fs/cgroup"}, Allowed: []string{"docker"},
		Lacking: []wire.LackView{{What: "signals", Why: "the kernel has version 5 of Landlock, this needs 6"}},
	}
	strict := wire.SandboxView{
		Mode: events.SandboxWorkspace, Workspace: "/home/u/p", Argv: []string{"nmp"}, Problem: "nmp was not found",
		Restricted: true, Writable: []string{"/dev/null", "/home/u/p", "/tmp"},
	}
	for style, s := range styles {
		golden(t, "sandbox."+style, s.Sandbox(guard)+"\n"+s.Sandbox(strict)+"\n"+s.Sandbox(wire.SandboxView{Mode: events.SandboxOff, Workspace: "/p"}))
	}
}
