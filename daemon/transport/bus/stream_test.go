package bus

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"autopilot/daemon/auth"
	"autopilot/events/wire"
)

// endless is a stream that never ends by itself and says how it was ended.
func endless(sent *atomic.Int64, ended chan<- error) map[string]Handler {
	return map[string]Handler{wire.RunEvents.Name: func(ctx context.Context, _ auth.Request, _ []byte, r *Reply) error {
		payload := make([]byte, 100<<10)
		for {
			if err := r.Send(ctx, payload); err != nil {
				ended <- err
				return err
			}
			sent.Add(1)
		}
	}}
}

func (c *rawClient) credit(t *testing.T, q string) {
	t.Helper()
	if err := c.Publish(wire.CommandSubject(c.name, wire.Credit), []byte(q)); err != nil {
		t.Fatal(err)
	}
}

func TestAStreamSendsWhatItHasCreditFor(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	ended := make(chan error, 1)
	b := openBus(t, nil, endless(&sent, ended))
	c := mustDial(t, b.cfg.Places.Socket)
	sub, err := c.begin(wire.RunEvents.Spec, "s", "")
	if err != nil {
		t.Fatal(err)
	}
	read := func(n int) {
		t.Helper()
		for range n {
			if f, err := nextFrame(sub); err != nil || f.Last() {
				t.Fatalf("got %+v, %v", f.Code, err)
			}
		}
	}
	read(wire.InitialCredit)
	c.credit(t, `{"request":"s","frames":3}`)
	read(3)
	// More than the first credit is never outstanding, whatever a client asks.
	c.credit(t, `{"request":"s","frames":1000000}`)
	read(wire.InitialCredit)
	c.credit(t, `{"request":"s","frames":-5}`)
	c.credit(t, `{"request":"other","frames":5}`)
	c.credit(t, `garbage`)
	c.credit(t, `{"request":"s","end":true}`)
	if err := await(t, ended, "the end of the stream"); !errors.Is(err, errClientEnded) {
		t.Errorf("ended with %v", err)
	}
	if n := sent.Load(); n != 2*wire.InitialCredit+3 {
		t.Errorf("%d frames were sent", n)
	}
}

func TestAStreamWithoutCreditEnds(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	ended := make(chan error, 1)
	b := openBus(t, func(c *Config) { c.CreditTimeout = 10 * time.Millisecond }, endless(&sent, ended))
	c := mustDial(t, b.cfg.Places.Socket)
	_, err := c.ask(t, wire.RunEvents.Spec, "s", "")
	if code(err) != wire.TimedOut {
		t.Errorf("got %v, want timed-out", err)
	}
	if err := await(t, ended, "the handler"); code(err) != wire.TimedOut {
		t.Errorf("the handler saw %v", err)
	}
	if n := sent.Load(); n != wire.InitialCredit {
		t.Errorf("%d frames were sent", n)
	}
}

func TestAStreamEndsWithItsClient(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	ended := make(chan error, 1)
	b := openBus(t, nil, endless(&sent, ended))
	k := openTalk(t, b.cfg.Places.Socket)
	name := newName(t)
	k.hello(t, name)
	k.say(t, fmt.Sprintf("SUB _INBOX.%[1]s.1 1\r\nHPUB ap.cmd.%[1]s.run.events _INBOX.%[1]s.1 27 27\r\nNATS/1.0\r\nAp-Request: s\r\n\r\n\r\n", name))
	// It reads nothing and dies: the handler hears of it at once.
	for sent.Load() == 0 {
		select {
		case err := <-ended:
			t.Fatal(err)
		case <-time.After(time.Millisecond):
		}
	}
	_ = k.Close()
	if err := await(t, ended, "the end of the stream"); !errors.Is(err, ErrClientGone) {
		t.Errorf("ended with %v", err)
	}
}

func TestAStreamObjectHasToFit(t *testing.T) {
	t.Parallel()
	b := openBus(t, nil, map[string]Handler{wire.RunEvents.Name: func(ctx context.Context, _ auth.Request, _ []byte, r *Reply) error {
		err := r.Send(ctx, make([]byte, wire.MaxFrame+1))
		if !errors.Is(err, ErrFrameTooLarge) {
			t.Errorf("got %v", err)
		}
		return r.JSON(ctx, map[string]int{"n": 1})
	}})
	c := mustDial(t, b.cfg.Places.Socket)
	if got, err := c.ask(t, wire.RunEvents.Spec, "s", ""); err != nil || got != `{"n":1}` {
		t.Errorf("got %q, %v", got, err)
	}
}
