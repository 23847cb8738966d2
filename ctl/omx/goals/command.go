package goals

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/projections/omx/ultragoal"
)

// Call is one call of the command.
type Call struct {
	Args    []string
	In      io.Reader
	Getenv  func(string) string
	Dir     string
	Command string // how the command is called, for what it says next
	Store   Store
}

// Answer is what a call says on standard output, and its exit code.
type Answer struct {
	Text string
	Code int
}

// verb is one of the command.
type verb struct {
	names   []string
	usage   string
	changes bool
	form    form
	run     func(context.Context, Call, options) (Answer, error)
}

func verbs() []verb {
	return []verb{
		{
			[]string{"create-goals", "create"},
			"create-goals [--brief TEXT | --brief-file FILE | --from-stdin | TEXT] [--goal TITLE::OBJECTIVE]... [--codex-goal-mode aggregate|per-story] [--force]", true,
			form{flags: []string{"json", "force", "from-stdin"}, values: []string{"brief", "brief-file", "goal", "codex-goal-mode"}, words: true},
			create,
		},
		{
			[]string{"complete-goals", "next", "complete", "start-next"},
			"complete-goals | next [--retry-failed]", true,
			form{flags: []string{"json", "retry-failed"}},
			next,
		},
		{
			[]string{"checkpoint"},
			"checkpoint --goal-id ID --status complete|failed|blocked --evidence TEXT [--codex-goal-json JSON|FILE] [--quality-gate-json JSON|FILE]", true,
			form{flags: []string{"json", "strict"}, values: []string{"goal-id", "status", "evidence", "codex-goal-json", "quality-gate-json"}},
			checkpoint,
		},
		{
			[]string{"record-review-blockers"},
			"record-review-blockers --goal-id ID --title TEXT --objective TEXT --evidence TEXT --codex-goal-json JSON|FILE", true,
			form{flags: []string{"json"}, values: []string{"goal-id", "title", "objective", "evidence", "codex-goal-json"}},
			reviewBlockers,
		},
		{
			[]string{"add-goal"},
			"add-goal --title TEXT --objective TEXT [--evidence TEXT]", true,
			form{flags: []string{"json"}, values: []string{"title", "objective", "evidence"}},
			addGoal,
		},
		{
			[]string{"steer"},
			"steer --kind KIND --evidence TEXT --rationale TEXT [--target-goal-id ID] [--title TEXT] [--objective TEXT] [--after-json JSON|FILE] [--idempotency-key KEY] | --directive-json JSON|FILE", true,
			form{flags: []string{"json"}, values: []string{
				"kind", "evidence", "rationale", "target-goal-id", "target-goal-ids", "goal-id", "title", "objective", "after-json", "idempotency-key", "directive-json", "directive-file", "proposal", "source",
			}, words: true},
			steer,
		},
		{
			[]string{"status"},
			"status [--codex-goal-json JSON|FILE]", false,
			form{flags: []string{"json"}, values: []string{"codex-goal-json"}},
			status,
		},
	}
}

// Usage is a line for each verb.
func Usage() string {
	var b strings.Builder
	for _, v := range verbs() {
		b.WriteString("  " + v.usage + "\n")
	}
	return b.String()
}

// Run carries one call out.
func Run(ctx context.Context, c Call) (Answer, error) {
	if len(c.Args) == 0 {
		return Answer{}, errors.New("a verb is missing: create-goals, complete-goals, checkpoint, record-review-blockers, add-goal, steer or status")
	}
	for _, v := range verbs() {
		for _, name := range v.names {
			if name == c.Args[0] {
				return v.call(ctx, c)
			}
		}
	}
	return Answer{}, fmt.Errorf("there is no verb %q; --help shows those that are there", c.Args[0])
}

func (v verb) call(ctx context.Context, c Call) (Answer, error) {
	for _, name := range []string{"OMX_TEAM_WORKER", "OMX_TEAM_INTERNAL_WORKER"} {
		if worker := strings.TrimSpace(c.Getenv(name)); worker != "" && v.changes {
			return Answer{}, fmt.Errorf("%s is refused to the worker %s: the leader owns the plan; report your evidence to it", v.names[0], worker)
		}
	}
	o, err := v.form.read(c.Args[1:])
	if err != nil {
		return Answer{}, err
	}
	return v.run(ctx, c, o)
}

// mostInput bounds a file or a text that an option gives, in bytes.
const mostInput = 1 << 20

// jsonOf is the JSON of an option: the value itself, or a file.
func (c Call) jsonOf(o options, name string) (jsontext.Value, error) {
	raw := strings.TrimSpace(o.value(name))
	if raw == "" {
		return nil, nil
	}
	text := []byte(raw)
	if raw[0] != '{' && raw[0] != '[' {
		read, err := c.file(raw)
		if err != nil {
			return nil, fmt.Errorf("--%s is neither JSON nor a file: %w", name, err)
		}
		text = read
	}
	v := jsontext.Value(text)
	if !v.IsValid() {
		return nil, fmt.Errorf("--%s is not valid JSON", name)
	}
	if err := v.Compact(); err != nil {
		return nil, fmt.Errorf("--%s: %w", name, err)
	}
	return v, nil
}

func (c Call) file(path string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(c.Dir, path)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a regular file", path)
	}
	if err != nil {
		return nil, err
	}
	return bounded(f)
}

func bounded(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, mostInput+1))
	if err == nil && len(text) > mostInput {
		err = fmt.Errorf("it has more than %d bytes", mostInput)
	}
	return text, err
}

// snapshot is the goal of the host that an option gives.
func (c Call) snapshot(o options) (*ultragoal.Snapshot, error) {
	raw, err := c.jsonOf(o, "codex-goal-json")
	if err != nil || raw == nil {
		return nil, err
	}
	return ultragoal.ReadSnapshot(raw)
}

// answer is JSON where it is wanted, else text.
func (o options) answer(data any, text string) (Answer, error) {
	if !o.on["json"] {
		return Answer{Text: strings.TrimRight(text, "\n") + "\n"}, nil
	}
	b, err := json.Marshal(data, json.Deterministic(true), jsontext.WithIndent("  "))
	if err != nil {
		return Answer{}, err
	}
	return Answer{Text: string(b) + "\n"}, nil
}

// statusText is the plan in lines.
func statusText(p ultragoal.Plan) string {
	var b strings.Builder
	s := p.Summary()
	end := ""
	if s.ArtifactDone {
		end = "; the plan is complete"
	}
	fmt.Fprintf(&b, "ultragoal: %d/%d complete, %d pending, %d in progress, %d failed, %d review-blocked, %d needs-user-decision%s\n",
		s.Complete, s.Total, s.Pending, s.InProgress, s.Failed, s.ReviewBlocked, s.NeedsDecision, end)
	for _, g := range p.Goals {
		mark, steered := "-", ""
		if g.ID == p.ActiveGoalID {
			mark = "*"
		}
		if g.SteeringStatus != "" {
			steered = ", " + g.SteeringStatus
		}
		fmt.Fprintf(&b, "%s %s [%s%s] %s\n", mark, g.ID, g.Status, steered, strings.Join(strings.Fields(g.Title), " "))
	}
	return b.String()
}
