package ctl

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"autopilot/ctl/atdd"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newAtddImport(a *app) *cobra.Command {
	return a.jsonFlag(&cobra.Command{
		Use:   "import [DIR]",
		Short: "What atdd-kit's own files of an issue say, row by row",
		Long: `Reads autopilot-log.jsonl, red.jsonl and the pins in the directory of an issue (no
DIR: this one) and shows what atdd-kit's run did, with all that would not have been
accepted here: rows that are damaged, the halt that was due behind a row, what was
changed or is missing, commits that took rows out. Nothing is written, and no run of
the daemon is made of it: its history has only what it has seen itself.`,
		Example: "  apctl compat atdd import docs/issues/24-search\n  apctl compat atdd import docs/issues/24-search --json",
		Args:    upTo(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atddLook(cmd.Context(), args, lookOptions{all: true})
		},
	})
}

// lookOptions say what is shown of the files of an issue.
type lookOptions struct {
	all    bool // rows without a problem too, and what commits did to them
	follow bool
	record string
}

func newAtddObserve(a *app) *cobra.Command {
	var o lookOptions
	cmd := &cobra.Command{
		Use:   "observe [DIR]",
		Short: "Watch atdd-kit's own skill, and say what would have been refused",
		Long: `The skill of atdd-kit runs as before; this reads what it keeps in the directory of
an issue (no DIR: this one) and says which rows would have been refused here, which
halts were due, and what was changed; where install --observe was used, also which
calls would have been answered otherwise. It changes nothing and holds nothing up: the
exit code is 0 whatever it finds.

--record keeps every row in FILE, with its hash, so that a later call says what is new
and what was changed in between. Put it outside of the directory of the issue.`,
		Example: "  apctl compat atdd observe docs/issues/24-search -f\n  apctl compat atdd observe docs/issues/24-search --record ~/atdd-24.jsonl",
		Args:    upTo(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atddLook(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.follow, "follow", "f", false, "wait for more, until Ctrl-C")
	f.StringVar(&o.record, "record", "", "keep all rows in `FILE`, and compare with those in it")
	return a.jsonFlag(cmd)
}

// lookEvery is how often files are read that grow.
const lookEvery = 500 * time.Millisecond

// atddLook shows the files of an issue.
func (a *app) atddLook(ctx context.Context, args []string, o lookOptions) (err error) {
	dir := a.Dir
	if len(args) > 0 {
		dir = a.absolute(args[0])
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return render.NoIssueDirectory(dir, atdd.FindLogs(projectOf(a.Dir)))
	}
	rec, before, err := a.openRecord(o.record)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rec.close()) }()
	w := atdd.NewWatch(ctx, atdd.Call{Environ: a.Environ, Dir: a.Dir}, dir, o.follow)
	if !o.all {
		a.watchCalls(w, dir)
	}
	w.Before(before)
	said := told{}
	say := func(r wire.AtddRow) error {
		if err := rec.add(r); err != nil {
			return render.RecordNotWritten(o.record, cause(err))
		}
		if !a.json {
			r.Problems = said.fresh(r)
		}
		if !o.all && len(r.Problems) == 0 {
			return nil
		}
		return a.answer(wire.SchemaAtddRow, r, func(s render.Style) string { return s.AtddRow(r) })
	}
	if o.all {
		if err := w.Committed(ctx, say); err != nil {
			return err
		}
	}
	if err := a.atddRead(ctx, w, o.follow, say); err != nil {
		return err
	}
	if !w.Found() && !o.follow && len(before) == 0 {
		return render.NothingOfAtdd(dir, atdd.FindLogs(projectOf(dir)))
	}
	v := w.View()
	return a.answer(wire.SchemaAtdd, v, func(s render.Style) string { return s.Atdd(v) })
}

// told are the halts of a step that were said since it began: a loop that goes on
// behind its budget gives reason for one in every row, and the end counts them.
type told map[[2]string]bool

// fresh are the problems of a row without the halts that were said.
func (t told) fresh(r wire.AtddRow) (fresh []wire.AtddProblem) {
	if r.Kind == "halt" || r.Iteration == 1 {
		maps.DeleteFunc(t, func(key [2]string, _ bool) bool { return key[0] == r.Step })
	}
	for _, p := range r.Problems {
		key := [2]string{r.Step, p.Code}
		if p.Class == wire.AtddHalt && r.Kind != "call" {
			if t[key] {
				continue
			}
			t[key] = true
		}
		fresh = append(fresh, p)
	}
	return fresh
}

// watchCalls shows the calls that shell --observe has told of too.
func (a *app) watchCalls(w *atdd.Watch, dir string) {
	if p, err := a.FindPlaces(); err == nil {
		w.Calls(atdd.CallsFile(p.State, dir))
	}
}

// atddRead reads once, or until it is interrupted.
func (a *app) atddRead(ctx context.Context, w *atdd.Watch, follow bool, say func(wire.AtddRow) error) error {
	if !follow {
		return unreadableAtdd(w.Next(say))
	}
	defer a.hear()()
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		if err := w.Next(say); err != nil {
			return unreadableAtdd(err)
		}
		select {
		case <-tick.C:
		case <-a.signals:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// unreadableAtdd says which file could not be read.
func unreadableAtdd(err error) error {
	var e *wire.Error
	if err == nil || errors.As(err, &e) || atdd.Exit(err) == 0 {
		return err
	}
	return render.AtddUnreadable(err)
}

// record is the file that observe keeps rows in. Nil keeps none.
type record struct{ file *os.File }

// openRecord opens a record, and reads what is in it.
func (a *app) openRecord(name string) (*record, []wire.AtddRow, error) {
	if name == "" {
		return nil, nil, nil
	}
	path := a.absolute(name)
	before, err := readRecord(path)
	if err != nil {
		return nil, nil, render.Unreadable("the record", name, cause(err))
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, render.RecordNotWritten(name, cause(err))
	}
	return &record{f}, before, nil
}

// absolute is a path as the caller means it.
func (a *app) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.Dir, path)
}

func readRecord(path string) ([]wire.AtddRow, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("it is not a regular file"))
	}
	var rows []wire.AtddRow
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e struct {
			Schema string       `json:"schema"`
			Data   wire.AtddRow `json:"data"`
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Schema != wire.SchemaAtddRow {
			return nil, errors.New("it is not a record of rows")
		}
		rows = append(rows, e.Data)
	}
	return rows, lines.Err()
}

func (r *record) add(row wire.AtddRow) error {
	if r == nil {
		return nil
	}
	b, err := render.Envelope(wire.SchemaAtddRow, row)
	if err == nil {
		_, err = r.file.Write(b)
	}
	return err
}

func (r *record) close() error {
	if r == nil {
		return nil
	}
	return r.file.Close()
}
