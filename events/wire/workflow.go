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

// WorkflowRequest asks for the workflows that a run in Workspace could name; with Name
// for all of that one. Workflow.new makes one of that name.
type WorkflowRequest struct {
	Workspace string `json:"workspace"`
	Name      string `json:"name,omitzero"`
}

// WorkflowsView lists every workflow: the project's own, then the shipped ones.
type WorkflowsView struct {
	Root      string         `json:"root,omitzero"` // the work tree; empty outside of one
	Workflows []WorkflowView `json:"workflows"`
}

// WorkflowView is one workflow.
type WorkflowView struct {
	Name        string   `json:"name"`
	Origin      string   `json:"origin"`         // shipped or project
	Path        string   `json:"path,omitzero"`  // of the project's file
	Hides       bool     `json:"hides,omitzero"` // hides a shipped one of that name
	Trusted     bool     `json:"trusted"`        // a person trusts its files in the project
	Description string   `json:"description,omitzero"`
	Language    string   `json:"language"`
	Phases      []string `json:"phases"`
	Problems    int      `json:"problems,omitzero"` // found by workflow lint
	// Inputs, Prompts, Graph and Source are set in the answer about one workflow.
	Inputs  []WorkflowInput  `json:"inputs,omitzero"`
	Prompts []WorkflowPrompt `json:"prompts,omitzero"`
	Graph   string           `json:"graph,omitzero"`  // as text
	Source  string           `json:"source,omitzero"` // YAML
}

// WorkflowPrompt is a prompt file of a workflow.
type WorkflowPrompt struct {
	File   string `json:"file"`
	Origin string `json:"origin"`         // shipped or project
	Path   string `json:"path,omitzero"`  // of the project's file
	Hides  bool   `json:"hides,omitzero"` // hides a shipped one of that name
}

// WorkflowInput is an input that the user gives to a run, or that the run finds.
type WorkflowInput struct {
	Name    string `json:"name"`
	Kind    string `json:"kind"` // text, number, command, issue, path, choice or slug
	About   string `json:"about,omitzero"`
	Default string `json:"default,omitzero"`
	Find    string `json:"find,omitzero"` // of a path: its glob

	Of       []string `json:"of,omitzero"`       // of a choice: its words
	Optional bool     `json:"optional,omitzero"` // of a command: none says that its check does not apply
}

// WorkflowTextRequest is about a workflow by name, or about the text of a file. Lint
// without both checks the whole project.
type WorkflowTextRequest struct {
	Workspace string `json:"workspace"`
	Name      string `json:"name,omitzero"`
	File      string `json:"file,omitzero"` // path of the file with Text
	Text      string `json:"text,omitzero"`
	Format    string `json:"format,omitzero"` // of a graph: text, mermaid or svg
}

// LintView lists the faults of workflows.
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

// SuggestRequest asks for the best command and workflow for a text.
type SuggestRequest struct {
	Workspace string   `json:"workspace"`
	Text      string   `json:"text"`
	Labels    []string `json:"labels,omitzero"` // of the issue
}

// SuggestionView recommends, and changes nothing.
type SuggestionView struct {
	Do       string          `json:"do"`                // run, continue, stop, clarify, plan, answer, edit or review
	Instead  string          `json:"instead,omitzero"`  // what to do where it is no run
	Workflow string          `json:"workflow,omitzero"` // an available one: for a run, or to plan first
	Route    string          `json:"route,omitzero"`    // full, bugfix or flaky
	RouteBy  string          `json:"route_by,omitzero"` // label, keyword, judgement or default
	Size     string          `json:"size"`              // small, medium or large
	Words    int             `json:"words"`
	Ask      bool            `json:"ask,omitzero"`     // unclear: ask a person first
	Express  bool            `json:"express,omitzero"` // small and harmless: ask once whether to go without a workflow
	Skills   []SuggestSkill  `json:"skills,omitzero"`  // that the text names: $tokens in their order, then words
	Because  []SuggestReason `json:"because"`
	Else     []string        `json:"else,omitzero"` // other suitable workflows that are here, best first
}

// SuggestSkill is a skill of oh-my-codex that a text names.
type SuggestSkill struct {
	Name     string `json:"name"`
	Explicit bool   `json:"explicit,omitzero"` // as a $token
}

// SuggestReason is a rule that fired, and what it saw.
type SuggestReason struct {
	Rule string `json:"rule"`
	Saw  string `json:"saw,omitzero"`
}
