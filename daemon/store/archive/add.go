package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"autopilot/daemon/store/durable"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
)

// Temp makes a file in the directory for a bundle on its way in. One that a
// process which died left behind is removed by the next OpenArchive.
func (a *Archive) Temp() (*os.File, error) {
	f, err := os.CreateTemp(a.dir, "incoming-*"+tempExt)
	if err != nil {
		return nil, fmt.Errorf("make room for a bundle: %w", err)
	}
	return f, nil
}

// Add proves a bundle that is a file of Temp, as Check does, and takes it in: when
// it returns, the bundle is durable under a name of its own, and its runs are
// there. One that is there already is answered as it is, and tmp removed. With an
// error nothing was taken in, and tmp stays.
func (a *Archive) Add(ctx context.Context, tmp string, imported bool, at time.Time) (File, error) {
	a.adding.Lock()
	defer a.adding.Unlock()
	f, err := a.add(ctx, tmp, imported, at)
	if err != nil {
		return File{}, fmt.Errorf("archive a bundle: %w", err)
	}
	return f, nil
}

func (a *Archive) add(ctx context.Context, tmp string, isImported bool, at time.Time) (File, error) {
	b, err := Open(tmp)
	if err != nil {
		return File{}, err
	}
	defer b.Close()
	f := File{At: at.UTC().Truncate(time.Second), Imported: isImported, Runs: len(b.manifest.Runs), Events: b.manifest.Events()}
	if f.SHA256, f.Bytes, err = digest(ctx, b.file); err != nil {
		return f, err
	}
	if there, ok := a.find256(f.SHA256); ok {
		return there, os.Remove(tmp)
	}
	from := rolled
	if f.Imported {
		from = imported
	}
	f.Path = filepath.Join(a.dir, fileName(f.At, from, f.SHA256))
	if err := b.checkTexts(ctx); err != nil {
		return f, err
	}
	states, err := a.enter(ctx, b, f)
	if err != nil {
		return f, err
	}
	a.insert(&held{f, states})
	return f, nil
}

// enter proves the runs of a bundle, and gives it its name. States without their
// bundle are removed by the next OpenArchive.
func (a *Archive) enter(ctx context.Context, b *Bundle, f File) (_ *snapshot.Snapshot, err error) {
	if err := b.file.Sync(); err != nil {
		return nil, err
	}
	if err := snapshot.WriteStates(f.states(), f.cursor(), b.states(ctx)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.states()))
		}
	}()
	states, err := snapshot.Open(f.states())
	if err != nil {
		return nil, err
	}
	tmp := b.file.Name()
	if err := os.Rename(tmp, f.Path); err != nil {
		return nil, errors.Join(err, states.Close())
	}
	if err := durable.SyncDir(a.dir); err != nil {
		return nil, errors.Join(err, states.Close(), os.Rename(f.Path, tmp))
	}
	return states, nil
}

func (a *Archive) find256(sum events.Digest) (File, bool) {
	list := a.Bundles()
	i := slices.IndexFunc(list, func(f File) bool { return f.SHA256 == sum })
	if i < 0 {
		return File{}, false
	}
	return list[i], true
}

// Check proves a bundle of the directory: that it has the hash which its name
// says, and what Bundle.Check says.
func (a *Archive) Check(ctx context.Context, f File) error {
	b, err := Open(f.Path)
	if err != nil {
		return err
	}
	defer b.Close()
	if err := b.Check(ctx); err != nil {
		return fmt.Errorf("check bundle: %w", err)
	}
	sum, _, err := digest(ctx, b.file)
	if err == nil && sum != f.SHA256 {
		err = &DamagedError{What: "the file has another hash than its name says"}
	}
	if err != nil {
		return fmt.Errorf("check bundle: %w", err)
	}
	return nil
}

// digest is the hash of a file, and its size.
func digest(ctx context.Context, f *os.File) (events.Digest, int64, error) {
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	sum := sha256.New()
	r := io.NewSectionReader(f, 0, info.Size())
	for err == nil && ctx.Err() == nil {
		_, err = io.CopyN(sum, r, 4<<20)
	}
	if err == nil {
		err = ctx.Err()
	}
	if !errors.Is(err, io.EOF) {
		return "", 0, fmt.Errorf("read %s: %w", f.Name(), err)
	}
	return events.Digest(hex.EncodeToString(sum.Sum(nil))), info.Size(), nil
}
