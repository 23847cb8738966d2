package notify

import (
	"slices"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Kind is what a notification is about.
type Kind string

// The kinds.
const (
	NeedsPerson  Kind = "needs_person"  // nothing goes on until a person has acted
	Halted       Kind = "halted"        // stopped with evidence, refused or failed; nobody is asked
	Done         Kind = "done"          // over, and the gates pass
	WaitingLimit Kind = "waiting_limit" // live, but waiting for a time or for room
	Died         Kind = "died"          // what did the work is gone
	BudgetLow    Kind = "budget_low"    // live, and most of what it may use is used
)

// Kinds are all of them.
func Kinds() []Kind { return []Kind{NeedsPerson, Halted, Done, WaitingLimit, Died, BudgetLow} }

// words are what a kind is called before people.
func (k Kind) words(l events.Language) string {
	switch k {
	case NeedsPerson:
		return phrase.Say(l, "needs person", "対応が必要")
	case Halted:
		return phrase.Say(l, "halted", "停止")
	case Done:
		return phrase.Say(l, "done", "完了")
	case WaitingLimit:
		return phrase.Say(l, "waiting limit", "上限待ち")
	case Died:
		return phrase.Say(l, "died", "異常終了")
	case BudgetLow:
		return phrase.Say(l, "budget low", "予算残りわずか")
	case wire.KindDigest:
		return phrase.Say(l, "digest", "まとめ")
	}
	return string(k)
}

// Known says whether there is such a kind.
func Known(k Kind) bool { return slices.Contains(Kinds(), k) }

// Names are the kinds as settings name them.
func Names() []string {
	var names []string
	for _, k := range Kinds() {
		names = append(names, string(k))
	}
	return names
}

// KindOf says what an event of a run is told as, if at all:
//
//	run.halted  as events.HaltFacts say of its reason
//	run.ended   done, already-green, ended                 done
//	            failed, refused                            halted
//	            cancelled                                  nothing: a person asked for it
//	agent.ended lost, after which the attempt is repeated  died
//	iteration.recorded
//	            skipped, before a back-off                 waiting_limit
//	work.published
//	            what could not be pushed or shown          needs_person
//	question.asked
//	            of a gate that was handed over             nothing: nobody is waited for
//	limit.waiting
//	            for a slot of the account                  nothing: others work meanwhile
//	            for every other limit                      waiting_limit
//
// What many runs of an account meet together is told once, which is up to the
// caller. A run that waits for room on the disk is told as waiting_limit too, and
// one that has used most of what it may as budget_low: no event says so, and the
// daemon looks.
func KindOf(d events.Data) (Kind, bool) {
	switch d := d.(type) {
	case events.RunHalted:
		return ofHalt(d.Reason)
	case events.RunEnded:
		return ofEnd(d.State)
	case events.QuestionAsked:
		return NeedsPerson, !d.Handoff
	case events.WorkPublished:
		return NeedsPerson, d.Problem != "" && d.Landing == ""
	case events.AgentEnded:
		return Died, d.Outcome == events.Lost
	case events.IterationRecorded:
		return WaitingLimit, d.Verdict == events.Skipped
	case events.LimitWaiting:
		return WaitingLimit, d.Cause != events.LimitSlots && d.Cause != events.LimitResources
	}
	return "", false
}

func ofHalt(reason events.Halt) (Kind, bool) {
	switch reason.Facts().News {
	case events.NewsNeedsPerson:
		return NeedsPerson, true
	case events.NewsDied:
		return Died, true
	case events.NewsNone:
		return "", false
	case events.NewsHalted:
	}
	return Halted, true
}

func ofEnd(state events.End) (Kind, bool) {
	switch state {
	case events.EndDone, events.EndAlreadyGreen, events.EndGraceful:
		return Done, true
	case events.EndCancelled:
		return "", false
	case events.EndFailed, events.EndRefused:
	}
	return Halted, true
}
