package filestore

import (
	"bufio"
	"errors"
	"fmt"
	"os"

	"autopilot/daemon/store/durable"
	"autopilot/events"
	"autopilot/events/log"
)

// Receipt names a record to a witness.
func (r Record) Receipt(stream string) log.Receipt {
	return log.Receipt{Stream: stream, Position: r.Position, Subject: r.Subject, Hash: events.Hash(r.Message)}
}

// Stream is the stream that the mark is in, empty before the first event.
func (s *Seals) Stream() string { return s.mark.Stream }

// blocks are the files of the store, with the mark that holds for them.
func (s *Seals) blocks(streams string) (state, []string, error) {
	m, err := s.marked()
	if err != nil || m.Stream == "" {
		return m, nil, err
	}
	blocks, err := blockFiles(streams, m.Stream)
	return m, blocks, err
}

// CheckSealed does what Check does, with the seals as a second mark: what has
// one was acknowledged. Without subjects that are wanted a store that ended
// cleanly is taken by its size; with them all of it is read, and foreign is told
// of their events that are not what was acknowledged.
func (s *Seals) CheckSealed(streams string, wants func(subject []byte) bool, foreign func(subject string, why error)) error {
	m, blocks, err := s.blocks(streams)
	if err != nil || m.Stream == "" {
		return err
	}
	if wants == nil && m.clean >= 0 && m.Last == s.mark.Last {
		if n, err := size(blocks); err == nil && n == m.clean {
			return nil
		}
	}
	if wants == nil {
		wants = func([]byte) bool { return false }
	}
	type bad struct {
		subject string
		why     error
	}
	prove := func(list []Record) (out []bad) {
		for _, r := range list {
			if err := s.Prove(r.Receipt(m.Stream)); err != nil {
				out = append(out, bad{r.Subject, fmt.Errorf("position %d: %w", r.Position, err)})
			}
		}
		return out
	}
	return replay(s, m, blocks, wants, prove, func(list []bad) error {
		for _, b := range list {
			foreign(b.subject, b.why)
		}
		return nil
	})
}

// ReplaySealed does what Replay does, with the seals as a second mark. The seal
// of a record is for work to prove.
func ReplaySealed[T any](s *Seals, streams string, work func([]Record) T, take func(T) error) error {
	m, blocks, err := s.blocks(streams)
	if err != nil || m.Stream == "" {
		return err
	}
	return replay(s, m, blocks, nil, work, take)
}

// replay scans a whole store, and forgets the seals of what a power cut took
// from its end: other events will stand there.
func replay[T any](s *Seals, m state, blocks []string, wants func([]byte) bool, work func([]Record) T, take func(T) error) error {
	type made struct {
		made T
		last uint64
	}
	var last uint64
	err := scan(m, blocks, wants, func(b block) made { return made{work(b.records), b.last} }, func(x made) error {
		last = max(last, x.last)
		return take(x.made)
	})
	if err == nil {
		err = s.InPlace()
	}
	if err != nil || !s.write || !m.weak || s.found.boot == s.boot {
		return err
	}
	s.mu.Lock()
	s.at.Last = min(s.at.Last, last)
	s.mu.Unlock()
	if err := s.file.cut(int64(last)); err != nil {
		return fmt.Errorf("forget lost seals: %w", err)
	}
	return nil
}

// Seal seals what a store holds as it is, and marks all of it: a generation that
// was just made, or one whose seals are lost and whose chain was proven. The key
// is kept if there is one. Nobody may have the store open.
func Seal(n Names, streams, stream, boot string) error {
	return sealAll(n, streams, boot, state{}, stream)
}

// sealAll seals a store that holds at least what m marks.
func sealAll(n Names, streams, boot string, m state, stream string) error {
	keys, err := makeKey(n.Key)
	if err != nil {
		return err
	}
	m.Stream = stream
	blocks, err := blockFiles(streams, stream)
	if err != nil {
		return err
	}
	tmp, err := os.OpenFile(n.Seals+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("make seals: %w", err)
	}
	w := bufio.NewWriterSize(tmp, 1<<18)
	var last uint64
	err = scan(m.after(boot), blocks, nil, func(b block) []byte {
		out := make([]byte, 0, len(b.records)*sealBytes)
		for _, r := range b.records {
			c := r.Receipt(stream)
			s := keys.of(stream, c.Position, c.Subject, c.Hash)
			out = append(out, s[:]...)
		}
		return out
	}, func(b []byte) error {
		last += uint64(len(b) / sealBytes)
		_, err := w.Write(b)
		return err
	})
	if err = errors.Join(err, w.Flush(), tmp.Sync(), tmp.Close()); err != nil {
		return errors.Join(fmt.Errorf("make seals: %w", err), os.Remove(tmp.Name()))
	}
	if err := os.Rename(tmp.Name(), n.Seals); err != nil {
		return fmt.Errorf("make seals: %w", err)
	}
	to := Position{stream, last}
	if err := writeMark(n.Mark, to, boot); err != nil {
		return err
	}
	return checkpoint{to, true, boot}.write(n.Sealed, keys)
}

// writeMark makes a mark that survives a power cut.
func writeMark(path string, to Position, boot string) error {
	line, err := markLine(to, -1, false, boot)
	if err == nil {
		err = durable.Replace(path, line)
	}
	if err != nil {
		return fmt.Errorf("write mark: %w", err)
	}
	return nil
}

// Marked is up to where the store must be whole.
func (s *Seals) Marked() (Position, error) {
	m, err := s.marked()
	return m.Position, err
}

// NeverSealed says that a store never had any seals, as far as can be told.
func NeverSealed(n Names, streams string) bool {
	m, err := readMark(n.Mark)
	stream, _ := latestStream(streams) // none is the first
	return err == nil && m.unsealed(n) && !rolled(stream)
}

// rolled says that a stream is of a later generation. Only a store that was sealed
// is ever rolled.
func rolled(stream string) bool {
	g, ok := log.Generation(stream)
	return ok && g > 1
}
