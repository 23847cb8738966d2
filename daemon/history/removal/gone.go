package removal

import (
	"slices"
	"strings"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/host"
	"autopilot/projections/run"
)

// Gone says why texts of a run are not there; nil if they should be.
func (w *Sweeper) Gone(s run.State) *wire.GoneView {
	if s.Status != run.Over {
		return nil
	}
	if at, by, erased, ok := w.cfg.Hosts.State().Gone(s.ID, s.Clock.Latest, w.came(s.ID)); ok {
		return &wire.GoneView{At: at, By: by, Erased: erased}
	}
	r := w.pending.Load()
	if !r.Covers(s) {
		return nil
	}
	return &wire.GoneView{At: r.At, By: r.By, Erased: r.Run != ""}
}

// came is when a run came from elsewhere; zero for one of this host.
func (w *Sweeper) came(id string) time.Time {
	if !w.cfg.Runs.IsImported(id) {
		return time.Time{}
	}
	h, _ := w.cfg.Archive.Head(id)
	list := w.cfg.Hosts.State().Imported
	i := slices.IndexFunc(list, func(i host.Import) bool { return i.Bundle == h.Bundle })
	if i < 0 {
		return time.Time{}
	}
	return list[i].At
}

// Whole refuses to show what a run does not have any more, and says since when
// and why, or never had here.
func (w *Sweeper) Whole(s run.State, what string) error {
	g := w.Gone(s)
	switch {
	case g == nil && w.cfg.Runs.IsImported(s.ID):
		return wire.Errorf(wire.NotFound, "%s of run %s is where it ran: events and texts were imported, and nothing else", what, s.Facts.Handle).
			WithHint("apctl why %s   shows how it ended", s.Facts.Handle)
	case g == nil:
		return nil
	}
	how := "pruned"
	if g.Erased {
		how = "erased"
	}
	who, _, _ := strings.Cut(strings.Replace(g.By, "local:", "user:", 1), "@")
	return wire.Errorf(wire.NotFound, "%s of run %s was %s on %s by %s", what, s.Facts.Handle, how,
		g.At.UTC().Format("2006-01-02 15:04 MST"), strings.ReplaceAll(who, ":", " ")).
		WithHint("apctl why %s   shows how it ended: its events stay", s.Facts.Handle)
}
