package daemon

import (
	"context"
	"fmt"
	"time"

	"autopilot/daemon/report/notify"
	"autopilot/events"
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
		n.Key = d.Accounts.LimitKey(data)
	case events.RunHalted:
		if data.Account == "" || data.Reason == events.HaltLimit {
			return true
		}
		by := d.Accounts.Refusal(ctx, s, data)
		n.Key = fmt.Sprintf("account-%s-%s-%s", data.Account, by.Effect, n.Kind)
		if others := d.Accounts.HaltedWith(s, by, data.Account); others == 1 {
			n.Line += phrase.Say(d.api.Language(s), "; another run of the account halts with it", "。同じアカウントの別の実行も停止")
		} else if others > 1 {
			n.Line += phrase.Say(d.api.Language(s), "; %d other runs of the account halt with it", "。同じアカウントの他の実行 %d 件も停止", others)
		}
	}
	return true
}
