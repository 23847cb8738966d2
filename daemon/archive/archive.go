package archive

import (
	"context"
	"iter"
	"log/slog"
	"os"
	"time"

	"autopilot/daemon/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

// Archive is an open directory of bundles.
type Archive struct{}

// File is a bundle of the directory.
type File struct {
	Path     string
	SHA256   events.Digest // as its name says; Archive.Check looks
	At       time.Time     // when it came here, to the second
	Imported bool          // it came from elsewhere
	Runs     int
	Events   uint64
	Bytes    int64
	Problem  error // why it cannot be read
}

// Head is what is known of an archived run without its state.
type Head struct {
	snapshot.Head
	Bundle   events.Digest
	Imported bool
}

// OpenArchive opens a directory, and makes it if it is not there. What is wrong
// with a bundle is its Problem and no error; states that had to be made anew are
// told to the log. Only one process may have a directory open.
func OpenArchive(dir string, l *slog.Logger) (*Archive, error) { return nil, errNotBuilt }

// Close lets go of all files.
func (a *Archive) Close() error { return errNotBuilt }

// Bundles lists the bundles, the oldest first.
func (a *Archive) Bundles() []File { return nil }

// Heads lists the runs, in the order of their ids. Of a run that is in several
// bundles it is that of the one that is read: own history before imported, then
// the one with more events, then the older bundle. A run whose events this version
// cannot fold is over, and as its manifest says.
func (a *Archive) Heads() []Head { return nil }

// Head is the head of a run.
func (a *Archive) Head(id string) (Head, bool) { return Head{}, false }

// State is the state of a run; ErrNoRun.
func (a *Archive) State(id string) (run.State, error) { return run.State{}, errNotBuilt }

// Events are those of a run, as Bundle.Events gives them.
func (a *Archive) Events(id string, after uint64) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) { yield(log.Stored{}, errNotBuilt) }
}

// Temp makes a file in the directory for a bundle on its way in. One that a
// process which died left behind is removed by the next OpenArchive.
func (a *Archive) Temp() (*os.File, error) { return nil, errNotBuilt }

// Add proves a bundle that is a file of Temp, as Check does, and takes it in: when
// it returns, the bundle is durable under a name of its own, and its runs are
// there. One that is there already is answered as it is, and tmp removed. With an
// error nothing was taken in, and tmp stays.
func (a *Archive) Add(ctx context.Context, tmp string, imported bool, at time.Time) (File, error) {
	return File{}, errNotBuilt
}

// Check proves a bundle of the directory: that it has the hash which its name
// says, and what Bundle.Check says.
func (a *Archive) Check(ctx context.Context, f File) error { return errNotBuilt }
