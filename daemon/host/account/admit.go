package account

import (
	"context"
	"time"

	"autopilot/daemon/run/engine"
	"autopilot/events"
	folded "autopilot/projections/account"
	"autopilot/projections/run"
)

// Admit says whether an agent of the run that works on an account may begin now;
// if not, with the event that says why. What the run's agent before has met is
// learned first, wherever that worked.
func (c *Calendar) Admit(ctx context.Context, s run.State, account string) (events.Data, error) {
	if before := s.SessionAccount(); before != "" && before != account {
		if _, err := c.learnOf(ctx, s, before); err != nil {
			return nil, err
		}
	}
	if account == "" {
		return nil, nil
	}
	b, err := c.open(ctx, account)
	if err != nil {
		return nil, err
	}
	defer b.mu.Unlock()
	now, runs := c.cfg.Now(), c.of(b.id)
	a := c.learn(ctx, b, s, runs)
	if b.owes {
		c.look(b.id)
	}
	answer := folded.Admit(a, b.ask(a, s, runs), now)
	// A wait that was ended before its time is not begun again, and an attempt
	// that was lost is repeated at once: it was let in.
	goes := answer.Begin() || s.Stage != run.Ready && s.Stage != run.Judged || s.Waiting != nil && s.Waiting.Lifted && s.Waiting.Account == b.id
	switch {
	case answer.Refused:
		delete(b.let, s.ID)
		return engine.Refused(s, engine.AccountFailed{Cause: a.Refused.Cause, Account: b.id, Run: a.Refused.Run}), nil
	case goes:
		b.letIn(s)
		return nil, nil
	}
	delete(b.let, s.ID)
	c.look(b.id)
	if s.Facts.Limits.NoWait {
		return events.RunHalted{
			Reason: events.HaltLimit, Phase: s.Loop.Phase, Iteration: s.Loop.Iteration,
			Value: string(answer.Wait), Account: b.id, UntilMS: folded.CeilMS(answer.Until), Tree: s.Last.Tree,
		}, nil
	}
	return waiting(a, b.id, answer), nil
}

func waiting(a folded.State, id string, w folded.Answer) events.LimitWaiting {
	d := events.LimitWaiting{Cause: w.Wait, Account: id, UntilMS: folded.CeilMS(w.Until), Place: w.Place}
	if !w.Reset.IsZero() {
		d.ResetMS, d.Source = folded.CeilMS(w.Reset), a.Source
	}
	return d
}

func (b *book) letIn(s run.State) {
	b.let[s.ID] = entry{no: b.record.State().No, before: s.Last.Session.Effect, at: time.Now()}
}

// Withdraw takes back that an agent of the run was let in: something else keeps it
// from beginning, and others may.
func (c *Calendar) Withdraw(run, account string) {
	c.mu.Lock()
	b := c.books[account]
	c.mu.Unlock()
	if b == nil {
		return
	}
	b.mu.Lock()
	delete(b.let, run)
	b.mu.Unlock()
	c.look(account)
}

// ask is what a run asks with.
func (b *book) ask(a folded.State, s run.State, runs []*run.State) folded.Ask {
	ask := folded.Ask{
		Run: s.ID, Since: s.Clock.Since, Working: b.working(s.ID, runs, 0), Gone: b.working(s.ID, runs, max(a.No, 1)),
	}
	for _, o := range runs {
		if o.ID < s.ID && b.waits(*o) {
			ask.Ahead++
		}
	}
	return ask
}

// waits says that a run waits for the account, and was not let go.
func (b *book) waits(s run.State) bool {
	if !s.WaitsForLimit() || s.Waiting.Account != b.id || s.Stop != "" {
		return false
	}
	let, ok := b.let[s.ID]
	return !ok || let.before != s.Last.Session.Effect || time.Since(let.at) >= beginsWithin
}
