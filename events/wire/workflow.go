package wire

import "github.com/go-json-experiment/json/jsontext"

// Schemas of answers about workflows.
const (
	SchemaWorkflows      = "autopilot.workflows"
	SchemaLint           = "autopilot.lint"
	SchemaGraph          = "autopilot.graph"
	SchemaWorkflowSchema = "autopilot.workflow-schema"
	SchemaSuggestion     = "autopilot.suggestion"
)

// WorkflowRequest asks which workflows a run in Workspace could name; with Name
// for all of that one. Workflow.new makes one of that name.
type WorkflowRequest struct {
	Workspace string `json:"workspace"`
	Name      string `json:"name,omitzero"`
}

// WorkflowsView is every workflow: those of the project, then those that ship.
type WorkflowsView struct {
	Root      string         `json:"root,omitzero"` // the work tree; empty outside of one
	Workflows []WorkflowView `json:"workflows"`
}

// WorkflowView is one workflow.
type WorkflowView struct {
	Name        string   `json:"name"`
	Origin      string   `json:"origin"`         // shipped or project
	Path        string   `json:"path,omitzero"`  // of the project's file
	Hides       bool     `json:"hides,omitzero"` // one of that name ships too, and is not used
	Trusted     bool     `json:"trusted"`        // a person has agreed to what of it is the project's
	Description string   `json:"description,omitzero"`
	Language    string   `json:"language"`
	Phases      []string `json:"phases"`
	Problems    int      `json:"problems,omitzero"` // as workflow lint has them
	// Inputs, Prompts, Graph and Source are there when one workflow is asked for.
	Inputs  []WorkflowInput  `json:"inputs,omitzero"`
	Prompts []WorkflowPrompt `json:"prompts,omitzero"`
	Graph   string           `json:"graph,omitzero"`  // as text
	Source  string           `json:"source,omitzero"` // YAML
}

// WorkflowPrompt is a prompt that a workflow names.
type WorkflowPrompt struct {
	File   string `json:"file"`
	Origin string `json:"origin"`         // shipped or project
	Path   string `json:"path,omitzero"`  // of the project's file
	Hides  bool   `json:"hides,omitzero"` // one of that name ships too, and is not used
}

// WorkflowInput is what a run has to bring along, or what it finds.
type WorkflowInput struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // text, number, command, issue or path
	About   string `json:"about,omitzero"`
	Default string `json:"default,omitzero"`
	Find    string `json:"find,omitzero"` // of a path: its glob
}

// WorkflowTextRequest is about a workflow by name, or about the text of a file.
// To lint without both is to lint all of the project.
type WorkflowTextRequest struct {
	Workspace string `json:"workspace"`
	Name      string `json:"name,omitzero"`
	File      string `json:"file,omitzero"` // path of the file that Text is from
	Text      string `json:"text,omitzero"`
	Format    string `json:"format,omitzero"` // of a graph: text, mermaid or svg
}

// LintView is what is wrong with workflows.
type LintView struct {
	Checked  []string        `json:"checked"` // names, or the path of the file
	Problems []ConfigProblem `json:"problems"`
}

// Formats of graphs.
const (
	GraphText    = "text"
	GraphMermaid = "mermaid"
	GraphSVG     = "svg"
)

// GraphView is a drawing of a workflow.
type GraphView struct {
	Name   string `json:"name"`
	Format string `json:"format"`
	Text   string `json:"text"`
}

// WorkflowSchemaView is the JSON schema of workflow files.
type WorkflowSchemaView struct {
	Schema jsontext.Value `json:"schema"`
}

// SuggestRequest asks what a text would best be done with.
type SuggestRequest struct {
	Workspace string   `json:"workspace"`
	Text      string   `json:"text"`
	Labels    []string `json:"labels,omitzero"` // of the issue
}

// SuggestionView recommends, and changes nothing.
type SuggestionView struct {
	Do       string          `json:"do"`                // run, continue, stop, clarify, plan, answer, edit or review
	Workflow string          `json:"workflow,omitzero"` // of those that are here, for a run
	Route    string          `json:"route,omitzero"`    // full, bugfix or flaky
	RouteBy  string          `json:"route_by,omitzero"` // label, keyword, judgement or default
	Size     string          `json:"size"`              // small, medium or large
	Words    int             `json:"words"`
	Ask      bool            `json:"ask,omitzero"`     // it is not clear: a person is to be asked first
	Express  bool            `json:"express,omitzero"` // small and harmless: ask once whether to go without a workflow
	Because  []SuggestReason `json:"because"`
	Else     []string        `json:"else,omitzero"` // workflows that would do too, best first; also such as are not here
}

// SuggestReason is a rule that spoke, and what it saw.
type SuggestReason struct {
	Rule string `json:"rule"`
	Saw  string `json:"saw,omitzero"`
}
