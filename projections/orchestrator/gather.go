package orchestrator

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Where the files are that sessions keep in a project, below its root. Of several states
// the first that is there counts.
//
// Source: session-orchestrator, seeds 2.3 live signals.
const (
	LedgerFile    = ".orchestrator/metrics/sessions.jsonl"
	TelemetryFile = ".orchestrator/metrics/autopilot.jsonl"
	LearningsFile = ".orchestrator/metrics/learnings.jsonl"
	TierFile      = ".orchestrator/bootstrap.lock"
	HostFile      = ".orchestrator/host.json"
)

// StateFiles are the places of the document of the present session, by host program.
func StateFiles() []string { return []string{".claude/STATE.md", ".codex/STATE.md", ".pi/STATE.md"} }

// Text is a source as it was read.
type Text struct {
	Body  []byte
	There bool
	Err   error // it is there, and cannot be read
}

// Sources are all that signals are gathered from. Each fails alone.
type Sources struct {
	State, Ledger, Tier, Learnings Text
	Task                           string
	Backlog                        Backlog
}

// Backlog is what a tracker holds.
type Backlog struct {
	Asked    bool
	Err      error
	Open     int
	Critical int
	Limit    int
}

// Truncated says that the window was filled, so that the counts are lower bounds.
func (b Backlog) Truncated() bool { return b.Limit > 0 && b.Open >= b.Limit }

// Windows of a backlog.
const (
	BacklogDefault = 100
	BacklogLoop    = 50
)

// Source is how one source was found.
type Source struct {
	Name  string `json:"name"`
	State string `json:"state"` // ok, absent, unreadable, empty
	Says  string `json:"says,omitzero"`
}

// Of what a session looks back on, and on what it learns from.
const (
	recentSessions = 10
	mostLearnings  = 15
	leastLearning  = 0.3
)

// Gather makes signals of their sources. What cannot be read adds nothing, and is named.
//
// Source: session-orchestrator, seeds 2.3 live signal assembly.
func Gather(from Sources, now time.Time) (Signals, []Source) {
	s := Signals{Completion: math.NaN(), Carryover: math.NaN(), Task: from.Task}
	var out []Source
	add := func(name string, t Text, says string) {
		state := "ok"
		switch {
		case t.Err != nil:
			state, says = "unreadable", t.Err.Error()
		case !t.There:
			state = "absent"
		case says == "":
			state = "empty"
		}
		out = append(out, Source{name, state, says})
	}
	front := frontMatter(from.State.Body)
	s.recommendation(front)
	add("recommendation", from.State, string(s.Recommended))
	add("previous-session", from.State, s.before())
	s.Sessions = RecentSessions(from.Ledger.Body, recentSessions)
	add("sessions", from.Ledger, counted(len(s.Sessions), "session"))
	s.Tier, s.HasTier = tierOf(from.Tier.Body), from.Tier.There && from.Tier.Err == nil
	add("tier", from.Tier, s.Tier)
	s.Learnings = learnings(from.Learnings.Body, now)
	add("learnings", from.Learnings, counted(len(s.Learnings), "learning"))
	b := from.Backlog
	says := ""
	if b.Asked && b.Err == nil {
		says = counted(b.Open, "open issue")
		if b.Truncated() {
			says += ", at least"
		}
	}
	add("backlog", Text{There: b.Asked, Err: b.Err}, says)
	return s, out
}

func counted(n int, what string) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// recommendation reads what the session before has recommended. A value of a wrong type is
// unknown.
func (s *Signals) recommendation(front map[string]string) {
	if m, ok := front["recommended-mode"]; ok {
		s.Recommended = Mode(m)
	}
	s.Carryover, s.Completion = plainNumber(front["carryover-ratio"]), plainNumber(front["completion-rate"])
	list, ok := front["top-priorities"]
	if !ok || !strings.HasPrefix(list, "[") || !strings.HasSuffix(list, "]") {
		return
	}
	n := 0
	for item := range strings.SplitSeq(strings.Trim(list, "[]"), ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		if _, err := strconv.Atoi(item); err != nil {
			return
		}
		n++
	}
	s.Prioritised, s.Priorities = true, n
}

// before is what is known of the session before, for people.
func (s *Signals) before() string {
	var says []string
	if known(s.Completion) {
		says = append(says, "completion "+number(s.Completion))
	}
	if known(s.Carryover) {
		says = append(says, "carryover "+number(s.Carryover))
	}
	if s.Prioritised {
		says = append(says, counted(s.Priorities, "priority"))
	}
	return strings.ReplaceAll(strings.Join(says, ", "), "prioritys", "priorities")
}

// plainNumber is a number as YAML has it, else NaN.
func plainNumber(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || !known(f) {
		return math.NaN()
	}
	return f
}

// frontMatter reads the keys between the first two lines of dashes. A list below a key is
// as one in brackets.
func frontMatter(text []byte) map[string]string {
	out := map[string]string{}
	body := strings.TrimPrefix(strings.ReplaceAll(string(text), "\r\n", "\n"), "\ufeff")
	rest, ok := strings.CutPrefix(body, "---\n")
	if !ok {
		return out
	}
	front, _, ok := strings.Cut(rest, "\n---")
	if !ok {
		return out
	}
	key := ""
	for line := range strings.SplitSeq(front, "\n") {
		trimmed := strings.TrimSpace(line)
		item, isItem := strings.CutPrefix(trimmed, "- ")
		switch {
		case isItem && key != "" && (out[key] == "" || strings.HasPrefix(out[key], "[")):
			out[key] = "[" + strings.TrimPrefix(strings.Trim(out[key], "[]")+","+item, ",") + "]"
		case trimmed == "" || strings.HasPrefix(trimmed, "#") || line != strings.TrimLeft(line, " \t"):
		default:
			k, v, has := strings.Cut(line, ":")
			if key = ""; has {
				key = strings.TrimSpace(k)
				out[key] = unquoted(strings.TrimSpace(v))
			}
		}
	}
	return out
}

func unquoted(s string) string {
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// tierOf is the tier of a project, from lines of a key and a value.
func tierOf(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if k, v, ok := strings.Cut(strings.TrimSpace(line), ":"); ok && strings.TrimSpace(k) == "tier" {
			return unquoted(strings.TrimSpace(v))
		}
	}
	return ""
}

// learnings are the newest that are believed and not expired.
func learnings(text []byte, now time.Time) []Learning {
	records := LastRecords(text, mostLearnings, func(r Record) bool {
		expires := When(r.Text("expires_at"))
		return r.Number("confidence") > leastLearning && (expires.IsZero() || now.Before(expires))
	})
	out := make([]Learning, 0, len(records))
	for _, r := range records {
		out = append(out, Learning{Type: r.Text("type"), Subject: r.Text("subject")})
	}
	return out
}

// Look reads all sources of a project by their paths below its root.
func Look(read func(path string) Text, task string) Sources {
	from := Sources{Ledger: read(LedgerFile), Tier: read(TierFile), Learnings: read(LearningsFile), Task: task}
	for _, path := range StateFiles() {
		if from.State = read(path); from.State.There {
			break
		}
	}
	return from
}
