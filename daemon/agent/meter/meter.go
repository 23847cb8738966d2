package meter

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/effect"
	"autopilot/events"
)

// Limits end a turn; zero is no limit.
type Limits struct {
	Tokens   int64
	MicroUSD int64
	Turns    int           // that may be begun
	Repeats  int           // of one use of a tool in a row
	Linger   time.Duration // of a process after its last event
	Trying   time.Duration // in which nothing comes but errors that it tries again after
	Prompt   time.Duration // of silence behind a question to a person at a terminal
}

// Config is what a Meter works with.
type Config struct {
	Dir    effect.Dir
	Format stream.Format
	Limits Limits
	// Before is what a resumed session had used before. It is taken off where the
	// program goes on counting.
	Before events.Usage
	// Price is what tokens of a model cost by the table of that date; may be nil.
	Price func(model string, u stream.Usage) (microUSD int64, date string, ok bool)
	// Over says that a limit is reached that this agent shares with others, by what
	// it has used; may be nil. It must not block.
	Over func(u events.Usage) events.Cut
	Now  func() time.Time // nil is the system's
	// Live is called with each change, from the goroutine of Follow; may be nil.
	// It must not block.
	Live func(Reading)
}

// Reading is what is known of an agent at some time.
type Reading struct {
	Usage  events.Usage
	Model  string
	Turns  int
	Tools  int           // uses of tools
	Repeat stream.Repeat // the use that came most often
	InRow  int           // how often the last use has come in a row
	Ended  bool          // the program said its last event, and nothing since
	// Partial says that output was lost before it was read: what was used is a
	// lower bound.
	Partial bool
	At      time.Time
}

// Meter reads one agent.
type Meter struct {
	cfg    Config
	reader *stream.Reader
	base   stream.Summary // of what a checkpoint has of an output that is gone
	based  bool

	offset  int64 // of the next byte to read
	bound   int64 // of the first byte of the line that is read
	saved   mark
	partial bool
	over    bool // all was read

	told  bool // an item came that is to be judged
	quiet bool // nothing came after the last event that takes it back
	whole bool // no message of the agent is half told
	live  Reading
}

// New makes a Meter. It reads nothing yet.
func New(cfg Config) *Meter {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	m := &Meter{cfg: cfg, whole: true}
	m.reader = stream.New(cfg.Format, m.item)
	return m
}

// Follow reads until a cut is due, the effect has ended or ctx ends: a cut is
// empty in the latter two, and the end of ctx is no error. The effect need not
// have begun. Follow is called once.
func (m *Meter) Follow(ctx context.Context) (events.Cut, error) {
	for {
		cut, err := m.follow(ctx)
		switch {
		case ctx.Err() != nil:
			return cut, nil
		case !errors.Is(err, fs.ErrNotExist):
			return cut, err
		}
		select {
		case <-ctx.Done():
			return "", nil
		case <-time.After(beginEvery):
		}
	}
}

// beginEvery is between two looks for an effect that has not begun.
const beginEvery = 50 * time.Millisecond

// Summary is what the whole output says and what was used. The effect has to
// have ended, or never to have begun, and Follow to have returned.
func (m *Meter) Summary() (stream.Summary, events.Usage, error) {
	if err := m.rest(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return stream.Summary{}, events.Usage{}, err
	}
	s := m.summary()
	return s, m.usage(s), nil
}

// Reading is what is known now.
func (m *Meter) Reading() Reading {
	s := m.summary()
	return Reading{
		Usage: m.usage(s), Model: s.Model, Turns: s.Turns, Tools: s.Tools, Repeat: s.Repeat, InRow: s.RepeatNow,
		Ended: s.Ended && m.quiet, Partial: m.partial && !s.Totals(), At: m.cfg.Now(),
	}
}

// show gives a reading that has changed to Live.
func (m *Meter) show() {
	if m.cfg.Live == nil {
		return
	}
	r := m.Reading()
	at := r.At
	if r.At = m.live.At; r == m.live {
		return
	}
	r.At = at
	m.live = r
	m.cfg.Live(r)
}

// due says whether the turn has to end, and why.
func (m *Meter) due() events.Cut {
	s, l := m.summary(), m.cfg.Limits
	if s.Ended && m.quiet {
		return ""
	}
	u := m.usage(s)
	switch {
	case l.Tokens > 0 && u.Tokens() >= l.Tokens:
		return events.CutTokens
	case l.MicroUSD > 0 && u.MicroUSD >= l.MicroUSD:
		return events.CutCost
	case l.Turns > 0 && s.Turns > l.Turns:
		return events.CutTurns
	case l.Repeats > 0 && (s.RepeatNow >= l.Repeats || s.Stale >= 2*l.Repeats):
		return events.CutRepetition
	}
	if m.cfg.Over != nil {
		return m.cfg.Over(u)
	}
	return ""
}
