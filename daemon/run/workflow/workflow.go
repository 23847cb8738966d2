package workflow

import (
	"slices"
	"time"

	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/probe/judge"
	"autopilot/projections/when"
)

// SchemaVersion is the form of workflow files that this program reads.
const SchemaVersion = 1

// Workflow is one workflow file.
type Workflow struct {
	Name        string                `yaml:"name"`    // [a-z0-9][a-z0-9_-]{0,63}
	Version     int                   `yaml:"version"` // of the schema: 1
	Description string                `yaml:"description"`
	Language    Language              `yaml:"language"`  // of texts to people
	Inputs      strictyaml.Map[Input] `yaml:"inputs"`    // that a run brings along
	Task        []string              `yaml:"task"`      // files of which the first that is there is the task, where none was typed
	Goals       GoalsNeed             `yaml:"goals"`     // optional: a run without any can begin
	Questions   []string              `yaml:"questions"` // classes of the agent's questions; empty takes any question
	Express     bool                  `yaml:"express"`   // a person is asked once whether a small, harmless task needs it
	Phases      []Phase               `yaml:"phases"`    // in order; a run starts in the first
	Roles       strictyaml.Map[Role]  `yaml:"roles"`
	Rails       Rails                 `yaml:"rails"`
	Fingerprint []Part                `yaml:"fingerprint"` // what a failed iteration is compared by
	Limits      Limits                `yaml:"limits"`
	Notes       []string              `yaml:"notes"` // globs left out of tree comparisons
	Resources   Resources             `yaml:"resources"`
	Series      Series                `yaml:"series"` // of whole sessions
}

// Resources say how the machine is judged, and what begins on it all the same.
//
// Source: session-orchestrator, seeds 2.2.3 and 2.2.4.
type Resources struct {
	Policy      judge.Policy `yaml:"policy"`      // signals or tiers; empty is signals
	Coordinator Coordinator  `yaml:"coordinator"` // always: agents of this workflow begin where no others may, with a cap of 0
}

// Coordinator says when an agent that leads others may begin.
type Coordinator string

// Always is on a machine that bears no more agents too.
const Always Coordinator = "always"

// GoalsNeed says whether a workflow that judges goals needs one.
type GoalsNeed string

// GoalsOptional lets a run begin without a goal: other gates prove the work.
const GoalsOptional GoalsNeed = "optional"

// Then says what a rail does when it is hit.
type Then string

// What rails do.
const (
	Warn    Then = "warn" // the next prompt asks for another approach
	HaltRun Then = "halt"
)

// Rails are the checks over history.
type Rails struct {
	Drift     Then      `yaml:"drift"`    // always halt
	Sameness  Then      `yaml:"sameness"` // always halt
	Stuck     Stuck     `yaml:"stuck"`
	Signature Signature `yaml:"signature"`
	Plan      Plan      `yaml:"plan"`
	Red       Then      `yaml:"red"` // halt: at once where all but a gate of kind red passes
}

// Stuck halts when any two of the last Window failed iterations are equal.
type Stuck struct {
	Window int `yaml:"window"` // at least 2
}

// Signature counts equal failures in a row, whatever the tree.
type Signature struct {
	Count int  `yaml:"count"` // at least 2
	Then  Then `yaml:"then"`
}

// Part is a part of the fingerprint of a failed iteration.
type Part string

// The parts of a fingerprint.
const (
	PartGates Part = "gates" // gate names, verdicts, exit codes
	PartTests Part = "tests" // failing test ids, else the normalised output
	PartTree  Part = "tree"  // the tree without note paths

	PartVerdicts Part = "verdicts" // instead of gates and tests: gate names, verdicts, what is not covered
)

// Language is that of texts to people.
type Language = events.Language

// The languages.
const (
	English  = events.English
	Japanese = events.Japanese
)

// Plan halts when a plan that a failure sent back did not change over Cycles
// returns. Zero does not look.
type Plan struct {
	Cycles int      `yaml:"cycles"`
	Files  []string `yaml:"files"` // globs of the plan; empty takes what the phase gone back to produces
}

// Limits bound a run and its effects. A duration of zero is no limit.
type Limits struct {
	Iterations         int    `yaml:"iterations"`
	IterationsWithTime int    `yaml:"iterations_with_time"` // default when the run has an end in time
	Cycles             int    `yaml:"cycles"`               // ways back to an earlier phase, over the whole run
	Agent              Effect `yaml:"agent"`
	Gate               Effect `yaml:"gate"`
	Noop               Noop   `yaml:"noop"`
	Losses             int    `yaml:"losses"` // lost agents in a row that halt the run

	Answer time.Duration `yaml:"answer"` // to a question of the agent
}

// Effect bounds one process tree.
type Effect struct {
	Wall  time.Duration `yaml:"wall"`  // of activity
	Idle  time.Duration `yaml:"idle"`  // longest silence
	Grace time.Duration `yaml:"grace"` // between TERM and KILL
}

// Noop says when an agent did nothing, and what follows.
type Noop struct {
	Within  time.Duration   `yaml:"within"`  // an agent that ends sooner with an unchanged tree
	Backoff []time.Duration `yaml:"backoff"` // wait after the first, second ...; the last one repeats
	Halt    int             `yaml:"halt"`    // in a row
}

// Role finds who works in a phase, or looks at its work, by name.
func (w Workflow) Role(name string) (Role, bool) { return w.Roles.Get(name) }

// Prompts lists the templates that a workflow names, each once, sorted.
func (w Workflow) Prompts() []string {
	var out []string
	for _, p := range w.Phases {
		out = append(out, p.Prompt)
	}
	for _, r := range w.Roles {
		out = append(out, r.Value.Prompt)
	}
	slices.Sort(out)
	out = slices.Compact(out)
	return slices.DeleteFunc(out, func(f string) bool { return f == "" })
}

// HasGoals says that a phase is judged by the goals that a run brings along.
func (w Workflow) HasGoals() bool {
	return slices.ContainsFunc(w.Phases, func(p Phase) bool { return p.judgedBy(Goals) })
}

// NeedsGoals says that a run of it must bring a goal.
func (w Workflow) NeedsGoals() bool { return w.HasGoals() && w.Goals != GoalsOptional }

// RunsCommands says that a gate of its own runs a command.
func (w Workflow) RunsCommands() bool {
	return slices.ContainsFunc(w.Phases, func(p Phase) bool {
		return slices.ContainsFunc(slices.Concat(p.Entry, p.Gates), func(g Gate) bool { return g.Run != "" })
	})
}

// Judges says that a phase is judged by the gates of a role that a run brings along.
func (w Workflow) Judges(role events.GateRole) bool {
	group := Invariants
	if role == events.RoleGoal {
		group = Goals
	}
	return slices.ContainsFunc(w.Phases, func(p Phase) bool { return p.judgedBy(group) })
}

// After is the phase that follows one that passed, empty behind the last.
func (w Workflow) After(name string) string {
	i := w.place(name)
	switch {
	case i < 0:
		return ""
	case w.Phases[i].Next != "":
		return w.Phases[i].Next
	case i+1 < len(w.Phases):
		return w.Phases[i+1].Name
	}
	return ""
}

// Between names the phases from one to a later one, both included.
func (w Workflow) Between(first, last string) []string {
	var out []string
	for i := max(w.place(first), 0); i <= w.place(last); i++ {
		out = append(out, w.Phases[i].Name)
	}
	return out
}

// Artifacts lists the globs of files that phases write and gates are about, sorted.
func (w Workflow) Artifacts() []string {
	var out []string
	for _, p := range w.Phases {
		out = append(out, p.Produces...)
		for _, g := range slices.Concat(p.Entry, p.Gates) {
			if out = append(out, g.Of...); g.Kind == events.GateArtifact {
				out = append(out, g.Files...)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Phase finds a phase by name.
func (w Workflow) Phase(name string) (Phase, bool) {
	for _, p := range w.Phases {
		if p.Name == name {
			return p, true
		}
	}
	return Phase{}, false
}

// Default is a workflow without name and phases: what a file that sets nothing
// else gets. Each call returns values of its own.
func Default() Workflow {
	return Workflow{
		Version:  SchemaVersion,
		Language: English,
		Rails: Rails{
			Drift:     HaltRun,
			Sameness:  HaltRun,
			Stuck:     Stuck{Window: 3},
			Signature: Signature{Count: 5, Then: HaltRun},
		},
		Fingerprint: []Part{PartGates, PartTests, PartTree},
		Limits: Limits{
			Iterations:         10,
			IterationsWithTime: 50,
			Agent:              Effect{Wall: when.DefaultAttempt, Idle: when.DefaultIdle, Grace: 10 * time.Second},
			Gate:               Effect{Wall: when.DefaultGate, Grace: 10 * time.Second},
			Noop: Noop{
				Within:  10 * time.Second,
				Backoff: []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute},
				Halt:    3,
			},
			Losses: 3,
		},
		Notes: []string{".autopilot/notes/**"},
	}
}
