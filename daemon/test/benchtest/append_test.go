package benchtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"autopilot/daemon/auth"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/place"
)

// manyRuns is how many aggregates take turns, as live runs do.
const manyRuns = 64

// appends measures an append to the log, encoding, mark and seals included, on the
// daemon's own server. The floor is a conditional publish of as many bytes to an equal
// stream of the same server.
func (b *bench) appends(t *table) error {
	for _, c := range []struct {
		durability bus.Durability
		n          int
		goal       float64
	}{{bus.Power, 1500, 1.15}, {bus.Process, 15000, 1.5}} {
		floor, ours, err := b.appendsWith(c.durability, c.n)
		if err != nil {
			return fmt.Errorf("append with durability %s: %w", c.durability, err)
		}
		t.ratio(fmt.Sprintf("append, durability %s, p50", c.durability), median(floor), median(ours), c.goal)
	}
	return nil
}

func (b *bench) appendsWith(d bus.Durability, n int) (floor, ours []time.Duration, err error) {
	p, err := b.places(filepath.Join(b.dir, "append-"+string(d)))
	if err != nil {
		return nil, nil, err
	}
	lock, err := bus.Lock(p, "bench")
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	s, err := bus.Open(bus.Config{
		Places: p, Lock: lock, Durability: d, Version: "bench", Host: "bench", Log: slog.New(slog.DiscardHandler),
		Identify: func(int, int) auth.Identity { return auth.Identity{Kind: auth.KindLocal} },
	})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, s.Close(context.Background())) }()
	nc, err := s.Daemon()
	if err != nil {
		return nil, nil, err
	}
	cfg, end, err := witnessed(p, d)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, end()) }()
	a, err := newAppending(nc, cfg)
	if err != nil {
		return nil, nil, err
	}
	return turns(n, a.publish, a.append)
}

// witnessed keeps mark and seals as the daemon does.
func witnessed(p place.Places, d bus.Durability) (cfg log.Config, end func() error, err error) {
	boot, err := proc.Boot()
	if err != nil {
		return cfg, nil, err
	}
	seals, err := filestore.OpenSeals(filestore.NamesIn(p.State), filestore.StreamsIn(p.State), boot)
	if err != nil {
		return cfg, nil, err
	}
	mark, err := filestore.OpenMark(p.MarkFile(), d == bus.Process, boot)
	if err != nil {
		return cfg, nil, errors.Join(err, seals.Close(0))
	}
	mark.Ease()
	var failed atomic.Pointer[error]
	seals.Failed = func(err error) { failed.Store(&err) }
	cfg.Witness = seals
	cfg.Acknowledged = func(stream string, position uint64) {
		if err := mark.Set(filestore.Position{Stream: stream, Last: position}); err != nil {
			failed.Store(&err)
		}
	}
	return cfg, func() error {
		err := errors.Join(mark.Close(-1), seals.Close(0))
		if f := failed.Load(); f != nil {
			err = errors.Join(err, *f)
		}
		return err
	}, nil
}

// appending is a log and a stream like the log's.
type appending struct {
	log  *log.Stream
	runs [manyRuns]events.Event
	i    int

	js    jetstream.JetStream
	last  [manyRuns]uint64
	raw   int
	bytes []byte // of the latest event
}

func newAppending(nc *nats.Conn, cfg log.Config) (a *appending, err error) {
	ctx := context.Background()
	a = &appending{}
	const quota = 256 << 20
	cfg.Quota = quota
	if a.log, err = log.Open(ctx, nc, cfg); err != nil {
		return nil, err
	}
	if a.js, err = jetstream.New(nc); err != nil {
		return nil, err
	}
	_, err = a.js.CreateStream(ctx, jetstream.StreamConfig{
		Name: "FLOOR", Subjects: []string{"ap.floor.>"}, Storage: jetstream.FileStorage,
		MaxBytes: quota, Discard: jetstream.DiscardNew, DenyDelete: true, DenyPurge: true,
	})
	if err != nil {
		return nil, err
	}
	for i := range a.runs {
		a.runs[i] = judged(fmt.Sprintf("01J%023d", i))
	}
	a.bytes, err = events.Encode(a.runs[0])
	return a, err
}

func (a *appending) append() (time.Duration, error) {
	e := &a.runs[a.i%manyRuns]
	a.i++
	var st log.Stored
	d, err := took(func() (err error) {
		st, err = a.log.Append(context.Background(), *e, log.Ordinary)
		return err
	})
	e.Seq, e.PrevHash, a.bytes = e.Seq+1, st.Hash, st.Bytes
	return d, err
}

func (a *appending) publish() (time.Duration, error) {
	run := a.raw % manyRuns
	a.raw++
	subject := fmt.Sprintf("ap.floor.run.01J%023d", run)
	var ack *jetstream.PubAck
	d, err := took(func() (err error) {
		ack, err = a.js.Publish(context.Background(), subject, a.bytes, jetstream.WithExpectLastSequencePerSubject(a.last[run]))
		return err
	})
	if err == nil {
		a.last[run] = ack.Sequence
	}
	return d, err
}

// judged is as large as an ordinary iteration's gates.judged.v1.
func judged(run string) events.Event {
	sum := events.Ref(events.Hash([]byte(run)))
	tree := events.Tree(sum[:40])
	return events.Event{
		ID: run, Source: "autopilot/3f786850e387550f", Aggregate: events.Run(run),
		Time: time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC), Seq: 1,
		Actor: events.ActorDaemon("3f786850e387550f"),
		Data: events.GatesJudged{
			Phase: "work", Iteration: 3, Tree: tree, Work: tree,
			Results: []events.GateResult{{
				Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Fail,
				Reason: events.ReasonExit, Exit: 1, DurationMS: 8123, Failing: 3, FailingIDs: sum,
				FailingSum: string(sum), OutputSum: string(sum), Excerpt: sum, Effect: run,
				Argv: string(sum), Env: string(sum), Tool: string(sum),
			}},
		},
	}
}
