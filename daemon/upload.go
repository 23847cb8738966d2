package daemon

import (
	"sync"
	"time"

	"autopilot/events/wire"
)

// Bounds of texts that are on their way.
const (
	maxUploads  = 32
	uploadFresh = time.Minute // one without a piece for so long is dropped
)

// uploads gathers texts that come in pieces.
type uploads struct {
	mu   sync.Mutex
	open map[string]*upload // by client and upload id
}

type upload struct {
	text []byte
	last time.Time
}

// add takes a piece. It returns the whole text with the last one.
func (u *uploads) add(client string, c wire.BlobChunk, now time.Time) (text []byte, done bool, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.sweepLocked(now)
	key := client + "/" + c.Upload
	up := u.open[key]
	if up == nil {
		if len(u.open) >= maxUploads {
			return nil, false, wire.Errorf(wire.Failed, "too many texts are being sent").WithHint("try again in a moment")
		}
		up = &upload{}
		u.open[key] = up
	}
	if c.Offset != int64(len(up.text)) {
		delete(u.open, key)
		return nil, false, wire.Errorf(wire.Conflict, "a piece of the text is missing: at %d, not %d", len(up.text), c.Offset)
	}
	if len(up.text)+len(c.Data) > wire.MaxBlob {
		delete(u.open, key)
		return nil, false, wire.Errorf(wire.Usage, "the text is larger than %d MiB", wire.MaxBlob>>20)
	}
	up.text, up.last = append(up.text, c.Data...), now
	if !c.Last {
		return nil, false, nil
	}
	delete(u.open, key)
	return up.text, true, nil
}

func (u *uploads) sweepLocked(now time.Time) {
	for key, up := range u.open {
		if now.Sub(up.last) > uploadFresh {
			delete(u.open, key)
		}
	}
}
