package api

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/config"
	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/host/doctor"
	"autopilot/events"
	"autopilot/events/wire"
)

// Confined returns the sandbox settings of the user's file for gates outside of runs.
func (a *Views) Confined() (events.Sandbox, []string, error) {
	user := a.Settings.Read()
	if err := user.Err(); err != nil {
		return "", nil, err
	}
	return config.Layers{User: &user}.Sandbox()
}

// lacking lists the parts of guard that this host cannot enforce.
func (a *Views) lacking() ([]confine.Gap, error) {
	all, err := a.unenforced()
	return slices.DeleteFunc(all, func(l confine.Gap) bool { return l.Word == confine.Landlock }), err
}

// Prober lists the parts of a sandbox that this host cannot enforce, as sandbox.Probe
// does.
type Prober func(ctx context.Context, exe, in string) ([]confine.Gap, error)

const probeWithin = 10 * time.Second // a few milliseconds where nothing hangs

func (a *Views) unenforced() ([]confine.Gap, error) {
	if err := os.MkdirAll(a.Scratch, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), probeWithin)
	defer cancel()
	probe := a.Probe
	if probe == nil {
		probe = sandbox.Probe
	}
	return probe(ctx, a.Effects.Supervisor(), a.Scratch)
}

// Unhidden says why this host cannot hide paths from an agent; empty if it can.
func (a *Views) Unhidden() string {
	all, err := a.lacking()
	if err != nil {
		return "the sandbox of this host cannot be checked: " + err.Error()
	}
	for _, l := range all {
		if l.Word == confine.Namespaces || l.Word == confine.Hide {
			return "this host has no sandbox that hides files: " + l.Why
		}
	}
	return ""
}

// SandboxFinding reports how well this host enforces guard.
func (a *Views) SandboxFinding() wire.DoctorFinding {
	f := wire.DoctorFinding{Topic: "sandbox", Level: doctor.OK, What: "guard hides the daemon and the programs that act for you, and stops signals to the outside"}
	if config.DefaultSandbox() == events.SandboxOff {
		f.Level, f.What = doctor.Note, "this system has no sandbox: agents and gates run as you do"
		return f
	}
	switch lacking, err := a.lacking(); {
	case err != nil:
		f.Level, f.What = doctor.Unknown, "mode guard cannot be checked: "+err.Error()
	case len(lacking) > 0:
		var words []string
		for _, l := range lacking {
			words = append(words, l.Word+" ("+l.Why+")")
		}
		f.Level, f.What = doctor.Warning, "guard is incomplete; missing: "+strings.Join(words, ", ")
		f.Fix = "apctl agent sandbox   shows what agents can reach; allow user namespaces, or use a kernel from 6.12 on"
	}
	return f
}

// saidAfter delays the note about guard after the daemon's start. The probe takes as many
// processes as a gate, and a client waits for the start with other requests.
const saidAfter = 30 * time.Second

// SaySandbox logs once what this host lacks for guard.
func (a *Views) SaySandbox(ctx context.Context) {
	wait := time.NewTimer(saidAfter)
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-ctx.Done():
		return
	}
	if f := a.SandboxFinding(); f.Level != doctor.OK {
		a.Out.Warn("sandbox", "finding", f.What)
	}
}
