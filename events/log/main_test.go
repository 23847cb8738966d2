package log_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"go.uber.org/goleak"

	"autopilot/events/log"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testServer is an embedded server on files that can be started again.
type testServer struct {
	dir  string
	sync bool
	srv  *server.Server
	nc   *nats.Conn
}

func startServer(tb testing.TB, sync bool) *testServer {
	tb.Helper()
	s := &testServer{dir: tb.TempDir(), sync: sync}
	s.start(tb)
	tb.Cleanup(s.stop)
	return s
}

func (s *testServer) start(tb testing.TB) {
	tb.Helper()
	srv, err := server.NewServer(&server.Options{
		DontListen: true, JetStream: true, StoreDir: s.dir, SyncAlways: s.sync, NoSigs: true, NoLog: true,
	})
	if err != nil {
		tb.Fatal(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(20 * time.Second) {
		tb.Fatal("server does not start")
	}
	nc, err := nats.Connect("nats://127.0.0.1", nats.InProcessServer(srv), nats.MaxReconnects(0))
	if err != nil {
		tb.Fatal(err)
	}
	s.srv, s.nc = srv, nc
}

func (s *testServer) stop() {
	s.nc.Close()
	s.srv.Shutdown()
	s.srv.WaitForShutdown()
}

func (s *testServer) open(tb testing.TB, cfg log.Config) *log.Stream {
	tb.Helper()
	l, err := log.Open(tb.Context(), s.nc, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return l
}
