package ctl

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
	"autopilot/probe/judge"
)

type probeOptions struct {
	watch  bool
	replay string
	policy string
	wave   int
}

func newProbe(a *app) *cobra.Command {
	var o probeOptions
	cmd := &cobra.Command{
		Use:   "probe",
		Short: "What the machine has left, and how many agents it bears",
		Long: `Shows a reading of the machine: memory, swap, load, stalls, disks, open files,
the processes of runs, within the limits of the container. Below is what that
means: a verdict, how many agents may be at work, the signals that it follows
from, and which runs wait.

One soft signal holds nothing back; two warn, and let 2 agents work; a hard one
is critical, and nothing new begins. What cannot be read is unknown, never zero.
A worse verdict counts at the second reading in a row, critical at once, a
better one after a calm minute.

--wave N says how many of N sub-agents that a session has planned may begin, in
the project of this directory: all, half where the machine warns, none where it
is critical, and no more than resources.project.agents.

apctl probe launch says whether a run may be launched without asking a person.

--replay judges readings from a file, one JSON object a line as --json prints
them under "reading"; - is standard input. It needs no daemon.`,
		Example:           "  apctl probe\n  apctl probe --watch\n  apctl probe --json\n  apctl probe --wave 6\n  apctl probe launch --confidence 0.72\n  apctl probe --replay readings.jsonl --policy tiers",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("wave") && o.wave < 1 {
				return render.BadCount("--wave", o.wave)
			}
			return runProbe(cmd.Context(), a, o)
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&o.watch, "watch", "w", false, "a line for each reading, every two seconds, until Ctrl-C")
	f.IntVar(&o.wave, "wave", 0, "how many of `N` sub-agents may begin now")
	f.StringVar(&o.replay, "replay", "", "judge the readings of this `FILE`")
	f.StringVar(&o.policy, "policy", string(judge.Signals), "with --replay: `POLICY` to judge by, signals or tiers")
	_ = cmd.RegisterFlagCompletionFunc("policy", cobra.FixedCompletions([]string{string(judge.Signals), string(judge.Tiers)}, cobra.ShellCompDirectiveNoFileComp))
	cmd.AddCommand(newProbeLaunch(a))
	return a.jsonFlag(cmd)
}

func runProbe(ctx context.Context, a *app, o probeOptions) error {
	switch p := judge.Policy(o.policy); {
	case p != judge.Signals && p != judge.Tiers:
		return render.BadPolicy(o.policy)
	case o.replay != "" && o.watch:
		return render.Exclusive("--replay", "--watch")
	case o.wave > 0 && (o.watch || o.replay != ""):
		return render.Exclusive("--wave", "--watch and --replay")
	case o.wave > 0:
		return a.probe(ctx, wire.ProbeRequest{Wave: o.wave, Workspace: a.Dir}, func(s render.Style, v wire.ProbeView, _ judge.Reading) string { return s.Wave(v) })
	case o.replay != "":
		return a.replayProbe(o.replay, p)
	case o.watch:
		return a.watchProbe(ctx)
	}
	return a.probe(ctx, wire.ProbeRequest{}, render.Style.Probe)
}

// probe looks at the machine once, and shows it.
func (a *app) probe(ctx context.Context, q wire.ProbeRequest, text func(render.Style, wire.ProbeView, judge.Reading) string) error {
	var v wire.ProbeView
	if err := ask(ctx, a, wire.ProbeShow, q, &v); err != nil {
		return err
	}
	r, err := judge.Decode(v.Reading)
	if err != nil {
		return err
	}
	return a.answer(wire.SchemaProbe, v, func(s render.Style) string { return text(s, v, r) })
}

// probeEvery is how often --watch looks.
const probeEvery = 2 * time.Second

func (a *app) watchProbe(ctx context.Context) error {
	defer a.hear()()
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	for {
		if err := a.probe(ctx, wire.ProbeRequest{}, render.Style.ProbeLine); err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-a.signals:
			return exitStatus(wire.ExitInterrupted)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// mostReadings bounds a file of readings.
const mostReadings = 64 << 20

// errNoTime is of what is JSON and no reading, as a whole answer of probe.
var errNoTime = errors.New("it has no time")

// replayProbe judges readings from a file. A line that is no reading is named, and
// ends it: what was not read cannot be judged.
func (a *app) replayProbe(file string, p judge.Policy) error {
	src, err := a.readText("the readings", file, mostReadings)
	if err != nil {
		return err
	}
	var band judge.Band
	n := 0
	for line := range strings.Lines(src) {
		n++
		if strings.TrimSpace(line) == "" {
			continue
		}
		r, err := judge.Decode([]byte(line))
		if err == nil && r.Time.IsZero() {
			err = errNoTime
		}
		if err != nil {
			return render.BadReading(file, n, err)
		}
		j := judge.Judge(r, p, judge.Defaults())
		band = band.Step(j.Verdict, r.Time)
		v := band.View(p, j, judge.Defaults())
		if err := a.answer(wire.SchemaProbeReplay, v, func(s render.Style) string { return s.Judged(v, r) }); err != nil {
			return err
		}
	}
	if n == 0 {
		return render.NoReading(file)
	}
	return nil
}
