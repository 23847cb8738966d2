package transfer_test

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/history/transfer"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/chain"
	"autopilot/projections/host"
	"autopilot/projections/run"
)

// station is a host without a daemon: a log in memory, texts and an archive.
type station struct {
	t       *testing.T
	dir     string // of the archive
	journal *journal.Journal
	host    *journal.Aggregate[host.State]
	archive *archive.Archive
	blobs   *blob.Store
	runs    map[string]run.State // in the log
}

func newStation(t *testing.T) *station {
	t.Helper()
	s := &station{t: t, dir: t.TempDir(), runs: map[string]run.State{}}
	s.journal = journal.New(log.NewMemory(log.MemoryConfig{}), "here", time.Now)
	out := slog.New(slog.DiscardHandler)
	var err error
	s.host, err = journal.Open(t.Context(), s.journal, events.Host("here"), journal.Fold[host.State]{
		Evolve: host.Evolve,
		Log:    func(s *host.State) *chain.Log { return &s.Log },
	}, out)
	s.must(err)
	s.archive, err = archive.OpenArchive(s.dir, out)
	s.must(err)
	t.Cleanup(func() { s.must(s.archive.Close()) })
	s.blobs, err = blob.Open(t.TempDir(), blob.Process)
	s.must(err)
	return s
}

func (s *station) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// play stores a run that is done at once.
func (s *station) play() run.State {
	s.t.Helper()
	task, err := s.blobs.Put(s.t.Context(), []byte("make it so"))
	s.must(err)
	id := journal.NewID(time.Now())
	for i, d := range []events.Data{
		events.RunStarted{Handle: "abcd", Workflow: "converge", Task: task}, events.RunEnded{State: events.EndDone},
	} {
		_, err := s.journal.Append(s.t.Context(), events.Event{
			Aggregate: events.Run(id), Seq: uint64(i + 1), Actor: "daemon:here", Data: d,
		}, false)
		s.must(err)
	}
	s.runs[id], err = s.journal.Load(s.t.Context(), id)
	s.must(err)
	return s.runs[id]
}

// exported writes a bundle of all runs.
func (s *station) exported() string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), "bundle.zip")
	f, err := os.Create(path)
	s.must(err)
	x := transfer.Exporter{State: s.t.TempDir(), Version: "test", Host: "here", Log: s.journal.Log, Blobs: s.blobs, Runs: s}
	_, err = x.Write(s.t.Context(), wire.ExportRequest{}, f)
	s.must(errors.Join(err, f.Close()))
	return path
}

func (s *station) imports(path string, dry bool) (wire.ImportView, error) {
	im := transfer.NewImporter(transfer.ImportConfig{
		Host: "here", Facts: s.host, Known: s, Log: s.journal.Log, Archive: s.archive, Blobs: s.blobs, Out: slog.New(slog.DiscardHandler),
	})
	return im.Take(s.t.Context(), auth.Request{ID: "q"}, wire.ImportRequest{Path: path, DryRun: dry})
}

// Heads implements transfer.Runs.
func (s *station) Heads() []snapshot.Head {
	var out []snapshot.Head
	for _, st := range s.runs {
		out = append(out, snapshot.HeadOf(st, ""))
	}
	return out
}

// Read implements transfer.Runs.
func (s *station) Read(h snapshot.Head) (run.State, error) { return s.runs[h.ID], nil }

// State implements transfer.Known.
func (s *station) State(id string) (run.State, bool) {
	if st, ok := s.runs[id]; ok {
		return st, true
	}
	st, err := s.archive.State(id)
	return st, err == nil
}

// IsArchived implements transfer.Known.
func (s *station) IsArchived(id string) bool {
	_, here := s.runs[id]
	_, ok := s.archive.Head(id)
	return ok && !here
}

// AddArchived implements transfer.Known: what the archive has is looked for there.
func (s *station) AddArchived(*archive.Archive) {}
