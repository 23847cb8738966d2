// Package order has the order for a run: what a caller asked for, with the settings laid
// under it. The run works by what is stored of it, its Spec.
package order

import (
	"autopilot/events"
	"autopilot/events/stored"
	"autopilot/events/wire"
)

// Order asks for a run. Limits of zero take the workflow's.
type Order struct {
	Spec stored.Spec

	Workspace   string // absolute; any directory in a git work tree
	Workflow    string
	Task        string
	TaskRef     events.Ref // in place of Task when it is large
	Holdout     Holdout
	Answers     events.Assurance // session: the chat that drives it may answer; only the settings say so
	Start       events.Start
	Priority    string // low, normal or high
	ForMS       int64  // of active time
	UntilMS     int64  // Unix milliseconds
	MaxMicroUSD int64
	MaxTokens   int64 // of all kinds
	MaxTurns    int   // of the agent, over all iterations
	NoWait      bool  // halt instead of waiting for a limit
	Series      wire.SeriesSpec
	Env         []string
	Outputs     []string // files of the caller's own output
	NoConfig    bool     // without the project's configuration
	Findings    string   // for the first work: JSON, see wire.ParseFindings
	Advise      bool     // the caller can ask a person about the workflow
	Halfway     bool     // it may begin where git has not ended a rebase, a merge or the like

	Inputs   map[string]string // of the settings
	Trusted  *stored.Timeouts  // of a chat: the settings' own, its upper bounds
	Standing []events.Name     // gates of the settings, held-out ones too
}

// Holdout are gates that run with files hidden from agents.
type Holdout struct {
	Dir   string // absolute; laid over the work tree for these gates
	Gates []stored.Gate
}

// Gates are gates as a caller sent them.
func Gates(list []wire.GateSpec) []stored.Gate {
	return convert(list, func(g wire.GateSpec) stored.Gate { return stored.Gate(g) })
}

// Shown are gates as callers see them.
func Shown(list []stored.Gate) []wire.GateSpec {
	return convert(list, func(g stored.Gate) wire.GateSpec { return wire.GateSpec(g) })
}

func convert[From, To any](list []From, one func(From) To) []To {
	if list == nil {
		return nil
	}
	out := make([]To, len(list))
	for i, v := range list {
		out[i] = one(v)
	}
	return out
}
