package snapshot

import (
	"fmt"

	"autopilot/daemon/store/filestore"
	"autopilot/events"
	"autopilot/events/log"
)

// decoded is a stored event as a reader of the log would get it.
type decoded struct {
	stored log.Stored
	err    error
}

// AddFiles adds what the files of an event store hold, before a server has them
// open, and proves them as filestore.Check does. It is several times as quick as a
// reader of the log: all cores decode, and nothing is sent. That the server
// found the same is proven by the cursor, when the log is read on from it.
func (f *Fold) AddFiles(streams, mark, boot string) error {
	stream, err := filestore.Stream(mark)
	if err != nil {
		return err
	}
	return filestore.Replay(streams, mark, boot, decode(stream, nil), f.addDecoded)
}

// AddSealed does what AddFiles does, and an event that is not the one that was
// acknowledged is damaged.
func (f *Fold) AddSealed(streams string, seals *filestore.Seals) error {
	return filestore.ReplaySealed(seals, streams, decode(seals.Stream(), seals.Prove), f.addDecoded)
}

func decode(stream string, prove func(log.Receipt) error) func([]filestore.Record) []decoded {
	return func(list []filestore.Record) []decoded {
		out := make([]decoded, 0, len(list))
		for _, r := range list {
			st, err := log.StoredAt(stream, r.Position, r.Subject, r.Message)
			if err == nil && prove != nil {
				if err = prove(log.Receipt{Stream: stream, Position: r.Position, Subject: r.Subject, Hash: st.Hash}); err != nil {
					err = fmt.Errorf("position %d: %w: %w", r.Position, log.ErrDamaged, err)
					st.Event = events.Event{Aggregate: st.Event.Aggregate, Seq: st.Event.Seq}
				}
			}
			st.Bytes = nil // they are the reader's
			out = append(out, decoded{st, err})
		}
		return out
	}
}

func (f *Fold) addDecoded(list []decoded) error {
	for _, d := range list {
		if err := f.Add(d.stored, d.err); err != nil {
			return err
		}
	}
	return nil
}
