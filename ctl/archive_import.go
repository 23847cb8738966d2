package ctl

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type importOptions struct{ dryRun bool }

func newArchiveImport(a *app) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Take in the history of runs from a file",
		Long: `Proves a file that "apctl archive export" has written, and takes its runs in.
They can be looked at as all others, with their names, and in "apctl ls --all".
Nothing changes them, and no list of what needs you has them. Runs that are
here already stay as they are.`,
		Example: "  apctl archive import week.zip --dry-run\n  apctl archive import week.zip",
		Args:    upTo(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveDefault
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runArchiveImport(cmd.Context(), a, o, args) },
	}
	cmd.Flags().BoolVarP(&o.dryRun, "dry-run", "n", false, "prove the file and say what would come in")
	return a.jsonFlag(cmd)
}

func runArchiveImport(ctx context.Context, a *app, o importOptions, args []string) error {
	if len(args) == 0 || args[0] == "" {
		return render.ImportWhat()
	}
	path, err := a.bundleFile(args[0])
	if err != nil {
		return err
	}
	done := a.saySoon(render.Importing())
	var v wire.ImportView
	err = ask(ctx, a, wire.ArchiveImport, wire.ImportRequest{Path: path, DryRun: o.dryRun}, &v)
	done()
	if err != nil {
		return err
	}
	return a.answer(wire.SchemaImport, v, func(s render.Style) string { return s.Imported(v) })
}

// bundleFile is the absolute path of a file that can be a bundle.
func (a *app) bundleFile(path string) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.Dir, path)
	}
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "", render.Unreadable("the bundle", path, cause(err))
	case !info.Mode().IsRegular():
		return "", render.Unreadable("the bundle", path, errors.New("it is not a regular file"))
	}
	return path, nil
}
