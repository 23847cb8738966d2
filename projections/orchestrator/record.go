package orchestrator

import (
	"bytes"
	"math"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// RunRecord is the line of one run in the telemetry.
//
// Source: session-orchestrator, seeds 2.1.6.
type RunRecord struct {
	Schema       int      `json:"schema_version"`
	ID           string   `json:"autopilot_run_id"`
	Started      string   `json:"started_at"`
	Completed    string   `json:"completed_at"`
	Seconds      int64    `json:"duration_seconds"`
	MaxSessions  int      `json:"max_sessions"`
	MaxHours     float64  `json:"max_hours"`
	Confidence   float64  `json:"confidence_threshold"`
	Iterations   int      `json:"iterations_completed"`
	Kill         *string  `json:"kill_switch"`
	Detail       *string  `json:"kill_switch_detail"`
	Sessions     []string `json:"sessions"`
	HostClass    *string  `json:"host_class"`
	Verdict      *string  `json:"resource_verdict_at_start"`
	Manual       bool     `json:"fallback_to_manual"`
	DryRun       bool     `json:"dry_run"`
	Tokens       int64    `json:"total_tokens_used"`
	Worktree     *string  `json:"worktree_path"`
	Parent       *string  `json:"parent_run_id"`
	StallRecover int      `json:"stall_recovery_count"`
	BlockedBy    *int     `json:"blocked_by_issue"`
	Cohort       bool     `json:"aborted_by_cohort"`
	SpiralRecov  int      `json:"spiral_recovery_count"`
}

// SchemaVersion is that of a run's record.
const SchemaVersion = 1

// Stamp is a time as records have it.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// Span is the seconds between two times, rounded; a clock that went back makes 0.
func Span(from, to time.Time) int64 {
	return max(0, int64(math.Round(to.Sub(from).Seconds())))
}

// Line is the record as one line.
func (r RunRecord) Line() []byte {
	r.Schema = SchemaVersion
	if r.Sessions == nil {
		r.Sessions = []string{}
	}
	b, _ := json.Marshal(r, jsontext.AllowInvalidUTF8(true)) // numbers, texts and truths alone
	return append(b, '\n')
}

// OrNull is a text that is null where it is empty.
func OrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// RunID is the name of a run in records: branch, minute and, otherwise than there, the
// handle of the run, as two runs of one minute would have one name.
//
// Source: session-orchestrator, seeds 2.1.6 autopilot_run_id; Q5.
func RunID(branch string, started time.Time, handle string) string {
	id := safe(branch) + started.UTC().Format("-2006-01-02-1504-autopilot")
	if handle != "" {
		id += "-" + safe(handle)
	}
	return id
}

// safe makes each stretch of other characters than letters, digits, dot, underscore and
// dash one dash.
func safe(s string) string {
	if s == "" {
		return "unknown"
	}
	var b strings.Builder
	gap := false
	for _, c := range s {
		plain := c < 128 && (c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("._-", c))
		if !plain && !gap {
			b.WriteByte('-')
		}
		if gap = !plain; plain {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// Put is a telemetry file with the line of a run: in the place of the one that it has, else
// at the end. A last line without its end gets one, and all other lines stay.
func Put(text []byte, id string, line []byte) []byte {
	out := make([]byte, 0, len(text)+len(line)+1)
	there := false
	for old := range bytes.Lines(text) {
		if !isRun(old, id) {
			out = append(out, old...)
			continue
		}
		if !there {
			out = append(out, line...)
		}
		there = true
	}
	if there {
		return out
	}
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	return append(out, line...)
}

// isRun says that a line is the record of a run.
func isRun(line []byte, id string) bool {
	if !bytes.Contains(line, []byte(id)) {
		return false
	}
	r, ok := ParseRecord(line)
	return ok && r.Text("autopilot_run_id") == id
}
