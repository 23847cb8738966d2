package bus

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
)

// serverLog passes on what the server has to say from warnings upwards.
type serverLog struct {
	log      *slog.Logger
	breaches seldom // of clients

	mu    sync.Mutex
	fatal error // the first one
}

func (l *serverLog) failed() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fatal
}

// Fatalf does not end the process: whoever started the server asks failed.
func (l *serverLog) Fatalf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.mu.Lock()
	if l.fatal == nil {
		l.fatal = errors.New(text)
	}
	l.mu.Unlock()
	l.log.Error("event server", "text", text)
}

// Errorf also tells what clients were refused, as often as they ask for it.
func (l *serverLog) Errorf(format string, v ...any) {
	if strings.Contains(format, "Violation") {
		if missed, ok := l.breaches.say(); ok {
			l.log.Warn("refused to a client", "text", fmt.Sprintf(format, v...), "others", missed)
		}
		return
	}
	l.log.Error("event server", "text", fmt.Sprintf(format, v...))
}

func (l *serverLog) Warnf(format string, v ...any) {
	l.log.Warn("event server", "text", fmt.Sprintf(format, v...))
}

func (l *serverLog) Noticef(string, ...any) {}
func (l *serverLog) Debugf(string, ...any)  {}
func (l *serverLog) Tracef(string, ...any)  {}

// seldom keeps who is not let in from filling the log.
type seldom struct {
	every time.Duration
	now   func() time.Time

	mu     sync.Mutex
	last   time.Time
	missed int
}

// say says that a line may be written, and how many were not since the last.
func (s *seldom) say() (missed int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if now.Sub(s.last) < s.every {
		s.missed++
		return 0, false
	}
	missed, s.missed, s.last = s.missed, 0, now
	return missed, true
}
