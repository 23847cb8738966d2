package workflow

import (
	"cmp"
	"slices"
	"strings"

	"autopilot/daemon/run/gate"
	"autopilot/events"
)

// Kind is a kind of gate. It has the keys in a workflow, the texts for people and agents,
// and for a command the verdict on its runs. events.GateFacts has the facts for readers
// of a log.
type Kind struct {
	Kind   events.GateKind
	Help   string   // when it passes, for the schema
	Must   []string // keys beside name and kind
	May    []string
	Hidden bool // no workflow declares it: it comes with the run

	Entry bool // it can stand at the beginning of a phase: it needs no work of that phase
	Opens bool // only work opens it, as the daemon, a person or another session sees

	check func(p *problems, at string, g Gate)               // checks values that depend on each other; may be nil
	Shows func(Gate) string                                  // in a graph: its question and for whom; nil: nothing
	Tells func(Gate, *PromptGate)                            // the agent, beside the command; nil: nothing
	Form  func(Gate) string                                  // an example of a role's result file; nil: no role looks
	Judge func(*gate.Series) (events.GateResult, gate.Texts) // judges the runs of its command; nil: the verdict of the run
	Tries bool                                               // its command runs on after a failure, to count
}

// kinds lists all kinds in the order of the schema.
func kinds() []Kind {
	return []Kind{
		kindCommand, kindRepeat, kindFlaky, kindRed, kindCoverage, kindArtifact, kindAnchor, kindScope,
		kindConsensus, kindReview, kindQA, kindInterview, kindApproval, kindSession,
		kindHoldout, kindProtected, kindControl, kindGit,
	}
}

// declared lists the kinds that a workflow can declare.
func declared() []Kind {
	return slices.DeleteFunc(kinds(), func(k Kind) bool { return k.Hidden })
}

// KindOf finds a kind; the empty kind is a command. An unknown kind has its name alone.
func KindOf(kind events.GateKind) Kind {
	all := kinds()
	if i := slices.IndexFunc(all, func(k Kind) bool { return k.Kind == cmp.Or(kind, events.GateCommand) }); i >= 0 {
		return all[i]
	}
	return Kind{Kind: kind}
}

// names lists the names of kinds.
func names(kinds []Kind) []events.GateKind {
	var out []events.GateKind
	for _, k := range kinds {
		out = append(out, k.Kind)
	}
	return out
}

// entries lists the kinds that can stand at the beginning of a phase.
func entries() []Kind {
	return slices.DeleteFunc(declared(), func(k Kind) bool { return !k.Entry })
}

func showRun(g Gate) string   { return g.Run }
func showFiles(g Gate) string { return strings.Join(g.Files, " ") }
func showOf(g Gate) string    { return strings.Join(g.Of, " ") }
func byRole(g Gate) string    { return "by " + g.Role }

// tellLooks tells the agent that roles look at its work.
func tellLooks(_ Gate, p *PromptGate) { p.Says = "reviewers judge your work and report findings" }

// findingsForm is the findings part of a role's result file, in every kind with findings.
const findingsForm = `"findings":[{"priority":0,"evidence_ref":"FILE:LINE","detail":"what is wrong"}]`
