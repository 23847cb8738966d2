package ctl

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"autopilot/ctl/omx"
	"autopilot/ctl/render"
	"autopilot/events/wire"
	rules "autopilot/projections/omx"
	"autopilot/projections/slug"
)

type omxExportOptions struct {
	dir, session string
	follow       bool
}

func newOmxExport(a *app) *cobra.Command {
	var o omxExportOptions
	cmd := &cobra.Command{
		Use:   "export [RUN]",
		Short: "The state that oh-my-codex would have of a run",
		Long: `Shows the state of mode autopilot that a run of workflow omx stands for: a view of
what the daemon has recorded. With --dir it is written into .omx/state of that
directory, where the HUD and the skill of oh-my-codex read it; an active autopilot that
is not this run stays as it is. --follow writes it at each change, until the run is not
live.

Only a run that is done is complete; a spent budget is "exhausted", a halt "halted".`,
		Example:           "  apctl compat omx export\n  apctl compat omx export k3xq --dir . --follow",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.dir == "" && (o.follow || o.session != "") {
				return render.NeedsDir()
			}
			return a.omxExport(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.dir, "dir", "", "write into .omx/state of `DIR`")
	f.StringVar(&o.session, "session", "", "write the state of the session `ID`")
	f.BoolVarP(&o.follow, "follow", "f", false, "go on until the run is not live")
	_ = cmd.MarkFlagDirname("dir")
	return cmd
}

// omxExport shows or writes the state of a run.
func (a *app) omxExport(ctx context.Context, args []string, o omxExportOptions) error {
	if err := sessionOK(o.session); err != nil {
		return err
	}
	var v wire.RunView
	if err := ask(ctx, a, wire.RunGet, a.ref(args), &v); err != nil {
		return err
	}
	if err := a.omxCopy(ctx, v.ID, o); err != nil || !o.follow || v.Exit >= 0 {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for s := range a.startPump(ctx, v.ID, v.Seq) {
		if s.err != nil {
			return s.err
		}
		if s.frame == nil {
			continue
		}
		if err := a.omxCopy(ctx, v.ID, o); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// omxCopy shows or writes the state of a run as it is now.
func (a *app) omxCopy(ctx context.Context, id string, o omxExportOptions) error {
	var v wire.WhyView
	if err := ask(ctx, a, wire.RunWhy, wire.RunRef{Run: id}, &v); err != nil {
		return err
	}
	state := rules.OfRun(v, contextOf(v.Run), rules.Stamp(a.Now()))
	if o.dir == "" {
		return a.say(string(state.Indented()) + "\n")
	}
	s, err := omx.Open(omx.Options{Dir: a.Dir, Of: a.absolute(o.dir), Environ: a.Environ, Now: a.Now()})
	if err != nil {
		return err
	}
	_, err = s.Put("autopilot", o.session, state)
	return err
}

// contextOf is the newest file with the context of the task, below its work tree.
func contextOf(v wire.RunView) string {
	names, _ := filepath.Glob(filepath.Join(v.Workspace, ".omx", "context", slug.Of(v.Task, slug.File)+"-*.md")) // the pattern is valid
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(changed(a), changed(b)) })
	if len(names) == 0 {
		return ""
	}
	return ".omx/context/" + filepath.Base(names[len(names)-1])
}

// changed is when a file was written, 0 for one that is gone.
func changed(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.ModTime().UnixNano()
}
