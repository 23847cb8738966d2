package render

import "autopilot/events/wire"

func workflowsSample() wire.WorkflowsView {
	return wire.WorkflowsView{Root: "/p", Workflows: []wire.WorkflowView{
		{
			Name: "mine", Origin: "project", Path: "/p/.autopilot/workflows/mine.yaml", Hides: true, Language: "en",
			Description: "build and review" + steering, Phases: []string{"build", "review"}, Graph: "mine\n\nbuild\nv\ndone\n" + steering,
			Prompts: []wire.WorkflowPrompt{{File: "converge.md", Origin: "project", Hides: true}, {File: "look.md", Origin: "shipped"}},
		},
		{Name: "bad", Origin: "project", Path: "/p/.autopilot/workflows/bad.yaml", Language: "en", Problems: 2, Phases: []string{}},
		{Name: "converge", Origin: "shipped", Trusted: true, Language: "en", Description: "one phase", Phases: []string{"work"}},
	}}
}
