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

// The kinds of a steering, and who may propose one.
const (
	AddSubgoal   = "add_subgoal"
	SplitSubgoal = "split_subgoal"
	Reorder      = "reorder_pending"
	Revise       = "revise_pending_wording"
	Annotate     = "annotate_ledger"
	Supersede    = "mark_blocked_superseded"
)

// Kinds are all of them.
func Kinds() []string {
	return []string{AddSubgoal, SplitSubgoal, Reorder, Revise, Annotate, Supersede}
}

var sources = []string{"user_prompt_submit", "finding", "cli"}

// Proposal is a steering as it is proposed.
type Proposal struct {
	Kind           string         `json:"kind"`
	Source         string         `json:"source"`
	Evidence       string         `json:"evidence"`
	Rationale      string         `json:"rationale"`
	TargetGoalID   string         `json:"targetGoalId"`
	TargetGoalIDs  []string       `json:"targetGoalIds"`
	Title          string         `json:"title"`
	Objective      string         `json:"objective"`
	After          jsontext.Value `json:"after"`
	Children       []Child        `json:"childGoals"`
	PendingOrder   []string       `json:"pendingOrder"`
	IdempotencyKey string         `json:"idempotencyKey"`
	Directive      string         `json:"-"` // the text that it was read from
}

// Child is a story that takes the place of another one.
type Child struct {
	Title     string `json:"title"`
	Objective string `json:"objective"`
}

// ReadProposal reads a directive.
func ReadProposal(text []byte) (Proposal, error) {
	var p Proposal
	if err := json.Unmarshal(text, &p); err != nil {
		return p, fmt.Errorf("the directive cannot be read: %w", err)
	}
	p.Directive = string(text)
	return p, nil
}

// after is what a proposal has in the member of that name.
type after struct {
	Title     string   `json:"title"`
	Objective string   `json:"objective"`
	Children  []Child  `json:"children"`
	Pending   []string `json:"pendingGoalIds"`
}

// whole is a proposal with what its member after gives.
func (s Proposal) whole() (Proposal, error) {
	if s.Source == "" {
		s.Source = "cli"
	}
	if s.TargetGoalID == "" && len(s.TargetGoalIDs) > 0 {
		s.TargetGoalID = s.TargetGoalIDs[0]
	}
	if len(s.After) == 0 {
		return s, nil
	}
	var a after
	if err := json.Unmarshal(s.After, &a); err != nil {
		return s, fmt.Errorf("after cannot be read: %w", err)
	}
	if a.Title != "" {
		s.Title = a.Title
	}
	if a.Objective != "" {
		s.Objective = a.Objective
	}
	if len(s.Children) == 0 {
		s.Children = a.Children
	}
	if len(s.PendingOrder) == 0 {
		s.PendingOrder = a.Pending
	}
	return s, nil
}

// Audit is what the ledger keeps of a steering.
type Audit struct {
	Kind           string         `json:"kind"`
	Source         string         `json:"source"`
	TargetGoalIDs  []string       `json:"targetGoalIds,omitzero"`
	Before         jsontext.Value `json:"before,omitzero"`
	After          jsontext.Value `json:"after,omitzero"`
	Evidence       string         `json:"evidence,omitzero"`
	Rationale      string         `json:"rationale,omitzero"`
	Invariant      Verdict        `json:"invariant,omitzero"`
	Directive      string         `json:"directiveText,omitzero"`
	IdempotencyKey string         `json:"idempotencyKey,omitzero"`
	Rest           jsontext.Value `json:",embed"`
}

// Verdict says whether a steering was accepted.
type Verdict struct {
	Accepted bool           `json:"accepted"`
	Rejected []string       `json:"rejectedReasons"`
	Rest     jsontext.Value `json:",embed"`
}

// made are the stories that an accepted steering has put into the plan.
func (a *Audit) made() (ids []string) {
	if a == nil {
		return nil
	}
	var v struct {
		ID       string `json:"id"`
		Children []struct {
			ID string `json:"id"`
		} `json:"children"`
	}
	if a.After.Kind() != '{' || json.Unmarshal(a.After, &v) != nil {
		return nil
	}
	if a.Kind == AddSubgoal {
		ids = append(ids, v.ID)
	}
	for _, c := range v.Children {
		ids = append(ids, c.ID)
	}
	return ids
}

// Steered is the answer to a proposal.
type Steered struct {
	Change
	Accepted bool
	Deduped  bool
	Rejected []string
	Audit    Audit
}

// Steer changes what is pending, on evidence. A proposal that is refused is a row too,
// and changes no story. One whose key was accepted before is not applied again.
func Steer(p Plan, rows []Row, s Proposal, now string) (Steered, error) {
	for _, r := range rows {
		if r.Event == SteeringAccepted && r.Steering != nil && s.IdempotencyKey != "" && r.Steering.IdempotencyKey == s.IdempotencyKey {
			return Steered{Change: Change{Plan: p, Same: true}, Accepted: true, Deduped: true, Audit: *r.Steering}, nil
		}
	}
	s, err := s.whole()
	if err != nil {
		return Steered{}, err
	}
	next := p.clone()
	out := Steered{Rejected: next.rejects(s), Audit: Audit{
		Kind: s.Kind, Source: s.Source, Evidence: s.Evidence, Rationale: s.Rationale, Directive: s.Directive, IdempotencyKey: s.IdempotencyKey,
	}}
	if s.TargetGoalID != "" {
		out.Audit.TargetGoalIDs = []string{s.TargetGoalID}
	}
	out.Accepted = len(out.Rejected) == 0
	out.Audit.Invariant = Verdict{Accepted: out.Accepted, Rejected: append([]string{}, out.Rejected...)}
	event := SteeringRejected
	out.Change = Change{Plan: p, Same: true}
	if out.Accepted {
		event = SteeringAccepted
		before, then := next.apply(s, now)
		if out.Audit.Before, err = encoded(before); err == nil {
			out.Audit.After, err = encoded(then)
		}
		if err != nil {
			return Steered{}, err
		}
		out.Change = Change{Plan: next, Same: s.Kind == Annotate}
	}
	out.Rows = []Row{{TS: now, Event: event, GoalID: s.TargetGoalID, Evidence: s.Evidence, Message: s.Rationale, Steering: &out.Audit, MutationKind: s.Kind}}
	return out, nil
}

func encoded(v any) (jsontext.Value, error) {
	if v == nil {
		return nil, nil
	}
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode a steering: %w", err)
	}
	return b, nil
}

// guarded are the members that no steering may give, wherever they stand; and all whose
// name has complete in it.
var guarded = []string{
	"aggregateCompletion", "brief", "briefPath", "codexObjective", "constraints", "completedAt", "statePathPrefix", "qualityGate", "status",
}

var weakens = regex.New(`(?is)\b(?:skip|bypass|weaken|remove|omit|disable)\b.*\b(?:tests?|reviews?|verification|quality gates?|complet(?:e|ion))\b|\bauto[- ]?complete\b|\bmark(?:ed)? (?:as )?complete\b`)

// rejects are all reasons against a proposal.
func (p *Plan) rejects(s Proposal) (why []string) {
	no := func(when bool, format string, args ...any) {
		if when {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	no(!slices.Contains(Kinds(), s.Kind), "the kind %q is none of %s", s.Kind, strings.Join(Kinds(), ", "))
	no(!slices.Contains(sources, s.Source), "the source %q is none of %s", s.Source, strings.Join(sources, ", "))
	no(blank(s.Evidence) || blank(s.Rationale), "a steering needs evidence and a rationale")
	no(protects(s.After), "after has a member that no steering may change")
	texts := []string{s.Title, s.Objective, s.Rationale, s.Directive}
	for _, c := range s.Children {
		texts = append(texts, c.Title, c.Objective)
		no(blank(c.Title) || blank(c.Objective), "a story that takes the place of another one has no title or no objective")
	}
	no(slices.ContainsFunc(texts, weakens.MatchString), "it would weaken tests, reviews, the quality gate or what complete means")
	no(p.Done(), "the plan is complete")
	no(len(p.Goals)+max(1, len(s.Children)) > mostGoals, "the plan has %d stories, which is the limit", len(p.Goals))
	return append(why, p.rejectsKind(s)...)
}

// rejectsKind are the reasons of one kind.
func (p *Plan) rejectsKind(s Proposal) (why []string) {
	no := func(when bool, format string, args ...any) {
		if when {
			why = append(why, fmt.Sprintf(format, args...))
		}
	}
	target, err := p.find(s.TargetGoalID)
	no(err != nil && s.TargetGoalID != "", "there is no story %q", s.TargetGoalID)
	targeted := slices.Contains([]string{SplitSubgoal, Revise, Supersede}, s.Kind)
	no(targeted && s.TargetGoalID == "", "%s needs a target", s.Kind)
	if targeted && err == nil {
		no(s.Kind != Supersede && (target.Status != Pending || !target.eligible()), "%s is not pending, and %s is for pending stories", target.ID, s.Kind)
		no(s.Kind == Supersede && (target.Status == Complete || target.SteeringStatus == Superseded), "%s is over, and stays as it is", target.ID)
	}
	switch s.Kind {
	case AddSubgoal:
		no(blank(s.Title) || blank(s.Objective), "a new story needs a title and an objective")
	case SplitSubgoal:
		no(len(s.Children) == 0, "a split needs the stories that take its place")
	case Revise:
		no(blank(s.Title) && blank(s.Objective), "new wording is a title or an objective")
	case Reorder:
		no(len(s.PendingOrder) == 0, "an order names at least one pending story")
		seen := map[string]bool{}
		for _, id := range s.PendingOrder {
			g, err := p.find(id)
			no(seen[id], "%s is in the order twice", id)
			no(err != nil || g.Status != Pending || !g.eligible(), "%s is not a pending story", id)
			seen[id] = true
		}
	}
	return why
}

// protects says that a value has a guarded member.
func protects(v jsontext.Value) bool {
	if v.Kind() == '[' {
		var list []jsontext.Value
		return json.Unmarshal(v, &list) != nil || slices.ContainsFunc(list, protects)
	}
	var o map[string]jsontext.Value
	if v.Kind() != '{' {
		return false
	}
	if json.Unmarshal(v, &o) != nil {
		return true
	}
	for name, in := range o {
		if slices.Contains(guarded, name) || strings.Contains(strings.ToLower(name), "complete") || protects(in) {
			return true
		}
	}
	return false
}

// apply does what was accepted, and returns what was and what is.
func (p *Plan) apply(s Proposal, now string) (before, then any) {
	if s.Kind == AddSubgoal {
		g := p.add(Wanted{s.Title, s.Objective}, now)
		g.Evidence = s.Evidence
		return nil, *g
	}
	if s.Kind == Annotate {
		return nil, map[string]string{"evidence": s.Evidence, "rationale": s.Rationale}
	}
	p.UpdatedAt = now
	if s.Kind == Reorder {
		return p.reorder(s.PendingOrder)
	}
	g, err := p.find(s.TargetGoalID)
	if err != nil { // rejects has found it
		return nil, nil
	}
	before = *g
	g.SteeringEvidence, g.SteeringRationale = s.Evidence, s.Rationale
	switch {
	case s.Kind == Revise:
		g.Title, g.Objective = or(s.Title, g.Title), or(s.Objective, g.Objective)
		g.UpdatedAt = now
		return before, *g
	case len(s.Children) == 0: // superseded by nothing: it waits
		g.SteeringStatus, g.BlockedReason = Blocked, s.Rationale
		p.release(g, now)
		return before, *g
	}
	g.SteeringStatus = Superseded
	p.release(g, now)
	return before, p.replaced(g.ID, s, now)
}

func or(text, otherwise string) string {
	if text = strings.TrimSpace(text); text != "" {
		return text
	}
	return otherwise
}

// replaced puts the children of a story behind it.
func (p *Plan) replaced(id string, s Proposal, now string) any {
	n := len(p.Goals)
	for _, c := range s.Children {
		g := p.add(Wanted(c), now)
		g.Evidence, g.Supersedes = s.Evidence, []string{id}
	}
	children := slices.Clone(p.Goals[n:])
	at := slices.IndexFunc(p.Goals, func(g Goal) bool { return g.ID == id })
	target := &p.Goals[at]
	target.SupersededBy = nil
	for _, c := range children {
		target.SupersededBy = append(target.SupersededBy, c.ID)
	}
	was := *target
	p.Goals = slices.Insert(slices.Clone(p.Goals[:n]), at+1, children...)
	return map[string]any{"target": was, "children": children}
}

// reorder puts pending stories first, in the order that is wanted.
func (p *Plan) reorder(order []string) (before, then []string) {
	ids := func() (out []string) {
		for _, g := range p.Goals {
			out = append(out, g.ID)
		}
		return out
	}
	before = ids()
	var first, rest []Goal
	for _, id := range order {
		for _, g := range p.Goals {
			if g.ID == id {
				first = append(first, g)
			}
		}
	}
	for _, g := range p.Goals {
		if !slices.Contains(order, g.ID) {
			rest = append(rest, g)
		}
	}
	p.Goals = append(first, rest...)
	return before, ids()
}

// ErrProse is a steering that was given as words.
var ErrProse = errors.New("steer takes --kind, --evidence and --rationale, or --directive-json; prose changes nothing")
