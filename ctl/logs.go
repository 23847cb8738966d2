package ctl

import (
	"context"
	"strconv"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type logsOptions struct {
	follow    bool
	iteration string
	gate      string
	role      string
	agent     bool
	raw       bool
}

func newLogs(a *app) *cobra.Command {
	var o logsOptions
	cmd := &cobra.Command{
		Use:        "logs [RUN]",
		SuggestFor: []string{"output", "tail"},
		Short:      "What the agent and the gates printed",
		Long: `Prints the output of the latest iteration, or of another: of who worked, of the
gates, and of roles that looked at the work. Of agents whose stream is known it shows what the agent said, a line for each tool it used, and errors.
Controls that could steer a terminal are taken out; --raw keeps every byte, into
a file or a pipe. With --json each piece is an object whose data is
base64, as output has no encoding; a rune or a line may be cut between two. Where
the agent's stream is understood, text has what people read instead. No RUN means
the latest of this directory.`,
		Example:           "  apctl logs -f\n  apctl logs k3xq --iteration 2 --gate test\n  apctl logs --agent --raw > agent.log",
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runLogs(cmd.Context(), a, o, args) },
	}
	f := cmd.Flags()
	f.BoolVarP(&o.follow, "follow", "f", false, "wait for more")
	f.StringVar(&o.iteration, "iteration", "", "of iteration `N`, or of all")
	f.StringVar(&o.gate, "gate", "", "only of the gate `NAME`, and of who looked for it")
	f.StringVar(&o.role, "role", "", "only of sessions of the role `NAME`")
	f.BoolVar(&o.agent, "agent", false, "only of the agent")
	f.BoolVar(&o.raw, "raw", false, "the bytes as they were printed, as JSON of an agent, without headings")
	return a.jsonFlag(cmd)
}

// request checks the flags and makes the request of them.
func (o logsOptions) request(a *app, args []string) (wire.LogsRequest, error) {
	req := wire.LogsRequest{RunRef: a.ref(args), Gate: o.gate, Role: o.role, Follow: o.follow}
	if o.agent {
		req.Only = "agent"
	}
	switch n, err := strconv.Atoi(o.iteration); {
	case o.agent && o.gate != "":
		return req, render.Exclusive("--agent", "--gate")
	case o.agent && o.role != "":
		return req, render.Exclusive("--agent", "--role")
	case o.raw && a.json:
		return req, render.Exclusive("--raw", "--json")
	case o.raw && a.Out.Columns != nil:
		return req, render.RawTerminal()
	case o.iteration == "":
	case o.iteration == "all":
		req.Iteration = -1
	case err != nil || n < 1:
		return req, render.BadIteration(o.iteration)
	default:
		req.Iteration = n
	}
	return req, nil
}

func runLogs(ctx context.Context, a *app, o logsOptions, args []string) error {
	req, err := o.request(a, args)
	if err != nil {
		return err
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	out := &logOutput{a: a, raw: o.raw, heads: req.Only == "" && req.Gate == "" || req.Role != "" || req.Iteration < 0}
	for f, err := range client.Stream(ctx, d, wire.RunLogs, req) {
		if err != nil {
			return err
		}
		if err := out.write(f); err != nil {
			return err
		}
	}
	return out.end()
}

// logOutput writes pieces of output, with a heading where the source changes.
type logOutput struct {
	a     *app
	raw   bool
	heads bool
	last  wire.LogFrame // source of the last piece
	begun bool
	open  bool // the last piece ended within a line
	clean render.Cleaner
}

func (o *logOutput) write(f wire.LogFrame) error {
	switch {
	case o.a.json:
		return o.a.answer(wire.SchemaLog, f, nil)
	case o.raw:
		return o.a.say(string(f.Data))
	}
	if !o.begun || f.Iteration != o.last.Iteration || f.Attempt != o.last.Attempt || f.Source != o.last.Source {
		if err := o.end(); err != nil {
			return err
		}
		if o.heads {
			if err := o.a.say(o.a.style(o.a.Out).LogHead(f)); err != nil {
				return err
			}
		}
		o.begun, o.last = true, f
	}
	if f.Note != "" {
		if err := o.end(); err != nil {
			return err
		}
		return o.a.say(o.a.style(o.a.Out).LogNote(f.Note))
	}
	if f.Gap > 0 {
		if err := o.end(); err != nil {
			return err
		}
		if err := o.a.say(o.a.style(o.a.Out).LogGap(f.Gap)); err != nil {
			return err
		}
	}
	return o.text(o.clean.Clean(f.Shown()))
}

func (o *logOutput) text(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	o.open = b[len(b)-1] != '\n'
	return o.a.say(string(b))
}

// end finishes what one source printed.
func (o *logOutput) end() error {
	if err := o.text(o.clean.Flush()); err != nil || !o.open {
		return err
	}
	o.open = false
	return o.a.say("\n")
}
