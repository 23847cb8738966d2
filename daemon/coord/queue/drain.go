package queue

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"autopilot/events"
	"autopilot/projections/explain"
	folded "autopilot/projections/queue"
	"autopilot/projections/run"
)

const (
	gather = 10 * time.Millisecond // changes of runs that come together are looked at once
	every  = 10 * time.Second      // so often queues are looked at that nothing is heard of
	reread = time.Minute           // so often a source is read again
)

// Run works the queues off until ctx ends.
func (k *Keeper) Run(ctx context.Context) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		changed := k.cfg.Runs.Wait()
		for _, q := range k.List() {
			if ctx.Err() == nil {
				k.step(ctx, k.book(q.ID))
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-k.wake:
		case <-tick.C:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(gather):
		}
	}
}

// step settles what has ended, and begins what comes next.
func (k *Keeper) step(ctx context.Context, b *book) {
	k.settle(ctx, b)
	k.land(ctx, b)
	k.read(ctx, b)
	s := b.record.State()
	next := folded.Next(s, k.sight(b, s))
	if next.Close != "" {
		k.store(ctx, b, func(s folded.State) (events.Data, error) { return folded.Close(s, next.Close) })
	}
	for _, name := range next.Start {
		if k.claim(b, name) {
			k.wg.Go(func() { k.begin(ctx, b, name) })
		}
	}
	if s.Open == nil && len(next.Land) == 0 && s.Lane.Run == "" {
		k.dropCaller(b.id)
	}
	if len(next.Land) > 0 && k.claim(b, "") {
		k.wg.Go(func() { k.beginLanding(ctx, b, next.Land) })
	}
}

// sight is what decides beside the log.
func (k *Keeper) sight(b *book, s folded.State) folded.Sight {
	b.mu.Lock()
	at := folded.Sight{Now: k.cfg.Now(), Busy: len(b.starting), Watches: b.watches}
	b.mu.Unlock()
	if s.Open != nil && s.Open.MaxMicroUSD > 0 {
		at.Spent = k.spent(s)
	}
	for i := range s.Items {
		it := &s.Items[i]
		if it.Stage != folded.Running {
			continue
		}
		r, ok := k.cfg.Runs.State(it.Run)
		switch {
		case ok && explain.Asks(r):
			at.Waiting++
		case ok && r.Status == run.Live:
			at.Busy++
		}
	}
	return at
}

// spent is what all runs of a queue have cost, in micro-USD.
func (k *Keeper) spent(s folded.State) (sum int64) {
	for i := range s.Items {
		for _, id := range s.Items[i].Runs {
			r, ok := k.cfg.Runs.State(id)
			if !ok {
				continue
			}
			for _, spend := range r.Spent.List() {
				sum += spend.Usage.MicroUSD
			}
		}
	}
	return sum
}

// claim reports whether nothing is at an item already, and it is time to try it. The
// landing has no name.
func (k *Keeper) claim(b *book, name events.Name) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	busy := b.starting[name]
	if name == "" {
		busy = b.landing
	}
	if busy || k.cfg.Now().Before(b.tries[name].Next) {
		return false
	}
	if name == "" {
		b.landing = true
	} else {
		b.starting[name] = true
	}
	return true
}

// free lets go of an item, or notes when it is tried again.
func (k *Keeper) free(b *book, name events.Name, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if name == "" {
		b.landing = false
	}
	delete(b.starting, name)
	if err == nil {
		delete(b.tries, name)
		return
	}
	pause := min(max(2*b.tries[name].pause, firstPause), mostPause)
	b.tries[name] = try{err.Error(), k.cfg.Now().Add(pause), pause}
}

// begin begins the run of an item.
func (k *Keeper) begin(ctx context.Context, b *book, name events.Name) {
	q := Queue{b.id, b.record.State()}
	i, ok := q.Get(name)
	if !ok || i.Stage != folded.Waiting {
		k.free(b, name, nil)
		return
	}
	id, err := k.cfg.Work.Begin(ctx, q, i, fmt.Sprintf("%s-%s-%d", b.id, name, len(i.Runs)+1))
	var refused *RefusedError
	switch {
	case err == nil:
		k.store(ctx, b, func(s folded.State) (events.Data, error) { return folded.Start(s, name, id) })
	case errors.Is(err, ErrTrust):
		k.store(ctx, b, func(s folded.State) (events.Data, error) { return folded.Close(s, events.QueueTrust) })
	case errors.As(err, &refused):
		err = nil
		k.store(ctx, b, func(s folded.State) (events.Data, error) {
			return folded.End(s, events.ItemEnded{Item: name, End: events.ItemFailed, Detail: refused.Detail})
		})
	}
	k.free(b, name, err)
	k.Wake()
}

// settle stores how runs of items have ended.
func (k *Keeper) settle(ctx context.Context, b *book) {
	s := b.record.State()
	for i := range s.Items {
		it := s.Items[i]
		resumable := it.Stage == folded.Stopped && (it.End == events.ItemHalted || it.End == events.ItemLost)
		if it.Stage != folded.Running && !resumable {
			continue
		}
		end, ok := k.ended(it)
		if !ok || resumable && (end == events.ItemHalted || end == it.End) {
			continue
		}
		k.store(ctx, b, func(s folded.State) (events.Data, error) {
			return folded.End(s, events.ItemEnded{Item: it.Name, Run: it.Run, End: end})
		})
		now := b.record.State()
		if after, _ := now.Get(it.Name); after.Stage == folded.Finished {
			k.cfg.Work.Settled(ctx, Queue{b.id, now}, after)
		}
	}
}

// ended is how the run of an item has ended; ok is false while it is under way.
func (k *Keeper) ended(i folded.Item) (events.ItemEnd, bool) {
	s, ok := k.cfg.Runs.State(i.Run)
	switch {
	case !ok:
		return events.ItemFailed, true
	case s.Status == run.Halted && s.Halt.Reason == events.HaltAgentLost:
		return events.ItemLost, true
	case s.Status == run.Halted:
		return events.ItemHalted, true
	case s.Status != run.Over:
		return "", false
	}
	switch s.End.State {
	case events.EndDone, events.EndGraceful:
		return events.ItemDone, true
	case events.EndAlreadyGreen:
		return events.ItemGreen, true
	case events.EndCancelled:
		return events.ItemCancelled, true
	case events.EndFailed:
		return events.ItemLost, true
	case events.EndRefused:
	}
	return events.ItemFailed, true
}

// beginLanding begins the run that checks a landing.
func (k *Keeper) beginLanding(ctx context.Context, b *book, names []events.Name) {
	q := Queue{b.id, b.record.State()}
	var items []folded.Item
	var of strings.Builder
	for _, name := range names {
		i, _ := q.Get(name)
		items = append(items, i)
		fmt.Fprintf(&of, "-%s-%d", name, i.Landings)
	}
	id, err := k.cfg.Work.Land(ctx, q, items, b.id+"-land"+of.String())
	var refused *RefusedError
	switch {
	case err == nil:
		k.store(ctx, b, func(s folded.State) (events.Data, error) {
			return folded.Land(s, events.LandingStarted{Items: names, Run: id})
		})
	case errors.Is(err, ErrTrust):
		k.store(ctx, b, func(s folded.State) (events.Data, error) { return folded.Close(s, events.QueueTrust) })
	case errors.As(err, &refused):
		err = nil
		if len(refused.Items) > 0 {
			names = refused.Items
		}
		k.store(ctx, b, func(s folded.State) (events.Data, error) {
			return folded.EndLanding(s, events.LandingEnded{Items: names, End: refused.End, Detail: refused.Detail})
		})
	}
	k.free(b, "", err)
	k.Wake()
}

// land stores what became of the landing under way.
func (k *Keeper) land(ctx context.Context, b *book) {
	q := Queue{b.id, b.record.State()}
	if q.Lane.Run == "" {
		return
	}
	s, ok := k.cfg.Runs.State(q.Lane.Run)
	if ok && s.Status == run.Live {
		return
	}
	d := events.LandingEnded{End: events.LandingMoved} // the run is gone: it is done again
	if ok {
		var err error
		if d, err = k.cfg.Work.Landed(ctx, q, s); err != nil {
			k.cfg.Log.Error("land items of a queue", "queue", q.Name, "error", err)
			return
		}
	}
	d.Run, d.Items = q.Lane.Run, q.Lane.Items
	k.store(ctx, b, func(s folded.State) (events.Data, error) { return folded.EndLanding(s, d) })
	now := Queue{b.id, b.record.State()}
	for _, name := range d.Items {
		if i, _ := now.Get(name); i.Stage == folded.Finished {
			k.cfg.Work.Settled(ctx, now, i)
		}
	}
}

// read takes what has come to the source of an open queue, now and then.
func (k *Keeper) read(ctx context.Context, b *book) {
	b.mu.Lock()
	due := b.record.State().Open != nil && k.cfg.Now().Sub(b.source) >= reread
	if due {
		b.source = k.cfg.Now()
	}
	b.mu.Unlock()
	if !due {
		return
	}
	k.wg.Go(func() {
		news, watches, err := k.cfg.Work.Come(ctx, Queue{b.id, b.record.State()})
		if err != nil {
			k.cfg.Log.Warn("read the source of a queue", "queue", b.id, "error", err)
			return
		}
		b.mu.Lock()
		b.watches = watches
		b.mu.Unlock()
		for _, d := range news.Found {
			k.store(ctx, b, func(folded.State) (events.Data, error) { return d, nil })
		}
		if len(news.Items) > 0 {
			k.store(ctx, b, func(s folded.State) (events.Data, error) { return folded.Add(s, news.Items) })
		}
		k.Wake()
	})
}

// store stores what follows from the state. What does not follow any more is left alone.
func (k *Keeper) store(ctx context.Context, b *book, f func(folded.State) (events.Data, error)) {
	_, err := b.record.Decide(context.WithoutCancel(ctx), f, k.cfg.Actor, "")
	if err != nil && !errors.Is(err, folded.ErrItem) && !errors.Is(err, folded.ErrClosed) && !errors.Is(err, folded.ErrNoItem) && !errors.Is(err, folded.ErrTaken) {
		k.cfg.Log.Error("store an event of a queue", "queue", b.id, "error", err)
	}
}
