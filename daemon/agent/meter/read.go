package meter

import (
	"bytes"
	"context"
	"errors"
	"time"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/effect"
	"autopilot/events"
)

// Errors that end a follow by the clock.
var (
	errLinger = errors.New("the agent stays after its last event")
	errTrying = errors.New("the agent does nothing but try again")
	errPrompt = errors.New("the agent waits for an answer")
)

// follow reads what comes, until a cut is due or the end.
func (m *Meter) follow(ctx context.Context) (events.Cut, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stays := alarm{after: m.cfg.Limits.Linger, ring: func() { cancel(errLinger) }}
	defer stays.stop()
	tries := alarm{after: m.cfg.Limits.Trying, ring: func() { cancel(errTrying) }}
	defer tries.stop()
	asks := alarm{after: m.cfg.Limits.Prompt, ring: func() { cancel(errPrompt) }}
	defer asks.stop()

	var due events.Cut
	err := m.each(ctx, func(c effect.Chunk) bool {
		due = m.take(c.Data, true)
		m.show()
		stays.set(m.lingers())
		tries.set(m.reader.Trying())
		asks.stop() // it said something
		asks.set(m.reader.Prompt() != "")
		return due == ""
	})
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errLinger):
		return events.CutLinger, nil
	case errors.Is(cause, errTrying):
		return events.CutTrying, nil
	case errors.Is(cause, errPrompt):
		return events.CutPrompt, nil
	}
	return due, err
}

// rest reads what is left of an effect that has ended.
func (m *Meter) rest() error {
	if m.over {
		return nil
	}
	err := m.each(context.Background(), func(c effect.Chunk) bool {
		m.take(c.Data, false)
		return true
	})
	m.over = true
	m.reader.End()
	// A full disk keeps less than was printed.
	if out, bad := m.cfg.Dir.Outcome(); bad == nil && out.Truncated && m.offset < out.Bytes {
		m.partial = true
	}
	m.show()
	return err
}

// each gives the chunks of the output to use, from where reading has come to.
// It begins anew where a checkpoint knows of bytes that are gone.
func (m *Meter) each(ctx context.Context, use func(effect.Chunk) bool) error {
	for {
		again := false
		for c, err := range m.cfg.Dir.Follow(ctx, effect.Merged, m.offset) {
			if err != nil {
				return err
			}
			if c.Gap > 0 {
				if again = m.resume(c); again {
					break
				}
				m.reader.Gap()
				m.partial = true
			}
			m.offset = c.Offset
			if !use(c) {
				return nil
			}
		}
		if !again {
			return nil
		}
	}
}

// take reads bytes, line by line, and stops after the line with which a cut is
// due, if it shall judge. The lines are counted by offset, so that a checkpoint
// lies between two.
func (m *Meter) take(b []byte, judge bool) events.Cut {
	for len(b) > 0 {
		n := bytes.IndexByte(b, '\n') + 1
		line := n > 0
		if !line {
			n = len(b)
		}
		_, _ = m.reader.Write(b[:n]) // takes all
		m.offset += int64(n)
		b = b[n:]
		if !line {
			break
		}
		if m.reader.Between() {
			m.bound = m.offset
		}
		if due := m.judge(judge); due != "" {
			return due
		}
	}
	m.checkpoint()
	return ""
}

func (m *Meter) judge(judge bool) events.Cut {
	if !m.told || !judge {
		return ""
	}
	m.told = false
	return m.due()
}

// item looks at what the agent says.
func (m *Meter) item(i stream.Item) {
	switch i.Kind {
	case stream.Used:
		m.told = true
	case stream.Said:
		m.told, m.quiet, m.whole = true, false, false
	case stream.Tool:
		m.told, m.quiet, m.whole = true, false, false
	case stream.Done:
		m.told, m.quiet, m.whole = true, false, true
	case stream.Result:
		m.told, m.quiet, m.whole = true, true, true
	case stream.Limit, stream.Error, stream.Plain:
	}
}

// lingers says that nothing is to be waited for but the end of the process.
func (m *Meter) lingers() bool {
	if !m.quiet {
		return false
	}
	s := m.summary()
	return s.Ended && s.Pending == 0
}

// alarm rings once something has stood for a while.
type alarm struct {
	after time.Duration
	ring  func()
	timer *time.Timer
}

func (a *alarm) set(on bool) {
	switch {
	case !on:
		a.stop()
	case a.timer == nil && a.after > 0:
		a.timer = time.AfterFunc(a.after, a.ring)
	}
}

func (a *alarm) stop() {
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}
