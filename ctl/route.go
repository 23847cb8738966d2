package ctl

import (
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
	"autopilot/events/wire"
	"autopilot/projections/route"
)

func newRoute(a *app) *cobra.Command {
	var file string
	var labels []string
	cmd := &cobra.Command{
		Use:   "route TEXT...",
		Short: "Say what a prompt asks for; nothing is started",
		Long: `Reads a prompt as arguments or from standard input and says what it asks for: a
workflow of those that ship, to continue, to stop, to plan first, or no run at all and
where to go instead. $name tokens come first and in their order, then words. What is
quoted, in code or denied counts for nothing.

It needs no daemon and starts nothing. apctl workflow suggest says the same of the
workflows of this project.`,
		Example:           "  apctl route 'build me a parser in src/parse.go'\n  apctl route '$ralph settle #12' --json\n  echo \"keep going\" | apctl route",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := a.routeText(args, file)
			if err != nil {
				return err
			}
			v := route.Suggest(text, labels, route.Shipped()).View()
			return a.answer(wire.SchemaSuggestion, v, func(s render.Style) string { return s.Suggestion(v) })
		},
	}
	cmd.Flags().StringVarP(&file, "file", "f", "", "the text is in `FILE`; - is standard input")
	cmd.Flags().StringArrayVar(&labels, "label", nil, "`LABEL` of the issue, as type:bug; repeatable")
	return a.jsonFlag(cmd)
}

// routeText is the text of the arguments, a file or standard input.
func (a *app) routeText(args []string, file string) (text string, err error) {
	if len(args) == 1 && args[0] == "-" || len(args) == 0 && file == "" && !a.InIsTTY {
		args, file = nil, "-"
	}
	switch {
	case file != "" && len(args) > 0:
		return "", render.TwoTasks()
	case file == "-":
		text, err = a.inputText("the text", maxWorkflow)
	case file != "":
		text, err = a.readFile("the text", file, maxWorkflow)
	default:
		text = strings.Join(args, " ")
	}
	if err == nil {
		err = checkText("the text", text)
	}
	switch {
	case err != nil:
		return "", err
	case len(text) > maxWorkflow:
		return "", render.TooLarge("the text", int64(len(text)), maxWorkflow)
	case strings.TrimSpace(text) == "":
		return "", render.NoText()
	}
	return text, nil
}
