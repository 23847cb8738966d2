package prove

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"autopilot/daemon/store/archive"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// Bundles proves the archive: each bundle, and that all are there which the log
// speaks of.
func (p *Proof) Bundles(ctx context.Context, dir string) error {
	there := map[events.Digest]bool{}
	b := bundles{Proof: p, runs: map[string]bundled{}, texts: newTexts(p.cfg.Text)}
	err := archive.CheckDir(ctx, dir, func(f archive.File, err error) {
		there[f.SHA256] = true
		if err == nil {
			p.whole++
			err = b.add(ctx, f)
		}
		if err != nil {
			p.found = append(p.found, wire.Problem{Aggregate: "bundle " + filepath.Base(f.Path), What: strings.TrimPrefix(err.Error(), "check bundle: ")})
		}
	})
	if err != nil {
		return err
	}
	b.prove()
	if !p.cfg.Lost {
		p.found = append(p.found, p.missing(there)...)
	}
	return nil
}

// missing are the bundles that a host recorded, and that are not there.
func (p *Proof) missing(there map[events.Digest]bool) []wire.Problem {
	var out []wire.Problem
	for id, h := range sorted(p.rebuilt.Hosts) {
		say := func(sum events.Digest, runs int, what string, at time.Time) {
			if !there[sum] {
				there[sum] = true // named once
				out = append(out, wire.Problem{Aggregate: events.Host(id).String(), What: fmt.Sprintf(
					"the bundle %s, %s at %s, is missing in the archive: runs %d", sum, what, at.UTC().Format(time.RFC3339), runs)})
			}
		}
		for _, r := range h.Rolled {
			say(r.Bundle, r.Runs, "of a roll", r.At)
		}
		for _, i := range h.Imported {
			say(i.Bundle, i.Runs, "imported", i.At)
		}
	}
	return out
}

// bundles has the texts that runs of bundles name.
type bundles struct {
	*Proof
	runs  map[string]bundled // by aggregate
	texts texts
}

// bundled is what there is to know of a run of a bundle.
type bundled struct {
	imported bool // it may have come without its texts
	state    run.State
}

// add collects the texts of a bundle that is whole.
func (b *bundles) add(ctx context.Context, f archive.File) error {
	bundle, err := archive.Open(f.Path)
	if err != nil {
		return err
	}
	defer bundle.Close()
	for _, r := range bundle.Manifest().Runs {
		x := bundled{imported: f.Imported}
		x.state.ID, x.state.Status = r.ID, run.Over
		for st, err := range bundle.Events(r.ID, 0) {
			if err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			x.state.Clock.Latest = st.Event.Time
			b.texts.add(st, events.Refs(st.Event.Data))
		}
		b.runs[events.Run(r.ID).String()] = x
	}
	return nil
}

// prove reads the texts. Those of a run that came from elsewhere may be missing,
// but not changed.
func (b *bundles) prove() {
	b.found = append(b.found, b.texts.problems(func(aggregate string) bool {
		x := b.runs[aggregate]
		return x.imported || b.gone(x.state)
	})...)
	for key := range b.texts.named {
		if _, also := b.Proof.texts.named[key]; also && !b.texts.bad[key] {
			b.texts.sound-- // counted already
		}
	}
	b.Proof.texts.sound += b.texts.sound
	b.Proof.texts.gone += b.texts.gone
}
