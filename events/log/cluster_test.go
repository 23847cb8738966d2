package log_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/log/logtest"
)

// startCluster starts three servers that know each other, and connects to
// each of them.
func startCluster(t *testing.T) []*nats.Conn {
	t.Helper()
	ports := freePorts(t, 3)
	var routes []string
	for _, port := range ports {
		routes = append(routes, fmt.Sprintf("nats://127.0.0.1:%d", port))
	}
	var servers []*server.Server
	for n, port := range ports {
		srv, err := server.NewServer(&server.Options{
			ServerName: fmt.Sprintf("n%d", n), Host: "127.0.0.1", Port: server.RANDOM_PORT,
			JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
			Cluster: server.ClusterOpts{Name: "team", Host: "127.0.0.1", Port: port},
			Routes:  server.RoutesFromStr(strings.Join(routes, ",")),
		})
		if err != nil {
			t.Fatal(err)
		}
		srv.Start()
		t.Cleanup(func() {
			srv.Shutdown()
			srv.WaitForShutdown()
		})
		servers = append(servers, srv)
	}
	var conns []*nats.Conn
	for _, srv := range servers {
		if !srv.ReadyForConnections(time.Minute) {
			t.Fatal("server does not start")
		}
		nc, err := nats.Connect("nats://127.0.0.1", nats.InProcessServer(srv))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(nc.Close)
		conns = append(conns, nc)
	}
	return conns
}

// freePorts finds ports that nobody listens on now.
func freePorts(t *testing.T, n int) []int {
	t.Helper()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // all are held until all are known
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

// openCluster opens the log as soon as the cluster can hold it.
func openCluster(t *testing.T, nc *nats.Conn) *log.Stream {
	t.Helper()
	c := log.Config{Quota: 16 << 20, Reserve: 1 << 20, Replicas: 3, AckTimeout: time.Second}
	for {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		l, err := log.Open(ctx, nc, c)
		cancel()
		if err == nil {
			return l
		}
		if !errors.Is(err, log.ErrUnavailable) {
			t.Fatal(err)
		}
	}
}

func TestAClusterKeepsOneLogForAll(t *testing.T) {
	t.Parallel()
	conns := startCluster(t)
	logs := make([]*log.Stream, len(conns))
	for i, nc := range conns {
		logs[i] = openCluster(t, nc)
	}
	run := &logtest.Chain{Aggregate: events.Run("a")}
	var kept []log.Stored
	for i := range 30 {
		// Each append is made through another server, and is seen at once
		// through the next one.
		kept = append(kept, run.Grow(t, logs[i%3], 1)...)
		got := logtest.All(t, logs[(i+1)%3].Read(t.Context(), run.Aggregate, 0))
		if len(got) != len(kept) || got[i].Hash != kept[i].Hash {
			t.Fatalf("%d events, want %d", len(got), len(kept))
		}
	}
	stale := *run
	run.Grow(t, logs[0], 1)
	stale.Author = "s"
	if _, err := logs[1].Append(t.Context(), stale.Next(0), log.Ordinary); !errors.Is(err, log.ErrConflict) {
		t.Fatalf("append answered %v", err)
	}

	// While the leader of the stream moves, appends are stored once or refused
	// as unavailable, and a follower misses none.
	if _, err := conns[2].Request("$JS.API.STREAM.LEADER.STEPDOWN.AP_EVENTS_1", nil, 10*time.Second); err != nil {
		t.Fatal(err)
	}
	for run.Seq < 60 {
		s, err := logs[0].Append(t.Context(), run.Next(0), log.Ordinary)
		switch {
		case err == nil:
			run.Took(s)
		case errors.Is(err, log.ErrUnavailable):
			for s, err := range logs[0].Read(t.Context(), run.Aggregate, run.Seq) {
				if err == nil {
					run.Took(s)
				}
			}
		default:
			t.Fatal(err)
		}
	}
	var seen uint64
	for s, err := range logs[1].Follow(t.Context(), "") {
		if err != nil {
			t.Fatal(err)
		}
		if seen++; s.Event.Seq != seen {
			t.Fatalf("event %d comes after %d", s.Event.Seq, seen-1)
		}
		if seen == 60 {
			break
		}
	}
	// A store that is slow to answer after an election is unavailable: who reads
	// tries again.
	report, err := log.Check(logs[2].ReadAll(t.Context(), ""))
	for tries := 0; errors.Is(err, log.ErrUnavailable) && tries < 5; tries++ {
		report, err = log.Check(logs[2].ReadAll(t.Context(), ""))
	}
	if err != nil || !report.OK() || report.Events != 60 {
		t.Fatalf("check says %+v, %v", report, err)
	}
}
