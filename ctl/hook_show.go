package ctl

import (
	"github.com/spf13/cobra"

	"autopilot/ctl/hook"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

func newHookShow(a *app) *cobra.Command {
	var dir string
	return a.jsonFlag(directoryFlag(&cobra.Command{
		Use:   "show [HOST]",
		Short: "Show which hooks are installed, and where",
		Long: `Shows for each host which hooks are in your settings and in those of this project,
and whether the program that they call is there. With HOST also what install would
change.`,
		Example: "  apctl hook show\n  apctl hook show claude",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return oneHost(cmd, args)
		},
		ValidArgsFunction: completeHosts,
		RunE: func(_ *cobra.Command, args []string) error {
			v, err := a.hooks(args, dir)
			if err != nil {
				return err
			}
			return a.answer(wire.SchemaHooks, v, func(s render.Style) string { return s.Hooks(v, len(args) > 0) })
		},
	}, &dir))
}

// hooks looks at the settings of all hosts, or of one; a project's are left out
// where there are none.
func (a *app) hooks(args []string, dir string) (wire.HooksView, error) {
	v := wire.HooksView{Files: []wire.HookFile{}}
	program, err := a.Program()
	if err != nil {
		return v, err
	}
	for _, h := range hook.Hosts() {
		if len(args) > 0 && h.Name != args[0] {
			continue
		}
		for _, project := range []bool{false, true} {
			s, err := a.settingsOf(h, project, dir)
			if err != nil {
				return v, err
			}
			if project && !s.exists && s.err == nil && len(args) == 0 {
				continue
			}
			f := a.hookFile(s)
			if to, err := h.Install(s.src, program); err == nil && len(args) > 0 && s.err == nil {
				f.Diff = diffOf(s, to)
			}
			v.Files = append(v.Files, f)
		}
	}
	return v, nil
}
