package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CheckDir proves every bundle of a directory that need not be open, as Check
// does, and tells each what is wrong with it. It changes nothing. A directory
// that is not there has none.
func CheckDir(ctx context.Context, dir string, each func(File, error)) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list the archive: %w", err)
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if f, ok := fileOf(filepath.Join(dir, e.Name())); ok && e.Type().IsRegular() {
			each(f, (*Archive)(nil).Check(ctx, f))
		}
	}
	return nil
}
