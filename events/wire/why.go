package wire

import "time"

// WhySettled is the event that brought a run into its state.
type WhySettled struct {
	Seq  uint64    `json:"seq"`
	Type string    `json:"type"`
	At   time.Time `json:"at"`
	By   string    `json:"by,omitzero"` // actor
}

// WhyTried is an earlier remedy for a run: a resume with its note, a wait, or an attempt
// that did not count.
type WhyTried struct {
	Seq       uint64    `json:"seq"`
	At        time.Time `json:"at"`
	Kind      string    `json:"kind"` // resumed, waited, lifted, attempt, escalated
	Iteration int       `json:"iteration,omitzero"`
	Line      string    `json:"line"` // what happened, one line for people
	By        string    `json:"by,omitzero"`
	Note      string    `json:"note,omitzero"` // of a person
}

// WhyLeft is one limit of a run, with the used and the remaining part.
type WhyLeft struct {
	Kind    string `json:"kind"` // iterations, hours, until, cost, tokens or turns
	Limit   int64  `json:"limit"`
	Used    int64  `json:"used"`
	Left    int64  `json:"left"`             // iterations, milliseconds, millionths of a dollar, tokens or turns
	Unknown bool   `json:"unknown,omitzero"` // an agent did not report its usage
}

// WhyView explains a run: rule, compared values, last error, next command.
type WhyView struct {
	Run       RunView       `json:"run"`
	Rule      string        `json:"rule"`           // the rule that settled it, as "sameness"
	Because   string        `json:"because"`        // one sentence
	Fault     string        `json:"fault,omitzero"` // one sentence: how the latest agent failed, with the words of its provider
	Seq       uint64        `json:"seq"`            // the event that settled it
	Settled   *WhySettled   `json:"settled,omitzero"`
	Left      []WhyLeft     `json:"left,omitzero"` // of a live or halted run
	Tried     []WhyTried    `json:"tried,omitzero"`
	TriedMore int           `json:"tried_more,omitzero"` // earlier ones left out
	Rows      []WhyRow      `json:"rows"`                // the iterations, oldest first
	Failing   []string      `json:"failing"`             // failing test ids of the last judged iteration, at most 20
	More      int           `json:"failing_more,omitzero"`
	Files     []string      `json:"files"` // in the verdict
	Question  string        `json:"question,omitzero"`
	LastError string        `json:"last_error,omitzero"` // excerpt of the failing gate, or of the agent
	ErrorFrom string        `json:"error_from,omitzero"` // "gate test", "agent"
	Claims    []string      `json:"claims,omitzero"`     // claims of the agent against the records
	Evidence  *Evidence     `json:"evidence,omitzero"`
	Summary   []SummaryPart `json:"summary,omitzero"`  // of a run with gates of its workflow
	HeldOut   *HeldOutView  `json:"held_out,omitzero"` // only for people
	Git       *GitView      `json:"git,omitzero"`      // of a run with a recorded git state
	Next      []NextCommand `json:"next"`
}

// HeldOutView is what people see of held-out gates, with the output of those that do not
// pass.
type HeldOutView struct {
	HoldoutView
	Printed []HeldOutText `json:"printed,omitzero"`
}

// HeldOutText is the output of one held-out gate.
type HeldOutText struct {
	Gate string `json:"gate"`
	Text string `json:"text"`
}

// WhyRow is one recorded iteration.
type WhyRow struct {
	Iteration      int    `json:"iteration"`
	Phase          string `json:"phase,omitzero"`
	Verdict        string `json:"verdict"`
	Tree           string `json:"tree"`
	Files          int    `json:"files"`
	Failing        int    `json:"failing"`
	FailingUnknown bool   `json:"failing_unknown,omitzero"` // no parser knew the output of the gates: failing says nothing
	Fingerprint    string `json:"fingerprint,omitzero"`
	EqualTo        int    `json:"equal_to,omitzero"` // an earlier iteration with the same fingerprint
	Signature      string `json:"signature,omitzero"`
	SignatureOf    int    `json:"signature_equal_to,omitzero"` // earlier, with the same signature
	Compared       bool   `json:"compared,omitzero"`           // by the rule that halted the run
	Claim          string `json:"claim,omitzero"`
	Agent          string `json:"agent,omitzero"`     // profile from the workflow; empty is the run's own agent
	Result         string `json:"result,omitzero"`    // meaning of its agent's end
	Conflicts      int    `json:"conflicts,omitzero"` // conflicting signals
	Tokens         int64  `json:"tokens,omitzero"`
	MicroUSD       int64  `json:"micro_usd,omitzero"`
	CostFrom       string `json:"cost_from,omitzero"`
}

// Evidence is the evidence behind done.
type Evidence struct {
	Tree     string     `json:"tree"`
	Checkout string     `json:"checkout"` // "in place" or "clean"
	Gates    []GateView `json:"gates"`
	Pinned   int        `json:"pinned"`           // files that had to stay unchanged
	Allowed  []string   `json:"allowed,omitzero"` // test files changed by permission
	Created  []string   `json:"created,omitzero"` // files that the gates made, left out of the tree
	Controls []Control  `json:"controls,omitzero"`
	Weaker   bool       `json:"weaker,omitzero"` // the controls were off, or could not run
	Added    *Additions `json:"added,omitzero"`
	// Bare says that pinned files and missing texts are not in it: the run was erased,
	// pruned or imported.
	Bare bool `json:"bare,omitzero"`
}

// Additions are suppressions and tests that the run added, and files that its tree lacks.
// They do not change the verdict.
type Additions struct {
	Suppressions     []Suppression `json:"suppressions,omitzero"` // by file and line
	MoreSuppressions int           `json:"more_suppressions,omitzero"`
	Tests            []string      `json:"tests,omitzero"` // files that look like tests, sorted
	MoreTests        int           `json:"more_tests,omitzero"`
	Unread           int           `json:"unread,omitzero"` // files left out, too many or too large
	Unrecorded       []Unrecorded  `json:"unrecorded,omitzero"`
	MoreUnrecorded   int           `json:"more_unrecorded,omitzero"`
}

// Unrecorded is a path of the work tree that gates may have read, with content that the
// passed tree lacks.
type Unrecorded struct {
	Path string `json:"path"`
	Why  string `json:"why"` // large: recorded by size and hash; unreadable: a pipe, a socket, a device, or an unreadable file
}

// Suppression is a place where the work silences a linter, a type checker, a coverage
// tool, a test runner or a scanner.
type Suppression struct {
	Kind  string `json:"kind"`  // name of the marker: noqa, nolint, test.skip ...
	Class string `json:"class"` // what it silences: lint, types, coverage, tests or security
	File  string `json:"file"`
	Line  int    `json:"line"` // in the present file
}

// Control is the outcome of one control: start-proof or still-red.
type Control struct {
	Name     string   `json:"name"`
	Verdict  string   `json:"verdict"`
	Reason   string   `json:"reason"`
	Says     string   `json:"says,omitzero"`     // Reason in words
	Files    []string `json:"files,omitzero"`    // named by the control
	Accepted bool     `json:"accepted,omitzero"` // a person accepted the work all the same
}

// NextCommand is a possible next command for a person.
type NextCommand struct {
	Command string `json:"command"`
	Why     string `json:"why"`
}
