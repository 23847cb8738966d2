package transfer

import (
	"cmp"
	"context"
	"io"
	"slices"
	"time"

	"autopilot/daemon/run/work"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/snapshot"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Runs are those of this host, in its log or rolled out of it.
type Runs interface {
	Heads() []snapshot.Head
	Read(h snapshot.Head) (run.State, error)
}

// Exporter makes bundles of the runs of a host that are over.
type Exporter struct {
	State, Version, Host string // directory, build, name of the host

	Log   log.Log
	Blobs *blob.Store
	Runs  Runs
	Find  func(context.Context, wire.RunRef) (run.State, error) // the run that is named
}

// Write writes a bundle. What cannot be exported is said before the first byte.
func (x Exporter) Write(ctx context.Context, body wire.ExportRequest, w io.Writer) (wire.BundleSum, error) {
	heads, live, err := x.selected(ctx, body)
	if err != nil {
		return wire.BundleSum{}, err
	}
	secrets, err := work.Secrets(x.State)
	if err != nil {
		return wire.BundleSum{}, err
	}
	text := x.Blobs.Get
	if body.NoTexts {
		text = nil
	}
	o := NewOutgoing(w, archive.Maker{Made: time.Now(), Version: x.Version, Host: x.Host}, text, secrets)
	sum, err := x.export(ctx, heads, o)
	sum.Live = live
	return sum, err
}

func (x Exporter) export(ctx context.Context, heads []snapshot.Head, o *Outgoing) (wire.BundleSum, error) {
	for _, h := range heads {
		s, err := x.Runs.Read(h)
		if err != nil {
			return wire.BundleSum{}, err
		}
		if err := o.Run(archive.RunOf(s), x.Log.Read(ctx, events.Run(s.ID), 0)); err != nil {
			return wire.BundleSum{}, err
		}
	}
	return o.Close(ctx)
}

// selected are the runs that an export is about, the oldest first, and how many
// of a selection are not over. One that is named has to be.
func (x Exporter) selected(ctx context.Context, body wire.ExportRequest) (out []snapshot.Head, live int, err error) {
	for _, name := range body.Runs {
		s, err := x.Find(ctx, wire.RunRef{Run: name, Workspace: body.Workspace})
		if err != nil {
			return nil, 0, err
		}
		if s.Status != run.Over {
			return nil, 0, notOver(s)
		}
		out = append(out, snapshot.HeadOf(s, ""))
	}
	if len(body.Runs) == 0 {
		out, live = since(x.Runs.Heads(), body.Since)
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
