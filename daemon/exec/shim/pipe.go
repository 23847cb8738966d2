package shim

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/redact"
	"autopilot/daemon/exec/spool"
)

// readSize is what one read takes from a pipe; half a pipe keeps the writer
// going meanwhile.
const readSize = 32 << 10

// pipe is one stream of the program on its way into a spool.
type pipe struct {
	name   string
	from   *os.File
	to     *spool.Writer
	hidden int           // secrets that were kept out; to read when closed
	closed chan struct{} // the reader has ended
}

// openPipe makes a spool and the pipe before it, and returns the end for the
// program.
func (s *supervisor) openPipe(name string) (int, error) {
	head, tail := s.spec.bounds()
	w, err := spool.Create(s.dir, name, head, tail)
	if err != nil {
		return -1, err
	}
	var fds [2]int
	if err := makePipe(&fds); err != nil {
		w.Close()
		return -1, fmt.Errorf("make pipe: %w", err)
	}
	// Only our end: the program must find a pipe that blocks.
	if err := unix.SetNonblock(fds[0], true); err != nil {
		w.Close()
		unix.Close(fds[0])
		unix.Close(fds[1])
		return -1, fmt.Errorf("make pipe: %w", err)
	}
	p := &pipe{name: name, from: os.NewFile(uintptr(fds[0]), name), to: w, closed: make(chan struct{})}
	s.pipes = append(s.pipes, p)
	return fds[1], nil
}

// drain copies until the last writer has closed the pipe or closePipes gives
// up on it. What is in the set never gets to the spool. What is held back until
// it is decided counts as output when it was read, for the limit of silence.
func (s *supervisor) drain(p *pipe, set *redact.Set) {
	defer close(p.closed)
	w := set.Writer(p.to.Append)
	defer func() {
		w.Close()
		p.hidden = w.Count()
	}()
	buf := make([]byte, readSize)
	for {
		n, err := p.from.Read(buf)
		if n > 0 {
			s.last.Store(int64(time.Since(s.start.mono)))
			_, _ = w.Write(buf[:n]) // it has no errors; those of the spool are in Err
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, os.ErrDeadlineExceeded) {
				p.to.Fail(fmt.Errorf("read %s: %w", p.name, err))
			}
			return
		}
	}
}

// pipesDone says whether every stream has come to its end.
func (s *supervisor) pipesDone() bool { return s.anyPipe() == nil }

// anyPipe returns what is closed at the end of a stream that is still open,
// nil without one.
func (s *supervisor) anyPipe() <-chan struct{} {
	for _, p := range s.pipes {
		select {
		case <-p.closed:
		default:
			return p.closed
		}
	}
	return nil
}

// closePipes takes what is in the pipes and ends the readers, also when a
// process that is not ours to end still holds one.
func (s *supervisor) closePipes() {
	limit := time.Now().Add(lingerSilence)
	for _, p := range s.pipes {
		if err := p.from.SetReadDeadline(limit); err != nil {
			p.from.Close()
		}
		<-p.closed
		p.from.Close()
		p.to.Close() // its errors are those of its writes, which Err has
		s.exit.Bytes += p.to.Total()
		s.exit.Redacted += p.hidden
		s.exit.Truncated = s.exit.Truncated || p.to.Truncated()
		if err := p.to.Err(); err != nil && s.exit.Error == "" {
			s.exit.Error = err.Error()
		}
	}
	s.pipes = nil
}
