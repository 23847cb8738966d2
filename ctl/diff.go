package ctl

import (
	"bytes"
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type diffOptions struct{ stat bool }

// diffText is the answer of diff --json.
type diffText struct {
	Range string `json:"range,omitzero"`
	Diff  string `json:"diff"`
}

func newDiff(a *app) *cobra.Command {
	var o diffOptions
	cmd := &cobra.Command{
		Use:   "diff [RUN] [K | A..B]",
		Short: "What a run changed, or one of its iterations",
		Long: `Shows what agents and gates changed: in the whole run, or in iteration K. A..B shows
all changes from A to B: 0 is the start, and now, as B, is the work tree as it is. Into a
file or a pipe it is an exact patch. No RUN means the latest of this directory.`,
		Example:           "  apctl diff\n  apctl diff 2\n  apctl diff k3xq 0..3 --stat\n  apctl diff k3xq 3..now\n  apctl diff | git apply -R",
		Args:              runAnd(1),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runDiff(cmd.Context(), a, o, args) },
	}
	cmd.Flags().BoolVar(&o.stat, "stat", false, "files and counts only")
	return a.jsonFlag(cmd)
}

func runDiff(ctx context.Context, a *app, o diffOptions, args []string) error {
	args, span, err := splitRange(args)
	if err != nil {
		return err
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	out := &diffOutput{a: a, s: a.style(a.Out), exact: a.json || a.Out.Columns == nil}
	for piece, err := range client.Stream(ctx, d, wire.RunDiff, wire.DiffRequest{RunRef: a.ref(args), Range: span, Stat: o.stat}) {
		if err != nil {
			return err
		}
		if err := out.write(piece); err != nil {
			return err
		}
	}
	if err := out.end(); err != nil || !a.json {
		return err
	}
	return a.answer(wire.SchemaDiff, diffText{Range: span, Diff: strings.ToValidUTF8(out.held.String(), "\ufffd")}, nil)
}

// splitRange takes the range off the arguments. One argument is a range if
// it could not be a run: a short number, or two.
func splitRange(args []string) (rest []string, span string, err error) {
	switch {
	case len(args) == 2:
		rest, span = args[:1], args[1]
	case len(args) == 1 && (strings.Contains(args[0], "..") || len(args[0]) < 4 && isNumber(args[0])):
		span = args[0]
	default:
		return args, "", nil
	}
	from, to, two := strings.Cut(span, "..")
	if !isNumber(from) || two && !isNumber(to) && to != "now" {
		return nil, "", render.BadRange(span)
	}
	return rest, span, nil
}

func isNumber(s string) bool {
	n, err := strconv.Atoi(s)
	return err == nil && n >= 0 && s[0] != '+'
}

// diffOutput writes a diff as it comes: exactly into a pipe, cleaned and
// coloured by line on a terminal, held for JSON.
type diffOutput struct {
	a     *app
	s     render.Style
	exact bool
	clean render.Cleaner
	line  []byte // an unfinished one
	held  bytes.Buffer
}

func (o *diffOutput) write(piece []byte) error {
	if o.a.json {
		o.held.Write(piece)
		return nil
	}
	if o.exact {
		return o.a.say(string(piece))
	}
	o.line = append(o.line, o.clean.Clean(piece)...)
	i := bytes.LastIndexByte(o.line, '\n')
	if i < 0 {
		return nil
	}
	whole := string(o.line[:i+1])
	o.line = append([]byte(nil), o.line[i+1:]...)
	var b strings.Builder
	for l := range strings.Lines(whole) {
		b.WriteString(o.s.DiffLine(strings.TrimSuffix(l, "\n")))
		b.WriteByte('\n')
	}
	return o.a.say(b.String())
}

func (o *diffOutput) end() error {
	if rest := append(o.line, o.clean.Flush()...); len(rest) > 0 {
		return o.a.say(string(rest) + "\n")
	}
	return nil
}
