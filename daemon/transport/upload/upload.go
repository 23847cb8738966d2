// Package upload puts texts together that are too large for one request, and stores
// them as blobs.
//
// It owns the pieces that have come of texts that are not whole yet, in memory: few
// texts, each no larger than wire.MaxBlob, and none that waits for its next piece for
// more than a minute. A text is stored when all of it is there, in the order in which
// it was sent, or not at all; a client never adds to what another has begun. All of a
// Gatherer may be used from many goroutines; it starts none.
package upload

import (
	"context"
	"sync"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/store/blob"
	"autopilot/events/wire"
)

// Bounds of texts that are on their way.
const (
	most  = 32
	fresh = time.Minute // one without a piece for so long is dropped
)

// Gatherer gathers texts that come in pieces.
type Gatherer struct {
	blobs *blob.Store

	mu   sync.Mutex
	open map[string]*begun // by client and upload id
}

type begun struct {
	text []byte
	last time.Time
}

// New is a Gatherer of texts for a store.
func New(blobs *blob.Store) *Gatherer {
	return &Gatherer{blobs: blobs, open: map[string]*begun{}}
}

// Put adds a piece of a text and, with the last one, stores it and returns its name.
func (g *Gatherer) Put(ctx context.Context, q auth.Request, piece wire.BlobChunk) (wire.BlobReply, error) {
	text, done, err := g.add(q.Name, piece, time.Now())
	if err != nil || !done {
		return wire.BlobReply{}, err
	}
	ref, err := g.blobs.Put(ctx, text)
	return wire.BlobReply{Ref: ref}, err
}

// add takes a piece. It returns the whole text with the last one.
func (g *Gatherer) add(client string, c wire.BlobChunk, now time.Time) (text []byte, done bool, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.sweepLocked(now)
	key := client + "/" + c.Upload
	up := g.open[key]
	if up == nil {
		if len(g.open) >= most {
			return nil, false, wire.Errorf(wire.Failed, "too many texts are being sent").WithHint("try again in a moment")
		}
		up = &begun{}
		g.open[key] = up
	}
	if c.Offset != int64(len(up.text)) {
		delete(g.open, key)
		return nil, false, wire.Errorf(wire.Conflict, "a piece of the text is missing: at %d, not %d", len(up.text), c.Offset)
	}
	if len(up.text)+len(c.Data) > wire.MaxBlob {
		delete(g.open, key)
		return nil, false, wire.Errorf(wire.Usage, "the text is larger than %d MiB", wire.MaxBlob>>20)
	}
	up.text, up.last = append(up.text, c.Data...), now
	if !c.Last {
		return nil, false, nil
	}
	delete(g.open, key)
	return up.text, true, nil
}

func (g *Gatherer) sweepLocked(now time.Time) {
	for key, up := range g.open {
		if now.Sub(up.last) > fresh {
			delete(g.open, key)
		}
	}
}
