package ctl

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type exportOptions struct {
	since   string
	all     bool
	file    string
	noTexts bool
	yes     bool
}

// toStdout is the name of no file.
const toStdout = "-"

func newArchiveExport(a *app) *cobra.Command {
	var o exportOptions
	cmd := &cobra.Command{
		Use:   "export [RUN...]",
		Short: "Write the history of runs into a file for others",
		Long: `Writes one file with the events of runs that are over, and the texts that they
name. Each text is looked through for secrets once more, and those are taken
out. "apctl archive import" takes the file in elsewhere: there the runs can be
read, and nothing else. No RUN means the latest of this directory.

-o - sends the file to a pipe.`,
		Example: `  apctl archive export k3xq
  apctl archive export --since 7d -o week.zip
  apctl archive export --all --no-texts -o - | ssh host 'cat > runs.zip'`,
		Args:              runAnd(mostExported),
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runArchiveExport(cmd.Context(), a, o, args, cmd.Flags().Changed("since"))
		},
	}
	cmd.Flags().StringVar(&o.since, "since", "", "all runs that ended since `TIME`: 7d, yesterday, 2026-01-02")
	cmd.Flags().BoolVar(&o.all, "all", false, "all runs that are over")
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "write `FILE`; - is standard output")
	cmd.Flags().BoolVar(&o.noTexts, "no-texts", false, "only the events: numbers, names and hashes")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "overwrite FILE")
	return a.jsonFlag(cmd)
}

// mostExported is how many runs can be named, besides the first.
const mostExported = 999

func runArchiveExport(ctx context.Context, a *app, o exportOptions, args []string, since bool) error {
	req, err := a.exportRequest(o, args, since)
	if err != nil {
		return err
	}
	if o.file == toStdout {
		return a.exportToPipe(ctx, req)
	}
	v := wire.ExportView{File: o.file}
	if v.File == "" {
		v.File = a.bundleName(args)
	}
	if v.File, err = a.newFile(v.File, o.yes); err != nil {
		return err
	}
	// What the daemon says of it is no fault of the file.
	var asked error
	err = replaceWith(v.File, 0o600, func(w io.Writer) error {
		v.BundleSum, asked = a.export(ctx, req, w)
		return asked
	})
	switch {
	case asked != nil:
		return asked
	case err != nil:
		return render.NoFile(v.File, cause(err).Error())
	}
	a.note(a.style(a.Err).SecretsFound(v.BundleSum))
	return a.answer(wire.SchemaExport, v, func(s render.Style) string { return s.Exported(v) })
}

// exportToPipe writes the bundle where the answer goes, and the answer beside it.
func (a *app) exportToPipe(ctx context.Context, req wire.ExportRequest) error {
	switch {
	case a.json:
		return render.Exclusive("--json", "-o -")
	case a.Out.Columns != nil:
		return render.BundleOnTerminal()
	}
	sum, err := a.export(ctx, req, a.Out)
	if err != nil {
		return err
	}
	s := a.style(a.Err)
	a.note(s.SecretsFound(sum) + s.Exported(wire.ExportView{File: toStdout, BundleSum: sum}))
	return nil
}

// exportRequest is what the flags ask for.
func (a *app) exportRequest(o exportOptions, args []string, since bool) (wire.ExportRequest, error) {
	req := wire.ExportRequest{Runs: args, Workspace: a.Dir, NoTexts: o.noTexts}
	switch {
	case since && len(args) > 0:
		return req, render.Exclusive("RUN", "--since")
	case o.all && len(args) > 0:
		return req, render.Exclusive("RUN", "--all")
	case o.all && since:
		return req, render.Exclusive("--since", "--all")
	case o.yes && o.file == toStdout:
		return req, render.BadFlag("apctl archive export", errors.New("-y needs a FILE"))
	case since:
		var err error
		req.Since, err = parseSince(o.since, a.Now(), a.Zone)
		return req, err
	case !o.all && len(args) == 0:
		req.Runs = []string{""} // the latest here
	}
	return req, nil
}

// bundleName is the file of a bundle that was given no name.
func (a *app) bundleName(args []string) string {
	if len(args) == 1 && isWord(args[0]) {
		return "autopilot-" + args[0] + ".zip"
	}
	return "autopilot-" + a.Now().In(a.Zone).Format("20060102-150405") + ".zip"
}

// export asks for a bundle and writes it. The last frame says what it holds.
func (a *app) export(ctx context.Context, req wire.ExportRequest, w io.Writer) (sum wire.BundleSum, err error) {
	d, err := a.connect(ctx, true)
	if err != nil {
		return sum, err
	}
	defer d.Close()
	defer a.saySoon(render.Exporting())()
	var last []byte
	for frame, err := range client.Stream(ctx, d, wire.ArchiveExport, req) {
		if err != nil {
			return sum, err
		}
		if _, err := w.Write(last); err != nil {
			return sum, fmt.Errorf("write the bundle: %w", err)
		}
		last = frame
	}
	if err := json.Unmarshal(last, &sum); err != nil {
		return sum, fmt.Errorf("read an answer of the daemon: %w", err)
	}
	return sum, nil
}
