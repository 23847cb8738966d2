package notify

import (
	"context"
	"time"
)

// serveLocked wakes the sender of a rule, which is started at need.
func (n *Notifier) serveLocked(id string) {
	s := n.rules[id]
	if s == nil {
		s = &sender{wake: make(chan struct{}, 1)}
		n.rules[id] = s
		n.wg.Go(func() { n.serve(id, s) })
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
}

// serve tells what is due by one rule, one message after the other, until the
// notifier is closed or the rule is gone.
func (n *Notifier) serve(id string, s *sender) {
	for {
		rule, m, again, gone := n.step(id)
		switch {
		case gone:
			return
		case m != nil:
			n.settle(id, *m, n.deliver(n.ctx, id, rule, *m))
		default:
			n.sleep(s, again)
		}
		if n.ctx.Err() != nil {
			return
		}
	}
}

// sleep waits for something new, for a time, or for the end.
func (n *Notifier) sleep(s *sender, again time.Time) {
	wait := recheck
	if !again.IsZero() {
		wait = max(min(wait, again.Sub(n.cfg.Now())), time.Millisecond)
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.wake:
	case <-n.ctx.Done():
	}
}

// step says what the sender of a rule does now. What it packs is stored before
// it is sent, so that its key stays.
func (n *Notifier) step(id string) (rule Rule, m *message, again time.Time, gone bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	q := n.box.Rules[id]
	if q.waiting() == 0 {
		_, ofIssue := issueOf(id)
		if ofIssue {
			delete(n.rules, id) // there may be many, and each for a while only
		}
		return Rule{}, nil, time.Time{}, ofIssue
	}
	n.readSettingsLocked()
	rule, ok := n.settings.ways()[ruleOf(id)]
	if !ok {
		n.cfg.Log.Warn("a notify rule is gone, and what it had yet to tell with it", "waiting", q.waiting())
		delete(n.box.Rules, id)
		delete(n.rules, id)
		n.storeLocked()
		return Rule{}, nil, time.Time{}, true
	}
	due, now := len(q.Due), n.cfg.Now()
	next, ready, again := q.next(now, n.cfg.Timing, n.settings.hush(now))
	if len(q.Due) != due {
		n.storeLocked()
	}
	if !ready {
		return rule, nil, again, false
	}
	return rule, &next, time.Time{}, false
}

// settle stores what became of a message. One that was cut short by the end of
// the daemon is not settled: the next one goes on with it.
func (n *Notifier) settle(id string, m message, o outcome) {
	if o.err != nil && n.ctx.Err() != nil {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	q := n.box.Rules[id]
	if q.settle(m.Key, o, n.cfg.Now(), n.cfg.Timing) {
		n.cfg.Log.Error("a notification was given up", "key", m.Key, "kind", m.Kind, "tries", m.Tries+1, "error", o.err)
	} else if o.err != nil {
		n.cfg.Log.Warn("a notification did not arrive yet", "key", m.Key, "kind", m.Kind, "error", o.err)
	}
	n.storeLocked()
	// Only now: an effect that is gone before it is settled would be run again.
	n.forget(m.effect(id))
}

// storeLocked keeps going where the disk takes nothing: at worst somebody is
// told twice.
func (n *Notifier) storeLocked() {
	if err := n.box.write(n.path()); err != nil {
		n.cfg.Log.Error("store what is to be told", "error", err)
	}
}

// deliver tells one message one way, once.
func (n *Notifier) deliver(ctx context.Context, id string, r Rule, m message) outcome {
	switch {
	case r.Webhook != "":
		return n.post(ctx, r.Webhook, m.Notification)
	case r.GitHub != "":
		return n.comment(ctx, id, r.tracker().Repository, m)
	case r.Desktop:
		return n.command(ctx, m.effect(id), desktopArgv(m.Notification), m.Notification)
	}
	return n.command(ctx, m.effect(id), []string{"/bin/sh", "-c", r.Run}, m.Notification)
}
