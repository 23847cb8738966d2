package peer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"time"

	"autopilot/daemon/auth/person"
	"autopilot/daemon/coord/peerfile"
	"autopilot/daemon/exec/proc"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/probe/judge"
	"autopilot/projections/orchestrator"
)

// foreign is a session that only a file tells of.
type foreign struct {
	peerfile.Session
	key  string // what it is called here
	kind string // lock or registry
	dir  string // its work tree, of the repository that was asked about; empty for another's
	life orchestrator.Life
	line []person.Process // of its process, if that is there; itself first
}

// The kinds of places where sessions are found.
const (
	sourceBus      = "bus"
	sourceRun      = "run"
	sourceLock     = "lock"
	sourceRegistry = "registry"
)

// foreignFiles is the registry as it was read last.
type foreignFiles struct {
	at   time.Time
	list []peerfile.Session
	junk []peerfile.File
	dir  peerfile.File
}

// registryFresh is how long a reading of the registry counts for what is asked
// every two seconds.
const registryFresh = 10 * time.Second

// registry reads the registry of session-orchestrator, or has it from before.
func (ps *Sessions) registry(since time.Duration) foreignFiles {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	now := ps.Now()
	if age := now.Sub(ps.files.at); ps.files.at.IsZero() || age < 0 || age >= since {
		ps.files.list, ps.files.junk, ps.files.dir = peerfile.ReadRegistry(peerfile.RegistryDir(ps.cfg.Home))
		ps.files.at = now
	}
	return ps.files
}

// entryLife judges an entry of the registry: by what it says, or by when it was
// written, whichever is later. A session whose clock is behind is not taken for
// gone, as it writes the file at every sign of life.
func entryLife(s peerfile.Session, now time.Time) orchestrator.Life {
	if s.Beat.IsZero() {
		return orchestrator.Gone // seeds 2.8.4: unparseable is infinitely old
	}
	return orchestrator.PeerLife(min(now.Sub(beatOf(s, now)), now.Sub(s.Written)))
}

// lockLife judges a lock: by what it says alone.
func lockLife(s peerfile.Session, now time.Time) orchestrator.Life {
	if orchestrator.LockLive(beatOf(s, now), now, cmp.Or(s.TTL, orchestrator.LockTTL)) {
		return orchestrator.Fresh
	}
	return orchestrator.Stale
}

// beatOf is the sign of life that a file tells of. One that is still to come counts
// from when the file was written, as it would keep others away for as long.
func beatOf(s peerfile.Session, now time.Time) time.Time {
	if s.Beat.After(now) {
		return s.Written
	}
	return s.Beat
}

// foreigners are the sessions that files tell of: the locks of these work trees,
// then the registry of the host. Of a session that has both the lock counts; two of
// one name whose processes are there and differ are two.
//
// Source: session-orchestrator, seeds 2.8.4 discovery; S55.
func (ps *Sessions) foreigners(trees []string) ([]foreign, []wire.PeerSource) {
	now := ps.Now()
	list, sources := []foreign{}, []wire.PeerSource{}
	add := func(f foreign) {
		f.line, f.key = ps.lineOf(f.Session), foreignID(f.ID)
		for i, o := range list {
			if o.ID == f.ID && !o.differs(f) {
				list[i] = o.with(f)
				return
			}
			if o.key == f.key {
				f.key = foreignID(f.ID + "\x00" + f.Path)
			}
		}
		list = append(list, f)
	}
	for _, tree := range trees {
		s, file := peerfile.ReadLock(tree)
		sources = append(sources, sourceView(sourceLock, file))
		if file.State != peerfile.OK {
			continue
		}
		add(foreign{Session: s, kind: sourceLock, dir: tree, life: lockLife(s, now)})
	}
	files := ps.registry(0)
	sources = append(sources, sourceView(sourceRegistry, files.dir))
	for _, f := range files.junk {
		sources = append(sources, sourceView(sourceRegistry, f))
	}
	for _, s := range files.list {
		if life := entryLife(s, now); life != orchestrator.Gone {
			add(foreign{Session: s, kind: sourceRegistry, dir: entryTree(s, trees), life: life})
		}
	}
	return list, sources
}

// with is a session with what a further file of it adds: a mode where it has named
// none, and a sign of life where its own are too old.
func (f foreign) with(more foreign) foreign {
	f.Mode = cmp.Or(f.Mode, more.Mode)
	if f.life != orchestrator.Fresh && more.life == orchestrator.Fresh {
		f.life, f.Beat = more.life, more.Beat
	}
	return f
}

// differs says that two files of one name are proven to be of two sessions: neither
// process is above the other.
func (f foreign) differs(o foreign) bool {
	return len(f.line) > 0 && len(o.line) > 0 && !slices.ContainsFunc(f.line, same(o.line[0])) && !slices.ContainsFunc(o.line, same(f.line[0]))
}

func sourceView(kind string, f peerfile.File) wire.PeerSource {
	return wire.PeerSource{Kind: kind, Path: f.Path, State: string(f.State), Problem: f.Problem}
}

// lineOf is the process that a file names, with its ancestors; nil if it is not
// there, or elsewhere. Process 1 proves nothing, as every process descends from it.
func (ps *Sessions) lineOf(s peerfile.Session) []person.Process {
	if host, err := os.Hostname(); s.PID <= 1 || s.Host != "" && (err != nil || s.Host != host) {
		return nil
	}
	p, err := ps.cfg.Chats.People().Process(s.PID)
	if err != nil {
		now, rerr := proc.Read(s.PID)
		if rerr != nil {
			return nil
		}
		p.PID, p.Start = now.PID, now.Start
	}
	if age, known := proc.Age(proc.Process{PID: p.PID, Start: p.Start}); known && beganLater(s, time.Now(), age) {
		return nil
	}
	line, _ := person.Line(ps.cfg.Chats.People(), person.Caller{PID: p.PID, Start: p.Start})
	return line
}

// clocksDiffer is by how much a start of a process and the time in a file may differ.
const clocksDiffer = time.Minute

// beganLater says that a process of that age began after the session of a file, so that
// it only has the pid anew. What the file does not say proves nothing.
//
// Source: session-orchestrator, seeds 2.8.3: pid, host and started_at are one proof.
func beganLater(s peerfile.Session, now time.Time, age time.Duration) bool {
	return !s.Started.IsZero() && now.Sub(s.Started) > age+clocksDiffer
}

// isOf says that a file is that of a session on the bus. alone says that no other
// has its label.
func (f foreign) isOf(j events.PeerJoined, boot, label string, alone bool) bool {
	at := person.Process{PID: j.PID, Start: uint64(j.Start)}
	return orchestrator.OwnEntry{
		Alive:   len(f.line) > 0,
		Lineage: j.Boot == boot && slices.ContainsFunc(f.line, same(at)),
		Label:   label != "" && label == f.ID, Alone: alone,
	}.Own()
}

func same(at person.Process) func(person.Process) bool {
	return func(p person.Process) bool { return p.PID == at.PID && p.Start == at.Start }
}

// foreignID is what a session is called that only a file tells of.
func foreignID(name string) string {
	sum := sha256.Sum256([]byte(name))
	return "s" + hex.EncodeToString(sum[:8])
}

// Count counts the sessions of this host for a reading of the machine, but those
// that the daemon has started itself: they are its runs. Where nobody tells
// of sessions, or who does cannot be read, the number is not known, and not zero.
//
// Source: session-orchestrator, seeds 2.2.1 peer_sessions_count; Q6, Q50, S48.
func (ps *Sessions) Count() judge.Num { return ps.Others(nil) }

// Others is Count without sessions of these names: a run is not beside the sessions that
// it has had itself (Q50).
func (ps *Sessions) Others(own []string) judge.Num {
	files, now := ps.registry(registryFresh), ps.Now()
	if files.dir.State != peerfile.OK && files.dir.State != peerfile.Absent {
		return judge.Num{}
	}
	known, n := files.dir.State == peerfile.OK, 0
	for _, b := range ps.all() {
		known = known || b.Here()
		if b.Here() && b.life(now) == orchestrator.Fresh {
			n++
		}
	}
	var bus []present
	if len(files.list) > 0 { // with the texts of all, to tell whom a file is of
		bus = ps.onBus()
	}
	for _, s := range files.list {
		if entryLife(s, now) != orchestrator.Fresh || slices.Contains(own, s.ID) {
			continue
		}
		f := foreign{Session: s, line: ps.lineOf(s)}
		if _, ours := ps.cfg.Owner(s.PID); len(f.line) > 0 && ours || ps.busOf(f, bus) >= 0 {
			continue
		}
		n++
	}
	if !known {
		return judge.Num{}
	}
	return judge.Known(float64(n))
}

// entryTree is the one of these work trees that an entry of the registry is of, empty
// for none.
func entryTree(s peerfile.Session, trees []string) string {
	i := slices.IndexFunc(trees, func(tree string) bool {
		sum := sha256.Sum256([]byte(tree))
		return s.RepoHash == hex.EncodeToString(sum[:])
	})
	if i < 0 {
		return ""
	}
	return trees[i]
}
