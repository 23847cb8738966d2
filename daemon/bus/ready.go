package bus

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"

	"autopilot/events/place"
	"autopilot/events/wire"
)

// Starter is whoever started this daemon and waits to hear how that went.
type Starter struct{ pipe *os.File }

// FindStarter takes over the pipe that this process was started with. It is to
// be called once, before any child is started: until then the descriptor would
// be handed on, and the starter would wait for the child.
func FindStarter() *Starter {
	fd, err := strconv.Atoi(os.Getenv(place.EnvReady))
	_ = os.Unsetenv(place.EnvReady)
	if err != nil || fd < 3 {
		return &Starter{}
	}
	unix.CloseOnExec(fd)
	return &Starter{pipe: os.NewFile(uintptr(fd), "ready")}
}

// Tell says that the daemon serves, or the error that ends it. Only the first
// call counts; without a starter it does nothing.
func (s *Starter) Tell(err error) error {
	if s.pipe == nil {
		return nil
	}
	pipe := s.pipe
	s.pipe = nil
	b, encodeErr := json.Marshal(outcome(err))
	if encodeErr != nil {
		return errors.Join(fmt.Errorf("encode readiness: %w", encodeErr), pipe.Close())
	}
	_, writeErr := pipe.Write(b)
	return errors.Join(writeErr, pipe.Close())
}

func outcome(err error) *wire.Error {
	switch e, ok := errors.AsType[*wire.Error](err); {
	case err == nil:
		return &wire.Error{Code: wire.OK}
	case ok:
		return e
	case errors.Is(err, ErrLocked):
		return wire.Errorf(wire.Conflict, "%v", err)
	}
	return wire.Errorf(wire.Failed, "%v", err)
}
