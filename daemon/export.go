package daemon

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"autopilot/daemon/archive"
	"autopilot/daemon/bus"
	"autopilot/daemon/snapshot"
	"autopilot/daemon/work"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// rawExport sends a bundle in pieces, and behind it what it holds. Agents get no
// texts: what people wrote to a run is for other ears.
func (d *Daemon) rawExport(ctx context.Context, q bus.Request, r *bus.Reply) error {
	body, err := decode[wire.ExportRequest](q.Body)
	if err != nil {
		return err
	}
	if !guided(q) && !body.NoTexts {
		return wire.Errorf(wire.Denied, "agents and gates are given no texts of runs").WithHint("--no-texts leaves them out")
	}
	var sum wire.BundleSum
	err = inPieces(ctx, r, func(w io.Writer) error {
		sum, err = d.exportTo(ctx, body, w)
		return err
	})
	if err != nil {
		return err
	}
	return r.JSON(ctx, sum)
}

// exportTo writes a bundle. What cannot be exported is said before the first byte.
func (d *Daemon) exportTo(ctx context.Context, body wire.ExportRequest, w io.Writer) (wire.BundleSum, error) {
	heads, live, err := d.selected(ctx, body)
	if err != nil {
		return wire.BundleSum{}, err
	}
	secrets, err := work.Secrets(d.cfg.Places.State)
	if err != nil {
		return wire.BundleSum{}, err
	}
	o := newOutgoing(w, archive.Maker{Made: time.Now(), Version: d.cfg.Version, Host: d.host}, secrets)
	if !body.NoTexts {
		o.text = d.blobs.Get
	}
	sum, err := d.export(ctx, heads, o)
	sum.Live = live
	return sum, err
}

func (d *Daemon) export(ctx context.Context, heads []snapshot.Head, o *outgoing) (wire.BundleSum, error) {
	for _, h := range heads {
		s, err := d.fleet.Read(h)
		if err != nil {
			return wire.BundleSum{}, err
		}
		if err := o.run(bundled(s), d.log.Read(ctx, events.Run(s.ID), 0)); err != nil {
			return wire.BundleSum{}, err
		}
	}
	return o.close(ctx)
}

// selected are the runs that an export is about, the oldest first, and how many
// of a selection are not over. One that is named has to be.
func (d *Daemon) selected(ctx context.Context, body wire.ExportRequest) (out []snapshot.Head, live int, err error) {
	for _, name := range body.Runs {
		s, err := d.find(ctx, wire.RunRef{Run: name, Workspace: body.Workspace})
		if err != nil {
			return nil, 0, err
		}
		if s.Status != run.Over {
			return nil, 0, notOver(s)
		}
		out = append(out, snapshot.HeadOf(s, ""))
	}
	if len(body.Runs) == 0 {
		out, live = since(d.fleet.Heads(), body.Since)
	}
	if len(out) == 0 {
		return nil, 0, noneOver(body.Since, live)
	}
	slices.SortFunc(out, func(a, b snapshot.Head) int { return cmp.Compare(a.ID, b.ID) })
	return slices.CompactFunc(out, func(a, b snapshot.Head) bool { return a.ID == b.ID }), live, nil
}

// since are the runs that are over and had their last event since a moment, and
// how many are not over.
func since(heads []snapshot.Head, at time.Time) (out []snapshot.Head, live int) {
	for _, h := range heads {
		switch {
		case h.Status != run.Over:
			live++
		case at.IsZero() || h.Latest >= at.UnixMilli():
			out = append(out, h)
		}
	}
	return out, live
}

func notOver(s run.State) error {
	h, what := s.Facts.Handle, "live"
	if s.Status == run.Halted {
		what = "halted, and can go on"
	}
	return wire.Errorf(wire.Conflict, "run %s is %s: only history that is over is exported", h, what).
		WithHint("apctl cancel %s   ends it", h)
}

func noneOver(at time.Time, live int) error {
	what := "no run is over"
	if !at.IsZero() {
		what = "no run has ended since " + at.UTC().Format(time.RFC3339)
	}
	if live > 0 {
		return wire.Errorf(wire.NotFound, "%s; runs that are not over: %d", what, live).WithHint("apctl ls   lists them")
	}
	return wire.Errorf(wire.NotFound, "%s", what).WithHint("apctl ls --all   lists the runs")
}
