// Package worktree knows what work trees a repository has, who uses them, and what is
// in them that is nowhere else; and it removes those that nobody needs.
//
// It owns the removal of a work tree that is under way: a file says so from before its
// directory is moved until the host's log says that it is gone. So each removal is
// finished or undone, and said once, whenever a daemon is killed.
//
// Only a work tree that nothing holds is removed. What cannot be read holds it. Each is
// judged again right before, recorded with the ignored files that are wanted, moved
// aside, compared, and only then removed; its branch stays. Nothing that a work tree or
// its configuration names is run. One removal is done at a time, and no run begins in
// what is removed; all of a Keeper may be used from many goroutines, and it starts none
// that outlives a call.
package worktree

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/coord/claim"
	"autopilot/daemon/coord/peer"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/wire"
	lease "autopilot/projections/claim"
	"autopilot/projections/host"
	"autopilot/projections/run"
)

// Runs are those of this state directory.
type Runs interface {
	Heads() []snapshot.Head
	State(id string) (run.State, bool)
	// Hold keeps runs from starting in a workspace; an error says that one is there.
	Hold(project, cause, except string) (release func(), err error)
}

// Claims says who has claimed what.
type Claims interface {
	Peek(ctx context.Context, k claim.Key) (lease.State, lease.Sight, error)
	View(k claim.Key, s lease.State, at lease.Sight, is func(events.ClaimOwner) bool) wire.ClaimView
	Mine(q auth.Request) func(events.ClaimOwner) bool // says of an owner whether it is the caller
	Info(who string, ttl time.Duration) claim.Info    // what this daemon writes into marks
}

// Sessions are the chats of people, of this daemon and of other programs.
type Sessions interface {
	In(dir string) []peer.Trace
	Listed(dir string) []string // those that other programs list for it
	Now() time.Time
}

// Work records trees.
type Work interface {
	Trees() tree.Config
	Salvage(ctx context.Context, ws tree.Workspace, name string, ignored []string, text string, changed bool) (tree.Salvaged, error)
}

// Stores are where removals are written down, and what is recorded of them.
type Stores struct {
	State string // directory
	Home  string // of the user
	Blobs *blob.Store
	Hosts *journal.Aggregate[host.State] // what was removed is said there
	Repos *tree.Identities
	Work  Work
}

// Words are how other things are shown.
type Words struct {
	Text  func(events.Ref) string
	State func(run.State, time.Time) string
}

// Making is what those are told who make a work tree.
type Making struct {
	// Settings are those of a directory, and of its project if somebody trusts that.
	Settings func(ws tree.Workspace, noConfig bool) (wire.WorktreeSettings, error)
	Session  func(q auth.Request) (id string, ok bool) // that asks
}

// Config is what a Keeper works with.
type Config struct {
	Stores
	Runs     Runs
	Claims   Claims
	Sessions Sessions
	Words    Words
	Making   Making
	// Lasting makes a context that ends with the daemon and not with the caller.
	Lasting func(ctx context.Context) (context.Context, func())
	Log     *slog.Logger
}

// Keeper shows work trees, and removes them.
type Keeper struct {
	cfg     Config
	pruning sync.Mutex // one removal of work trees at a time
}

// New is a Keeper. What an earlier daemon had begun to remove waits for Finish.
func New(cfg Config) *Keeper { return &Keeper{cfg: cfg} }
