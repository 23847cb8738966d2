package archive

import (
	"context"
	"iter"

	"autopilot/events"
	"autopilot/events/log"
)

// Bundle is an open bundle.
type Bundle struct{}

// Open opens the file of a bundle and reads its manifest; ErrDamaged, ErrNewer.
// Whether everything is as the manifest says is for Check to tell.
func Open(path string) (*Bundle, error) { return nil, errNotBuilt }

// Close lets go of the file.
func (b *Bundle) Close() error { return errNotBuilt }

// Manifest is what the bundle says of itself. It is not to be changed.
func (b *Bundle) Manifest() Manifest { return Manifest{} }

// Run is a run of the manifest.
func (b *Bundle) Run(id string) (Run, bool) { return Run{}, false }

// Events are the stored events of a run with a sequence over after, without a
// cursor. As of a log, one that is no event is log.ErrDamaged, and comes with its
// bytes; any other error ends it: ErrNoRun, and ErrDamaged when what was read is
// not what the manifest says, which only the end tells.
func (b *Bundle) Events(id string, after uint64) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) { yield(log.Stored{}, errNotBuilt) }
}

// Text is what stands for a text that events name, proven by its hash; ErrNoText,
// ErrDamaged.
func (b *Bundle) Text(ref events.Ref) ([]byte, error) { return nil, errNotBuilt }

// Check proves everything: the hash of each entry, that every line is an event of
// its run, sequence and hash chain up to the head, that each text has its hash,
// and that nothing else is there. The error names the first bad thing. A break
// that the manifest has itself, Run.Broken, is no damage of the bundle. Events of
// types that this version does not know are kept and no damage.
func (b *Bundle) Check(ctx context.Context) error { return errNotBuilt }
