package api

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/oklog/ulid/v2"

	"autopilot/daemon/agent"
	"autopilot/daemon/auth"
	"autopilot/daemon/config"
	"autopilot/daemon/config/trust"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/host/doctor"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/work"
	"autopilot/daemon/store/disk"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Doctor looks for possible faults on this host, as the daemon sees it.
func (a *Host) Doctor(ctx context.Context, q auth.Request, body wire.DoctorRequest) (wire.DoctorView, error) {
	in := examined(ctx, a.Places, body)
	in.Daemon, in.Listen, in.Team = os.Getenv("PATH"), a.listenView(), a.Team.View()
	wrong := []wire.DoctorFinding{a.SandboxFinding()}
	ws, _ := tree.Find(ctx, body.Workspace) // outside of a work tree, the user's file counts alone
	usable := true
	if err := a.projects.Layers(ws, nil).Err(); err != nil {
		usable = false
		wrong = append(wrong, unusableConfig(err))
	}
	if p := config.ReadProject(config.ProjectPath(ws.Path)); ws.Path != "" && p.Err() == nil {
		wrong = append(wrong, hiddenFindings(hiddenExits(ws.Path, p.Project))...)
	}
	all, err := a.projects.AgentList(ctx, q, wire.AgentRequest{Workspace: body.Workspace, Env: body.Env, Check: true})
	switch {
	case err == nil:
		in.Agents = append([]wire.AgentView{}, all.Agents...)
		in.Named, in.Needed = trust.NamedAgents(ws), trust.LookedFor(ws)
	case usable: // the configuration is usable
		wrong = append(wrong, wire.DoctorFinding{Topic: "agents", Level: doctor.Unknown, What: "they cannot be checked: " + err.Error()})
	}
	u, err := a.Log.Usage(ctx)
	if err != nil {
		return wire.DoctorView{}, fmt.Errorf("measure the event store: %w", err)
	}
	in.Store = &doctor.Store{
		Bytes: u.Bytes, Quota: u.Quota, Events: u.Events, Durability: string(a.durability()), Last: a.newest(),
	}
	return wire.DoctorView{Findings: doctor.Examine(ctx, in, doctor.System(time.Now(), tree.DefaultLargeBytes), wrong...)}, nil
}

// hiddenFindings warns of gates that hide exit codes.
func hiddenFindings(hidden []wire.HiddenExit) []wire.DoctorFinding {
	var out []wire.DoctorFinding
	for _, h := range hidden {
		f := wire.DoctorFinding{Topic: "gates", Level: doctor.Warning, What: "gate " + string(h.Gate) + " can pass although a part of it fails: " + phrase.Hidden(events.English, h.What)}
		if h.Where != "" {
			f.What += " (" + h.Where + ")"
		}
		if h.Instead != "" {
			f.Fix = "write " + h.Instead
		}
		out = append(out, f)
	}
	return out
}

// unusableConfig reports a configuration that stops every run here.
func unusableConfig(err error) wire.DoctorFinding {
	f := wire.DoctorFinding{Topic: "config", Level: doctor.Error, What: err.Error(), Fix: config.Hint(err)}
	var known *wire.Error
	if errors.As(err, &known) && known.Hint != "" {
		f.Fix = known.Hint
	}
	return f
}

// newest is the time of the last acknowledged event, or of the newest start of a run.
func (a *Host) newest() time.Time {
	last := modTime(filestore.NamesIn(a.Places.State).Mark)
	for _, h := range a.Fleet.Heads() {
		if id, err := ulid.Parse(h.ID); err == nil && id.Timestamp().After(last) {
			last = id.Timestamp()
		}
	}
	return last
}

func modTime(path string) time.Time {
	info, err := os.Stat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// examined gathers the facts that need no daemon.
func examined(ctx context.Context, p place.Places, body wire.DoctorRequest) doctor.Input {
	in := doctor.Input{
		State: p.State, Runtime: p.Runtime, Socket: p.Socket, Shell: agent.Lookup(body.Env, "PATH"),
		RuntimeOK: filepath.IsAbs(os.Getenv("XDG_RUNTIME_DIR")),
		Stops:     disk.Floor, Begins: work.MinFree, Known: agent.Overrides{}.Names(),
	}
	if ws, err := tree.Find(ctx, body.Workspace); err == nil {
		in.Workspace = ws.Path
		if l, ok := ws.IndexLock(); ok {
			in.Locked = &doctor.Lock{Path: l.Path, Since: l.Since, PID: l.PID}
		}
	}
	if u, err := user.Current(); err == nil {
		in.User = u.Username
	}
	return in
}

// DoctorMain looks for possible faults without a daemon, and writes the findings as JSON.
// It exits with 0 up to a warning, 1 with an error, and 2 for wrong usage.
func DoctorMain(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("autopilotd doctor", flag.ContinueOnError)
	f.SetOutput(stderr)
	offline := f.Bool("offline", false, "look without a daemon")
	dir := f.String("C", ".", "the work tree to look at")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if !*offline || f.NArg() > 0 {
		fmt.Fprintln(stderr, "autopilotd: doctor works without a daemon\n  autopilotd doctor --offline [-C DIR]\n  apctl doctor   asks the daemon")
		return 2
	}
	view := DoctorOffline(ctx, *dir, os.Environ())
	b, err := json.Marshal(view)
	if err == nil {
		_, err = fmt.Fprintf(stdout, "%s\n", b)
	}
	if err != nil {
		fmt.Fprintln(stderr, "autopilotd: write the findings:", err)
		return 1
	}
	for _, found := range view.Findings {
		if found.Level == doctor.Error {
			return 1
		}
	}
	return 0
}

// DoctorOffline returns the findings that need no daemon.
func DoctorOffline(ctx context.Context, workspace string, env []string) wire.DoctorView {
	dir, err := filepath.Abs(workspace)
	if err != nil {
		dir = workspace
	}
	places, err := place.Find(place.System())
	if err != nil {
		return wire.DoctorView{Findings: []wire.DoctorFinding{{
			Topic: "places", Level: doctor.Error, What: err.Error(), Fix: "correct the variable that it names",
		}}}
	}
	in := examined(ctx, places, wire.DoctorRequest{Workspace: dir, Env: env})
	in.Store = closedStore(places)
	var wrong []wire.DoctorFinding
	if err := config.ReadUser(places.Config).Err(); err != nil {
		wrong = append(wrong, unusableConfig(err))
	}
	return wire.DoctorView{Findings: doctor.Examine(ctx, in, doctor.System(time.Now(), tree.DefaultLargeBytes), wrong...)}
}

// closedStore looks at the files of a store that no daemon has open. It is nil while a
// daemon has them open, or without a store.
func closedStore(places place.Places) *doctor.Store {
	if _, err := os.Stat(filestore.NamesIn(places.State).Mark); err != nil {
		return nil
	}
	lock, err := bus.Lock(places, "doctor")
	if err != nil {
		return nil
	}
	defer func() { _ = lock.Unlock() }() // the process ends with it anyway
	s := &doctor.Store{Last: modTime(filestore.NamesIn(places.State).Mark)}
	if clean, known := filestore.Ended(filestore.NamesIn(places.State).Mark); known {
		s.Clean = &clean
	}
	boot, err := proc.Boot()
	if err != nil {
		return nil
	}
	if err := filestore.Check(filestore.StreamsIn(places.State), filestore.NamesIn(places.State).Mark, boot, true); err != nil {
		s.Damage = err.Error()
	}
	return s
}
