package team

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"autopilot/events/log"
)

// Bounds of a look whether the team answers. Together they say that it does not within
// 5 s: one look that came just in time, and as many as it takes to be late.
const (
	every    = 1500 * time.Millisecond // between two looks
	patience = 1500 * time.Millisecond // for one look, at most
	least    = time.Second             // and at least
	soon     = 250 * time.Millisecond  // after a look that has failed
	late     = 4 * time.Second         // without an answer it is away
	move     = 5 * time.Second         // away for so long, another server is tried, and so again and again
	renew    = 10 * time.Second        // without an answer it is opened anew
)

// watch looks whether the team answers. Servers without a majority keep their
// connections, and a single one still answers reads.
func (t *Team) watch(ctx context.Context) {
	good, opened, moved := time.Now(), time.Now(), time.Time{}
	for ctx.Err() == nil {
		head, err := t.ask(ctx, min(patience, max(least, late-time.Since(good))))
		wait := every
		switch now := time.Now(); {
		case err == nil:
			good, opened = now, now
			t.aim(head)
			t.note(ctx, nil)
			t.reached(0)
			t.heard.send()
		case now.Sub(good) >= late || t.Lost():
			t.note(ctx, t.cause(err))
			if now.Sub(moved) >= move {
				moved = now
				t.leave()
			}
			if now.Sub(opened) >= renew { // the servers may be others than before
				opened = now
				if err := t.open(ctx); err != nil {
					t.note(ctx, err)
				}
			}
			wait = soon
		default:
			wait = soon
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-t.look:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// leave has the link go to another server, where it has one: this one may be cut off
// from the others, and answers pings.
func (t *Team) leave() {
	t.mu.Lock()
	link := t.link
	t.mu.Unlock()
	if link.Lost() == nil {
		link.Move()
	}
}

// ask has the leader of the log say where it ends, and a majority store that this host
// is there.
func (t *Team) ask(ctx context.Context, within time.Duration) (head uint64, err error) {
	p := t.now()
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	var wg sync.WaitGroup
	var said error
	wg.Go(func() { said = p.presence.Say(ctx, t.cfg.Self.Host, t.cfg.Self.text()) })
	head, err = p.stream.Head(ctx)
	wg.Wait()
	if err != nil {
		return 0, why("no server leads", err, within)
	}
	if said != nil {
		return 0, why("no majority of the servers stores anything", said, within)
	}
	return head, nil
}

// why is an answer that has not come, in words.
func why(what string, err error, within time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s: no answer within %v", what, within.Round(100*time.Millisecond))
	}
	return fmt.Errorf("%s: %w", what, err)
}

// reading is how much of the log was heard. Positions are those of the log.
type reading struct {
	known bool
	ever  bool   // it was known at some time
	aimed bool   // due was taken from the servers that answer now
	heard uint64 // all up to here
	due   uint64 // up to here all has to be heard before it is known; while it is known, where the log ended at the look before
}

// aim takes where the log ends, from a look. While all is known, what has come since
// the look before may be on its way.
func (t *Team) aim(head uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at.known = t.at.known && t.at.heard >= t.at.due
	t.at.due, t.at.aimed = max(t.at.due, head), true
}

// reached takes that all up to a position was heard.
func (t *Team) reached(position uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at.heard = max(t.at.heard, position)
	if t.at.known || t.away != nil || !t.at.aimed || t.at.heard < t.at.due {
		return
	}
	t.at.known, t.at.ever = true, true
	t.triedLocked()
	t.ready.send()
}

// afresh takes that what was heard is of no use: it is another log, or a part of it is
// not kept any more.
func (t *Team) afresh() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.at = reading{ever: t.at.ever}
	t.look.send()
}

// Known says that all is known that is stored there. Nobody is a team of which all is
// known.
func (t *Team) Known() bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at.known
}

// Heard says that all was known at some time since the start: what was heard since may
// be old, and is not nothing.
func (t *Team) Heard() bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.at.ever
}

// WaitKnown waits until all is known, it is away, or ctx ends.
func (t *Team) WaitKnown(ctx context.Context) {
	for t != nil && !t.Known() && !t.Lost() && pause(ctx, 10*time.Millisecond) { // soon over: nothing tells of it
	}
}

// follow hears of what is stored there: the latest event of each aggregate and host,
// then all that comes.
func (t *Team) follow(ctx context.Context) {
	var at log.Cursor
	for ctx.Err() == nil {
		p := t.now()
		all := p.stream.FollowLasts(ctx)
		if at != "" {
			all = p.stream.Follow(ctx, at)
		}
		for st, err := range all {
			var expired *log.CursorError
			switch {
			case errors.As(err, &expired):
				at = ""
				t.afresh()
			case errors.Is(err, log.ErrDamaged):
				t.cfg.Log.Error("read a stored event of the team", "subject", st.Subject, "error", err)
				t.reached(st.Position)
				continue
			}
			if err != nil {
				break
			}
			at = st.Cursor
			t.cfg.Heard(ctx, st)
			t.reached(st.Position)
			if t.now().stream != p.stream {
				break // it was opened anew
			}
		}
		pause(ctx, soon)
	}
}
