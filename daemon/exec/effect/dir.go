package effect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/shim"
	"autopilot/daemon/exec/spool"
	"autopilot/daemon/failpoint"
)

// Names of spools: one for both streams, or with shim.Spec.Split one each.
const (
	Merged = shim.Merged
	Stdout = shim.Stdout
	Stderr = shim.Stderr
)

// ResultFile is the name in box/ under which an agent leaves its result.
const ResultFile = "result.json"

// ResultBytes is the size up to which a file of the effect is read.
const ResultBytes = 64 << 10

// Errors about files that an effect left in its box.
var (
	// ErrNotRegular means a directory, a symbolic link, a pipe or a device.
	ErrNotRegular = errors.New("not a regular file")
	// ErrTooLarge means more than ResultBytes.
	ErrTooLarge = errors.New("file is too large")
)

// Dir reads the directory of one effect. It is a name, not an open thing: the
// directory need not exist yet.
type Dir struct{ path string }

// Open names the directory of an effect.
func (r *Runner) Open(id string) Dir {
	if !idPattern.MatchString(id) {
		// A name that no effect can have, below the root.
		return Dir{filepath.Join(r.cfg.Root, ".invalid")}
	}
	return Dir{filepath.Join(r.cfg.Root, id)}
}

// Path is the directory itself.
func (d Dir) Path() string { return d.path }

// Box is the directory that the effect may see.
func (d Dir) Box() string { return filepath.Join(d.path, "box") }

// Spool is the file with the beginning of a stream, for people and prompts
// that name it. It is the whole stream unless that was longer than Spec.Head.
func (d Dir) Spool(stream string) (string, error) {
	ctl, err := d.latest()
	if err != nil {
		return "", err
	}
	return filepath.Join(ctl, stream), nil
}

// generation names a control directory. The first is plain; more exist only
// after intents that were abandoned.
func (d Dir) generation(n int) string {
	if n == 0 {
		return filepath.Join(d.path, "ctl")
	}
	return filepath.Join(d.path, "ctl."+strconv.Itoa(n))
}

func (d Dir) count() int {
	n := 0
	for {
		if _, err := os.Lstat(d.generation(n)); err != nil {
			return n
		}
		n++
	}
}

// latest is the control directory that counts, or fs.ErrNotExist.
func (d Dir) latest() (string, error) {
	n := d.count()
	if n == 0 {
		return "", fmt.Errorf("effect %s: %w", filepath.Base(d.path), fs.ErrNotExist)
	}
	return d.generation(n - 1), nil
}

// next is the control directory after all that exist.
func (d Dir) next() string { return d.generation(d.count()) }

// dropSpecs forgets the specs of an effect that has an outcome, also those of
// intents that were abandoned: the environment is in them.
func (d Dir) dropSpecs() error {
	var errs []error
	for n := range d.count() {
		errs = append(errs, shim.DropSpec(d.generation(n)))
	}
	failpoint.Hit(failpoint.AfterForget)
	return errors.Join(errs...)
}

// Outcome reads the outcome of a finished effect, else ErrUnfinished, or
// fs.ErrNotExist if there is no such effect.
func (d Dir) Outcome() (Outcome, error) {
	ctl, err := d.latest()
	if err != nil {
		return Outcome{}, err
	}
	exit, err := shim.ReadExit(ctl)
	if errors.Is(err, fs.ErrNotExist) {
		return Outcome{}, fmt.Errorf("effect %s: %w", filepath.Base(d.path), ErrUnfinished)
	}
	if err != nil {
		return Outcome{}, err
	}
	return outcome(exit, d), nil
}

// Output returns at most limit bytes of a stream: its beginning, the number of
// bytes left out, and its end. A stream without output is empty.
func (d Dir) Output(stream string, limit int64) (spool.Output, error) {
	var out spool.Output
	err := d.read(stream, func(r *spool.Reader) (err error) {
		out, err = r.Output(limit)
		return err
	})
	return out, err
}

// Tail returns the last n bytes of a stream, fewer if fewer were kept.
func (d Dir) Tail(stream string, n int64) ([]byte, error) {
	var out []byte
	err := d.read(stream, func(r *spool.Reader) (err error) {
		out, err = r.Tail(n)
		return err
	})
	return out, err
}

// LastOutput is when the effect last printed something, or when its spools
// were made. It is zero before that.
func (d Dir) LastOutput() (time.Time, error) {
	var last time.Time
	for _, stream := range []string{Merged, Stdout, Stderr} {
		err := d.read(stream, func(r *spool.Reader) error {
			t, err := r.Last()
			if t.After(last) {
				last = t
			}
			return err
		})
		if err != nil {
			return time.Time{}, err
		}
	}
	return last, nil
}

// Life is the last sign of life of an effect: when, and of which kind, one of
// shim.LifeOutput and its like.
type Life = shim.Life

// LastLife is the last sign of life that is known: what the supervisor saw
// when it last looked, or output since. An effect with an idle limit is looked
// at several times within it, one without is never: then it is LastOutput. The
// zero Life means that there was none yet.
func (d Dir) LastLife() (Life, error) {
	printed, err := d.LastOutput()
	if err != nil {
		return Life{}, err
	}
	ctl, err := d.latest()
	if err != nil {
		return Life{}, err
	}
	seen, err := shim.ReadLife(ctl)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Life{}, err
	}
	if printed.After(seen.At) {
		return Life{At: printed, Kind: shim.LifeOutput}, nil
	}
	return seen, nil
}

// read opens a spool for a moment. One that does not exist is left alone.
func (d Dir) read(stream string, use func(*spool.Reader) error) error {
	ctl, err := d.latest()
	if err != nil {
		return err
	}
	r, err := spool.Open(ctl, stream)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	return use(r)
}

// Result reads the result file of an agent, see ReadBox.
func (d Dir) Result() ([]byte, error) { return d.ReadBox(ResultFile) }

// ReadBox reads a file directly in box/. Its content and its kind are the
// effect's doing: links are not followed, and only a regular file of up to
// ResultBytes is read; else ErrNotRegular, ErrTooLarge or fs.ErrNotExist.
func (d Dir) ReadBox(name string) ([]byte, error) {
	if name != filepath.Base(name) || !filepath.IsLocal(name) {
		return nil, fmt.Errorf("read box: %q is not a file name", name)
	}
	// The box itself may have been replaced by a link, too.
	box, err := unix.Open(d.Box(), unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("read box: %w", kind(err))
	}
	defer unix.Close(box)
	// Without O_NONBLOCK the opening of a pipe waits for a writer.
	fd, err := unix.Openat(box, name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("read box %s: %w", name, kind(err))
	}
	f := os.NewFile(uintptr(fd), name)
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read box: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read box %s: %w", name, ErrNotRegular)
	}
	b, err := io.ReadAll(io.LimitReader(f, ResultBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read box: %w", err)
	}
	if len(b) > ResultBytes {
		return nil, fmt.Errorf("read box %s: %w", name, ErrTooLarge)
	}
	return b, nil
}

// kind gives errors of opening the meaning that a caller can branch on: a
// socket or a device without a driver cannot be opened at all.
func kind(err error) error {
	for _, e := range []error{unix.ELOOP, unix.ENOTDIR, unix.ENXIO, unix.ENODEV, unix.EOPNOTSUPP} {
		if errors.Is(err, e) {
			return ErrNotRegular
		}
	}
	return err
}
