package benchtest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"autopilot/daemon/auth"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/place"
)

// The size that the daemon is built for, and how many runs take turns in it.
const (
	storeRuns   = 10_000
	storeEvents = 1_000_000
	storeTurns  = 1_000
)

// benchQuota bounds the stores of the bench.
const benchQuota = 4 << 30

// withServer opens the daemon's own server on a state directory.
func withServer(p place.Places, d bus.Durability, use func(*nats.Conn) error) (err error) {
	lock, err := bus.Lock(p, "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	s, err := bus.Open(bus.Config{
		Places: p, Lock: lock, Durability: d, Quota: benchQuota, Version: "bench", Host: "bench",
		Log:      slog.New(slog.DiscardHandler),
		Identify: func(int, int) auth.Identity { return auth.Identity{Kind: auth.KindLocal} },
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close(context.Background())) }()
	nc, err := s.Daemon()
	if err != nil {
		return err
	}
	return use(nc)
}

// openLog opens the log as the daemon does.
func openLog(nc *nats.Conn) (*log.Stream, error) {
	return log.Open(context.Background(), nc, log.Config{Quota: benchQuota - benchQuota/16, Reserve: benchQuota / 64})
}

// filler adds finished runs to a log, quicker than the log does: it knows where
// each event will be stored, so it waits for nothing.
type filler struct {
	js   jetstream.JetStream
	next uint64 // position of the next event
	runs int    // that are in the store
}

// fill adds runs with so many events each.
func (f *filler) fill(nc *nats.Conn, runs, each int) error {
	l, err := openLog(nc)
	if err != nil {
		return err
	}
	u, err := l.Usage(context.Background())
	if err != nil {
		return err
	}
	f.next = u.Events + 1
	if f.js, err = jetstream.New(nc, jetstream.WithPublishAsyncMaxPending(4096)); err != nil {
		return err
	}
	for runs > 0 {
		n := min(runs, storeTurns)
		if err := f.turns(n, each); err != nil {
			return err
		}
		runs -= n
	}
	<-f.js.PublishAsyncComplete()
	if u, err = l.Usage(context.Background()); err == nil && u.Events != f.next-1 {
		err = fmt.Errorf("fill a store: %d events are there, not %d", u.Events, f.next-1)
	}
	return err
}

// turns adds runs that take turns.
func (f *filler) turns(runs, each int) error {
	type end struct {
		position uint64
		hash     string
	}
	ends := make([]end, runs)
	for seq := 1; seq <= each; seq++ {
		for i := range ends {
			e := played(f.runs+i, seq, each)
			e.PrevHash = ends[i].hash
			body, err := events.Encode(e)
			if err != nil {
				return err
			}
			msg := &nats.Msg{Subject: e.Aggregate.Subject(), Data: body, Header: nats.Header{
				jetstream.ExpectedLastSubjSeqHeader: {strconv.FormatUint(ends[i].position, 10)},
			}}
			if _, err := f.js.PublishMsgAsync(msg); err != nil {
				return err
			}
			ends[i] = end{f.next, events.Hash(body)}
			f.next++
		}
	}
	f.runs += runs
	return nil
}

// texts are how many there are for all events.
const storeTexts = 1000

// textOf is the name of a text.
func textOf(i int) events.Ref { return blob.Name(strconv.AppendInt(nil, int64(i%storeTexts), 10)) }

// texts stores them.
func texts(state string) error {
	s, err := blob.Open(filepath.Join(state, "blobs"), blob.Process)
	for i := 0; i < storeTexts && err == nil; i++ {
		_, err = s.Put(context.Background(), strconv.AppendInt(nil, int64(i), 10))
	}
	return err
}

// runID names a run of the filler.
func runID(i int) string { return fmt.Sprintf("01J%023d", i) }

// played is an event of a run whose gate never passes, until it is cancelled.
func played(i, seq, last int) events.Event {
	id := runID(i)
	sum, text := events.Ref(events.Hash(strconv.AppendInt(nil, int64(i*1000+seq), 10))), textOf(i+seq)
	e := events.Event{
		ID: id, Source: "autopilot/3f786850e387550f", Aggregate: events.Run(id), Seq: uint64(seq),
		Time:  time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC).Add(time.Duration(seq) * time.Minute),
		Actor: events.ActorDaemon("3f786850e387550f"),
	}
	tree, k := events.Tree(sum[:40]), (seq-4)/5+1
	switch seq {
	case 1:
		e.Actor, e.Causation, e.Data = "local:0@bench/1", "start-"+id, startOf(id, sum, text)
	case last:
		e.Data = events.RunEnded{State: events.EndCancelled, Iteration: k, Tree: tree}
	case 2:
		e.Data = events.GatesStarted{Phase: "work", Effects: []events.EffectRef{{Gate: "test", Effect: id}}}
	case 3:
		e.Data = verdict(0, id, sum, text)
	default:
		e.Data = iterated((seq-4)%5, k, id, sum, text)
	}
	return e
}

func startOf(id string, sum, text events.Ref) events.RunStarted {
	tree := events.Tree(sum[:40])
	return events.RunStarted{
		Handle: id[len(id)-4:], Owner: "local:0@bench/1", Home: "3f786850e387550f", Project: string(sum[:16]),
		Workspace: text, Task: text, Workflow: "converge", Phase: "work", Source: text, Spec: text, Ignore: text, Env: text,
		Tools: text, Pins: text, Gates: []events.Gate{{Name: "test", Kind: events.GateCommand, Role: events.RoleGoal}},
		Limits: events.Limits{Iterations: 50}, Tree: tree, Work: tree, Version: "bench",
	}
}

// iterated is the n-th event of an iteration.
func iterated(n, k int, id string, sum, text events.Ref) events.Data {
	tree := events.Tree(sum[:40])
	switch n {
	case 0:
		return events.IterationStarted{Phase: "work", Iteration: k, Attempt: 1, Effect: id, Prompt: text, Tree: tree, Work: tree, WallMS: 3600_000, IdleMS: 600_000}
	case 1:
		return events.AgentEnded{Phase: "work", Iteration: k, Attempt: 1, Effect: id, Outcome: events.Exited, DurationMS: 60_000, OutputBytes: 9000, Excerpt: text, Tree: tree, Work: tree, Files: k}
	case 2:
		return events.GatesStarted{Phase: "work", Iteration: k, Effects: []events.EffectRef{{Gate: "test", Effect: id}}}
	case 3:
		return verdict(k, id, sum, text)
	}
	return events.IterationRecorded{Phase: "work", Iteration: k, Attempt: 1, Verdict: events.Fail, Fingerprint: string(sum), Signature: string(sum), Tree: tree, Work: tree, Files: k}
}

// verdict is a gates.judged.v1 of ordinary size.
func verdict(k int, id string, sum, text events.Ref) events.GatesJudged {
	tree := events.Tree(sum[:40])
	return events.GatesJudged{Phase: "work", Iteration: k, Tree: tree, Work: tree, Results: []events.GateResult{{
		Gate: "test", Kind: events.GateCommand, Role: events.RoleGoal, Verdict: events.Fail,
		Reason: events.ReasonExit, Exit: 1, DurationMS: 8123, Failing: 3, FailingIDs: text,
		FailingSum: string(sum), OutputSum: string(sum), Excerpt: text, Effect: id,
		Argv: string(sum), Env: string(sum), Tool: string(sum),
	}}}
}
