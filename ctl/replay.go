package ctl

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/wire"
)

type replayOptions struct {
	at    string
	speed string
}

func newReplay(a *app) *cobra.Command {
	var o replayOptions
	cmd := &cobra.Command{
		Use:   "replay [RUN]",
		Short: "Show a run again, or as it was at one moment",
		Long: `Folds the events of a run again and shows each step with the state that the
run was in. On a terminal it plays 60 times as fast as it was, and a pause is
never longer than 3 seconds; with --speed the pauses are exactly so many times
shorter. Into a pipe all comes at once. Ctrl-C ends it; the run itself is not
touched.

With --at it is the state at one moment, explained as apctl why would have: an
event's number, iteration:N (its end; iteration:0 is the baseline), or a time.
A time of day is the latest that is over. No RUN means the latest of this
directory.`,
		Example: `  apctl replay k3xq
  apctl replay k3xq --speed 600
  apctl replay k3xq --at iteration:2
  apctl replay k3xq --at 03:12
  apctl replay k3xq --json | jq .data.line`,
		Args:              runAnd(0),
		ValidArgsFunction: a.completeRuns,
		RunE:              func(cmd *cobra.Command, args []string) error { return runReplay(cmd.Context(), a, o, args) },
	}
	cmd.Flags().StringVar(&o.at, "at", "", "only the state at `POSITION`: SEQ, iteration:N or a time")
	cmd.Flags().StringVar(&o.speed, "speed", "", "play `X` times as fast as it was; 0 does not wait")
	return a.jsonFlag(cmd)
}

func runReplay(ctx context.Context, a *app, o replayOptions, args []string) error {
	req := wire.ReplayRequest{RunRef: a.ref(args)}
	var err error
	if req.At, err = a.position(o.at); err != nil {
		return err
	}
	p := player{a: a, refresh: a.refreshes(a.Out) && !a.json, longest: longestPause}
	if p.speed, err = p.pace(o.speed); err != nil {
		return err
	}
	d, err := a.connect(ctx, true)
	if err != nil {
		return err
	}
	defer d.Close()
	frames := client.Stream(ctx, d, wire.RunReplay, req)
	if req.At != "" {
		frames = joined(frames)
	}
	for b, err := range frames {
		if err != nil {
			return err
		}
		var f wire.ReplayFrame
		if err := json.Unmarshal(b, &f); err != nil {
			return fmt.Errorf("read a frame of the daemon: %w", err)
		}
		if err := p.show(ctx, f); err != nil {
			return err
		}
	}
	if p.refresh {
		return a.say(lineClear)
	}
	return nil
}

// joined is one object of all frames: the state at a position may be longer than
// a frame.
func joined(frames iter.Seq2[wire.Raw, error]) iter.Seq2[wire.Raw, error] {
	return func(yield func(wire.Raw, error) bool) {
		var whole []byte
		for piece, err := range frames {
			if err != nil {
				yield(nil, err)
				return
			}
			whole = append(whole, piece...)
		}
		yield(whole, nil)
	}
}

// How a replay is paced where nothing else is asked for.
const (
	defaultSpeed = 60
	longestPause = 3 * time.Second
)

// player shows the frames of a replay with the pauses that were between them.
type player struct {
	a       *app
	refresh bool
	speed   float64 // 0 does not wait
	longest time.Duration
	last    time.Time // of the frame before
}

// pace reads --speed; an explicit one has no longest pause.
func (p *player) pace(text string) (float64, error) {
	if text == "" {
		if p.refresh {
			return defaultSpeed, nil
		}
		return 0, nil
	}
	x, err := strconv.ParseFloat(strings.TrimSuffix(text, "x"), 64)
	if err != nil || !(x >= 0) || x > 1e9 {
		return 0, render.BadSpeed(text)
	}
	p.longest = 0
	return x, nil
}

func (p *player) show(ctx context.Context, f wire.ReplayFrame) error {
	a := p.a
	if a.json {
		return p.after(ctx, f, func() error { return a.answer(wire.SchemaReplay, f, nil) })
	}
	s := a.style(a.Out)
	s.Now = f.At
	if f.Why != nil {
		return a.say(s.ReplayAt(f))
	}
	return p.after(ctx, f, func() error {
		if !p.refresh {
			return a.say(s.ReplayLine(f))
		}
		return a.say(lineClear + s.ReplayLine(f) + lineStart + s.Live(f.View) + lineEnd)
	})
}

// after waits as long as the run did and then shows.
func (p *player) after(ctx context.Context, f wire.ReplayFrame, show func() error) error {
	pause := time.Duration(0)
	if p.speed > 0 && !p.last.IsZero() {
		pause = time.Duration(float64(f.At.Sub(p.last)) / p.speed)
	}
	if p.longest > 0 {
		pause = min(pause, p.longest)
	}
	p.last = f.At
	if err := sleep(ctx, pause); err != nil {
		return err
	}
	return show()
}

// position makes of --at what the daemon reads: times become exact.
func (a *app) position(at string) (string, error) {
	at = strings.TrimSpace(at)
	if at == "" || strings.Trim(at, "0123456789") == "" || strings.HasPrefix(at, "iteration:") {
		return at, nil
	}
	t, err := parsePast(at, a.Now(), a.Zone)
	if err != nil {
		return "", err
	}
	return t.Format(time.RFC3339), nil
}
