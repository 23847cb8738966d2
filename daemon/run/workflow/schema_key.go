package workflow

import (
	"github.com/google/jsonschema-go/jsonschema"
)

// keyHelp says what each key is for, by the type that it belongs to.
var keyHelp = map[string]string{
	"workflow.name":        "The name of the file, without .yaml.",
	"workflow.version":     "The version of the file format.",
	"workflow.description": "One line for the list of workflows.",
	"workflow.language":    "The language of texts for people. Prompts are not translated.",
	"workflow.inputs":      "Values that a run gets: ${{NAME}} in commands and globs, {{.Input \"NAME\"}} in prompts.",
	"workflow.task":        "Candidate files for the task of a run without one; the first existing file counts.",
	"workflow.express":     "At a terminal the user is asked once whether a small and harmless task needs this workflow. The workflow is never switched.",
	"workflow.goals":       "optional: the phases judge the goals of a run, and a run without any can begin.",
	"workflow.questions":   "The classes of questions. A question of the agent without one of them is refused.",
	"workflow.phases":      "In order; a run begins in the first, and is done when the last one has passed.",
	"workflow.roles":       "Named agents that work in phases, or review them.",
	"workflow.rails":       "The rails that end a run without progress.",
	"workflow.fingerprint": "How failed iterations are compared: by gates, with or without tests, or by verdicts; and by tree.",
	"workflow.limits":      "The limits of a run, its agents and its gates.",
	"workflow.notes":       "Globs of files that agents may write freely; comparisons leave them out.",
	"workflow.resources":   "The free resources that agents of this workflow need.",
	"workflow.series":      "Each iteration is a whole session in a selected mode. The run is never done: it ends between sessions.",

	"input.kind":     "text, the default; number; command; issue: the number of the issue that the run is about; path: found in the work tree; choice: one of the words in of; slug: the task as a part of a file name.",
	"input.about":    "One line for the user who gives the input.",
	"input.default":  "The default; may refer to earlier inputs. Without a default the input is required.",
	"input.find":     "A glob that matches exactly one file or directory of the work tree; may refer to earlier inputs.",
	"input.missing":  "What a person must do first if nothing matches.",
	"input.of":       "choice: the words that it can be.",
	"input.empty":    "choice: the default in a work tree without files.",
	"input.optional": "command: the value none says that the check does not apply; only a person or the configuration can say it.",

	"resources.policy":      "How the machine is judged: signals, the default, or tiers, the published table in which the worst value decides.",
	"resources.coordinator": "always: its agents start even on a critical machine, with a cap of 0 sub-agents.",

	"series.ledger":    "The file of the work tree to which each session adds a line with its record.",
	"series.telemetry": "The file of the work tree that gets one line for each run.",
	"series.selector":  "A command that prints {\"mode\": ..., \"confidence\": ...}. The default selects by what sessions have left.",

	"phase.name":     "The name that a run shows and that other phases refer to.",
	"phase.prompt":   "File of the prompt: .autopilot/prompts/FILE.md, else a shipped one. A phase without a prompt has no agent; its gates judge the present files.",
	"phase.brief":    "The purpose of the phase: a text for its agent, beside the task.",
	"phase.role":     "The role that works; without it the agent of the run.",
	"phase.entry":    "Gates that must pass before the phase begins. If one fails, a person is asked.",
	"phase.changes":  "Files that the phase may change: all, none, or a list of globs. The default is all in a phase with an agent, else none.",
	"phase.produces": "Globs of files that the phase must write.",
	"phase.gates":    "Gates that must pass, in the order of judgement; goals, invariants and protected are groups of the run.",
	"phase.unclean":  "An earlier phase to go back to when the gates do not pass.",
	"phase.publish":  "After the phase has passed, push the branch of the run and update its draft pull request, if the settings enable drafts. Nothing is merged.",
	"phase.next":     "The later phase that comes next, instead of the following one.",
	"phase.limits":   "Overrides of the workflow's limits.",

	"budget.iterations": "Iterations for each entry into the phase. 0 means the workflow's limit.",
	"budget.wall":       "The time limit of one agent in the phase. 0s means the workflow's limit.",

	"role.prompt": "File of the prompt of a reviewer.",
	"role.brief":  "The focus of a reviewer: a text for it.",
	"role.agent":  "A profile (apctl agent ls), or several for a role that works in a phase: if the work of one does not converge, the next one takes over for good. Without a profile, the agent of the run.",
	"role.wall":   "The time limit of one session. 0s means the workflow's limit.",

	"rails.drift":     "A pinned file is still changed, or changed again. Always halts.",
	"rails.sameness":  "The last two failed iterations are equal. Always halts.",
	"rails.stuck":     "Any two of the last failed iterations are equal.",
	"rails.signature": "Equal failures in a row, regardless of the changes.",
	"rails.plan":      "A rejected plan did not change.",
	"rails.red":       "All gates pass, but the tests never failed before the work. Without this rail the work goes on.",

	"stuck.window":    "How many of the last iterations are compared.",
	"signature.count": "Equal failures in a row.",
	"signature.then":  "halt halts the run, and warns the agent two iterations earlier; warn only asks for another approach in the next prompt.",
	"plan.cycles":     "Rejections without a change of the plan. 0 turns the check off.",
	"plan.files":      "Globs of the plan. The default is the output of the earlier phase.",

	"limits.iterations":           "Iterations for each entry into a phase.",
	"limits.iterations_with_time": "The same, for a run with a time limit.",
	"limits.cycles":               "Returns to an earlier phase in the whole run. Required for a workflow that goes back.",
	"limits.agent":                "The time limits of one agent.",
	"limits.gate":                 "The time limits of one gate.",
	"limits.noop":                 "The handling of an agent that changes nothing.",
	"limits.losses":               "Number of lost agents in a row that halts the run.",
	"limits.answer":               "Time limit for the answer to a question of the agent. 0s means no limit.",
	"effect.wall":                 "Time limit of activity. 0s means no limit.",
	"effect.idle":                 "Time limit without a sign of life. 0s means no limit.",
	"effect.grace":                "Time between TERM and KILL.",
	"noop.within":                 "An agent that changes nothing and ends sooner counts as idle.",
	"noop.backoff":                "Waits after the first attempt, the second and so on; the last one repeats.",
	"noop.halt":                   "Number of such agents in a row that halts the run.",

	"gate.name":      "The name that a run shows; unique in the workflow.",
	"gate.kind":      "The kind of the gate.",
	"gate.run":       "A command for /bin/sh -c. Exit code 0 passes.",
	"gate.checkout":  "clean runs it in a fresh checkout of the agent's work.",
	"gate.setup":     "A command that prepares the clean checkout.",
	"gate.times":     "repeat: passes in a row. flaky and red: runs with at least one failure. A number, or an input of kind number.",
	"gate.files":     "Globs of files of the work tree.",
	"gate.of":        "Globs of the files that the gate is about.",
	"gate.role":      "The role that reviews, in its own read-only session.",
	"gate.roles":     "The roles that review, one after the other.",
	"gate.skip":      "Changes that pass without a review.",
	"gate.rounds":    "The largest number of questions; or one for each word of an input of kind choice: {by: INPUT, WORD: 5}.",
	"gate.ambiguity": "The largest share that may be unclear, in percent.",
	"gate.weights":   "Weight of each dimension of clarity in percent; the sum is 100.",
	"gate.handoff":   "The user may hand this approval over with FA_HANDOFF=1 apctl run. The gate then accepts without a review, and the record says so.",
	"gate.assurance": "The required assurance that a person answers.",
	"gate.expires":   "The time without an answer after which the run halts. 0s means never.",
	"gate.question":  "The question in one line: a text, or one for each language. The default asks to approve the files.",
	"gate.means":     "The consequences of ok and no: a text, or one for each language. The default names the phases that follow.",
	"gate.stall":     "Time without progress at the end of a session that halts the run. The default is 10m.",
	"gate.carryover": "Percent of the planned issues that may remain. The default is 50.",
}

// keyBounds are the limits of single values, as Lint has them.
var keyBounds = map[string]func(*jsonschema.Schema){
	"workflow.name":        name,
	"workflow.version":     between(SchemaVersion, SchemaVersion),
	"workflow.phases":      atLeast(1),
	"workflow.fingerprint": func(s *jsonschema.Schema) { s.UniqueItems, s.Contains = true, words(PartGates, PartVerdicts) },
	"workflow.notes.*":     glob,

	"phase.name":        phaseName,
	"phase.prompt":      prompt,
	"phase.role":        name,
	"phase.entry":       func(s *jsonschema.Schema) { s.Items = &jsonschema.Schema{Ref: "#/definitions/entry"} },
	"phase.produces.*":  glob,
	"phase.unclean":     name,
	"phase.next":        name,
	"budget.iterations": between(0, 10_000),
	"role.prompt":       prompt,

	"rails.drift":     func(s *jsonschema.Schema) { s.Enum = words(HaltRun).Enum },
	"rails.sameness":  func(s *jsonschema.Schema) { s.Enum = words(HaltRun).Enum },
	"rails.red":       func(s *jsonschema.Schema) { s.Enum = words(HaltRun).Enum },
	"stuck.window":    between(2, 100),
	"signature.count": between(2, 100),
	"plan.cycles":     between(0, 100),
	"plan.files.*":    glob,

	"limits.iterations":           between(1, 10_000),
	"limits.iterations_with_time": between(1, 10_000),
	"limits.cycles":               between(0, 1_000),
	"limits.losses":               between(1, 100),
	"noop.backoff":                atLeast(1),
	"noop.halt":                   between(1, 100),

	"gate.name":      func(s *jsonschema.Schema) { name(s); s.Not = words(Goals, Invariants, Protected) },
	"gate.run":       func(s *jsonschema.Schema) { s.Pattern = `\S` },
	"gate.files":     atLeast(1),
	"gate.files.*":   glob,
	"gate.of":        atLeast(1),
	"gate.of.*":      glob,
	"gate.role":      name,
	"gate.roles":     func(s *jsonschema.Schema) { atLeast(2)(s); s.UniqueItems = true },
	"gate.roles.*":   name,
	"gate.skip":      func(s *jsonschema.Schema) { s.UniqueItems = true },
	"gate.carryover": between(1, 100),
}

func name(s *jsonschema.Schema) { s.Pattern = nameText().Pattern }
func phaseName(s *jsonschema.Schema) {
	s.Pattern = `^([a-z0-9][a-z0-9_-]{0,63}|\$\{\{\s*[^{}\s]*\s*\}\})$`
}
func prompt(s *jsonschema.Schema) { s.Pattern = promptText().Pattern }
func glob(s *jsonschema.Schema)   { s.Pattern = globText().Pattern }

func between(low, high float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &low, &high }
}

func atLeast(n int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MinItems = &n }
}
