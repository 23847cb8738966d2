package daemon

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"autopilot/daemon/blob"
	"autopilot/daemon/bus"
	"autopilot/daemon/effect/proc"
	"autopilot/daemon/store"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// VerifyMain proves a store that no daemon has open: one that a daemon refuses,
// too. It works on a copy, so it changes nothing. Exit codes: 0 proven, 1
// something is wrong, 2 usage, 5 a daemon has it open.
func VerifyMain(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("autopilotd verify", flag.ContinueOnError)
	f.SetOutput(stderr)
	offline := f.Bool("offline", false, "prove the store itself, without a daemon")
	state := f.String("state", "", "the state directory, if not the usual one")
	if err := f.Parse(args); err != nil {
		return 2
	}
	if !*offline || f.NArg() > 0 {
		fmt.Fprintln(stderr, "autopilotd: verify works on a store that no daemon has open\n  autopilotd verify --offline\n  apctl verify --all   asks the daemon")
		return 2
	}
	places, err := place.Find(place.System())
	if err == nil && *state != "" {
		places.State, err = filepath.Abs(*state)
	}
	if err != nil {
		fmt.Fprintln(stderr, "autopilotd:", err)
		return 1
	}
	reply, err := VerifyOffline(ctx, places)
	switch {
	case errors.Is(err, bus.ErrLocked):
		fmt.Fprintf(stderr, "autopilotd: %v\n  apctl verify --all   asks the daemon that has it open\n", err)
		return 5
	case err != nil:
		fmt.Fprintln(stderr, "autopilotd: verify", places.State+":", err)
		return 1
	}
	return sayProof(stdout, reply)
}

func sayProof(w io.Writer, r wire.VerifyReply) int {
	for _, p := range r.Problems {
		fmt.Fprintf(w, "%s event %d: %s\n", p.Aggregate, p.Seq, p.What)
	}
	if len(r.Problems) > 0 {
		fmt.Fprintf(w, "not whole: problems %d, events read %d\n", len(r.Problems), r.Events)
		return 1
	}
	fmt.Fprintf(w, "whole: %d events of %d aggregates, sequence and hash chain proven\n", r.Events, r.Aggregates)
	if r.Unknown > 0 {
		fmt.Fprintf(w, "%d events are of types that this version does not know\n", r.Unknown)
	}
	return 0
}

// VerifyOffline proves the store of a state directory on a copy of it.
func VerifyOffline(ctx context.Context, places place.Places) (reply wire.VerifyReply, err error) {
	if _, err := os.Stat(markFile(places.State)); err != nil {
		return reply, fmt.Errorf("find the mark of an event store: %w", err)
	}
	lock, err := bus.Lock(places, "verify")
	if err != nil {
		return reply, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	damage, err := lookForDamage(places.State)
	if err != nil {
		return reply, err
	}
	reply, err = proveIn(ctx, places)
	if damage != nil {
		// What is left of a damaged store says little; where it is damaged counts.
		reply.Problems = append([]wire.Problem{*damage}, reply.Problems...)
		err = nil
	}
	return reply, err
}

// lookForDamage compares the files of the store with the mark, without a server.
func lookForDamage(state string) (*wire.Problem, error) {
	boot, err := proc.Boot()
	if err != nil {
		return nil, err
	}
	err = store.Check(streamsDir(state), markFile(state), boot, true)
	if errors.Is(err, store.ErrMark) {
		return &wire.Problem{Aggregate: "log", What: err.Error() + "; whether all that was acknowledged is there cannot be told"}, nil
	}
	if d, ok := errors.AsType[*store.DamagedError](err); ok {
		return &wire.Problem{Aggregate: "log", Seq: d.From, What: d.Error()}, nil
	}
	return nil, err
}

// proveIn proves a copy of the store.
func proveIn(ctx context.Context, places place.Places) (reply wire.VerifyReply, err error) {
	tmp, err := os.MkdirTemp("", "autopilot-verify-")
	if err != nil {
		return reply, fmt.Errorf("make room for a copy: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tmp)) }()
	twin := places
	twin.State, twin.Runtime = tmp, filepath.Join(tmp, "run")
	if err := os.CopyFS(filepath.Join(tmp, "store"), os.DirFS(filepath.Join(places.State, "store"))); err != nil {
		return reply, fmt.Errorf("copy the event store to %s: %w", tmp, err)
	}
	texts := filepath.Join(places.State, "blobs")
	return proveCopy(ctx, twin, func(ref events.Ref) bool { return blob.Exists(texts, ref) })
}

func proveCopy(ctx context.Context, twin place.Places, has func(events.Ref) bool) (reply wire.VerifyReply, err error) {
	lock, err := bus.Lock(twin, "verify")
	if err != nil {
		return reply, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	b, err := bus.Open(bus.Config{
		Places: twin, Lock: lock, Durability: bus.Process, Log: slog.New(slog.DiscardHandler),
		Identify: func(int, int) bus.Identity { return bus.Identity{} },
	})
	if err != nil {
		return reply, err
	}
	defer func() {
		cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, b.Close(cctx))
	}()
	nc, err := b.Daemon()
	if err != nil {
		return reply, err
	}
	l, err := log.Open(ctx, nc, logConfig(0))
	if err != nil {
		return reply, err
	}
	reply, _, err = prove(l.ReadAll(ctx, ""), folded{}, has)
	return reply, err
}
