package ultragoal

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Snapshot is what the host says of its own goal (get_goal).
type Snapshot struct {
	Available bool           `json:"available"`
	Objective string         `json:"objective,omitzero"`
	Status    string         `json:"status,omitzero"`            // active, complete, blocked, failed, cancelled or unknown
	Reason    string         `json:"unavailableReason,omitzero"` // why there is none: brokenStore, or toolError
	Problem   string         `json:"errorMessage,omitzero"`
	Raw       jsontext.Value `json:"raw,omitzero"`
}

// Why a snapshot has no goal.
const (
	brokenStore = "db_schema_context_error" // the host cannot tell: its own store fails
	toolError   = "tool_error"
)

var snapshotStatus = map[string]string{
	"complete": "complete", "completed": "complete", "done": "complete", "cancelled": "cancelled", "canceled": "cancelled", "failed": "failed", "failure": "failed",
	"blocked": "blocked", "active": "active", "in_progress": "active", "pending": "active", "running": "active",
}

// ReadSnapshot reads the JSON of get_goal: {goal:{objective,status}}, or that object
// itself, or an error.
func ReadSnapshot(text []byte) (*Snapshot, error) {
	var root map[string]jsontext.Value
	if err := json.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("--codex-goal-json is not a JSON object: %w", err)
	}
	s := &Snapshot{Raw: slices.Clone(text), Status: "unknown"}
	_ = s.Raw.Compact() // it was read just now
	goal := root
	if v, ok := root["goal"]; ok && v.Kind() != '"' {
		goal = nil
		if v.Kind() == '{' {
			_ = json.Unmarshal(v, &goal)
		}
	}
	for _, name := range []string{"objective", "goal", "description"} {
		if t := textOf(goal[name]); t != "" {
			s.Objective = t
			break
		}
	}
	if known := snapshotStatus[strings.ToLower(textOf(goal["status"]))]; known != "" {
		s.Status = known
	}
	s.Available = s.Objective != ""
	if !s.Available {
		s.Problem = problemOf(root)
		switch {
		case isBrokenStore(s.Problem):
			s.Reason = brokenStore
		case s.Problem != "":
			s.Reason = toolError
		}
	}
	return s, nil
}

// textOf is a value that is a text, trimmed.
func textOf(v jsontext.Value) string {
	var s string
	if v.Kind() != '"' || json.Unmarshal(v, &s) != nil {
		return ""
	}
	return strings.TrimSpace(s)
}

func problemOf(root map[string]jsontext.Value) string {
	for _, name := range []string{"error", "message", "errorMessage", "stderr"} {
		if t := textOf(root[name]); t != "" {
			return t
		}
		var inner map[string]jsontext.Value
		if root[name].Kind() == '{' && json.Unmarshal(root[name], &inner) == nil {
			if t := textOf(inner["message"]); t != "" {
				return t
			}
		}
	}
	return ""
}

// isBrokenStore says that an error is of the host's own store of goals.
func isBrokenStore(problem string) bool {
	p := strings.ToLower(problem)
	if strings.Contains(p, "thread_goals") {
		return true
	}
	any := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(p, w) })
	}
	return strings.Contains(p, "goal") && any("database", " db", "schema", "context") && any("unavailable", "missing", "failed", "error")
}

// objectives are those that the goal of the host may have for a story.
func (p *Plan) objectives(g *Goal) []string {
	if p.Mode == Aggregate {
		return append([]string{p.Objective}, p.ObjectiveAliases...)
	}
	return []string{g.Objective}
}

func (p *Plan) matches(g *Goal, s *Snapshot) bool {
	return slices.ContainsFunc(p.objectives(g), func(o string) bool { return oneLine(o) != "" && oneLine(o) == oneLine(s.Objective) })
}

// Reconcile compares the host's goal with a story: it has to have its objective, and a
// status of those that are wanted.
func (p *Plan) Reconcile(g *Goal, s *Snapshot, want ...string) error {
	switch {
	case s == nil:
		return errors.New("the goal of the host is not given; call get_goal and pass its JSON with --codex-goal-json")
	case s.Reason == brokenStore:
		return fmt.Errorf("the host cannot read its goal (%s); record --status blocked with this JSON, and go on once get_goal works", s.Problem)
	case !s.Available:
		return errors.New("the host has no goal; call create_goal with the objective of the plan, then get_goal, and pass its JSON with --codex-goal-json")
	case !p.matches(g, s):
		return fmt.Errorf("the goal of the host is %q, and that of %s is %q", s.Objective, g.ID, p.objectives(g)[0])
	case !slices.Contains(want, s.Status):
		return fmt.Errorf("the goal of the host is %s, and has to be %s", s.Status, strings.Join(want, " or "))
	}
	return nil
}

// raw is what a row keeps of a snapshot.
func (s *Snapshot) raw() jsontext.Value {
	if s == nil {
		return nil
	}
	return s.Raw
}

// Warning says what does not fit between the story in progress and the host's goal,
// empty where nothing is in progress and none was given.
func (p *Plan) Warning(s *Snapshot) string {
	g := p.first(InProgress)
	if g == nil {
		return ""
	}
	want := []string{"active"}
	if p.Mode != Aggregate || p.Last(g.ID) {
		want = append(want, "complete")
	}
	if err := p.Reconcile(g, s, want...); err != nil {
		return err.Error()
	}
	return ""
}

// Compared is a snapshot beside the plan, as status answers it.
type Compared struct {
	OK       bool      `json:"ok"`
	Snapshot *Snapshot `json:"snapshot"`
	Warnings []string  `json:"warnings"`
	Errors   []string  `json:"errors"`
}

// Comparison is nil where there is nothing to compare. Without a snapshot it is a
// warning only.
func Comparison(s *Snapshot, warning string) *Compared {
	if s == nil && warning == "" {
		return nil
	}
	c := &Compared{OK: warning == "" || s == nil, Snapshot: s, Warnings: []string{}, Errors: []string{}}
	switch {
	case warning == "":
	case s == nil:
		c.Snapshot, c.Warnings = &Snapshot{}, append(c.Warnings, warning)
	default:
		c.Errors = append(c.Errors, warning)
	}
	return c
}
