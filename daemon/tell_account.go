package daemon

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"autopilot/daemon/notify"
	"autopilot/events"
	limits "autopilot/projections/account"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// worthTelling is the shortest wait for a limit that a person is told of.
const worthTelling = 5 * time.Minute

// together makes one notice of what many runs meet for one reason: by giving it
// the same key, of which only the first is told. It answers false for what
// nobody needs to be told.
func (d *Daemon) together(ctx context.Context, n *notify.Notice, s run.State, e events.Event) bool {
	switch data := e.Data.(type) {
	case events.IterationRecorded:
		// Only before the first back-off: it waits again, and that was told.
		return s.Loop.Noops == 1 && !s.Last.Agent.Result.OfAccount()
	case events.LimitWaiting:
		if time.UnixMilli(data.UntilMS).Sub(e.Time) < worthTelling {
			return false
		}
		n.Key = d.limitKey(data)
	case events.RunHalted:
		if data.Account == "" || data.Reason == events.HaltLimit {
			return true
		}
		by := d.refusal(ctx, s, data)
		n.Key = fmt.Sprintf("account-%s-%s-%s", data.Account, by.Effect, n.Kind)
		if others := d.haltedWith(s, by, data.Account); others == 1 {
			n.Line += phrase.Say(d.language(s), "; another run of the account halts with it", "。同じアカウントの別の実行も停止")
		} else if others > 1 {
			n.Line += phrase.Say(d.language(s), "; %d other runs of the account halt with it", "。同じアカウントの他の実行 %d 件も停止", others)
		}
	}
	return true
}

// refusal is what halted the run: what its account says, and once that is past,
// what the agent met that the halt goes back to.
func (d *Daemon) refusal(ctx context.Context, s run.State, h events.RunHalted) limits.Refused {
	a, err := d.accounts.Learn(ctx, s, h.Account)
	if err == nil && a.Refused.Cause != "" && (h.Cause != "" || !s.Clock.Agent.After(a.Refused.At)) {
		return a.Refused
	}
	first := s
	if h.Cause != "" {
		first, _ = d.fleet.State(h.Cause)
	}
	return limits.Refused{Run: first.ID, Effect: first.Last.Agent.Effect, At: s.Clock.Agent}
}

// limitKey is the same for all runs that wait for one limit, and for all waits
// as long as it holds.
func (d *Daemon) limitKey(w events.LimitWaiting) string {
	if w.Account == "" {
		return fmt.Sprintf("limit-%s-%d", w.Cause, cmp.Or(w.ResetMS, w.UntilMS))
	}
	begun := w.ResetMS
	if a, ok := d.accounts.State(w.Account); ok && a.Cause != "" {
		begun = a.Since.UnixMilli()
	}
	return fmt.Sprintf("limit-%s-%s-%d", w.Cause, w.Account, begun)
}

// haltedWith counts the other runs that a refusal halts: those that it has
// halted, and those that are live and will be.
func (d *Daemon) haltedWith(s run.State, by limits.Refused, id string) (n int) {
	for _, o := range (accountRuns{f: d.fleet}).Of(id) {
		switch {
		case o.ID == s.ID:
		case o.Status == run.Live && o.Worker().Account == id && !o.Clock.Since.After(by.At),
			o.Status == run.Halted && o.Halt.Account == id && o.Halt.Reason != events.HaltLimit && !o.Clock.Latest.Before(by.At):
			n++
		}
	}
	return n
}
