// Package api answers the verbs of the daemon.
//
// It owns what each verb says: which room is asked for what, in which order, and how
// that becomes a view of events/wire. There is a file for each verb or view. A Views is
// what they have in common: a run found by its name, shown, and put into words; the
// other types have a family of verbs each. Endpoints lists all of them for the doors,
// which know verbs and callers and no run. Rooms know neither doors nor views.
//
// Nothing here is stored, and no verb decides: the engine does. All of it may be used
// from many goroutines.
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

// Rooms is what the verbs ask. Whoever opens a daemon fills it in before it serves.
type Rooms struct {
	Places     place.Places
	Home       string // of the user
	Scratch    string // folder for what is thrown away
	Version    string // of the build
	HostID     string
	Started    time.Time
	LogFile    string
	Service    string // what has started the daemon, if it is a service
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
	Probe   Prober // in the place of sandbox.Probe; may be nil
	Team    *team.Team
	Worker  *work.Worker
	Fleet   *fleet.Fleet

	Accounts  *account.Calendar
	Budget    *budget.Keeper
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
	Removal   *removal.Sweeper
	Rolls     *roll.Requests
	Sessions  *session.Drivers
	Trust     *trust.Keeper
	Uploads   *upload.Gatherer
	Usage     *budget.Usage
	Worktrees *worktree.Keeper
}

// Daemon is the life of the daemon that answers.
type Daemon interface {
	Touch() // someone needs it
	Draining() bool
	Drain(ctx context.Context) error // begins nothing more, and waits for what is under way
	End()
	// IdleEnd is when an idle daemon ends; false while it is needed, by more clients
	// than those that only look.
	IdleEnd(looking int) (time.Time, bool)
	// Lasting is a context that ends with the daemon and not with the caller.
	Lasting(ctx context.Context) (context.Context, func())
}

// Views shows runs: it finds them, folds what is known of them into views, and puts
// that into words.
type Views struct{ *Rooms }

// API answers every verb.
type API struct {
	*Views
	Runs
	Questions
	Looks
	Retros
	Reports
	*Projects
	History
	Host
}

// The verbs by what they are about.
type (
	// Runs begins runs, stops them, and lets them go on.
	Runs struct {
		*Views
		projects *Projects
	}
	// Questions shows what runs ask a person, and takes the answers.
	Questions struct{ *Views }
	// Looks shows what runs did: events, output, changes, and why.
	Looks struct {
		*Views
		past *past.Past
	}
	// Retros sums up what can be learned of runs.
	Retros struct{ *Views }
	// Reports tells how things stand.
	Reports struct{ *Views }
	// Projects shows and changes the settings of a project, and what they lead to.
	Projects struct {
		*Views
		edits sync.Mutex // one change of a configuration file at a time
	}
	// History is about what is stored.
	History struct{ *Views }
	// Host is about the daemon and its machine.
	Host struct {
		*Views
		projects *Projects
	}
)

// New is an API that asks these rooms. They may be filled in later.
func New(r *Rooms) *API {
	v := &Views{r}
	projects := &Projects{Views: v}
	return &API{
		Views: v, Runs: Runs{v, projects}, Questions: Questions{v}, Looks: Looks{v, &past.Past{}}, Retros: Retros{v}, Reports: Reports{v},
		Projects: projects, History: History{v}, Host: Host{v, projects},
	}
}
