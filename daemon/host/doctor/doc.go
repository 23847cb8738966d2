// Package doctor looks for what could go wrong on this host, in this workspace
// and with this state directory, and says how to mend it.
//
// Each check is a small function from an Input and a Probe to findings. A Probe
// is all that it sees of the host; checks write nothing, and the only programs
// that they run are git --version, systemctl and timedatectl. What could not be
// looked at is a finding of level unknown, never one of level ok.
package doctor

import (
	"context"
	"io/fs"
	"slices"
	"sync"
	"time"

	"autopilot/events/wire"
)

// Levels of findings, from the best to the worst.
const (
	OK      = wire.LevelOK
	Unknown = wire.LevelUnknown
	Note    = wire.LevelNote
	Warning = wire.LevelWarning
	Error   = wire.LevelError
)

var levels = []string{OK, Unknown, Note, Warning, Error}

// Input is what the caller knows.
type Input struct {
	Workspace string // top of the work tree; empty if the caller is in none
	State     string
	Runtime   string
	Socket    string
	Shell     string // PATH of the caller
	Daemon    string // PATH of the daemon; empty if none answers
	RuntimeOK bool   // XDG_RUNTIME_DIR is set, so Runtime is in it
	User      string // name of the user

	Stops  uint64 // free bytes of the state's disk below which events stop
	Begins uint64 // below which nothing is begun

	Known  []string          // the programs of the shipped profiles
	Agents []wire.AgentView  // all profiles; nil is not known
	Named  map[string]string // by profile: the first role of a workflow of the project that names it
	Needed map[string]string // by program: the workflow whose gates look for it
	Store  *Store            // nil is not known
	Locked *Lock             // the index of the work tree; nil is not locked
	Listen *wire.ListenView  // nil is nowhere, or not known
	Team   *wire.TeamView    // nil is none, or not known
}

// Lock is on git's index of a work tree.
type Lock struct {
	Path  string
	Since time.Time
	PID   int // of who has it; zero is nobody that was seen
}

// Store is how the event store is.
type Store struct {
	Bytes, Quota int64
	Events       uint64
	Durability   string
	Damage       string    // what is wrong with it; empty is nothing
	Clean        *bool     // whether the last daemon ended cleanly; nil is not known
	Last         time.Time // of the last event that was acknowledged; zero is not known
}

// Disk is a mounted file system.
type Disk struct {
	Free uint64 // bytes, for this user
	Kind int64  // as statfs names it
}

// Probe is what checks see of the host.
type Probe struct {
	GOOS     string
	UID      int
	Now      time.Time
	ReadFile func(path string) ([]byte, error)
	Stat     func(path string) (fs.FileInfo, error)
	Writable func(path string) bool
	Statfs   func(path string) (Disk, error)
	Output   func(ctx context.Context, argv ...string) (string, error) // on the daemon's PATH
	Look     func(path, word string) string                            // a program on a PATH; empty if there is none
	Landlock func() (abi int, err error)
	NoFile   func() (soft uint64, err error)
	Search   func(root string) Scan
}

// Scan is what a bounded look through a work tree has found.
type Scan struct {
	Nested []string // directories with a repository of their own
	Large  []string // files over the size that is recorded whole
	Whole  bool     // all of it was looked at
}

// check is one of them.
type check func(context.Context, Input, Probe) []wire.DoctorFinding

func checks() []check {
	return []check{
		agents, needed, paths, git, repository, disks, fileSystems, storeHealth, clock, user, openFiles, runtimeDir,
		inotify, cgroup, pressure, namespaces, landlock, service, listener, shared,
	}
}

// Examine performs every check, at once, and lists what they found beside what
// the caller has: the worst first, then that of the caller, then in the order of
// the checks.
func Examine(ctx context.Context, in Input, p Probe, had ...wire.DoctorFinding) []wire.DoctorFinding {
	all := checks()
	found := make([][]wire.DoctorFinding, len(all))
	var wg sync.WaitGroup
	for i, c := range all {
		wg.Go(func() { found[i] = c(ctx, in, p) })
	}
	wg.Wait()
	list := append(had[:len(had):len(had)], slices.Concat(found...)...)
	slices.SortStableFunc(list, func(a, b wire.DoctorFinding) int {
		return slices.Index(levels, b.Level) - slices.Index(levels, a.Level)
	})
	return list
}
