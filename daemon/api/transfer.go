package api

import (
	"context"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
)

// ArchiveExport sends a bundle in pieces, and then its sum. Agents get no texts: people
// wrote them for others. A key reads everything that runs recorded, except held-out
// gates.
func (a *History) ArchiveExport(ctx context.Context, q auth.Request, body wire.ExportRequest, send func(wire.Raw) error) error {
	if err := a.mayExport(ctx, q, body); err != nil {
		return err
	}
	var sum wire.BundleSum
	err := inPieces(send, func(w io.Writer) (err error) {
		sum, err = a.Exports.Write(ctx, body, w)
		return err
	})
	if err != nil {
		return err
	}
	b, err := json.Marshal(sum)
	if err != nil {
		return fmt.Errorf("encode the answer: %w", err)
	}
	return send(b)
}

// mayExport refuses texts to callers that may not read them.
func (a *History) mayExport(ctx context.Context, q auth.Request, body wire.ExportRequest) error {
	switch {
	case body.NoTexts:
		return nil
	case q.Kind == auth.KindEffect:
		return wire.Errorf(wire.Denied, "agents and gates cannot read the texts of runs").WithHint("--no-texts leaves them out")
	case a.looksBehind(q):
		return nil
	}
	held, err := a.holdsOut(ctx, body)
	if err != nil || held == "" {
		return err
	}
	return wire.Errorf(wire.Denied, "run %s has held-out gates; only people may read their output", held).WithHint("--no-texts leaves it out")
}
