package offline

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/history/transfer"
	"autopilot/daemon/run/work"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/filestore"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// saved is what can be exported of a state directory that no daemon has open.
type saved struct {
	o       export
	log     *leftovers
	archive *archive.Archive // nil if there is none
	secrets []string
	runs    []savedRun // that go into the bundle
	live    int        // runs of a selection that are not over
	whole   bool       // nothing is missing
	say     io.Writer
}

// savedRun is a run that is over, in the log or in the archive.
type savedRun struct {
	archive.Run
	inLog bool
	open  bool // it is not over
}

// look reads what is there, and chooses what is exported. It says what is missing.
func (o export) look(stderr io.Writer) (_ *saved, err error) {
	s := &saved{o: o, whole: true, say: stderr}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close())
		}
	}()
	if s.secrets, err = work.Secrets(o.places.State); err != nil {
		return nil, err
	}
	if err := s.openArchive(); err != nil {
		return nil, err
	}
	s.log, err = lookOver(o.places.State)
	if errors.Is(err, filestore.ErrNothing) && s.archive != nil {
		s.missing("%v", err)
		s.log, err = &leftovers{}, nil
	}
	if err != nil {
		return nil, err
	}
	if holes := filestore.Holes(s.log.holes); holes != "" {
		s.missing("the event store is damaged: %s", holes)
	}
	return s, s.choose()
}

func (s *saved) close() error {
	if s.archive == nil {
		return nil
	}
	return s.archive.Close()
}

// missing says that something cannot be read.
func (s *saved) missing(format string, args ...any) {
	s.whole = false
	fmt.Fprintf(s.say, format+"\n", args...)
}

// openArchive opens the archive if there is one: nothing is made here.
func (s *saved) openArchive() error {
	dir := archive.DirIn(s.o.places.State)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var err error
	if s.archive, err = archive.OpenArchive(dir, slog.New(slog.DiscardHandler)); err != nil {
		return fmt.Errorf("open the archive: %w", err)
	}
	for _, f := range s.archive.Bundles() {
		if f.Problem != nil {
			s.missing("%s cannot be read: %v", f.Path, f.Problem)
		}
	}
	return nil
}

// choose takes the runs that are named, or all that are over and began here.
func (s *saved) choose() error {
	for _, id := range s.log.headless() {
		s.missing("left out: run %s has lost its first event", id)
	}
	own, others := s.all()
	if len(s.o.runs) == 0 {
		for _, r := range own {
			if r.open {
				s.live++
				fmt.Fprintf(s.say, "left out: run %s is not over\n", r.Handle)
				continue
			}
			s.runs = append(s.runs, r)
		}
	}
	for _, name := range s.o.runs {
		r, err := pickRun(append(own, others...), name)
		if err != nil {
			return err
		}
		if r.open {
			return wire.Errorf(wire.Conflict, "run %s is not over: only history that is over is exported", r.Handle)
		}
		if !slices.Contains(s.runs, r) {
			s.runs = append(s.runs, r)
		}
	}
	if len(s.runs) == 0 {
		return wire.Errorf(wire.NotFound, "no run is over in %s", s.o.places.State)
	}
	for _, r := range s.runs {
		s.sayBroken(r)
	}
	return nil
}

func (s *saved) sayBroken(r savedRun) {
	if !r.inLog {
		return
	}
	if at := s.log.runs[r.ID].broken(); at > 0 {
		s.missing("run %s is not whole from event %d on: what is left of it is in the bundle", r.Handle, at)
	}
}

// all is every run that can be read, and behind them those of other places, the
// oldest first.
func (s *saved) all() (own, others []savedRun) {
	for _, st := range s.log.states() {
		own = append(own, savedRun{Run: archive.RunOf(st), inLog: true, open: st.Status != run.Over})
	}
	if s.archive == nil {
		return own, nil
	}
	for _, h := range s.archive.Heads() {
		r := savedRun{Run: archivedRun(s.archive, h)}
		switch _, ok := s.log.runs[h.ID]; {
		case h.Imported:
			others = append(others, r)
		case !ok:
			own = append(own, r)
		}
	}
	slices.SortStableFunc(own, func(a, b savedRun) int { return cmp.Compare(a.ID, b.ID) })
	return own, others
}

// archivedRun is what a bundle says of a run of the archive.
func archivedRun(a *archive.Archive, h archive.Head) archive.Run {
	if s, err := a.State(h.ID); err == nil && s.Status == run.Over {
		return archive.RunOf(s)
	}
	return archive.Run{ID: h.ID, Handle: h.Handle, State: h.Settled} // it is of a newer version
}

// pickRun finds the run that a person names: by id or handle, else by the end of
// an id.
func pickRun(all []savedRun, name string) (savedRun, error) {
	var hits []savedRun
	for _, r := range all {
		if strings.EqualFold(r.ID, name) || strings.EqualFold(r.Handle, name) {
			return r, nil
		}
		if n := len(r.ID) - len(name); len(name) >= 4 && n >= 0 && strings.EqualFold(r.ID[n:], name) {
			hits = append(hits, r)
		}
	}
	switch len(hits) {
	case 1:
		return hits[0], nil
	case 0:
		return savedRun{}, wire.Errorf(wire.NotFound, "no run %q can be read", name)
	}
	return savedRun{}, wire.Errorf(wire.Usage, "%q fits %d runs", name, len(hits)).WithHint("give more characters of the id")
}

// export writes the bundle.
func (s *saved) export(ctx context.Context, w io.Writer, now time.Time) (wire.BundleSum, error) {
	host, err := os.ReadFile(filepath.Join(s.o.places.State, "host"))
	if err != nil {
		s.missing("the name of this host cannot be read: %v", err)
	}
	var text func(events.Ref) ([]byte, error)
	if !s.o.noTexts {
		dir := filepath.Join(s.o.places.State, "blobs")
		text = func(ref events.Ref) ([]byte, error) { return blob.Read(dir, ref) }
	}
	out := transfer.NewOutgoing(w, archive.Maker{Made: now, Version: s.o.version, Host: string(host)}, text, s.secrets)
	inLog := map[string]archive.Run{}
	for _, r := range s.runs {
		if r.inLog {
			inLog[r.ID] = r.Run
			continue
		}
		if err := out.Run(r.Run, s.archive.Events(r.ID, 0)); err != nil {
			return wire.BundleSum{}, err
		}
	}
	if len(inLog) > 0 {
		err := s.log.gather(inLog, func(r archive.Run, list []filestore.Record) error {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			return out.Run(r, s.log.stored(list))
		})
		if err != nil {
			return wire.BundleSum{}, err
		}
	}
	sum, err := out.Close(ctx)
	sum.Live = s.live
	s.whole = s.whole && sum.Missing == 0
	return sum, err
}
