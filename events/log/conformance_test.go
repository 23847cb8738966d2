package log_test

import (
	"testing"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/log/logtest"
)

func TestMemoryConforms(t *testing.T) {
	t.Parallel()
	logtest.Run(t, func(_ *testing.T, c logtest.Config) logtest.Place {
		var faults log.Faults
		asked := &relay{}
		m := log.NewMemory(log.MemoryConfig{
			Quota: c.Quota, Reserve: c.Reserve, Witness: asked,
			Faults: func(e events.Event, attempt int) log.Fault {
				if faults == nil {
					return log.FaultNone
				}
				return faults(e, attempt)
			},
		})
		return logtest.Place{
			Open:    func(*testing.T) log.Log { return m },
			Restart: func(*testing.T) {},
			Fail:    func(f log.Faults) { faults = f },
			Witness: func(w log.Witness) { asked.to = w },
		}
	})
}

// relay is a witness that may be chosen late.
type relay struct{ to log.Witness }

func (r *relay) Appending(c log.Receipt) {
	if r.to != nil {
		r.to.Appending(c)
	}
}

func (r *relay) Stored(c log.Receipt) {
	if r.to != nil {
		r.to.Stored(c)
	}
}

func (r *relay) Refused(c log.Receipt) {
	if r.to != nil {
		r.to.Refused(c)
	}
}

func (r *relay) Prove(c log.Receipt) error {
	if r.to == nil {
		return nil
	}
	return r.to.Prove(c)
}

func TestStreamConforms(t *testing.T) {
	t.Parallel()
	logtest.Run(t, streamPlace(func(*log.Stream) {}))
}

func TestStreamConformsWhenItReadsAsInACluster(t *testing.T) {
	t.Parallel()
	logtest.Run(t, streamPlace((*log.Stream).ReadAsInACluster))
}

func streamPlace(opened func(*log.Stream)) func(*testing.T, logtest.Config) logtest.Place {
	return func(t *testing.T, c logtest.Config) logtest.Place {
		s := startServer(t, true)
		var faults log.Faults
		var witness log.Witness
		return logtest.Place{
			Open: func(t *testing.T) log.Log {
				l := s.open(t, log.Config{Quota: c.Quota, Reserve: c.Reserve, Witness: witness})
				if faults != nil {
					l.Fail(faults)
				}
				opened(l)
				return l
			},
			Restart: func(t *testing.T) {
				s.stop()
				s.start(t)
			},
			Fail:    func(f log.Faults) { faults = f },
			Witness: func(w log.Witness) { witness = w },
		}
	}
}
