package log

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"autopilot/events"
)

// answer is what a scripted server says: to a publish a position or an error,
// to a look-up whose event is in the place.
type answer struct {
	position uint64
	err      error
	there    string // "ours", "theirs" or nothing
}

// scripted gives its answers in turn, and fails the test when it is asked for
// more.
type scripted struct {
	conn
	t       *testing.T
	publish []answer
	lookup  []answer
	ours    []byte
}

func (s *scripted) take(from *[]answer, what string) answer {
	if len(*from) == 0 {
		s.t.Errorf("one %s too many", what)
		return answer{err: errors.New("script is over")}
	}
	a := (*from)[0]
	*from = (*from)[1:]
	return a
}

type scriptedConn struct{ *scripted }

func (s scriptedConn) publish(_ context.Context, _ string, _ uint64, body []byte) (uint64, error) {
	s.ours = body
	a := s.take(&s.scripted.publish, "publish")
	return a.position, a.err
}

func (s scriptedConn) next(_ context.Context, subject string, position uint64) (message, error) {
	a := s.take(&s.lookup, "look-up")
	switch {
	case a.err != nil:
		return message{}, a.err
	case a.there == "ours":
		return message{subject: subject, position: position + 40, body: s.ours}, nil
	case a.there == "theirs":
		return message{subject: subject, position: position + 40, body: []byte("{}")}, nil
	}
	return message{}, errNoMessage
}

func (scriptedConn) last(context.Context, string) (message, error) { return message{}, errNoMessage }

func (scriptedConn) closed() bool { return false }

func TestAnAppendTakesEveryAnswerForWhatItIs(t *testing.T) {
	t.Parallel()
	lost := answer{err: context.DeadlineExceeded}
	stored := answer{position: 7}
	nothing, ours, theirs := answer{}, answer{there: "ours"}, answer{there: "theirs"}
	code := func(n int, text string) answer { return answer{err: &refusal{ErrCode: n, Description: text}} }
	full := code(codeStoreFailed, "maximum bytes exceeded")
	tooBig := code(10054, "message size exceeds maximum allowed")
	for name, c := range map[string]struct {
		publish, lookup []answer
		want            error
	}{
		"stored":                             {[]answer{stored}, nil, nil},
		"conflict":                           {[]answer{code(codeWrongLast, "wrong last sequence: 9")}, []answer{theirs}, ErrConflict},
		"conflict in a cluster":              {[]answer{code(codeWrongLastConst, "wrong last sequence")}, []answer{theirs}, ErrConflict},
		"conflict with itself":               {[]answer{code(codeWrongLast, "wrong last sequence: 9")}, []answer{ours}, nil},
		"in flight, then found":              {[]answer{code(codeInProcess, "in process")}, []answer{ours}, nil},
		"in flight, then stored":             {[]answer{code(codeInProcess, "in process"), stored}, []answer{nothing}, nil},
		"reply lost":                         {[]answer{lost}, []answer{ours}, nil},
		"request lost":                       {[]answer{lost, stored}, []answer{nothing}, nil},
		"late, and the second is a conflict": {[]answer{lost, code(codeWrongLast, "wrong last sequence: 9")}, []answer{nothing, ours}, nil},
		"late, and the second finds it full": {[]answer{lost, full}, []answer{nothing, ours}, nil},
		"lost, and the second finds it full": {[]answer{lost, full}, []answer{nothing, nothing}, ErrFull},
		"lost every time":                    {[]answer{lost, lost, lost}, []answer{nothing, nothing, nothing}, ErrUnavailable},
		"nobody to ask":                      {[]answer{lost}, []answer{lost, lost, lost}, ErrUnavailable},
		"asked twice":                        {[]answer{lost}, []answer{lost, ours}, nil},
		"no room in the stream":              {[]answer{full}, nil, ErrFull},
		"no room in the account":             {[]answer{code(codeInsufficient, "insufficient resources")}, nil, ErrFull},
		"no room in the store":               {[]answer{code(codeStorage, "insufficient storage resources available")}, nil, ErrFull},
		"refused for good":                   {[]answer{tooBig}, nil, tooBig.err},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := &scripted{t: t, publish: c.publish, lookup: c.lookup}
			cfg := Config{Quota: 1 << 20, AckTimeout: time.Minute}
			s := &Stream{
				conn: scriptedConn{script}, generation: 1, cfg: cfg,
				room: newRoom(cfg, jetstream.StreamState{}), tails: newTails(),
			}
			_, err := s.Append(t.Context(), events.Event{
				ID: "1", Aggregate: events.Run("a"), Seq: 1, Time: time.Unix(1, 0), Data: events.RunResumed{},
			}, Ordinary)
			if !errors.Is(err, c.want) {
				t.Errorf("append answered %v, want %v", err, c.want)
			}
			if len(script.publish)+len(script.lookup) > 0 {
				t.Errorf("answers are left: %d, %d", len(script.publish), len(script.lookup))
			}
		})
	}
}
