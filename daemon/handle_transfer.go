package daemon

import (
	"context"
	"io"

	"autopilot/daemon/host/disk"
	"autopilot/daemon/store/transfer"
	"autopilot/daemon/transport/bus"
	"autopilot/events/wire"
)

// rawExport sends a bundle in pieces, and behind it what it holds. Agents get no
// texts: what people wrote to a run is for other ears. A key reads all that runs have
// recorded, but nothing of held-out gates.
func (d *Daemon) rawExport(ctx context.Context, q bus.Request, r *bus.Reply) error {
	body, err := decode[wire.ExportRequest](q.Body)
	if err != nil {
		return err
	}
	if err := d.mayExport(ctx, q, body); err != nil {
		return err
	}
	var sum wire.BundleSum
	err = inPieces(ctx, r, func(w io.Writer) error {
		sum, err = d.exports.Write(ctx, body, w)
		return err
	})
	if err != nil {
		return err
	}
	return r.JSON(ctx, sum)
}

// mayExport refuses texts to who may not read them.
func (d *Daemon) mayExport(ctx context.Context, q bus.Request, body wire.ExportRequest) error {
	switch {
	case body.NoTexts:
		return nil
	case q.Kind == bus.KindEffect:
		return wire.Errorf(wire.Denied, "agents and gates are given no texts of runs").WithHint("--no-texts leaves them out")
	case d.looksBehind(q):
		return nil
	}
	held, err := d.holdsOut(ctx, body)
	if err != nil || held == "" {
		return err
	}
	return wire.Errorf(wire.Denied, "run %s has held-out gates, and what they print is for people alone", held).WithHint("--no-texts leaves it out")
}

func (d *Daemon) exporter() transfer.Exporter {
	return transfer.Exporter{
		State: d.cfg.Places.State, Version: d.cfg.Version, Host: d.host,
		Log: d.log, Blobs: d.blobs, Runs: d.fleet, Find: d.find,
	}
}

func (d *Daemon) importing(room disk.Ballast) transfer.ImportConfig {
	return transfer.ImportConfig{
		Host: d.host, Facts: d.hosts, Known: d.fleet, Log: d.log,
		Archive: d.archive, Blobs: d.blobs, Disk: room, Out: d.cfg.Log,
	}
}
