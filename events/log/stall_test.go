package log

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/nats-io/nats.go/jetstream"

	"autopilot/events"
)

// silent is a server whose consumers have messages and send none.
type silent struct {
	conn
	asked func(position uint64) (message, error)
}

func (s silent) consume(context.Context, string, start) (jetstream.Consumer, error) {
	return silentConsumer{}, nil
}

func (s silent) next(_ context.Context, _ string, position uint64) (message, error) {
	return s.asked(position)
}

func (silent) release(jetstream.Consumer) {}
func (silent) replicated() bool           { return false }
func (silent) closed() bool               { return false }

type silentConsumer struct{ jetstream.Consumer }

func (silentConsumer) CachedInfo() *jetstream.ConsumerInfo {
	return &jetstream.ConsumerInfo{NumPending: 2}
}

func (silentConsumer) Messages(...jetstream.PullMessagesOpt) (jetstream.MessagesContext, error) {
	return &silentMessages{}, nil
}

type silentMessages struct{ jetstream.MessagesContext }

func (*silentMessages) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	return nil, context.DeadlineExceeded
}

func (*silentMessages) Stop() {}

// A busy host may be silent for longer than anybody waits: only a server that answers and
// has nothing shows damage.
func TestAServerThatIsSilentIsAskedBeforeItsStoreIsCalledDamaged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		asked func(position uint64) (message, error)
		want  message
		err   string
	}{
		"it has the message": {func(p uint64) (message, error) { return message{subject: "s", position: p + 2, body: []byte("x")}, nil }, message{subject: "s", position: 9, body: []byte("x")}, ""},
		"it has none":        {func(uint64) (message, error) { return message{}, errNoMessage }, message{}, "nothing can be read behind position 6, so the store is damaged there"},
		"it does not answer": {func(uint64) (message, error) { return message{}, context.DeadlineExceeded }, message{}, "the store stopped answering: context deadline exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := reader{s: &Stream{conn: silent{asked: c.asked}}, subject: events.Run("a").Subject(), next: 7}
				got, err := r.message(t.Context())
				if c.err == "" {
					if err != nil || got.position != c.want.position || r.next != 10 {
						t.Errorf("%+v, next %d: %v", got, r.next, err)
					}
					return
				}
				if err == nil || err.Error() != c.err || errors.Is(err, errNoMessage) {
					t.Errorf("error %v, want %s", err, c.err)
				}
			})
		})
	}
}
