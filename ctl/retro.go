package ctl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
	"autopilot/projections/retro/sheet"
)

type retroOptions struct {
	since  string
	here   bool
	format string
	file   string
	yes    bool
}

func newRetro(a *app) *cobra.Command {
	var o retroOptions
	cmd := &cobra.Command{
		Use:   "retro [RUN]",
		Short: "What can be learned of a run, or of many",
		Long: `Shows where the time went, what failed and when that was settled, what each
iteration used, what was used after the first repeat, and how long people
took. With --since it is about all runs that were at work since then: how many
passed, iterations to green, cost of a done run, halts by reason.

--format html is one page that can be given to others: one file that asks for
nothing over a network, with secrets taken out. md is the same for a pull
request. -o FILE writes a file, whose name may say the format. No RUN means
the latest of this directory.`,
		Example: `  apctl retro
  apctl retro k3xq -o retro.html
  apctl retro --since 7d --format md
  apctl retro --since yesterday --here --json`,
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE: func(cmd *cobra.Command, args []string) error {
			return runRetro(cmd.Context(), a, o, args, cmd.Flags().Changed("since"))
		},
	}
	cmd.Flags().StringVar(&o.since, "since", "", "all runs since `TIME`: 7d, yesterday, 2026-01-02")
	cmd.Flags().BoolVar(&o.here, "here", false, "with --since: only runs of this directory")
	cmd.Flags().StringVar(&o.format, "format", "", "`FORMAT`: html, md or json")
	cmd.Flags().StringVarP(&o.file, "output", "o", "", "write `FILE`")
	cmd.Flags().BoolVarP(&o.yes, "yes", "y", false, "overwrite FILE")
	return a.jsonFlag(cmd)
}

func runRetro(ctx context.Context, a *app, o retroOptions, args []string, many bool) error {
	req, err := a.retroRequest(o, args, many)
	if err != nil {
		return err
	}
	if o.file != "" {
		if o.file, err = a.newFile(o.file, o.yes); err != nil {
			return err
		}
	} else if req.Format == wire.RetroHTML && a.Out.Columns != nil {
		return render.PageOnTerminal()
	}
	doc, err := a.retroText(ctx, req)
	if err != nil {
		return err
	}
	if o.file == "" {
		return a.say(doc)
	}
	if err := replaceFile(o.file, doc, 0o600); err != nil {
		return render.NoFile(o.file, cause(err).Error())
	}
	a.note(render.FileWritten(o.file, len(doc)))
	return nil
}

// retroRequest is what the flags ask for. Format stays empty for text.
func (a *app) retroRequest(o retroOptions, args []string, many bool) (wire.RetroRequest, error) {
	req := wire.RetroRequest{RunRef: a.ref(args), Here: o.here, Zone: a.zoneName()}
	switch {
	case many && len(args) > 0:
		return req, render.Exclusive("RUN", "--since")
	case o.here && !many:
		return req, render.BadFlag("apctl retro", errors.New("--here needs --since"))
	case o.yes && o.file == "":
		return req, render.BadFlag("apctl retro", errors.New("-y needs -o FILE"))
	}
	if many {
		since, err := parseSince(o.since, a.Now(), a.Zone)
		if err != nil {
			return req, err
		}
		req.Since = since
	}
	var err error
	req.Format, err = a.retroFormat(o)
	return req, err
}

// retroFormat is named by --json, by --format or by the file.
func (a *app) retroFormat(o retroOptions) (string, error) {
	format := o.format
	switch {
	case a.json && format != "" && format != wire.RetroJSON:
		return "", render.Exclusive("--json", "--format "+format)
	case a.json:
		format = wire.RetroJSON
	case format == "" && o.file != "":
		format = map[string]string{
			".html": wire.RetroHTML, ".htm": wire.RetroHTML, ".md": wire.RetroMarkdown, ".markdown": wire.RetroMarkdown, ".json": wire.RetroJSON,
		}[strings.ToLower(filepath.Ext(o.file))]
		if format == "" {
			return "", render.NoFormat(o.file)
		}
	}
	switch format {
	case "", wire.RetroHTML, wire.RetroMarkdown, wire.RetroJSON:
		return format, nil
	}
	return "", render.BadFormat(format)
}

// zoneName is the zone that the caller has asked for by name, if any.
func (a *app) zoneName() string {
	name := strings.TrimPrefix(a.getenv("TZ"), ":")
	if name == "" || filepath.IsAbs(name) {
		return ""
	}
	if _, err := time.LoadLocation(name); err != nil {
		return ""
	}
	return name
}

// retroText asks for a retro and makes it text.
func (a *app) retroText(ctx context.Context, req wire.RetroRequest) (string, error) {
	asked := req
	if req.Format == "" {
		asked.Format = wire.RetroJSON
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return "", err
	}
	defer d.Close()
	var doc []byte
	for whole, err := range joined(client.Stream(ctx, d, wire.RunRetro, asked)) {
		if err != nil {
			return "", err
		}
		doc = whole
	}
	switch req.Format {
	case wire.RetroHTML:
		return string(doc), nil
	case wire.RetroMarkdown:
		return render.Clean(string(doc)), nil
	}
	var v wire.RetroView
	if err := json.Unmarshal(doc, &v); err != nil {
		return "", fmt.Errorf("read an answer of the daemon: %w", err)
	}
	if req.Format == wire.RetroJSON {
		b, err := render.Envelope(wire.SchemaRetro, v)
		return string(b), err
	}
	return a.style(a.Out).Retro(sheet.Make(v, a.Zone, render.RetroLimits())), nil
}

// newFile is the file that may be written under a path. Nothing but a file is
// ever replaced.
func (a *app) newFile(path string, overwrite bool) (string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.Dir, path)
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Stat(filepath.Dir(path)); err != nil {
			return "", render.NoFile(path, "its directory is missing")
		}
		return path, nil
	case err != nil:
		return "", render.NoFile(path, cause(err).Error())
	case !info.Mode().IsRegular():
		return "", render.NoFile(path, "it is not a regular file")
	case !overwrite:
		return "", render.FileThere(path)
	}
	return filepath.EvalSymlinks(path)
}
