package team_test

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"autopilot/daemon/coord/team"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/transport/bus"
	"autopilot/events/log"
)

// unreachable is a team at an address where nobody listens.
func unreachable(t *testing.T) *team.Team {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url := "nats://" + l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	blobs, err := blob.Open(t.TempDir(), blob.Process)
	if err != nil {
		t.Fatal(err)
	}
	return team.New(team.Config{
		Servers: bus.Team{URL: url, Replicas: 1}, Self: team.Self{Host: "here", Name: "test"}, Blobs: blobs, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Heard: func(context.Context, log.Stored) { t.Error("heard of an event") },
		Came:  func(context.Context) { t.Error("it can be reached") }, Answers: func(context.Context) { t.Error("it answers") },
	})
}

func TestATeamThatNobodyAnswersForIsUnavailable(t *testing.T) {
	t.Parallel()
	tm := unreachable(t)
	if v := tm.View(); v.Problem == "" || !tm.Lost() {
		t.Errorf("before it was tried: %+v", v)
	}
	before := tm.View().Problem
	ctx, end := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { tm.Run(ctx) })
	<-tm.Tried()
	if v := tm.View(); v.Problem == "" || v.Problem == before || v.Server != "" {
		t.Errorf("once it was tried: %+v", v)
	}
	ref := blob.Name([]byte("text"))
	if err := tm.Tell(ctx, ref, []byte("text")); !errors.Is(err, log.ErrUnavailable) {
		t.Errorf("tell: %v", err)
	}
	if _, err := tm.Text(ctx, ref); !errors.Is(err, log.ErrUnavailable) {
		t.Errorf("text: %v", err)
	}
	if _, err := tm.Log().Usage(ctx); !errors.Is(err, log.ErrUnavailable) {
		t.Errorf("log: %v", err)
	}
	end()
	wg.Wait()
	if !tm.Lost() {
		t.Error("it answers after its end")
	}
}

func TestNobodyIsNoTeam(t *testing.T) {
	t.Parallel()
	var none *team.Team
	if v := none.View(); v != nil {
		t.Errorf("%+v", v)
	}
}
