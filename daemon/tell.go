package daemon

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/report/draft"
	"autopilot/daemon/report/notify"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/place"
	"autopilot/projections/explain"
	"autopilot/projections/marker"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// The daemon follows its own log and tells what happened to runs. The place up
// to which it has looked is stored with what is due, so that a daemon which
// dies in between leaves nothing untold.

const (
	tellAtOnce = 256             // events that are looked at together
	tellAgain  = 2 * time.Second // after the log could not be followed
	placeEvery = 1000            // events after which the place is stored, without anything to tell
)

// openNotify opens what tells. A daemon without one before begins at the end of
// the log: nobody is told of what is past.
func (d *Daemon) openNotify(ctx context.Context) error {
	notes, known, err := notify.Open(notify.Config{
		Dir: filepath.Join(d.cfg.Places.State, "notify"), Settings: d.notifySettings, Effects: d.Effects,
		Env: notifierEnv(os.Environ()), Home: d.cfg.Home, Now: time.Now, Log: d.cfg.Log,
	})
	if err != nil {
		return err
	}
	d.Notes = notes
	if !known {
		d.told(d.kept.Cursor(), nil) // where the fleet was loaded
	}
	if err := d.tellRolled(ctx); err != nil {
		return err
	}
	d.background.Go(func() { d.tell(ctx) })
	return nil
}

// tellRolled takes the place up to which people were told over to the new log,
// with what they were not told of runs that are not in it.
func (d *Daemon) tellRolled(ctx context.Context) error {
	told := log.Cursor(d.Notes.Cursor())
	to, untold, err := d.rolled.Untold(told)
	if err != nil || to == told {
		return err
	}
	notices, err := d.notices(ctx, untold)
	if err != nil {
		return err
	}
	d.told(to, notices)
	return nil
}

// drafts shows what runs ask approval for, where the user's file wants that.
func (d *Daemon) drafts() *draft.Publisher {
	return draft.New(draft.Config{
		Dir: filepath.Join(d.cfg.Places.State, "drafts"), Settings: d.notifySettings, Effects: d.Effects,
		Env: notifierEnv(os.Environ()), Home: d.cfg.Home,
	})
}

// notifySettings reads the user's file anew.
func (d *Daemon) notifySettings() (notify.Settings, error) {
	f := d.Settings.Read()
	return f.Notify, f.Err()
}

// notifierEnv is the daemon's own environment less what is meant for it alone.
func notifierEnv(environ []string) []string {
	var env []string
	for _, kv := range environ {
		name, _, _ := strings.Cut(kv, "=")
		own := strings.HasPrefix(name, "AUTOPILOT_") && name != place.EnvState || marker.Repository(name)
		if !own && !slices.Contains([]string{"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_FDS", "LISTEN_PID", "LISTEN_FDNAMES"}, name) {
			env = append(env, kv)
		}
	}
	return env
}

// endOfLog is the place behind all that is stored.
func (d *Daemon) endOfLog(ctx context.Context) (log.Cursor, error) {
	var end log.Cursor
	for stored, err := range d.Log.ReadAll(ctx, "") {
		if err != nil && !errors.Is(err, log.ErrDamaged) {
			return "", fmt.Errorf("find the end of the log: %w", err)
		}
		end = stored.Cursor
	}
	return end, ctx.Err()
}

// tell follows the log until ctx ends.
func (d *Daemon) tell(ctx context.Context) {
	for {
		err := d.tellOn(ctx)
		if ctx.Err() != nil {
			return
		}
		d.cfg.Log.Error("follow the log to tell what happens", "error", err)
		if errors.Is(err, log.ErrCursorExpired) {
			if end, err := d.endOfLog(ctx); err == nil {
				d.told(end, nil)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(tellAgain):
		}
	}
}

// tellOn follows the log from the stored place. What is there already is looked
// at together, so that a thousand halts are stored in a few writes.
func (d *Daemon) tellOn(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	stored := make(chan log.Stored, tellAtOnce)
	failed := make(chan error, 1)
	go func() {
		defer close(stored)
		failed <- d.followInto(ctx, stored)
	}()
	defer func() {
		cancel()
		for range stored {
		}
	}()
	unkept := 0
	for s := range stored {
		batch := append([]log.Stored{s}, atHand(stored)...)
		notices, err := d.notices(ctx, batch)
		if err != nil {
			return err
		}
		if unkept += len(batch); len(notices) > 0 || unkept >= placeEvery {
			d.told(batch[len(batch)-1].Cursor, notices)
			unkept = 0
		}
	}
	return <-failed
}

// followInto hands on what is stored until ctx ends.
func (d *Daemon) followInto(ctx context.Context, to chan<- log.Stored) error {
	for s, err := range d.Log.Follow(ctx, log.Cursor(d.Notes.Cursor())) {
		if errors.Is(err, log.ErrDamaged) {
			continue // its run is halted for it
		}
		if err != nil {
			return err
		}
		select {
		case to <- s:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return ctx.Err()
}

// atHand takes what is there without waiting.
func atHand(from <-chan log.Stored) (out []log.Stored) {
	for len(out) < tellAtOnce {
		select {
		case s, ok := <-from:
			if !ok {
				return out
			}
			out = append(out, s)
		default:
			return out
		}
	}
	return out
}

func (d *Daemon) told(place log.Cursor, notices []notify.Notice) {
	if err := d.Notes.Add(string(place), notices...); err != nil {
		d.cfg.Log.Error("tell what happens", "error", err)
	}
}

// notices are what is to be told of events.
func (d *Daemon) notices(ctx context.Context, batch []log.Stored) ([]notify.Notice, error) {
	var out []notify.Notice
	for _, s := range batch {
		if s.Event.Aggregate.Kind != events.KindRun {
			continue
		}
		kind, ok := notify.KindOf(s.Event.Data)
		if !ok {
			continue
		}
		state, err := d.stateAt(ctx, s.Event)
		if err != nil {
			return nil, err
		}
		n := d.notice(kind, state, s.Event.Time, explain.Line(d.api.Spoken(state), s.Event))
		d.addComment(ctx, &n, kind, state)
		if d.together(ctx, &n, state, s.Event) {
			out = append(out, n)
		}
	}
	return out, nil
}

// stateAt is a run as it was after one of its events.
func (d *Daemon) stateAt(ctx context.Context, e events.Event) (run.State, error) {
	var s run.State
	for stored, err := range d.Log.Read(ctx, e.Aggregate, 0) {
		if err != nil && !errors.Is(err, log.ErrDamaged) {
			return s, err
		}
		if err == nil && stored.Event.Seq <= e.Seq {
			s = run.Evolve(s, stored.Event)
		}
		if stored.Event.Seq >= e.Seq {
			break
		}
	}
	return s, nil
}

func (d *Daemon) notice(kind notify.Kind, s run.State, at time.Time, what string) notify.Notice {
	next, l := "", d.api.Language(s)
	if all := explain.Next(s); len(all) > 0 {
		next = all[0].Command
	}
	if kind == notify.Died && s.Status == run.Live {
		what += phrase.Say(l, "; the attempt is repeated", "。試行を繰り返す")
	}
	return notify.NewNotice(kind, d.api.ViewAt(s, at), s.Log.Seq, at, phrase.Say(l, "run %s %s", "実行 %s: %s", s.Facts.Handle, what), next)
}

// diskWaits are the runs that wait for room on the disk and were told of. No
// event says that they wait, so a daemon that starts anew tells it again, under
// the same key.
type diskWaits map[string]bool

// tellFull tells of runs that wait for room on the disk. Only tend calls it.
func (d *Daemon) tellFull() {
	full := d.Fleet.Fulls(d.Journal.Disk.Low())
	var notices []notify.Notice
	for id, s := range full {
		if !d.waits[id] {
			notices = append(notices, d.notice(notify.WaitingLimit, s, time.Now(), phrase.Say(d.api.Language(s), "waits for room on the disk", "ディスクの空きを待機中")))
		}
	}
	d.waits = diskWaits{}
	for id := range maps.Keys(full) {
		d.waits[id] = true
	}
	if len(notices) > 0 {
		d.told("", notices)
	}
}
