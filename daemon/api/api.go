// Package api answers the verbs of the daemon.
//
// It owns what each verb says: the rooms to ask, their order, and the view of events/wire
// that they become. Each verb or view has a file. Views is the common part: it finds a
// run by name, shows it, and puts it into words. Each other type has a family of verbs.
// Endpoints lists all of them for the doors, which know verbs and callers and no run.
// Rooms know neither doors nor views.
//
// The package stores nothing and decides nothing: the engine does. Goroutines may share
// all of it.
package api

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"autopilot/daemon/auth/chat"
	"autopilot/daemon/auth/consent"
	"autopilot/daemon/config"
	"autopilot/daemon/config/trust"
	"autopilot/daemon/coord/claim"
	"autopilot/daemon/coord/hook"
	"autopilot/daemon/coord/peer"
	"autopilot/daemon/coord/queue"
	"autopilot/daemon/coord/session"
	"autopilot/daemon/coord/team"
	"autopilot/daemon/coord/worktree"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/history/removal"
	"autopilot/daemon/history/roll"
	"autopilot/daemon/history/transfer"
	"autopilot/daemon/host/account"
	"autopilot/daemon/host/budget"
	"autopilot/daemon/host/machine"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/run/fleet"
	"autopilot/daemon/run/work"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/store/past"
	"autopilot/daemon/transport/bus"
	"autopilot/daemon/transport/upload"
	"autopilot/events/log"
	"autopilot/events/place"
	"autopilot/projections/host"
)

// Rooms is what the verbs ask. The daemon fills it in before it serves.
type Rooms struct {
	Places     place.Places
	Home       string // of the user
	Scratch    string // folder for temporary files
	Version    string // of the build
	HostID     string
	Started    time.Time
	LogFile    string
	Service    string // systemd or launchd, where the daemon is a service
	Durability bus.Durability
	Settings   *config.Held
	Daemon     Daemon
	Out        *slog.Logger

	Archive *archive.Archive
	Blobs   *blob.Store
	HostLog *journal.Aggregate[host.State]
	Journal *journal.Journal
	Log     log.Log
	Mark    *filestore.Mark
	Seals   *filestore.Seals

	Bus     *bus.Bus
	Effects *effect.Runner
	Sandbox sandbox.Host
	// TreeMaker is the command that makes a work tree from the directory that it runs in: apctl
	// worktree.
	TreeMaker []string
	TreeEnv   []string // in which it finds this daemon
	Probe     Prober   // replaces sandbox.Probe; may be nil
	Team      *team.Team
	Worker    *work.Worker
	Fleet     *fleet.Fleet

	Accounts  *account.Calendar
	Chats     *chat.Chats
	Claims    *claim.Service
	Consent   *consent.Judge
	Exports   transfer.Exporter
	Flows     *trust.Flows
	Hooks     *hook.Service
	Imports   *transfer.Importer
	Limits    *budget.Limits
	Machine   *machine.Machine
	Notes     *notify.Notifier
	Peers     *peer.Sessions
	Queue     *queue.Keeper
	Removal   *removal.Sweeper
	Rolls     *roll.Requests
	Sessions  *session.Drivers
	Trust     *trust.Keeper
	Uploads   *upload.Gatherer
	Usage     *budget.Usage
	Worktrees *worktree.Keeper
}

// Daemon is the life of the daemon behind the verbs.
type Daemon interface {
	Touch() // notes that a client needs the daemon
	Draining() bool
	Drain(ctx context.Context) error // begins nothing more, and waits for the work under way
	End()
	// IdleEnd is when an idle daemon ends. It is false while runs, or more than looking
	// clients, need the daemon.
	IdleEnd(looking int) (time.Time, bool)
	// Lasting returns a context that ends with the daemon, not with the caller.
	Lasting(ctx context.Context) (context.Context, func())
}

// Views shows runs: it finds them, folds their events into views, and puts those into
// words.
type Views struct{ *Rooms }

// API answers every verb.
type API struct {
	*Views
	Runs
	Landings
	Questions
	Looks
	Retros
	Reports
	*Projects
	History
	Host
	Queues
}

// The verbs, by subject.
type (
	// Runs starts, stops and resumes runs.
	Runs struct {
		*Views
		projects  *Projects
		recording *sync.Map // *tree.Progress by id of the request that records
	}
	// Queues works off tasks: it creates queues, fills and opens them.
	Queues struct {
		*Views
		runs     Runs
		projects *Projects
	}
	// Questions shows the questions of runs to people, and takes the answers.
	Questions struct{ *Views }
	// Looks shows the work of runs: events, output, changes, and why.
	Looks struct {
		*Views
		past *past.Past
	}
	// Retros sums up what people can learn from runs.
	Retros struct{ *Views }
	// Reports tells the state of all runs.
	Reports struct{ *Views }
	// Projects shows and changes the settings of a project, and their effects.
	Projects struct {
		*Views
		edits sync.Mutex // one change of a configuration file at a time
	}
	// History is about stored events, texts and trees.
	History struct{ *Views }
	// Host is about the daemon and its machine.
	Host struct {
		*Views
		projects *Projects
	}
)

// New makes an API over these rooms. The caller may fill them in later.
func New(r *Rooms) *API {
	v := &Views{r}
	projects := &Projects{Views: v}
	runs := Runs{v, projects, &sync.Map{}}
	return &API{
		Views: v, Runs: runs, Landings: Landings{&runs}, Questions: Questions{v}, Looks: Looks{v, &past.Past{}}, Retros: Retros{v}, Reports: Reports{v},
		Projects: projects, History: History{v}, Host: Host{v, projects}, Queues: Queues{v, runs, projects},
	}
}
