package gate

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events"
	"autopilot/projections/rule"
)

// MaxOpinion bounds the result file of a role, in bytes.
const MaxOpinion = 64 << 10

// Opinion is the result file of a session of a role. What it must hold depends
// on the kind of its gate; what is missing is never taken for good.
//
// Source: oh-my-codex, seeds 4.1.2 and 4.2; atdd-kit, seeds 3.2 and 3.4.
type Opinion struct {
	V            int            `json:"v"` // 1
	Verdict      events.Ruling  `json:"verdict,omitzero"`
	Architecture events.Ruling  `json:"architecture,omitzero"` // of a review: clear, watch or block
	Findings     []Finding      `json:"findings,omitzero"`
	Criteria     []Criterion    `json:"criteria,omitzero"` // of coverage
	Clarity      map[string]int `json:"clarity,omitzero"`  // of an interview: percent, by dimension
	Question     string         `json:"question,omitzero"` // of an interview, and the next two
	About        string         `json:"about,omitzero"`    // the dimension that is not clear
	Changes      string         `json:"changes,omitzero"`  // what the answer would change
	Summary      string         `json:"summary,omitzero"`
}

// Finding is one thing that is wrong. Without a priority it blocks.
type Finding struct {
	Priority    int    `json:"priority"` // 0 blocks
	EvidenceRef string `json:"evidence_ref"`
	Detail      string `json:"detail"`
}

// Criterion says by what an approved criterion is covered. Without that it is
// not: a claim without evidence fails.
type Criterion struct {
	ID      string `json:"id"`
	Covered bool   `json:"covered"`
	By      string `json:"by,omitzero"`
}

// ErrOpinion says that a result file is not of the schema of its gate.
var ErrOpinion = errors.New("the result file does not fit its gate")

// rulings are the words of each kind that has any.
var rulings = map[events.GateKind][]events.Ruling{
	events.GateConsensus: {events.RulingApprove, events.RulingIterate, events.RulingReject},
	events.GateReview:    {events.RulingApprove, events.RulingComment, events.RulingChanges},
	events.GateQA:        {events.RulingPassed, events.RulingFailed},
}

var architectures = []events.Ruling{events.RulingClear, events.RulingWatch, events.RulingBlock}

// ReadOpinion reads the result file of a role at a gate of that kind. Unknown
// and doubled members, and texts that are none, are an ErrOpinion.
func ReadOpinion(kind events.GateKind, src []byte) (Opinion, error) {
	var o Opinion
	if len(src) > MaxOpinion {
		return o, fmt.Errorf("%w: it has %d bytes; the limit is %d", ErrOpinion, len(src), MaxOpinion)
	}
	if err := json.Unmarshal(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf")), &o, json.RejectUnknownMembers(true), jsontext.AllowInvalidUTF8(false)); err != nil {
		return Opinion{}, fmt.Errorf("%w: %s", ErrOpinion, events.JSONMistake(err))
	}
	if err := o.check(kind); err != nil {
		return Opinion{}, fmt.Errorf("%w: %w", ErrOpinion, err)
	}
	return o, nil
}

func (o Opinion) check(kind events.GateKind) error {
	if o.V != 1 {
		return fmt.Errorf("v is %d, want 1", o.V)
	}
	if words, ok := rulings[kind]; ok && !slices.Contains(words, o.Verdict) {
		return fmt.Errorf("verdict is %.40q, want one of %v", o.Verdict, words)
	}
	if kind == events.GateReview && !slices.Contains(architectures, o.Architecture) {
		return fmt.Errorf("architecture is %.40q, want one of %v", o.Architecture, architectures)
	}
	for i, f := range o.Findings {
		switch {
		case blank(f.EvidenceRef):
			return fmt.Errorf("finding %d has no evidence_ref", i+1)
		case blank(f.Detail):
			return fmt.Errorf("finding %d has no detail", i+1)
		case f.Priority < 0:
			return fmt.Errorf("finding %d has priority %d", i+1, f.Priority)
		}
	}
	return o.checkTerms(kind)
}

// checkTerms looks at what only one kind has.
func (o Opinion) checkTerms(kind events.GateKind) error {
	seen := map[string]bool{}
	for i, c := range o.Criteria {
		if blank(c.ID) || seen[c.ID] {
			return fmt.Errorf("criterion %d has no id of its own", i+1)
		}
		seen[c.ID] = true
	}
	switch {
	case kind == events.GateCoverage && len(o.Criteria) == 0:
		return errors.New("it lists no criteria")
	case kind == events.GateInterview && len(o.Clarity) == 0:
		return errors.New("it scores no dimension")
	}
	if kind == events.GateInterview {
		if err := o.checkQuestion(); err != nil {
			return err
		}
	}
	for dim, n := range o.Clarity {
		if n < 0 || n > 100 {
			return fmt.Errorf("clarity of %.40q is %d, want 0 to 100", dim, n)
		}
	}
	return nil
}

// checkQuestion: a person is asked only while something is open, and if the answer
// would change what is done.
//
// Source: oh-my-codex, seeds 4.2 deep-interview.
func (o Opinion) checkQuestion() error {
	if strings.TrimSpace(o.Question) == "" {
		return nil
	}
	n, scored := o.Clarity[o.About]
	switch {
	case !scored:
		return fmt.Errorf("question is about %.40q, want one of the dimensions", o.About)
	case n >= 100:
		return fmt.Errorf("question is about %.40q, which is clear", o.About)
	case blank(o.Changes):
		return errors.New("question has no changes: what its answer would change")
	}
	return nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" || !utf8.ValidString(s) }

// Sum is what the gate decides by. weights are those of the dimensions of an
// interview, in percent.
func (o Opinion) Sum(weights map[string]int) events.Opinion {
	out := events.Opinion{Verdict: o.Verdict, Architecture: o.Architecture, Findings: len(o.Findings)}
	for _, f := range o.Findings {
		if f.Priority == 0 {
			out.Blocking++
		}
	}
	open := o.uncovered()
	if out.Uncovered, out.Covered = len(open), len(o.Criteria)-len(open); len(open) > 0 {
		out.UncoveredSum = uncoveredSum(open)
	}
	if weights != nil {
		out.Ambiguity = rule.Ambiguity(weights, o.Clarity)
	}
	return out
}

// uncoveredSum is the same for the same criteria, however often and in whichever
// way they are written.
func uncoveredSum(ids []string) string {
	plain := make([]string, 0, len(ids))
	for _, id := range ids {
		plain = append(plain, plainCriterion(id))
	}
	slices.Sort(plain)
	return rule.FailingSum(slices.Compact(plain))
}

// uncovered are the ids of the criteria that nothing covers, sorted.
func (o Opinion) uncovered() []string {
	var out []string
	for _, c := range o.Criteria {
		if !c.Covered || blank(c.By) {
			out = append(out, c.ID)
		}
	}
	slices.Sort(out)
	return out
}

// List is what was found, verbatim, for those who work on it next: a section for
// each finding and each criterion that is not covered. Empty if there is nothing.
func (o Opinion) List() string {
	var b strings.Builder
	for _, f := range o.Findings {
		fmt.Fprintf(&b, "[P%d] %s\n%s\n\n", f.Priority, f.EvidenceRef, strings.TrimSuffix(f.Detail, "\n"))
	}
	for _, c := range o.Criteria {
		switch {
		case !c.Covered:
			fmt.Fprintf(&b, "[P0] criterion %s is not covered\n\n", c.ID)
		case blank(c.By):
			fmt.Fprintf(&b, "[P0] criterion %s is said to be covered, but nothing is named that covers it\n\n", c.ID)
		}
	}
	if says := rule.BareRuling(o.Sum(nil)); b.Len() == 0 && says != "" {
		fmt.Fprintf(&b, "[P0] the reviewer says %s, and names no finding\nCheck your work against the task once more. The reviewer is asked for a finding next time.\n\n", says)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
