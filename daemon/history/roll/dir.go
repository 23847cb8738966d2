package roll

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"autopilot/daemon/store/filestore"
)

// dir is where a roll is prepared, below a state directory.
type dir struct{ state string }

func (r dir) in(name string) string { return filepath.Join(r.state, "roll", name) }

func (r dir) request() string { return r.in("request") }
func (r dir) commit() string  { return r.in("commit") }
func (r dir) bundle() string  { return r.in("bundle") }
func (r dir) spill() string   { return r.in("events") }
func (r dir) next() string    { return r.in("next") } // a state directory with nothing but the new store

// errCut says that the files of the store are those of two generations.
var errCut = errors.New("a roll of the log was cut off, and the next daemon finishes it: apctl daemon start")

// Whole refuses a state directory in which a roll is to be finished first.
func Whole(state string) error {
	if there((dir{state}).commit()) {
		return errCut
	}
	return nil
}

// asked says whether a roll was asked for, and forgets that: one that ends the
// daemon is not tried again by itself.
func (r dir) asked() (bool, error) {
	err := os.Remove(r.request())
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// clear removes what was prepared.
func (r dir) clear() error {
	n := filestore.NamesIn(r.state).Next()
	errs := []error{os.RemoveAll(r.in(""))}
	for _, path := range []string{n.Mark, n.Seals, n.Sealed} {
		if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
