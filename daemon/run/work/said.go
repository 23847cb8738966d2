package work

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/effect"
	"autopilot/events"
	"autopilot/events/wire"
)

// said stores the last output and the claims of the result file. An unreadable result is
// no result.
func (w *Worker) said(ctx context.Context, p *Plan, d *events.AgentEnded, format stream.Format, out effect.Outcome) error {
	tail, err := w.lastWords(d.Effect, format, out)
	if err != nil {
		return err
	}
	if d.Excerpt, err = w.put(ctx, tail); err != nil {
		return err
	}
	raw, err := w.cfg.Effects.Open(d.Effect).Result()
	if err != nil || len(raw) == 0 {
		return nil //nolint:nilerr // an agent owes no result, and may leave anything in its place
	}
	res, err := agent.ParseResult(raw)
	if err != nil {
		d.BadReport, err = w.put(ctx, err.Error()) // an unreadable result is no result
		return err
	}
	d.Report = res.Session
	if d.BadReport, err = w.put(ctx, res.BadSession); err != nil {
		return err
	}
	if d.Red, err = w.put(ctx, res.Red); err != nil {
		return err
	}
	d.Claim = res.Claim
	if d.Summary, err = w.put(ctx, res.Summary); err != nil {
		return err
	}
	bad := res.Bad
	if bad != "" && res.Asked != "" {
		bad += "\n\n" + res.Asked // as explain.Misasked reads it
	}
	return w.asks(ctx, p, d, res.Claim, res.Ask, bad)
}

// asks stores the agent's last question for a person, or why the question is invalid. A
// blocked agent without a question gives a reason.
func (w *Worker) asks(ctx context.Context, p *Plan, d *events.AgentEnded, claim events.Claim, q wire.Ask, bad string) (err error) {
	text := ""
	if class := q.CheckClass(p.Flow.Questions); bad == "" && q.Question != "" && class != nil {
		bad = class.Message + "; " + class.Hint
	}
	switch {
	case bad != "":
		d.Misasked, err = w.put(ctx, bad)
		return err
	case q.Question != "":
		text, d.Asks = q.Text(), q.Asks()
	case claim == events.ClaimBlocked:
		text = q.Reason
	}
	d.Question, err = w.put(ctx, text)
	return err
}

// lastWords is the end of an agent's text or output, or why the agent could not start. Of a
// lost one the reason comes first, as that its directory was removed.
func (w *Worker) lastWords(id string, format stream.Format, out effect.Outcome) (string, error) {
	switch {
	case out.Outcome == events.SpawnFailed:
		return out.Err, nil
	case out.Outcome == events.Lost && out.Err != "":
		out.Outcome = ""
		words, err := w.lastWords(id, format, out)
		return strings.TrimSpace(out.Err + "\n" + words), err
	}
	most := int64(excerptBytes)
	if format != stream.Text {
		most = streamBytes
	}
	tail, err := w.cfg.Effects.Open(id).Tail(effect.Merged, most)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("read the output of an agent: %w", err)
	}
	if format != stream.Text {
		cut := int64(len(tail)) == most
		if words := stream.Words(format, tail, cut, excerptBytes); words != "" {
			return words, nil
		}
		tail = tail[max(len(tail)-excerptBytes, 0):]
	}
	return strings.ToValidUTF8(string(tail), "\uFFFD"), nil
}

// streamBytes bounds the end of a stream that lastWords reads.
const streamBytes = 1 << 20

// excerptBytes bounds the excerpt of a text for people and prompts.
const excerptBytes = 8 << 10
