package snapshot

import (
	"autopilot/daemon/store"
	"autopilot/events/log"
)

// decoded is a stored event as a reader of the log would get it.
type decoded struct {
	stored log.Stored
	err    error
}

// AddFiles adds what the files of an event store hold, before a server has them
// open, and proves them as store.Check does. It is several times as quick as a
// reader of the log: all cores decode, and nothing is sent. That the server
// found the same is proven by the cursor, when the log is read on from it.
func (f *Fold) AddFiles(streams, mark, boot string) error {
	stream, err := store.Stream(mark)
	if err != nil {
		return err
	}
	decode := func(list []store.Record) []decoded {
		out := make([]decoded, 0, len(list))
		for _, r := range list {
			st, err := log.StoredAt(stream, r.Position, r.Subject, r.Message)
			st.Bytes = nil // they are the reader's
			out = append(out, decoded{st, err})
		}
		return out
	}
	return store.Replay(streams, mark, boot, decode, func(list []decoded) error {
		for _, d := range list {
			if err := f.Add(d.stored, d.err); err != nil {
				return err
			}
		}
		return nil
	})
}
