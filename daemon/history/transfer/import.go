package transfer

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/failpoint"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/disk"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/host"
	"autopilot/projections/run"
)

// Host is the writer of the host's own events.
type Host interface {
	State() host.State
	Append(ctx context.Context, data events.Data, actor, cause string) (events.Event, error)
}

// Known are the runs that are here, of this host and of others.
type Known interface {
	State(id string) (run.State, bool)
	// IsArchived says that a run is in the archive and not in the log.
	IsArchived(id string) bool
	// AddArchived adds the runs of the archive that the log does not have.
	AddArchived(a *archive.Archive)
}

// ImportConfig says where an Importer looks, and where it puts what comes in.
type ImportConfig struct {
	Host    string // its name
	Facts   Host
	Known   Known
	Log     log.Log
	Archive *archive.Archive
	Blobs   *blob.Store
	Disk    disk.Ballast // without a directory there is room
	Out     *slog.Logger
}

// Importer takes bundles in. It may be used from many goroutines.
type Importer struct {
	cfg ImportConfig
	mu  sync.Mutex // one bundle from elsewhere at a time
}

// NewImporter takes bundles into an archive.
func NewImporter(cfg ImportConfig) *Importer { return &Importer{cfg: cfg} }

// Take takes the history of a bundle in.
func (im *Importer) Take(ctx context.Context, q auth.Request, body wire.ImportRequest) (wire.ImportView, error) {
	im.mu.Lock()
	defer im.mu.Unlock()
	b, err := openIncoming(body.Path)
	if err != nil {
		return wire.ImportView{}, err
	}
	defer b.Close()
	in, err := im.examine(ctx, b)
	if err != nil {
		return wire.ImportView{}, incomingError(body.Path, err)
	}
	v, err := in.view(body)
	if err != nil || body.DryRun || len(in.fresh) == 0 {
		return v, err
	}
	if err := roomFor(im.cfg.Disk, v.Bundle, b.Manifest()); err != nil {
		return v, err
	}
	f, err := im.takeIn(ctx, in)
	if err != nil {
		return v, fmt.Errorf("take in %s: %w", body.Path, err)
	}
	failpoint.Hit(failpoint.AfterImport)
	return v, im.note(context.WithoutCancel(ctx), f, q.Actor, q.ID)
}

// openIncoming opens a file that may be anything.
func openIncoming(path string) (*archive.Bundle, error) {
	if !filepath.IsAbs(path) {
		return nil, wire.Errorf(wire.Usage, "the path of a bundle is absolute: %q", path)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, wire.Errorf(wire.NotFound, "%s is not there", path)
	case err != nil:
		return nil, wire.Errorf(wire.Usage, "%v", err)
	case !info.Mode().IsRegular():
		return nil, wire.Errorf(wire.Usage, "%s is not a regular file", path)
	}
	b, err := archive.Open(path)
	return b, incomingError(path, err)
}

// incomingError says what is wrong with a bundle that comes from elsewhere.
func incomingError(path string, err error) error {
	if err == nil {
		return nil
	}
	what := err.Error()
	if !strings.Contains(what, path) {
		what = path + ": " + what
	}
	switch {
	case errors.Is(err, archive.ErrNewer):
		return wire.Errorf(wire.Newer, "%s", what).WithHint("install the newer autopilot here")
	case errors.Is(err, archive.ErrDamaged):
		return wire.Errorf(wire.Failed, "%s", what).WithHint("nothing was taken in; have the file sent again, or exported anew")
	}
	return err
}

// view is what an import has found.
func (in *incoming) view(body wire.ImportRequest) (wire.ImportView, error) {
	m := in.bundle.Manifest()
	v := wire.ImportView{DryRun: body.DryRun, Version: m.Version, Runs: in.runs, Known: len(in.runs) - len(in.fresh)}
	v.Bundle = wire.BundleSum{
		Runs: len(m.Runs), Events: int(m.Events()), Texts: len(m.Texts), Missing: len(m.Missing), Redacted: m.Redacted(),
	}
	var err error
	v.Bundle.SHA256, v.Bundle.Bytes, err = digestOf(body.Path)
	return v, err
}

func digestOf(path string) (events.Digest, int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, f)
	return events.Digest(hex.EncodeToString(sum.Sum(nil))), n, err
}

// roomFor refuses what would fill the disk under the event store.
func roomFor(room disk.Ballast, sum wire.BundleSum, m archive.Manifest) error {
	need := uint64(sum.Bytes)
	for _, t := range m.Texts {
		need += uint64(t.Bytes)
	}
	if room.Dir == "" || room.Free() >= need+disk.Floor+disk.BallastBytes {
		return nil
	}
	return wire.Errorf(wire.Full, "there is no room for it: it needs %d MiB on the disk of %s, beside those that are kept free", need>>20, room.Dir).
		WithHint("apctl archive   shows what takes room")
}

// takeIn stores the texts of new runs, and their events in a bundle of the archive.
func (im *Importer) takeIn(ctx context.Context, in *incoming) (f archive.File, err error) {
	if err := im.takeTexts(ctx, in); err != nil {
		return f, err
	}
	failpoint.Hit(failpoint.DuringImport)
	tmp, err := im.cfg.Archive.Temp()
	if err != nil {
		return f, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	if err := errors.Join(in.rewrite(tmp), tmp.Close()); err != nil {
		return f, err
	}
	if f, err = im.cfg.Archive.Add(ctx, tmp.Name(), true, time.Now()); err != nil {
		return f, err
	}
	im.cfg.Known.AddArchived(im.cfg.Archive)
	im.cfg.Blobs.Settle(in.texts...)
	return f, nil
}

func (im *Importer) takeTexts(ctx context.Context, in *incoming) error {
	for _, ref := range in.texts {
		text, err := in.bundle.Text(ref)
		switch {
		case errors.Is(err, archive.ErrNoText):
			continue
		case err == nil && blob.Name(text) == ref:
			_, err = im.cfg.Blobs.Put(ctx, text)
		case err == nil:
			err = im.cfg.Blobs.PutStandIn(ctx, ref, text)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rewrite makes a bundle of the new runs alone, without texts: what was imported
// once gives the same bytes again.
func (in *incoming) rewrite(f *os.File) error {
	m := in.bundle.Manifest()
	out := bufio.NewWriterSize(f, 1<<16)
	w := archive.NewWriter(out, archive.Maker{Made: m.Made, Version: m.Version, Host: m.Host, Generation: m.Generation})
	for _, r := range in.fresh {
		if err := w.Run(r, in.bundle.Events(r.ID, 0)); err != nil {
			return err
		}
	}
	_, err := w.Close()
	return errors.Join(err, out.Flush())
}

// note records that a bundle is here.
func (im *Importer) note(ctx context.Context, f archive.File, actor, cause string) error {
	_, err := im.cfg.Facts.Append(ctx, events.BundleImported{Bundle: f.SHA256, Runs: f.Runs, Events: int(f.Events)}, actor, cause)
	if err != nil {
		return fmt.Errorf("the runs are here, but that is not recorded yet: %w", err)
	}
	return nil
}

// Finish records bundles that were taken in just before a daemon ended.
func (im *Importer) Finish(ctx context.Context) {
	im.mu.Lock()
	defer im.mu.Unlock()
	noted := map[events.Digest]bool{}
	for _, i := range im.cfg.Facts.State().Imported {
		noted[i.Bundle] = true
	}
	for _, f := range im.cfg.Archive.Bundles() {
		if !f.Imported || f.Problem != nil || noted[f.SHA256] {
			continue
		}
		if err := im.note(ctx, f, events.ActorDaemon(im.cfg.Host), ""); err != nil {
			im.cfg.Out.Error("record an import", "bundle", f.Path, "error", err)
		}
	}
}
