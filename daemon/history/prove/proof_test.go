package prove_test

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"autopilot/daemon/history/prove"
	"autopilot/daemon/store/blob"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/chain"
	"autopilot/projections/host"
)

func hostLog(t *testing.T, l log.Log) *journal.Aggregate[host.State] {
	t.Helper()
	h, err := journal.Open(t.Context(), journal.New(l, "sim", time.Now), events.Host("sim"), journal.Fold[host.State]{
		Evolve: host.Evolve,
		Log:    func(s *host.State) *chain.Log { return &s.Log },
	}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func trust(ctx context.Context, t *testing.T, h *journal.Aggregate[host.State], config string) {
	t.Helper()
	d := events.ConfigTrusted{Repository: "r", Config: events.Ref(config), Assurance: events.AssuredTTY}
	if _, err := h.Append(ctx, d, "person:1@sim/x", ""); err != nil {
		t.Fatal(err)
	}
}

func TestProofFoldsTheHostUpToItsLiveState(t *testing.T) {
	t.Parallel()
	l := log.NewMemory(log.MemoryConfig{})
	h := hostLog(t, l)
	for _, config := range []string{"a", "b"} {
		trust(t.Context(), t, h, config)
	}
	state := h.State()
	trust(t.Context(), t, h, "later")
	for name, tt := range map[string]struct {
		live              host.State
		problems, rebuilt int
	}{
		"as its events say":                 {state, 1, 1},
		"a live state that they do not say": {host.State{Log: state.Log}, 2, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			live := prove.NewFolded()
			live.Hosts["sim"] = tt.live
			p := prove.New(prove.Config{Live: live, Text: func(ref events.Ref) error {
				if ref == "b" {
					return blob.ErrMissing
				}
				return nil
			}})
			if err := p.Events(l.ReadAll(t.Context(), "")); err != nil {
				t.Fatal(err)
			}
			r := p.Reply()
			if r.Events != 3 || r.Rebuilt != tt.rebuilt {
				t.Errorf("rebuilt %d of events %d", r.Rebuilt, r.Events)
			}
			if len(r.Problems) != tt.problems || r.Problems[0].Aggregate != "host.sim" || r.Problems[0].Seq != 2 {
				t.Errorf("problems: %+v", r.Problems)
			}
		})
	}
}
