package realtest

import (
	"time"

	"autopilot/daemon/agent/outcome"
	"autopilot/daemon/agent/stream"
)

// Names of cases.
const (
	caseText   = "text"
	caseEdit   = "tool-edit"
	caseLimit  = "429-reset"
	caseKey    = "429-key"
	caseLogin  = "401"
	caseLoad   = "529"
	caseCut    = "cut-stream"
	caseLength = "overflow"
	caseResume = "sigkill-resume"
)

// scenario is a case: what the provider does, and what is to become of it.
type scenario struct {
	name   string
	script []step
	then   []step // after SIGKILL, when an answer is held
	want   want
}

// want is what is expected of a case.
type want struct {
	outcome outcome.Outcome
	answers int  // whose tokens are reported, by those of the provider
	file    bool // was written
	reset   bool // the time of the provider's reset is known
	session bool // the id is known
}

// scenarios are those of every program; a program says where it is different.
func scenarios() []scenario {
	done := []step{{edit: true}, {text: "I have written it."}}
	return []scenario{
		{name: caseText, script: []step{{text: "Hello there."}}, want: want{outcome: outcome.Ended, answers: 1, session: true}},
		{name: caseEdit, script: done, want: want{outcome: outcome.Ended, answers: 2, file: true, session: true}},
		{name: caseLimit, script: []step{{refuse: limited}}, want: want{outcome: outcome.RateLimited, reset: true, session: true}},
		{name: caseLogin, script: []step{{refuse: wrongKey}}, want: want{outcome: outcome.AuthFailed, session: true}},
		{name: caseLoad, script: []step{{refuse: overloaded}}, want: want{outcome: outcome.Overloaded, session: true}},
		{name: caseCut, script: []step{{text: "This is cut.", cut: true}}, want: want{outcome: outcome.TruncatedStream, session: true}},
		{name: caseLength, script: []step{{refuse: tooLong}}, want: want{outcome: outcome.ContextOverflow, session: true}},
		{
			name:   caseResume,
			script: []step{{edit: true}, {text: "This goes on for ever.", hold: true}},
			then:   []step{{text: "I went on."}},
			want:   want{outcome: outcome.Ended, answers: 1, file: true, session: true},
		},
		{name: caseRun, script: done},
	}
}

// usage is what that many answers cost in tokens.
func usage(answers int) stream.Usage {
	n := int64(answers)
	return stream.Usage{Input: n * (tokensIn - tokensCached), CacheRead: n * tokensCached, Output: n * tokensOut}
}

// Limits of a program: of one that ends by itself, and of one that is known to
// try again for ever.
const (
	patience  = 90 * time.Second
	impatient = 25 * time.Second
)

// until is how far off the provider's reset is.
const until = 3 * time.Hour
