package explain

import (
	"fmt"
	"slices"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// halt is what there is to say of the halts of one reason. What else holds of it is in
// events.HaltFacts.
type halt struct {
	reason events.Halt
	says   func(events.Language, run.State, events.RunHalted) string
	next   func(events.Language, string, run.State) []wire.NextCommand // by the handle; nil: see the evidence, and go on with findings
	needs  func(run.State, time.Time) string                           // that only a person can give; nil: nothing
}

// halts has one row for each reason, by class.
var halts = slices.Concat(railHalts, limitHalts, personHalts, []halt{
	{
		reason: events.HaltInternal,
		says:   always("halted: the daemon could not do its own part", "停止: デーモンが自身の処理に失敗しました"),
		next:   tryAgain,
	},
})

// haltOf finds the row of a reason. One that is not known here is told by its name.
func haltOf(reason events.Halt) halt {
	i := slices.IndexFunc(halts, func(h halt) bool { return h.reason == reason })
	if i < 0 {
		return halt{reason: reason, says: func(l events.Language, _ run.State, h events.RunHalted) string {
			return say(l, "halted: %s", "停止: %s", h.Reason)
		}}
	}
	return halts[i]
}

// halted says in a sentence why a run was halted.
func halted(s run.State, h events.RunHalted) string {
	return haltOf(h.Reason).says(s.Facts.Language, s, h)
}

// afterHalt are the commands for a halted run, the best first.
func afterHalt(s run.State) []wire.NextCommand {
	l, handle := s.Facts.Language, s.Facts.Handle
	if next := haltOf(s.Halt.Reason).next; next != nil {
		return next(l, handle, s)
	}
	return goOnWithFindings(l, handle)
}

// goOnWithFindings looks at the evidence first.
func goOnWithFindings(l events.Language, handle string) []wire.NextCommand {
	return commands("apctl diff "+handle, soFar(l), "apctl logs "+handle, printed(l),
		differently(handle), say(l, "go on with new findings", "新しい指摘を添えて続ける"))
}

// always is a sentence without anything of the run in it.
func always(en, ja string) func(events.Language, run.State, events.RunHalted) string {
	return func(l events.Language, _ run.State, _ events.RunHalted) string { return pick(l, en, ja) }
}

// person is a need that every halt of a reason has.
func person(need string) func(run.State, time.Time) string {
	return func(run.State, time.Time) string { return need }
}

// resumeWhen goes on once a person has seen to what the sentence says.
func resumeWhen(en, ja string) func(events.Language, string, run.State) []wire.NextCommand {
	return func(l events.Language, handle string, _ run.State) []wire.NextCommand {
		return commands("apctl resume "+handle, pick(l, en, ja))
	}
}

// tryAgain looks at what the agent printed first.
func tryAgain(l events.Language, handle string, _ run.State) []wire.NextCommand {
	return commands("apctl logs "+handle, say(l, "what the agent printed", "エージェントの出力"), "apctl resume "+handle, say(l, "try again", "再試行"))
}

// differently is how a run goes on with what a person has found.
func differently(handle string) string {
	return fmt.Sprintf("apctl resume %s -m 'WHAT TO DO DIFFERENTLY'", handle)
}

// pick is a text in a language.
func pick(l events.Language, en, ja string) string {
	if l == events.Japanese {
		return ja
	}
	return en
}
