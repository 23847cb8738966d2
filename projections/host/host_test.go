package host_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/events"
	"autopilot/projections/host"
)

var dawn = time.Date(2026, 1, 2, 6, 0, 0, 0, time.UTC)

func event(seq uint64, d events.Data) events.Event {
	return events.Event{Aggregate: events.Host("h"), Seq: seq, Time: dawn.Add(time.Duration(seq) * time.Minute), Actor: fmt.Sprintf("person:%d", seq), Data: d}
}

func trusted(repository, config string) events.ConfigTrusted {
	return events.ConfigTrusted{Repository: repository, Config: events.Ref(config), File: "f", Assurance: events.AssuredTTY}
}

func fold(s host.State, es ...events.Event) host.State {
	for _, e := range es {
		s = host.Evolve(s, e)
	}
	return s
}

func TestWhatIsTrustedIsListedLatestFirstAndOnce(t *testing.T) {
	t.Parallel()
	s := fold(host.State{},
		event(1, trusted("r", "a")), event(2, trusted("r", "b")), event(3, trusted("other", "c")), event(4, trusted("r", "a")))
	var got []string
	for _, x := range s.Trusted["r"] {
		got = append(got, string(x.Config)+" by "+x.By)
	}
	if d := cmp.Diff([]string{"a by person:4", "b by person:2"}, got); d != "" {
		t.Error(d)
	}
	if last, ok := s.Latest("r"); !ok || last.Config != "a" || !last.At.Equal(dawn.Add(4*time.Minute)) {
		t.Errorf("latest: %+v", last)
	}
}

func TestTrustIsInAContentWithinARepository(t *testing.T) {
	t.Parallel()
	s := fold(host.State{}, event(1, trusted("r", "a")), event(2, trusted("r", "b")))
	for _, c := range []struct {
		repository string
		config     events.Ref
		want       bool
	}{{"r", "a", true}, {"r", "b", true}, {"r", "c", false}, {"other", "a", false}, {"", "", false}} {
		if got, ok := s.Find(c.repository, c.config); ok != c.want || ok && got.Config != c.config {
			t.Errorf("%q in %q: %+v %v", c.config, c.repository, got, ok)
		}
	}
	if _, ok := s.Latest("other"); ok {
		t.Error("another repository has a latest trust")
	}
}

func TestTheLatestRestoreOfAWorkspaceIsKnown(t *testing.T) {
	t.Parallel()
	restored := events.WorkspaceRestored{Run: "R", Project: "p", To: "2", Tree: "t", Before: "b", Kept: "k"}
	later := restored
	later.To = "0"
	s := fold(host.State{}, event(1, restored), event(2, later))
	want := map[string]host.Restore{"p": {WorkspaceRestored: later, At: dawn.Add(2 * time.Minute), By: "person:2"}}
	if d := cmp.Diff(want, s.Restored); d != "" {
		t.Error(d)
	}
}

func TestWhatBecameOfTheHistoryIsKnown(t *testing.T) {
	t.Parallel()
	at := func(min int) int64 { return dawn.Add(time.Duration(min) * time.Minute).UnixMilli() }
	s := fold(host.State{},
		event(1, events.RunErased{Run: "R", Texts: 3}), event(2, events.TextsPruned{BeforeMS: at(60)}),
		event(3, events.TextsPruned{BeforeMS: at(30)}), event(4, events.LogRolled{From: 1, To: 2}),
		event(5, events.BundleImported{Runs: 1}))
	for _, c := range []struct {
		run  string
		over int // minutes behind dawn, -1 for a run that is not over
		came int // likewise, 0 for one of this host
		by   string
		gone bool
	}{
		{"R", 90, 0, "person:1", true},
		{"S", 29, 0, "person:2", true},
		{"S", 59, 0, "person:2", true},
		{"S", 60, 0, "", false},
		{"S", -1, 0, "", false},
		{"S", 29, 1, "person:2", true},
		{"S", 29, 2, "", false},
		{"R", 90, 2, "person:1", true},
	} {
		over := time.Time{}
		if c.over >= 0 {
			over = dawn.Add(time.Duration(c.over) * time.Minute)
		}
		came := time.Time{}
		if c.came > 0 {
			came = dawn.Add(time.Duration(c.came) * time.Minute)
		}
		if _, by, erased, gone := s.Gone(c.run, over, came); gone != c.gone || by != c.by || erased != (c.run == "R") {
			t.Errorf("%s over at %d: gone %v by %q", c.run, c.over, gone, by)
		}
	}
	if len(s.Prunes) != 1 || len(s.Rolled) != 1 || s.Rolled[0].To != 2 || len(s.Imported) != 1 || s.Log.Unknown != 0 {
		t.Errorf("state %+v", s)
	}
}

func TestUnknownEventsAndGapsAreCountedAndHarmNothing(t *testing.T) {
	t.Parallel()
	s := fold(host.State{}, event(1, trusted("r", "a")), event(2, events.Unknown{Type: "x.v1"}), event(4, events.RunResumed{}))
	if d := cmp.Diff(host.Log{Seq: 4, Unknown: 2, Broken: 4}, s.Log); d != "" {
		t.Error(d)
	}
	if _, ok := s.Find("r", "a"); !ok {
		t.Error("what was trusted before is not any more")
	}
}

func TestFoldingInPiecesEqualsFoldingAtOnceAndLeavesThePiecesWhole(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var es []events.Event
		name := rapid.SampledFrom([]string{"a", "b", "c"})
		for i := range rapid.IntRange(1, 20).Draw(t, "events") {
			var d events.Data = trusted(name.Draw(t, "repository"), name.Draw(t, "config"))
			if rapid.Bool().Draw(t, "restored") {
				d = events.WorkspaceRestored{Run: "R", Project: name.Draw(t, "project"), To: events.Name(name.Draw(t, "to"))}
			}
			es = append(es, event(uint64(i+1), d))
		}
		cut := rapid.IntRange(0, len(es)).Draw(t, "cut")
		piece, again := fold(host.State{}, es[:cut]...), fold(host.State{}, es[:cut]...)
		if d := cmp.Diff(fold(host.State{}, es...), fold(piece, es[cut:]...)); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(again, piece); d != "" {
			t.Fatalf("the piece has changed: %s", d)
		}
	})
}
