package offline

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/term"

	"autopilot/daemon/history/roll"
	"autopilot/daemon/transport/bus"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// export is what autopilotd export is asked for.
type export struct {
	places  place.Places
	version string
	file    string
	noTexts bool
	yes     bool
	runs    []string
}

// toStdout is the name of no file.
const toStdout = "-"

// ExportMain writes a bundle of a store that no daemon has open: one that a daemon
// refuses, too, as far as it can be read. Exit codes: 0 written, 1 written, but
// something is missing, or not written, 2 usage, 4 no such run, 5 a daemon has it
// open, the run is not over or the file is there.
func ExportMain(ctx context.Context, version string, args []string, stdout, stderr io.Writer) int {
	f := flag.NewFlagSet("autopilotd export", flag.ContinueOnError)
	f.SetOutput(stderr)
	o := export{version: version}
	offline := f.Bool("offline", false, "read the store itself, without a daemon")
	state := f.String("state", "", "the state directory, if not the usual one")
	f.StringVar(&o.file, "o", "", "the file to write; - is standard output")
	f.BoolVar(&o.noTexts, "no-texts", false, "only the events")
	f.BoolVar(&o.yes, "y", false, "overwrite the file")
	if err := f.Parse(args); err != nil {
		return wire.ExitUsage
	}
	o.runs = f.Args()
	if !*offline || o.file == "" {
		fmt.Fprintln(stderr, "autopilotd: export works on a store that no daemon has open\n  autopilotd export --offline -o FILE [RUN...]\n  apctl archive export   asks the daemon")
		return wire.ExitUsage
	}
	var err error
	if o.places, err = placesOf(*state); err != nil {
		fmt.Fprintln(stderr, "autopilotd:", err)
		return wire.ExitFailed
	}
	said := stdout
	if o.file == toStdout {
		said = stderr
	}
	sum, whole, err := o.write(ctx, stdout, stderr)
	if err != nil {
		return sayNoExport(stderr, err)
	}
	sayExport(said, stderr, o.file, sum)
	if !whole {
		return wire.ExitFailed
	}
	return wire.ExitDone
}

// sayNoExport says why there is no bundle, and answers the exit code.
func sayNoExport(w io.Writer, err error) int {
	fmt.Fprintln(w, "autopilotd: export:", err)
	if errors.Is(err, bus.ErrLocked) {
		fmt.Fprintln(w, "  apctl archive export   asks the daemon that has it open")
		return wire.ExitConflict
	}
	e, ok := errors.AsType[*wire.Error](err)
	if !ok {
		return wire.ExitFailed
	}
	if e.Hint != "" {
		fmt.Fprintln(w, "  "+e.Hint)
	}
	codes := map[wire.Code]int{wire.NotFound: wire.ExitNotFound, wire.Conflict: wire.ExitConflict, wire.Usage: wire.ExitUsage}
	if code, ok := codes[e.Code]; ok {
		return code
	}
	return wire.ExitFailed
}

func sayExport(stdout, stderr io.Writer, file string, s wire.BundleSum) {
	fmt.Fprintf(stdout, "wrote %s: runs %d, events %d, texts %d, bytes %d\n  sha256: %s\n", file, s.Runs, s.Events, s.Texts, s.Bytes, s.SHA256)
	if s.Missing > 0 {
		fmt.Fprintf(stderr, "texts that events name and that are gone: %d\n", s.Missing)
	}
	if s.Live > 0 {
		fmt.Fprintf(stderr, "runs left out, as they are not over: %d\n", s.Live)
	}
	if s.Redacted > 0 {
		fmt.Fprintf(stderr, "texts from which secrets were taken out: %d\n", s.Redacted)
	}
	for _, f := range s.Found {
		fmt.Fprintf(stderr, "  %s event %d, text %s: %q\n", f.Run, f.Seq, f.Ref, f.Kinds)
	}
}

// write makes the bundle, whole under its name or not at all. whole says that
// nothing is missing.
func (o export) write(ctx context.Context, stdout, stderr io.Writer) (sum wire.BundleSum, whole bool, err error) {
	if _, err := os.Stat(o.places.State); err != nil {
		return sum, false, err
	}
	lock, err := bus.Lock(o.places, o.version)
	if err != nil {
		return sum, false, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if err := roll.Whole(o.places.State); err != nil {
		return sum, false, err
	}
	s, err := o.look(stderr)
	if err != nil {
		return sum, false, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	if o.file == toStdout {
		if f, ok := stdout.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
			return sum, false, wire.Errorf(wire.Usage, "a bundle is not for a terminal")
		}
		sum, err = s.export(ctx, stdout, time.Now())
		return sum, s.whole, err
	}
	info, err := os.Lstat(o.file)
	if err == nil && !info.Mode().IsRegular() {
		return sum, false, wire.Errorf(wire.Usage, "%s is not a regular file", o.file).WithHint("name another file; -o - sends the bundle to a pipe")
	}
	if err == nil && !o.yes {
		return sum, false, wire.Errorf(wire.Conflict, "%s is there already", o.file).WithHint("-y overwrites it")
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return sum, false, err
	}
	err = replaceFile(o.file, func(w io.Writer) error {
		sum, err = s.export(ctx, w, time.Now())
		return err
	})
	return sum, s.whole, err
}

// replaceFile writes a file so that it is there whole or as it was before.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	w := bufio.NewWriter(f)
	if err := errors.Join(write(w), w.Flush(), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
