// Package meter follows the output of an agent that works and says when its turn
// must end before it ends itself.
package meter

import (
	"context"
	"time"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/effect"
	"autopilot/events"
)

// Limits end a turn; zero is no limit.
type Limits struct {
	Tokens   int64
	MicroUSD int64
	Turns    int
	Repeats  int
	Linger   time.Duration
}

// Config is what a Meter works with.
type Config struct {
	Dir    effect.Dir
	Format stream.Format
	Limits Limits
	Before events.Usage
	Price  func(model string, u stream.Usage) (microUSD int64, date string, ok bool)
	Now    func() time.Time
	Live   func(Reading)
}

// Reading is what is known of an agent that works.
type Reading struct {
	Usage events.Usage
	Model string
	Turns int
	Tools int
	Ended bool
	At    time.Time
}

// Meter reads one agent.
type Meter struct{ cfg Config }

// New makes a Meter.
func New(cfg Config) *Meter { return &Meter{cfg} }

// Follow reads until ctx ends.
func (m *Meter) Follow(ctx context.Context) (events.Cut, error) {
	<-ctx.Done()
	return "", nil
}

// Summary is what is known of the whole output.
func (m *Meter) Summary() (stream.Summary, events.Usage, error) {
	out, err := m.cfg.Dir.Tail(effect.Merged, 5<<20)
	s := stream.Read(m.cfg.Format, out)
	return s, events.Usage{
		Input: s.Usage.Input, CacheRead: s.Usage.CacheRead, CacheWrite: s.Usage.CacheWrite, Output: s.Usage.Output,
		TokensFrom: events.Source(s.UsageFrom), MicroUSD: s.MicroUSD, CostFrom: events.Source(s.CostFrom), Turns: s.Turns,
	}, err
}
