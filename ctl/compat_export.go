package ctl

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"autopilot/ctl/atdd"
	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type atddExportOptions struct {
	dir              string
	follow, noCommit bool
}

func newAtddExport(a *app) *cobra.Command {
	var o atddExportOptions
	cmd := &cobra.Command{
		Use:   "export [RUN]",
		Short: "The files that atdd-kit would have kept of a run",
		Long: `Shows autopilot-log.jsonl, red.jsonl and the pins that atdd-kit would have kept of a
run: a view of what the daemon has recorded. With --dir they are written there; a file
that has other rows or another pin is left as it is, and nothing is written.

--follow writes each row when it happens, until the run is not live, and commits it
alone with your git. That is done in another work tree than the one that the run
works in: there it would be somebody else's change.`,
		Example: `  apctl compat atdd export
  apctl compat atdd export k3xq --dir docs/issues/24-search
  apctl compat atdd export k3xq --dir ../log/docs/issues/24-search --follow`,
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.dir == "" && (o.follow || o.noCommit) {
				return render.NeedsDir()
			}
			return a.atddExport(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "dir", "", "write into `DIR`")
	f.BoolVarP(&o.follow, "follow", "f", false, "go on until the run is not live, and commit each row")
	f.BoolVar(&o.noCommit, "no-commit", false, "with --follow: commit nothing")
	_ = cmd.MarkFlagDirname("dir")
	return a.jsonFlag(cmd)
}

// atddExport shows or writes the files of a run.
func (a *app) atddExport(ctx context.Context, args []string, o atddExportOptions) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if o.follow {
		defer a.hear()()
		go func() {
			select {
			case <-a.signals:
				cancel(exitStatus(wire.ExitInterrupted))
			case <-ctx.Done():
			}
		}()
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	x := exporter{a: a, o: o, ref: a.ref(args)}
	return x.all(ctx, d)
}

// exporter takes the rows of a run.
type exporter struct {
	a     *app
	o     atddExportOptions
	ref   wire.RunRef
	copy  *atdd.Copy // nil: they are shown
	whole atdd.Files
}

// all takes them to the end. When the daemon goes away, a follower waits for the next
// one and is told of the run from its first row again. The stream of a live run ends
// with the run or with the daemon, so that the next stream says which.
func (x *exporter) all(ctx context.Context, d Daemon) error {
	for {
		err := x.drain(ctx, d)
		_ = d.Close()
		switch {
		case ctx.Err() != nil:
			return cmp.Or(context.Cause(ctx), err)
		case err != nil && (!x.o.follow || !unreachable(err)):
			return err
		case err == nil && (!x.o.follow || !x.whole.Of.Live):
			return x.end()
		case err != nil && !x.a.json:
			x.a.note(x.a.style(x.a.Err).Lost())
		}
		if d, err = x.a.reach(ctx, retryFirst); err != nil {
			return cmp.Or(context.Cause(ctx), err)
		}
	}
}

// drain takes what one connection has to say.
func (x *exporter) drain(ctx context.Context, d Daemon) error {
	for p, err := range client.Stream(ctx, d, wire.CompatAtdd, wire.AtddRequest{RunRef: x.ref, Follow: x.o.follow}) {
		if err != nil {
			return err
		}
		if err := x.take(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (x *exporter) take(ctx context.Context, p wire.AtddPiece) (err error) {
	switch {
	case p.File == "":
		x.whole.Of, x.ref = p, wire.RunRef{Run: p.Run}
		if x.copy != nil {
			x.copy.Again()
			return nil
		}
		x.copy, err = x.a.atddCopy(ctx, x.o, p)
		return err
	case !x.o.follow:
		x.whole.Add(p)
		return nil
	}
	wrote, err := x.copy.Put(ctx, p)
	if err != nil || !wrote {
		return copyFault(err)
	}
	return x.a.answer(wire.SchemaAtddPiece, p, func(s render.Style) string { return s.AtddPiece(p) })
}

// end writes all files, or shows them.
func (x *exporter) end() error {
	f := x.whole
	switch {
	case x.o.follow:
		return nil
	case x.copy != nil:
		wrote, err := x.copy.All(f)
		if err != nil {
			return copyFault(err)
		}
		v := wire.AtddExport{Run: f.Of.Run, Handle: f.Of.Handle, Dir: x.copy.Dir, Files: f.Names(), Written: wrote}
		return x.a.answer(wire.SchemaAtddExport, v, func(s render.Style) string { return s.AtddExport(v) })
	case !x.a.json:
		return x.a.say(x.a.style(x.a.Out).AtddFiles(f.Of, f.Names(), f.Text))
	}
	for _, p := range append([]wire.AtddPiece{f.Of}, f.Pieces...) {
		if err := x.a.answer(wire.SchemaAtddPiece, p, nil); err != nil {
			return err
		}
	}
	return nil
}

// atddCopy is where the files are written; nil without --dir.
func (a *app) atddCopy(ctx context.Context, o atddExportOptions, of wire.AtddPiece) (*atdd.Copy, error) {
	if o.dir == "" {
		return nil, nil
	}
	dir := a.absolute(o.dir)
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, render.NoIssueDirectory(dir, nil)
	}
	if rel, err := filepath.Rel(of.Workspace, real); of.Live && err == nil && filepath.IsLocal(rel) {
		return nil, render.WorksThere(of.Handle, of.Workspace)
	}
	m := &atdd.Copy{Call: atdd.Call{Environ: a.Environ, Dir: a.Dir}, Dir: real, Commit: o.follow && !o.noCommit}
	return m, copyFault(m.Ready(ctx))
}

// copyFault says why something was not written.
func copyFault(err error) error {
	var other *atdd.OtherError
	var git *atdd.GitError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &other):
		return render.OtherContent(other.File, other.What)
	case errors.As(err, &git):
		return render.NotCommitted(git.What)
	}
	return render.NotExported(err)
}
