package stream

import (
	"time"
)

// Kind says what an Item is.
type Kind string

// The kinds.
const (
	Said   Kind = "said"   // Text, by the agent
	Tool   Kind = "tool"   // the tool Name is used; Text is its input, in short
	Done   Kind = "done"   // the tool Name came back; Text says why it Failed
	Used   Kind = "used"   // Usage so far: a total, never to be added
	Limit  Kind = "limit"  // Limited is what the provider says of its limits
	Error  Kind = "error"  // Name is the program's word for it, Text what it says
	Result Kind = "result" // the program's last event; Text as with Error when it Failed
	Plain  Kind = "plain"  // Text is a line that is not of the stream, as of stderr
)

// Item is one thing that a program said.
type Item struct {
	Kind    Kind
	Name    string
	Text    string
	Piece   bool // of Said: the text goes on in the next item
	Sub     bool // of an agent below the agent
	Failed  bool
	Passing bool // of Error: the program goes on by itself
	Status  int  // of HTTP, where it is given
	Usage   Usage
	Limited Limits
}

// Usage counts tokens by kind. The kinds do not overlap.
type Usage struct {
	Input, CacheRead, CacheWrite, Output int64
}

// mostCount bounds every number that a program tells, and mostUSD what it says to
// have cost: far above what can be, and so low that no sum of them turns negative
// and gives back what was used.
const (
	mostCount = 1e12
	mostUSD   = 1e9
)

func (u Usage) plus(v Usage) Usage {
	return Usage{
		min(u.Input+v.Input, mostCount), min(u.CacheRead+v.CacheRead, mostCount),
		min(u.CacheWrite+v.CacheWrite, mostCount), min(u.Output+v.Output, mostCount),
	}
}

func (u Usage) minus(v Usage) Usage {
	return Usage{u.Input - v.Input, u.CacheRead - v.CacheRead, u.CacheWrite - v.CacheWrite, u.Output - v.Output}
}

// atLeast is u, with no kind less than in v.
func (u Usage) atLeast(v Usage) Usage {
	return Usage{max(u.Input, v.Input), max(u.CacheRead, v.CacheRead), max(u.CacheWrite, v.CacheWrite), max(u.Output, v.Output)}
}

// Limits is what a provider says of its limits.
type Limits struct {
	Status string    // allowed, allowed_warning, rejected ...
	Window string    // five_hour, seven_day ...
	Reset  time.Time // zero is unknown
	Used   float64   // share of the window, 1 is all; 0 is unknown
}

// Rejects says that the provider takes nothing more until Reset.
func (l Limits) Rejects() bool { return l.Status == "rejected" || l.Status == "denied" }

// Source says where a number comes from.
type Source string

// The sources.
const (
	Reported Source = "reported"
	Unknown  Source = "unknown"
)

// Summary is what is known of a program from what it printed.
type Summary struct {
	Format    Format
	Session   string
	Model     string
	Turns     int
	Usage     Usage
	UsageFrom Source
	MicroUSD  int64 // cost, in millionths of a dollar
	CostFrom  Source
	// Cumulative says that usage and cost of a resumed session are those of all of
	// it, the calls before this one too.
	Cumulative bool

	Last    string // the end of the last text that the agent itself said
	Plain   string // the end of what is not of the stream; of Text, of everything
	Ended   bool   // the program said its last event
	Final   string // the type of that event
	Failed  bool   // which says that the agent failed
	Reason  string // its words for that: subtype, error type, finish reason
	Message string // what it says of the failure, else the last error that did not pass
	Status  int    // of HTTP, with Message
	Error   string // the program's word with Message
	Codes   string // the provider's words for it, most telling first, with spaces between
	Limited Limits // the last that was said
	Trying  Trying // what it tries again after, until it goes on

	Tools   int  // uses of tools
	Denied  int  // uses that were not permitted
	Retries int  // errors that passed
	Pending int  // background tasks without an end
	Asks    bool // it waits for a person
	// Question is what it asks, where it says so.
	Question string
	Prompt   string // the question to a person at a terminal with which its output ends
	Claims   bool   // it says that its work is done, which is only what it says

	Repeat    Repeat // the use of a tool that came most often with the same input
	RepeatNow int    // how often the last use has come in a row, with the same result
	Stale     int    // uses in a row that were there before, each with the same result

	Lines, Long          int // all, and those that are longer than is read
	Known, Unknown, Junk int // objects of types that are known, others, and what is not of the stream
}

// Trying is an error that passes: the last one, if the program has said nothing
// since. Zero is none.
type Trying struct {
	Error, Message, Codes string // as in Summary
	Status                int
}

// Worked says whether the agent did anything: it used a tool, or tokens.
func (s Summary) Worked() bool { return s.Tools > 0 || s.Usage != Usage{} }
