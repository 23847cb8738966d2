package team_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"autopilot/daemon/coord/team"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/transport/bus"
	"autopilot/daemon/transport/bus/clustertest"
	"autopilot/events/log"
	"autopilot/events/wire"
)

// member joins a team, until the test ends or it leaves.
func member(t *testing.T, servers bus.Team, host string) (tm *team.Team, leave func()) {
	t.Helper()
	blobs, err := blob.Open(t.TempDir(), blob.Process)
	if err != nil {
		t.Fatal(err)
	}
	tm = team.New(team.Config{
		Servers: servers, Self: team.Self{Host: host, Name: "name-of-" + host, Person: "ann", Version: "1"}, Blobs: blobs,
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
		Heard: func(context.Context, log.Stored) {}, Came: func(context.Context) {}, Answers: func(context.Context) {},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { tm.Run(ctx) })
	leave = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
	})
	t.Cleanup(leave)
	return tm, leave
}

// comes waits until a view is as it should be.
func comes(t *testing.T, tm *team.Team, what string, is func(*wire.TeamView) bool) *wire.TeamView {
	t.Helper()
	for limit := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) { // nothing tells of what the servers do
		v := tm.View()
		if is(v) {
			return v
		}
		if time.Now().After(limit) {
			t.Fatalf("%s does not come: %+v", what, v)
		}
	}
}

// A team that began on one server says so, and is stored on three once that is asked for.
func TestTheReplicasOfATeamAreRaised(t *testing.T) {
	t.Parallel()
	c := clustertest.Start(t, 1)
	servers := bus.Team{URL: c.URLs(), Credentials: c.KeyFile(t, 0), Replicas: 1}
	one, leave := member(t, servers, "one")
	v := comes(t, one, "a log on one server", func(v *wire.TeamView) bool { return v.Problem == "" && v.Replicas == 1 && !v.Reading })
	if v.Wanted != 1 || len(v.Servers) > 1 {
		t.Errorf("%+v", v)
	}
	leave()
	servers.Replicas = 3
	three, _ := member(t, servers, "three")
	v = comes(t, three, "a log on three servers", func(v *wire.TeamView) bool {
		current := 0
		for _, s := range v.Servers {
			if s.Current {
				current++
			}
		}
		return v.Replicas == 3 && current == 3
	})
	if v.Wanted != 3 || v.Leader == "" || v.Quota == 0 || v.Raise != "" {
		t.Errorf("%+v", v)
	}
	// Both hosts are named, and one that has left is seen to be away.
	v = comes(t, three, "the host that has left", func(v *wire.TeamView) bool { return len(v.Hosts) == 2 && v.Hosts[0].Away })
	if h := v.Hosts[0]; h.ID != "one" || h.Name != "name-of-one" || h.Person != "ann" || h.Here || v.Hosts[1].Away || !v.Hosts[1].Here {
		t.Errorf("%+v", v.Hosts)
	}
	// A host that wants fewer changes nothing, and says what is.
	servers.Replicas = 1
	again, _ := member(t, servers, "again")
	comes(t, again, "what is", func(v *wire.TeamView) bool { return v.Replicas == 3 && v.Wanted == 1 && !v.Reading })
}
