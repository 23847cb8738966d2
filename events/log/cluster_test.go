package log_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/transport/bus/clustertest"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/log/logtest"
)

// openCluster opens the log through a server as soon as the cluster can hold it.
func openCluster(t *testing.T, c *clustertest.Cluster, i, account int, cfg log.Config) *log.Stream {
	t.Helper()
	nc := c.Connect(t, i, account)
	cfg.Replicas, cfg.AckTimeout = clustertest.Size, max(cfg.AckTimeout, time.Second)
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		l, err := log.Open(ctx, nc, cfg)
		cancel()
		if err == nil {
			return l
		}
		if !errors.Is(err, log.ErrUnavailable) {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond) // nothing tells of an election
	}
}

// Three servers with files, as a team has them.
func TestOnACluster(t *testing.T) {
	t.Parallel()
	c := clustertest.Start(t, logtest.Parts()+1)
	t.Run("the suite passes", func(t *testing.T) { conforms(t, c) })
	t.Run("there is one log for all, whichever server is lost", func(t *testing.T) { oneForAll(t, newTeam(t, c, logtest.Parts())) })
}

// conforms runs the suite: each writer is at another server.
func conforms(t *testing.T, c *clustertest.Cluster) {
	accounts := make(chan int, logtest.Parts())
	for i := range logtest.Parts() {
		accounts <- i
	}
	logtest.Run(t, func(_ *testing.T, cfg logtest.Config) logtest.Place {
		var faults log.Faults
		var witness log.Witness
		account, next := <-accounts, 0
		return logtest.Place{
			Open: func(t *testing.T) log.Log {
				next++
				l := openCluster(t, c, next%clustertest.Size, account, log.Config{Quota: cfg.Quota, Reserve: cfg.Reserve, Witness: witness, AckTimeout: 5 * time.Second})
				if faults != nil {
					l.Fail(faults)
				}
				return l
			},
			Fail:    func(f log.Faults) { faults = f },
			Witness: func(w log.Witness) { witness = w },
		}
	})
}

// team is one log of three servers, with a writer at each.
type team struct {
	*clustertest.Cluster
	account int
	logs    [clustertest.Size]*log.Stream
	run     *logtest.Chain
	kept    []log.Stored
}

func newTeam(t *testing.T, c *clustertest.Cluster, account int) *team {
	t.Helper()
	m := &team{Cluster: c, account: account, run: &logtest.Chain{Aggregate: events.Run("a")}}
	for i := range m.logs {
		m.logs[i] = openCluster(t, c, i, account, log.Config{Quota: 16 << 20, Reserve: 1 << 20})
	}
	return m
}

// grow appends until the aggregate has so many events, through a server. What is
// not known to be stored is looked up, as every writer has to.
func (m *team) grow(t *testing.T, through int, want uint64) {
	t.Helper()
	l := m.logs[through]
	for m.run.Seq < want {
		s, err := l.Append(t.Context(), m.run.Next(0), log.Ordinary)
		switch {
		case err == nil:
			m.took(s)
		case errors.Is(err, log.ErrUnavailable):
			m.settle(t, through)
		default:
			t.Fatal(err)
		}
	}
}

func (m *team) took(s log.Stored) {
	m.run.Took(s)
	m.kept = append(m.kept, s)
}

// settle learns from the leader what is stored behind what is known.
func (m *team) settle(t *testing.T, through int) (found int) {
	t.Helper()
	for {
		var err error
		for s, rerr := range m.logs[through].Read(t.Context(), m.run.Aggregate, m.run.Seq) {
			if err = rerr; err != nil {
				break
			}
			m.took(s)
			found++
		}
		if !errors.Is(err, log.ErrUnavailable) {
			if err != nil {
				t.Fatal(err)
			}
			return found
		}
	}
}

// whole checks that a server answers with exactly what was stored.
func (m *team) whole(t *testing.T, through int) {
	t.Helper()
	// A store that is slow to answer after an election is unavailable: who reads
	// tries again.
	report, err := log.Check(m.logs[through].ReadAll(t.Context(), ""))
	for errors.Is(err, log.ErrUnavailable) && t.Context().Err() == nil {
		report, err = log.Check(m.logs[through].ReadAll(t.Context(), ""))
	}
	if err != nil || !report.OK() || report.Events != uint64(len(m.kept)) {
		t.Fatalf("through server %d: check says %+v, %v, want %d events", through, report, err, len(m.kept))
	}
}

const stream = "AP_EVENTS_1"

// leader waits for one.
func (m *team) leader() int {
	for {
		if i := m.Leader(m.account, stream); i >= 0 {
			return i
		}
		time.Sleep(10 * time.Millisecond) // nothing tells of an election
	}
}

func oneForAll(t *testing.T, m *team) {
	for i := range uint64(30) {
		// Each append is made through another server, and is seen at once
		// through the next one.
		m.grow(t, int(i%3), i+1)
		got := logtest.All(t, m.logs[(i+1)%3].Read(t.Context(), m.run.Aggregate, 0))
		if uint64(len(got)) != i+1 || got[i].Hash != m.kept[i].Hash {
			t.Fatalf("%d events, want %d", len(got), i+1)
		}
	}
	answer, err := m.Connect(t, 0, m.account).Request("$JS.API.STREAM.INFO."+stream, nil, 10*time.Second)
	if err != nil || strings.Count(string(answer.Data), `"current":true`) != 2 {
		t.Fatalf("its replicas: %s, %v", answer.Data, err)
	}
	stale := *m.run
	m.grow(t, 0, 31)
	stale.Author = "s"
	if _, err := m.logs[1].Append(t.Context(), stale.Next(0), log.Ordinary); !errors.Is(err, log.ErrConflict) {
		t.Fatalf("append answered %v", err)
	}
	m.leaderStepsDown(t)
	m.followerIsBehind(t)
	through, dead := m.leaderDies(t)
	m.quorumIsLost(t, through, dead)
	m.whole(t, through)
	m.whole(t, dead)
}

// leaderStepsDown in the middle of appends: each is stored once or unavailable, and
// a follower misses none.
func (m *team) leaderStepsDown(t *testing.T) {
	seen, moved := make(chan error, 1), make(chan error, 1)
	followed := m.logs[1].Follow(t.Context(), "")
	go func() {
		n := uint64(0)
		for s, err := range followed {
			if n++; err != nil || s.Event.Seq != n {
				seen <- errors.Join(err, errors.New("an event is missing"))
				return
			}
			if n == 80 {
				break
			}
		}
		seen <- nil
	}()
	nc := m.Connect(t, 2, m.account)
	go func() {
		_, err := nc.Request("$JS.API.STREAM.LEADER.STEPDOWN."+stream, nil, 10*time.Second)
		moved <- err
	}()
	m.grow(t, 0, 80)
	if err := errors.Join(<-moved, <-seen); err != nil {
		t.Fatal(err)
	}
}

// followerIsBehind: one is down for a while, and comes back behind the others. What
// is read through it is whole nevertheless.
func (m *team) followerIsBehind(t *testing.T) {
	back := (m.leader() + 1) % 3
	m.Down(back)
	m.grow(t, (back+1)%3, 200)
	m.Up(t, back)
	if got := logtest.All(t, m.logs[back].Read(t.Context(), m.run.Aggregate, 0)); len(got) != 200 {
		t.Fatalf("%d events", len(got))
	}
	m.whole(t, back)
}

// leaderDies in the middle of appends, and stays away.
func (m *team) leaderDies(t *testing.T) (through, dead int) {
	dead = m.leader()
	through = (dead + 1) % 3
	down := make(chan struct{})
	go func() { m.Down(dead); close(down) }()
	m.grow(t, through, 260)
	<-down
	return through, dead
}

// quorumIsLost as a second one dies: whoever asks hears that nobody knows. What has
// become of it is settled by who leads later.
func (m *team) quorumIsLost(t *testing.T, through, dead int) {
	m.Down((dead + 2) % 3)
	e := m.run.Next(0)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := m.logs[through].Append(ctx, e, log.Ordinary); !errors.Is(err, log.ErrUnavailable) {
		t.Fatalf("without a quorum: %v", err)
	}
	for s, err := range m.logs[through].Read(ctx, m.run.Aggregate, m.run.Seq) {
		if !errors.Is(err, log.ErrUnavailable) {
			t.Fatalf("a read without a quorum yields %+v, %v", s, err)
		}
	}
	m.Up(t, dead)
	if m.settle(t, through) == 0 {
		s, err := m.logs[through].Append(t.Context(), e, log.Ordinary)
		for errors.Is(err, log.ErrUnavailable) {
			s, err = m.logs[through].Append(t.Context(), e, log.Ordinary)
		}
		if err != nil {
			t.Fatal(err)
		}
		m.took(s)
	}
	if m.run.Seq != 261 {
		t.Fatalf("%d events, want 261", m.run.Seq)
	}
}
