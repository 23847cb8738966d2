package roll

import (
	"bufio"
	"errors"
	"iter"
	"os"

	"autopilot/events/log"
)

// spill keeps the events of runs apart that are mixed in the log, in a file.
type spill struct {
	f    *os.File
	w    *bufio.Writer
	n    int64
	runs map[string][]span
}

// span is where an event is.
type span struct {
	at   int64
	size int32
}

func newSpill(path string) (*spill, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &spill{f: f, w: bufio.NewWriterSize(f, 1<<18), runs: map[string][]span{}}, nil
}

func (s *spill) add(subject string, body []byte) error {
	s.runs[subject] = append(s.runs[subject], span{s.n, int32(len(body))})
	s.n += int64(len(body))
	_, err := s.w.Write(body)
	return err
}

// events are those of a run, as a log gives them.
func (s *spill) events(stream, subject string) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) {
		if err := s.w.Flush(); err != nil {
			yield(log.Stored{}, err)
			return
		}
		for i, at := range s.runs[subject] {
			b := make([]byte, at.size)
			if _, err := s.f.ReadAt(b, at.at); err != nil {
				yield(log.Stored{}, err)
				return
			}
			if !yield(log.StoredAt(stream, uint64(i+1), subject, b)) {
				return
			}
		}
	}
}

func (s *spill) close() error { return errors.Join(s.f.Close(), os.Remove(s.f.Name())) }
