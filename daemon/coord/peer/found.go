package peer

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/auth"
	"autopilot/daemon/auth/person"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/orchestrator"
	"autopilot/projections/run"
)

// spot is where somebody works.
type spot struct {
	dir        string   // real path of the work tree, or of the directory where there is none
	repository string   // empty without one
	trees      []string // of the repository; dir alone without one
	problem    error    // why not all of them are known
}

func spotOf(ctx context.Context, dir string) (spot, error) {
	ws, err := tree.Find(ctx, dir)
	var place *tree.PlaceError
	switch {
	case errors.As(err, &place):
		real, rerr := filepath.EvalSymlinks(dir)
		if rerr != nil {
			return spot{}, wire.Errorf(wire.NotFound, "%s is not there", dir).WithHint("give a directory that is")
		}
		return spot{dir: real, trees: []string{real}}, nil
	case err != nil:
		return spot{}, wire.Errorf(wire.NotFound, "%v", err).WithHint("give a directory that is there")
	}
	s := spot{dir: ws.Path}
	if s.repository, err = ws.Repository(); err != nil {
		return spot{}, err
	}
	s.trees, s.problem = ws.Beside()
	return s, nil
}

// apart says that a session is known to work in another work tree of the
// repository.
func (s spot) apart(p wire.PeerView) bool {
	return s.repository != "" && p.Directory != "" && p.Directory != s.dir
}

// placed is where a session works, as it is stored.
func (ps *Sessions) placed(ctx context.Context, dir string) (events.PeerJoined, error) {
	s, err := spotOf(ctx, dir)
	if err != nil {
		return events.PeerJoined{}, err
	}
	ref, err := ps.cfg.Blobs.Put(ctx, []byte(s.dir))
	return events.PeerJoined{Repository: s.repository, Directory: ref}, err
}

// present is a session on the bus, with the texts that it names.
type present struct {
	sight
	id, label, dir string
	alone          bool // no other has its label
}

// onBus are the sessions that are there, by id.
func (ps *Sessions) onBus() []present {
	var out []present
	labels := map[string]int{}
	for id, n := range ps.all() {
		if n.Here() {
			b := present{sight: n, id: id, label: ps.cfg.Text(n.Label), dir: ps.cfg.Text(n.Directory)}
			labels[b.label]++
			out = append(out, b)
		}
	}
	for i := range out {
		out[i].alone = labels[out[i].label] == 1
	}
	slices.SortFunc(out, func(a, b present) int { return cmp.Compare(a.id, b.id) })
	return out
}

// busOf is the place of the session on the bus that a file is of, -1 for none.
func (ps *Sessions) busOf(f foreign, list []present) int {
	boot := ps.cfg.Chats.Boot()
	return slices.IndexFunc(list, func(b present) bool { return f.isOf(b.PeerJoined, boot, b.label, b.alone) })
}

// findPeers lists the sessions of this host that are not gone: those on the bus,
// those that files tell of, and the runs whose agents work here. What a file says
// of a session that is on the bus adds to it.
func (ps *Sessions) findPeers(q auth.Request, at spot) ([]wire.PeerView, []wire.PeerSource) {
	own, _ := person.Line(ps.cfg.Chats.People(), person.Caller{PID: q.PID, Start: q.Start}) // without one nobody is it
	list := ps.onBus()
	live := ps.cfg.Runs.LiveStates()
	var out []wire.PeerView
	for _, b := range list {
		out = append(out, ps.busView(b, own, at, live))
	}
	files, sources := ps.foreigners(at.trees)
	if at.problem != nil {
		sources = append(sources, wire.PeerSource{Kind: sourceLock, Path: at.dir, State: "unreadable", Problem: at.problem.Error()})
	}
	for _, f := range files {
		if i := ps.busOf(f, list); i >= 0 {
			out[i] = withFile(out[i], f)
			continue
		}
		out = append(out, foreignView(f, own))
	}
	out = append(out, ps.runPeers(q, at, live)...)
	slices.SortFunc(out, func(a, b wire.PeerView) int {
		return cmp.Or(later(a.Here, b.Here), a.Since.Compare(b.Since), cmp.Compare(a.ID, b.ID))
	})
	namePeers(out)
	return out, sources
}

// later orders what holds before what does not.
func later(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// minHandle is how much of an id is given to call a session by.
const minHandle = 5

// namePeers gives each session the start of its id that no other has.
func namePeers(list []wire.PeerView) {
	for i, p := range list {
		if p.Source == sourceRun {
			continue
		}
		n := min(minHandle, len(p.ID))
		for n < len(p.ID) && slices.ContainsFunc(list, func(o wire.PeerView) bool { return o.ID != p.ID && strings.HasPrefix(o.ID, p.ID[:n]) }) {
			n++
		}
		list[i].Peer = p.ID[:n]
	}
}

func (ps *Sessions) busView(b present, own []person.Process, at spot, live []*run.State) wire.PeerView {
	boot := ps.cfg.Chats.Boot()
	v := wire.PeerView{
		ID: b.id, Source: sourceBus, Program: string(b.Program), PID: b.PID, Ended: !ps.lives(b.PeerJoined), Session: b.label,
		Mode: string(b.Mode), Class: string(b.Class), Assumed: b.Assumed, Life: string(b.life(ps.Now())),
		Since: b.Since.UTC(), Seen: b.beat.UTC(), Directory: b.dir, Unread: len(b.Unread()), Beside: b.Beside,
	}
	v.You = b.Boot == boot && slices.ContainsFunc(own, same(person.Process{PID: b.PID, Start: uint64(b.Start)}))
	v.Here = b.Repository == at.repository && (at.repository != "" || b.dir == at.dir)
	for _, s := range live {
		if by := s.Driver; by != nil && by.PID == b.PID && by.Start == b.Start && by.Boot == b.Boot {
			v.Run = s.Facts.Handle
		}
	}
	return v
}

// withFile is a session on the bus with what its file adds: the mode, where it has
// named none, and a sign of life.
func withFile(v wire.PeerView, f foreign) wire.PeerView {
	v.File = f.Path
	if v.Mode == string(events.ModeNone) && f.Mode != "" {
		class, assumed := orchestrator.ClassifyMode(f.Mode)
		v.Mode, v.Class, v.Assumed = f.Mode, string(class), assumed
	}
	if f.life == orchestrator.Fresh {
		v.Life = string(orchestrator.Fresh)
	}
	v.Here = v.Here || f.dir != ""
	return v
}

func foreignView(f foreign, own []person.Process) wire.PeerView {
	class, assumed := orchestrator.ClassifyMode(f.Mode)
	v := wire.PeerView{
		ID: f.key, Source: f.kind, Here: f.dir != "", Directory: f.dir, PID: f.PID, Session: f.ID, Program: f.Platform,
		Mode: cmp.Or(f.Mode, string(events.ModeNone)), Class: string(class), Assumed: assumed, Life: string(f.life),
		Since: f.Started, Seen: f.Beat, File: f.Path,
	}
	v.Ended = f.PID > 1 && f.Host == "" && len(f.line) == 0
	v.You = len(f.line) > 0 && slices.ContainsFunc(own, same(f.line[0]))
	return v
}

// runPeers are the runs whose agents work in the repository: nobody is beside them
// unseen. The agents of a run are no peers of each other.
func (ps *Sessions) runPeers(q auth.Request, at spot, live []*run.State) []wire.PeerView {
	class, assumed := orchestrator.ClassifyMode("")
	var out []wire.PeerView
	for _, s := range live {
		dir := ps.cfg.Text(s.Facts.Workspace)
		if s.Driven() || !slices.Contains(at.trees, dir) {
			continue // a chat that drives a run is on the bus
		}
		out = append(out, wire.PeerView{
			Peer: s.Facts.Handle, ID: s.ID, Source: sourceRun, Run: s.Facts.Handle, You: q.Effect != "" && belongsTo(q.Effect, *s),
			Here: true, Program: ps.cfg.Runs.Agent(*s), Mode: string(events.ModeNone), Class: string(class), Assumed: assumed,
			Life: string(orchestrator.Fresh), Since: s.Clock.Since.UTC(), Directory: dir,
		})
	}
	return out
}

// belongsTo says that an effect is one that works for the run now.
func belongsTo(id string, s run.State) bool {
	return id == s.Last.Session.Effect || id == s.Last.Start.Effect ||
		slices.ContainsFunc(s.Last.Gates.Effects, func(e events.EffectRef) bool { return e.Effect == id })
}
