package bus

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"autopilot/events/wire"
)

// Of one identity so many lines a second are passed on, and so many at once.
const (
	paceEvery = 2 * time.Millisecond
	paceBurst = 500
	paceBytes = 16 << 10 // count as one more
)

// edge is what a connection over the network passes on its way in. The client
// writes to ap.cmd.<identity>.<verb>; within, each connection has a name of its
// own in that place, so that what it asked ends with it.
type edge struct {
	identity string
	client   string
	pace     *pace
	ctx      context.Context
}

// discovery are the subjects by which NATS clients find services.
func discovery() []string {
	var out []string
	for _, verb := range []string{"PING", "INFO", "STATS"} {
		out = append(out, "$SRV."+verb, "$SRV."+verb+".>")
	}
	return out
}

func (e edge) permissions() *server.Permissions {
	return only(append(discovery(), wire.Commands(e.client)), []string{wire.Inbox(e.identity) + ".>"})
}

// pass is how a line is passed on. The server does not look where an answer
// shall go, and services answer discovery by themselves, so it is looked at
// here: what asks for an answer to another inbox becomes a message to there.
func (e edge) pass(c control, line []byte) ([]byte, error) {
	if err := e.pace.wait(e.ctx, 1+max(0, c.size)/paceBytes); err != nil {
		return nil, err
	}
	subject, reply, ok := c.publishes()
	if !ok {
		return line, nil
	}
	if len(reply) > 0 && !wire.OwnReply(e.identity, string(reply)) {
		return rewritten(c, string(reply), c.args[2:]) // which the server refuses, by that name
	}
	verb, mine := strings.CutPrefix(string(subject), strings.TrimSuffix(wire.Commands(e.identity), ">"))
	if !mine {
		return line, nil // the server refuses all but discovery
	}
	return rewritten(c, wire.CommandSubject(e.client, wire.Spec{Name: verb}), c.args[1:])
}

// rewritten is a line with another subject.
func rewritten(c control, subject string, rest [][]byte) ([]byte, error) {
	args := append([][]byte{[]byte(c.op), []byte(subject)}, rest...)
	line := append(bytes.Join(args, []byte(" ")), "\r\n"...)
	if len(line) > maxLine {
		return nil, fmt.Errorf("%w: line over %d bytes", errProtocol, maxLine)
	}
	return line, nil
}

// pace lets one through every so often, and a burst after a rest.
type pace struct {
	every time.Duration
	burst int

	mu   sync.Mutex
	next time.Time // when the burst is used up to nothing
}

// wait returns when the caller may go on with n of them.
func (p *pace) wait(ctx context.Context, n int) error {
	d := p.take(time.Now(), n)
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// take is how long the caller has to wait.
func (p *pace) take(now time.Time, n int) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	if rested := now.Add(-time.Duration(p.burst) * p.every); p.next.Before(rested) {
		p.next = rested
	}
	p.next = p.next.Add(time.Duration(n) * p.every)
	return p.next.Sub(now)
}
