package ultragoal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/projections/regex"
)

// gateForm is the quality gate of the last story. Members that are missing are empty.
type gateForm struct {
	Cleaner      *evidenced `json:"aiSlopCleaner"`
	Verification *struct {
		evidenced
		Commands []string `json:"commands"`
	} `json:"verification"`
	Review *struct {
		evidenced
		Recommendation string `json:"recommendation"`
		Architect      string `json:"architectStatus"`
		Independent    *struct {
			Reviewer  *evidenced `json:"codeReviewer"`
			Architect *evidenced `json:"architect"`
		} `json:"independentReview"`
	} `json:"codeReview"`
	Invariants *struct {
		evidenced
		Sources []string `json:"sourceArtifacts"`
		List    []proof  `json:"invariants"`
	} `json:"architectureInvariantGate"`
}

type evidenced struct {
	Status   string `json:"status"`
	Evidence string `json:"evidence"`
	Role     string `json:"agentRole"`
}

// proof is an invariant of the architecture that was shown to hold.
type proof struct {
	Invariant      string         `json:"invariant"`
	Source         string         `json:"source"`
	Status         string         `json:"status"`
	Blockers       jsontext.Value `json:"blockers"`
	Implementation string         `json:"implementationEvidence"`
	Test           string         `json:"testEvidence"`
	Review         string         `json:"reviewEvidence"`
}

// instead is what a story takes whose review was not clean.
const instead = "; record-review-blockers takes what a review has found"

// CheckGate says why a quality gate does not pass. The release asks for it only with
// --strict, and takes anything without.
func CheckGate(text jsontext.Value, required []Invariant) error {
	if len(text) == 0 {
		return errors.New("the last story needs --quality-gate-json with aiSlopCleaner, verification, codeReview and architectureInvariantGate")
	}
	var g gateForm
	if err := json.Unmarshal(text, &g); err != nil {
		return fmt.Errorf("--quality-gate-json cannot be read: %w", err)
	}
	if err := g.work(); err != nil {
		return err
	}
	if err := g.review(); err != nil {
		return err
	}
	return g.invariants(required)
}

func (g *gateForm) work() error {
	switch c, v := g.Cleaner, g.Verification; {
	case c == nil || c.Status != "passed":
		return errors.New("aiSlopCleaner.status of the gate is not passed; run the cleaner, also where it finds nothing")
	case blank(c.Evidence):
		return errors.New("aiSlopCleaner.evidence of the gate is empty")
	case v == nil || v.Status != "passed":
		return errors.New("verification.status of the gate is not passed")
	case len(v.Commands) == 0 || slices.ContainsFunc(v.Commands, blank):
		return errors.New("verification.commands of the gate names no command, or an empty one")
	case blank(v.Evidence):
		return errors.New("verification.evidence of the gate is empty")
	}
	return nil
}

func (g *gateForm) review() error {
	r := g.Review
	switch {
	case r == nil || r.Recommendation != "APPROVE":
		return errors.New("codeReview.recommendation of the gate is not APPROVE" + instead)
	case r.Architect != "CLEAR":
		return errors.New("codeReview.architectStatus of the gate is not CLEAR" + instead)
	case blank(r.Evidence):
		return errors.New("codeReview.evidence of the gate is empty")
	case r.Independent == nil:
		return errors.New("codeReview.independentReview of the gate is missing: a review of one's own approves nothing")
	}
	for _, of := range []struct {
		name, role string
		by         *evidenced
	}{{"codeReviewer", "code-reviewer", r.Independent.Reviewer}, {"architect", "architect", r.Independent.Architect}} {
		switch {
		case of.by == nil || of.by.Role != of.role:
			return fmt.Errorf("codeReview.independentReview.%s of the gate is not from the role %s", of.name, of.role)
		case blank(of.by.Evidence):
			return fmt.Errorf("codeReview.independentReview.%s.evidence of the gate is empty", of.name)
		}
	}
	return nil
}

func (g *gateForm) invariants(required []Invariant) error {
	i := g.Invariants
	switch {
	case i == nil || i.Status != "passed":
		return errors.New("architectureInvariantGate.status of the gate is not passed" + instead)
	case blank(i.Evidence):
		return errors.New("architectureInvariantGate.evidence of the gate is empty")
	case slices.ContainsFunc(i.Sources, blank):
		return errors.New("architectureInvariantGate.sourceArtifacts of the gate has an empty one")
	}
	for n, p := range i.List {
		if err := p.check(i.Sources); err != nil {
			return fmt.Errorf("architectureInvariantGate.invariants[%d] of the gate: %w", n, err)
		}
	}
	for _, r := range required {
		if !slices.ContainsFunc(i.List, func(p proof) bool {
			return plainText(p.Invariant) == plainText(r.Text) && artifact(p.Source) == r.Source
		}) {
			return fmt.Errorf("the gate has no proof of the invariant %q of %s", r.Text, r.Source)
		}
	}
	return nil
}

func (p proof) check(sources []string) error {
	switch {
	case blank(p.Invariant):
		return errors.New("it has no invariant")
	case !slices.ContainsFunc(sources, func(s string) bool { return artifact(s) == artifact(p.Source) }):
		return fmt.Errorf("its source %q is none of sourceArtifacts", p.Source)
	case p.Status != "proved" || len(p.Blockers) > 0:
		return fmt.Errorf("%q is not proved, or has blockers%s", p.Invariant, instead)
	case blank(p.Implementation) || blank(p.Test) || blank(p.Review):
		return fmt.Errorf("%q wants implementationEvidence, testEvidence and reviewEvidence", p.Invariant)
	}
	return nil
}

// artifact is a source without the place in it.
func artifact(source string) string {
	file, _, _ := strings.Cut(strings.ReplaceAll(strings.TrimSpace(source), `\`, "/"), "#")
	return file
}

var marks = regex.New("[`*_~]")

func plainText(s string) string { return strings.ToLower(oneLine(marks.ReplaceAllString(s, ""))) }

// Invariant is one that the brief, or an accepted steering, asks for.
type Invariant struct{ Text, Source string }

var (
	invariantHead = regex.New(`(?i)\b(?:architecture|architectural|domain|non-negotiable)\b.*\b(?:invariants?|constraints?|non-negotiables?)\b`)
	invariantLine = regex.New(`(?i)\b(?:architecture|architectural|domain)\s+(?:invariants?|constraints?|non-negotiables?)\s*:\s*(.+?)[.;]?\s*$`)
)

// Required are the invariants that the last gate has to prove: of the brief, and of
// steering that was accepted.
func Required(brief string, rows []Row) []Invariant {
	list := invariantsIn(brief, BriefPath)
	for _, r := range rows {
		if r.Event == SteeringAccepted && r.Steering != nil {
			list = append(list, invariantsIn(strings.Join([]string{r.Evidence, r.Message, r.Steering.Directive}, "\n\n"), LedgerPath)...)
		}
	}
	slices.SortStableFunc(list, func(a, b Invariant) int {
		return strings.Compare(a.Source+"\x00"+plainText(a.Text), b.Source+"\x00"+plainText(b.Text))
	})
	return slices.CompactFunc(list, func(a, b Invariant) bool { return a.Source == b.Source && plainText(a.Text) == plainText(b.Text) })
}

func invariantsIn(text, source string) (list []Invariant) {
	within := false
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		item := listItem.FindStringSubmatch(line)
		head := heading.FindStringSubmatch(line)
		said := invariantLine.FindStringSubmatch(line)
		switch {
		case head != nil:
			within = invariantHead.MatchString(head[1])
		case said != nil:
			list = append(list, Invariant{said[1], source})
		case within && item != nil:
			list = append(list, Invariant{item[2], source})
		}
	}
	return list
}
