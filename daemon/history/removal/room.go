package removal

import (
	"context"
	"io/fs"
	"path/filepath"

	"autopilot/daemon/store/blob"
	"autopilot/events/wire"
)

// Takes says what texts, outputs and trees take on the disk.
func (w *Sweeper) Takes(ctx context.Context) (texts, outputs, trees wire.Room) {
	in := func(dir string) wire.Room { return taken(ctx, filepath.Join(w.cfg.State, dir)) }
	return in("blobs"), in("effects"), in("trees")
}

// taken is what the files of a directory take. What goes away meanwhile, or cannot
// be read, does not count.
func taken(ctx context.Context, dir string) (r wire.Room) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !e.Type().IsRegular() {
			return nil //nolint:nilerr // as above
		}
		if info, err := e.Info(); err == nil {
			r.Files++
			r.Bytes += info.Size()
		}
		return nil
	})
	return r
}

func room(list []blob.Entry) wire.Room {
	r := wire.Room{Files: len(list)}
	for _, e := range list {
		r.Bytes += e.Bytes
	}
	return r
}
