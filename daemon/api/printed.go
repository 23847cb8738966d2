package api

import (
	"unicode/utf8"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/run/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// The bounds of a piece of output: a frame holds both parts together, the bytes as
// base64.
const (
	logPiece = 64 << 10
	textMost = 32 << 10
)

// printed sends the output of one effect. For an agent with a known stream it also sends
// the text for people.
type printed struct {
	frame  wire.LogFrame // of each piece
	send   func(wire.LogFrame) error
	reader *stream.Reader // nil where people read the bytes as they are
	text   stream.Writer
}

func newPrinted(src Source, format stream.Format, send func(wire.LogFrame) error) *printed {
	p := &printed{send: send, frame: wire.LogFrame{
		Iteration: src.iteration, Attempt: src.attempt, Source: src.name, Role: string(src.role), Gate: string(src.gate), Agent: string(src.agent), Stream: effect.Merged,
	}}
	if (src.name == agentSource || src.role != "") && format != stream.Text {
		p.frame.Format = string(format)
		p.reader = stream.New(format, p.text.Add)
	}
	return p
}

// add sends the next bytes, after gap bytes that were not kept.
func (p *printed) add(data []byte, gap int64) error {
	f := p.frame
	f.Data, f.Gap = data, gap
	if p.reader == nil {
		return p.send(f)
	}
	if gap > 0 {
		p.reader.Gap()
	}
	_, _ = p.reader.Write(data) // takes all
	return p.sendText(f)
}

// note sends a remark of the daemon about the effect.
func (p *printed) note(text string) error {
	f := p.frame
	f.Format, f.Note = "", text
	return p.send(f)
}

// end sends the rest that waited for the end of its line.
func (p *printed) end() error {
	if p.reader == nil {
		return nil
	}
	p.reader.End()
	p.text.End()
	return p.sendText(p.frame)
}

// sendText sends a piece with the text for people, in as many frames as needed.
func (p *printed) sendText(f wire.LogFrame) error {
	for text := p.text.Take(); len(f.Data) > 0 || f.Gap > 0 || text != ""; {
		n := min(len(text), textMost)
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n--
		}
		f.Text, text = text[:n], text[n:]
		if err := p.send(f); err != nil {
			return err
		}
		f.Data, f.Gap = nil, 0
	}
	return nil
}

// formatsOf finds the output format of each agent of a run by the name in its
// announcement: Text where the format is unknown.
func (a *Looks) formatsOf(s run.State) func(events.Name) stream.Format {
	spec, err := a.Worker.Spec(s)
	return func(agent events.Name) stream.Format {
		if err != nil {
			return stream.Text // Text shows the bytes as they are
		}
		return work.Format(work.AgentOf(spec, agent))
	}
}
