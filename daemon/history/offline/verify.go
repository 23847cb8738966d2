package offline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/history/prove"
	"autopilot/daemon/history/removal"
	"autopilot/daemon/history/roll"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// VerifyMain proves a store that no daemon has open: one that a daemon refuses,
// too. It changes nothing, unless it is asked to seal a store anew whose seals
// are lost. Exit codes: 0 proven, 1 something is wrong, 2 usage, 5 a daemon has
// it open.
func VerifyMain(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("autopilotd verify", flag.ContinueOnError)
	f.SetOutput(stderr)
	offline := f.Bool("offline", false, "prove the store itself, without a daemon")
	anew := f.Bool("reseal", false, "take its events as they are from now on, if all else is proven")
	state := f.String("state", "", "the state directory, if not the usual one")
	if err := f.Parse(args); err != nil {
		return 2
	}
	if !*offline || f.NArg() > 0 {
		fmt.Fprintln(stderr, "autopilotd: verify works on a store that no daemon has open\n  autopilotd verify --offline\n  apctl verify --all   asks the daemon")
		return 2
	}
	places, err := placesOf(*state)
	if err != nil {
		fmt.Fprintln(stderr, "autopilotd:", err)
		return 1
	}
	work := Verify
	if *anew {
		work = reseal
	}
	reply, err := work(ctx, places)
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

// placesOf are those of a state directory, or of the usual one.
func placesOf(state string) (place.Places, error) {
	places, err := place.Find(place.System())
	if err == nil && state != "" {
		places.State, err = filepath.Abs(state)
	}
	return places, err
}

func sayProof(w io.Writer, r wire.VerifyReply) int {
	for _, p := range r.Problems {
		at := ""
		if p.Seq > 0 {
			at = fmt.Sprintf(" event %d", p.Seq)
		}
		fmt.Fprintf(w, "%s%s: %s\n", p.Aggregate, at, p.What)
	}
	if len(r.Problems) > 0 {
		fmt.Fprintf(w, "not whole: problems %d, events read %d\n", len(r.Problems), r.Events)
		return 1
	}
	fmt.Fprintf(w, "whole: %s of %s, sequence and hash chain proven, %d by seals; %s\n",
		phrase.Count(r.Events, "event"), phrase.Count(r.Aggregates, "aggregate"), r.Sealed, phrase.Count(r.Texts, "text"))
	if r.Gone > 0 {
		fmt.Fprintf(w, "erased or pruned: %s\n", phrase.Count(r.Gone, "text"))
	}
	if r.Bundles > 0 {
		fmt.Fprintf(w, "whole: %s of the archive\n", phrase.Count(r.Bundles, "bundle"))
	}
	if r.Unknown > 0 {
		fmt.Fprintf(w, "not known to this version: the type of %s\n", phrase.Count(r.Unknown, "event"))
	}
	return 0
}

// Verify proves the store of a state directory. It reads the files, and
// changes nothing.
func Verify(ctx context.Context, places place.Places) (reply wire.VerifyReply, err error) {
	err = locked(places, func(boot string) error {
		reply, err = proveSealed(ctx, places.State, boot)
		return err
	})
	return reply, err
}

// locked works on a state directory that no daemon has open.
func locked(places place.Places, work func(boot string) error) (err error) {
	// A roll that is under way, or was cut off, has the store at no place for a moment.
	if _, err := os.Stat(filestore.StreamsIn(places.State)); err != nil && roll.Whole(places.State) == nil {
		return fmt.Errorf("find an event store: %w", err)
	}
	lock, err := bus.Lock(places, "verify")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if err := roll.Whole(places.State); err != nil {
		return err
	}
	boot, err := proc.Boot()
	if err != nil {
		return err
	}
	return work(boot)
}

// proveSealed proves by mark and seals, or says what is wrong with them and
// proves the rest.
func proveSealed(ctx context.Context, state, boot string) (wire.VerifyReply, error) {
	pending, err := removal.Read(state)
	if err != nil {
		return wire.VerifyReply{}, err
	}
	p := prove.New(prove.Config{Text: textsOf(state), Gone: pending.Covers})
	names := filestore.NamesIn(state)
	if filestore.NeverSealed(names, filestore.StreamsIn(state)) {
		return proveStore(ctx, p, state, boot, nil)
	}
	seals, err := filestore.ReadSeals(names, boot)
	if err != nil {
		p.Note(err.Error() + "; whether all that was acknowledged is there, as it was, cannot be told")
		return proveStore(ctx, p, state, boot, nil)
	}
	reply, err := proveStore(ctx, p, state, boot, seals)
	return reply, errors.Join(err, seals.Close(0))
}

func textsOf(state string) func(events.Ref) error {
	dir := filepath.Join(state, "blobs")
	return func(ref events.Ref) error {
		_, err := blob.Read(dir, ref)
		return err
	}
}

// proveStore proves store and archive. Without seals the mark counts, as far as
// there is one.
func proveStore(ctx context.Context, p *prove.Proof, state, boot string, seals *filestore.Seals) (wire.VerifyReply, error) {
	to, err := acknowledged(state, boot, seals)
	if err == nil && to.Stream != "" {
		err = p.Files(ctx, filestore.StreamsIn(state), to, seals)
	}
	if err == nil {
		err = p.Bundles(ctx, archive.DirIn(state))
	}
	return p.Reply(), err
}

// acknowledged is up to where a store must be whole.
func acknowledged(state, boot string, seals *filestore.Seals) (filestore.Position, error) {
	if seals != nil {
		to, err := seals.Marked()
		if err != nil || to.Stream != "" {
			return to, err
		}
	}
	to, err := filestore.Acknowledged(filestore.NamesIn(state).Mark, boot)
	if err == nil && to.Stream != "" {
		return to, nil
	}
	stream, err := filestore.Left(filestore.StreamsIn(state), filestore.NamesIn(state).Mark)
	if errors.Is(err, filestore.ErrNothing) {
		return filestore.Position{}, nil
	}
	return filestore.Position{Stream: stream}, err
}
