package effect

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"time"

	"autopilot/daemon/exec/shim"
	"autopilot/daemon/exec/spool"
)

const (
	followEvery = 50 * time.Millisecond // between two looks at a spool that does not grow
	followBytes = 32 << 10              // of one chunk
	deadEvery   = 20                    // looks after which a missing record is doubted
)

// Chunk is a piece of a stream.
type Chunk struct {
	Offset int64 // of its first byte in the stream as it was written
	Data   []byte
	Gap    int64 // bytes just before it that were not kept
}

// Follow yields a stream from offset on, as it grows, until the effect has
// ended and all was yielded, or ctx ends: then its error comes last. A reader
// that is slower than the effect sees gaps. To go on later, start at Offset
// plus the length of the last chunk.
func (d Dir) Follow(ctx context.Context, stream string, offset int64) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		f := &follower{dir: d, stream: stream, offset: max(offset, 0)}
		defer f.close()
		tick := time.NewTicker(followEvery)
		defer tick.Stop()
		for {
			// The end is looked at before the output, so that nothing is missed.
			over, err := f.over()
			if err != nil {
				yield(Chunk{}, err)
				return
			}
			if !f.drain(ctx, yield) || over {
				return
			}
			select {
			case <-ctx.Done():
				yield(Chunk{}, ctx.Err())
				return
			case <-tick.C:
			}
		}
	}
}

type follower struct {
	dir    Dir
	stream string
	offset int64
	looks  int
	reader *spool.Reader
}

// over says whether the effect has ended: by its record or, less often, by
// the lock of a supervisor that was killed.
func (f *follower) over() (bool, error) {
	ctl, err := f.dir.latest()
	if err != nil {
		return false, err
	}
	if shim.HasExit(ctl) {
		return true, nil
	}
	f.looks++
	if f.looks%deadEvery != 0 {
		return false, nil
	}
	claim, err := shim.ReadClaim(ctl)
	if err != nil || claim.Abandoned {
		return false, nil // not started, or about to be started elsewhere
	}
	lives, err := shim.Held(ctl)
	return !lives, err
}

// drain yields what is there, and says whether to go on.
func (f *follower) drain(ctx context.Context, yield func(Chunk, error) bool) bool {
	if err := f.open(); err != nil {
		yield(Chunk{}, err)
		return false
	}
	for f.reader != nil && ctx.Err() == nil {
		b, at, err := f.reader.Read(f.offset, followBytes)
		if err != nil {
			yield(Chunk{}, err)
			return false
		}
		if len(b) == 0 {
			return true
		}
		if !yield(Chunk{Offset: at, Data: b, Gap: at - f.offset}, nil) {
			return false
		}
		f.offset = at + int64(len(b))
	}
	return true
}

func (f *follower) open() error {
	if f.reader != nil {
		return nil
	}
	ctl, err := f.dir.latest()
	if err != nil {
		return err
	}
	r, err := spool.Open(ctl, f.stream)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	f.reader = r
	return err
}

func (f *follower) close() {
	if f.reader != nil {
		f.reader.Close()
	}
}
