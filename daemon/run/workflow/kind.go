package workflow

import (
	"cmp"
	"slices"
	"strings"

	"autopilot/daemon/run/gate"
	"autopilot/events"
)

// Kind is a kind of gate: how a workflow declares it, what people and agents are told
// of it, and for a command how its runs are judged. What readers of a log have to know
// of it is in events.GateFacts.
type Kind struct {
	Kind   events.GateKind
	Help   string   // when it passes, for the schema
	Must   []string // keys beside name and kind
	May    []string
	Hidden bool // no workflow declares it: it comes with the run

	Entry bool // it can stand at the beginning of a phase: it needs no work of it
	Opens bool // only work opens it, by what the daemon, a person or another session sees

	check func(p *problems, at string, g Gate)               // of values that only make sense together; may be nil
	Shows func(Gate) string                                  // in a graph: what it asks, and of whom; nil: nothing
	Tells func(Gate, *PromptGate)                            // the agent, beside the command; nil: nothing
	Form  func(Gate) string                                  // an example of the result file of a role; nil: no role looks
	Judge func(*gate.Series) (events.GateResult, gate.Texts) // what the runs of its command say; nil: the verdict of the run
	Tries bool                                               // its command runs on after a failure, to count
}

// kinds are all kinds, in the order of the schema.
func kinds() []Kind {
	return []Kind{
		kindCommand, kindRepeat, kindFlaky, kindRed, kindCoverage, kindArtifact, kindAnchor, kindScope,
		kindConsensus, kindReview, kindQA, kindInterview, kindApproval, kindSession,
		kindHoldout, kindProtected, kindControl, kindGit,
	}
}

// declared are the kinds that a workflow can have.
func declared() []Kind {
	return slices.DeleteFunc(kinds(), func(k Kind) bool { return k.Hidden })
}

// KindOf finds a kind; without one it is a command. An unknown one has its name alone.
func KindOf(kind events.GateKind) Kind {
	all := kinds()
	if i := slices.IndexFunc(all, func(k Kind) bool { return k.Kind == cmp.Or(kind, events.GateCommand) }); i >= 0 {
		return all[i]
	}
	return Kind{Kind: kind}
}

// names are those of kinds.
func names(kinds []Kind) []events.GateKind {
	var out []events.GateKind
	for _, k := range kinds {
		out = append(out, k.Kind)
	}
	return out
}

// entries are the kinds that can stand at the beginning of a phase.
func entries() []Kind {
	return slices.DeleteFunc(declared(), func(k Kind) bool { return !k.Entry })
}

func showRun(g Gate) string   { return g.Run }
func showFiles(g Gate) string { return strings.Join(g.Files, " ") }
func showOf(g Gate) string    { return strings.Join(g.Of, " ") }
func byRole(g Gate) string    { return "by " + g.Role }

// tellLooks is what the agent is told where roles look.
func tellLooks(_ Gate, p *PromptGate) { p.Says = "somebody else looks at what you leave, and says so" }

// findingsForm is the part of a result file that all roles share which have findings.
const findingsForm = `"findings":[{"priority":0,"evidence_ref":"FILE:LINE","detail":"what is wrong"}]`
