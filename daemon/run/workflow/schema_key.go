package workflow

import (
	"github.com/google/jsonschema-go/jsonschema"
)

// keyHelp says what each key is for, by the type that it belongs to.
var keyHelp = map[string]string{
	"workflow.name":        "The name of the file, without .yaml.",
	"workflow.version":     "The form of the file.",
	"workflow.description": "One line for the list of workflows.",
	"workflow.language":    "Of texts to people. Prompts are as they are written.",
	"workflow.inputs":      "What a run brings along: ${{NAME}} in commands and globs, {{.Input \"NAME\"}} in prompts.",
	"workflow.task":        "Files of which the first that is there is the task, where none was typed.",
	"workflow.express":     "Who starts a run at a terminal is asked once whether a task that looks small and harmless needs this workflow. Nothing is switched.",
	"workflow.phases":      "In order; a run begins in the first, and is done when the last one has passed.",
	"workflow.roles":       "Who works in phases, or looks at their work, by name.",
	"workflow.rails":       "What ends a run that gets nowhere.",
	"workflow.fingerprint": "What a failed iteration is compared by: gates, with tests or without, or verdicts; and tree.",
	"workflow.limits":      "What bounds a run, its agents and its gates.",
	"workflow.notes":       "Globs of files that agents may write at will: they are left out of comparisons.",
	"workflow.resources":   "What the machine has to have left for agents of this workflow.",

	"input.kind":    "text, the default; number; command; issue: the number of the issue that the run is about; path: found in the work tree.",
	"input.about":   "One line, for who has to give it.",
	"input.default": "May hold inputs before it. Without it the input has to be given.",
	"input.find":    "A glob that exactly one file or directory of the work tree matches. May hold inputs before it.",
	"input.missing": "What a person has to do first, where nothing matches.",

	"resources.policy":      "How the machine is judged: signals, the default, or tiers, the published table in which the worst value decides.",
	"resources.coordinator": "always: its agents begin where the machine bears no others, and are told a cap of 0.",

	"phase.name":     "What a run shows, and edges lead to.",
	"phase.prompt":   "File of the prompt: .autopilot/prompts/FILE.md, else a shipped one. Without it nobody works in the phase, and its gates look at what is there.",
	"phase.brief":    "What the phase is for: a text to who works in it, beside the task.",
	"phase.role":     "Who works; without it the agent of the run.",
	"phase.entry":    "What must hold before the phase begins. A person is asked for what does not.",
	"phase.changes":  "Which files the phase may change: all, none, or those that match. All where somebody works, else none.",
	"phase.produces": "Globs of files that the phase has to write.",
	"phase.gates":    "What has to pass, in the order in which it is judged: goals, invariants and protected are those of the run.",
	"phase.unclean":  "An earlier phase to go back to when the gates do not pass.",
	"phase.publish":  "When it has passed: the branch of the run is pushed and its draft pull request brought up to date, where your settings want drafts. Nothing is merged.",
	"phase.next":     "A later phase to go on with, instead of the following one.",
	"phase.limits":   "Over the limits of the workflow.",

	"budget.iterations": "Each time the phase is entered. 0 is what the workflow says.",
	"budget.wall":       "Of one agent in the phase. 0s is what the workflow says.",

	"role.prompt": "File of the prompt, for a role that looks at work.",
	"role.brief":  "What a role that looks has to look for: a text to it.",
	"role.agent":  "A profile (apctl agent ls); several for a role that works in a phase: where the work of one does not converge, the next one goes on, and never back. Without it the agent of the run.",
	"role.wall":   "Of one session. 0s is what the workflow says.",

	"rails.drift":     "A pinned file is still changed, or changed again. It always halts.",
	"rails.sameness":  "The last two failed iterations are equal. It always halts.",
	"rails.stuck":     "Any two of the last failed iterations are equal.",
	"rails.signature": "Equal failures in a row, whatever was changed.",
	"rails.plan":      "A plan that was sent back did not change.",
	"rails.red":       "All passes, but the tests were never seen to fail before the work. Without it the work goes on.",

	"stuck.window":    "How many of the last iterations are compared.",
	"signature.count": "Equal failures in a row.",
	"signature.then":  "halt halts the run, and tells the agent two before; warn only asks for another approach in the next prompt.",
	"plan.cycles":     "Returns without a change of the plan. 0 does not look.",
	"plan.files":      "Globs of the plan. Without it what the phase gone back to produces.",

	"limits.iterations":           "Each time a phase is entered.",
	"limits.iterations_with_time": "Instead, when the run has an end in time.",
	"limits.cycles":               "Ways back to an earlier phase, over the whole run. A workflow that goes back needs it.",
	"limits.agent":                "Of one agent.",
	"limits.gate":                 "Of one gate.",
	"limits.noop":                 "An agent that does nothing.",
	"limits.losses":               "Lost agents in a row that halt the run.",
	"limits.answer":               "To a question of the agent. 0s waits as long as it takes.",
	"effect.wall":                 "Of activity. 0s is no limit.",
	"effect.idle":                 "Without a sign of life. 0s is no limit.",
	"effect.grace":                "Between TERM and KILL.",
	"noop.within":                 "An agent that ends sooner, with nothing changed, did nothing.",
	"noop.backoff":                "Waits after the first, the second and so on; the last one repeats.",
	"noop.halt":                   "In a row.",

	"gate.name":      "What a run shows. Each gate of a workflow has a name of its own.",
	"gate.kind":      "What is looked at.",
	"gate.run":       "A command for /bin/sh -c. It passes when it exits 0.",
	"gate.checkout":  "clean runs it on a fresh checkout of what the agent left.",
	"gate.setup":     "A command that prepares the clean checkout.",
	"gate.times":     "repeat: passes in a row. flaky, and red if it is given: runs, of which one or more fail. A number, or an input of kind number.",
	"gate.files":     "Globs of files of the work tree.",
	"gate.of":        "Globs of the set that it is about.",
	"gate.role":      "Who looks: a session of its own, read-only.",
	"gate.roles":     "Who look, one behind the other.",
	"gate.skip":      "What the changes may show instead.",
	"gate.rounds":    "Questions at most.",
	"gate.ambiguity": "At most, in percent.",
	"gate.weights":   "Of each dimension of clarity, in percent; together 100.",
	"gate.handoff":   "Who starts the run may hand it over: FA_HANDOFF=1 apctl run. It is accepted then, nobody looks, and the record says so.",
	"gate.assurance": "How sure it has to be that a person answers.",
	"gate.expires":   "Without an answer. 0s never does.",
	"gate.question":  "What is asked, in one line: a text, or one for each language. Without it whether to approve the files of the set.",
	"gate.means":     "What follows from ok, and from no: a text, or one for each language. Without it the phases that follow are named.",
	"gate.stall":     "Without progress before the session ended: from that on it halts the run. 10m without the key.",
	"gate.carryover": "Percent of the planned issues that may be left. 50 without the key.",
}

// keyBounds are the limits of single values, as Lint has them.
var keyBounds = map[string]func(*jsonschema.Schema){
	"workflow.name":        name,
	"workflow.version":     between(SchemaVersion, SchemaVersion),
	"workflow.phases":      atLeast(1),
	"workflow.fingerprint": func(s *jsonschema.Schema) { s.UniqueItems, s.Contains = true, words(PartGates, PartVerdicts) },
	"workflow.notes.*":     glob,

	"phase.name":        name,
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
	"gate.rounds":    between(1, 100),
	"gate.ambiguity": between(1, 99),
	"gate.weights.*": between(1, 100),
	"gate.carryover": between(1, 100),
}

func name(s *jsonschema.Schema)   { s.Pattern = nameText().Pattern }
func prompt(s *jsonschema.Schema) { s.Pattern = promptText().Pattern }
func glob(s *jsonschema.Schema)   { s.Pattern = globText().Pattern }

func between(low, high float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum, s.Maximum = &low, &high }
}

func atLeast(n int) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.MinItems = &n }
}
