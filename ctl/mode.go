package ctl

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"autopilot/ctl/disk"
	"autopilot/ctl/render"
	"autopilot/events/wire"
	"autopilot/projections/orchestrator"
)

type modeOptions struct {
	task string
}

func newMode(a *app) *cobra.Command {
	var o modeOptions
	cmd := &cobra.Command{
		Use:   "mode",
		Short: "Which mode the next session of session-orchestrator should have",
		Long: `Selects the mode of the next session (housekeeping, feature, deep, discovery, evolve
or plan-retro) from what sessions have left in this project: the recommendation and the
numbers in STATE.md, the last sessions of the ledger, the tier, and learnings. Each
source fails alone, and is named with what it says.

The confidence says what the mode is good for: from 0.85 on it runs without a person,
from 0.5 on it is preselected, below that it is a suggestion. It needs no daemon, and
changes and starts nothing.`,
		Example:           "  apctl mode\n  apctl mode --json\n  apctl mode --task \"rename across all packages\"",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, _ []string) error {
			v := a.selectMode(o)
			return a.answer(wire.SchemaMode, v, func(s render.Style) string { return s.Mode(v) })
		},
	}
	cmd.Flags().StringVar(&o.task, "task", "", "the `TEXT` of the next task")
	return a.jsonFlag(cmd)
}

// mostLedger bounds a file that sessions have written.
const mostLedger = 256 << 20

// selectMode selects by the files of the caller's directory.
func (a *app) selectMode(o modeOptions) wire.ModeView {
	read := func(path string) orchestrator.Text {
		body, there, err := disk.Read(filepath.Join(a.Dir, filepath.FromSlash(path)), mostLedger)
		return orchestrator.Text{Body: body, There: there, Err: err}
	}
	signals, sources := orchestrator.Gather(orchestrator.Look(read, o.task), a.Now())
	return modeView(orchestrator.Select(&signals), signals, sources)
}

func modeView(m orchestrator.Selection, signals orchestrator.Signals, sources []orchestrator.Source) wire.ModeView {
	v := wire.ModeView{
		Mode: string(m.Mode), Confidence: m.Confidence, Use: string(orchestrator.UseOf(m.Confidence)), Rationale: m.Rationale,
		Alternatives: []wire.ModeChoice{}, Pressure: string(m.Pressure.Level), Ignored: m.Confidence == 0 && signals.Populated(),
	}
	for _, c := range m.Alternatives {
		v.Alternatives = append(v.Alternatives, wire.ModeChoice{Mode: string(c.Mode), Confidence: c.Confidence})
	}
	for _, s := range sources {
		v.Sources = append(v.Sources, wire.ModeSource{Name: s.Name, State: s.State, Says: s.Says})
	}
	return v
}
