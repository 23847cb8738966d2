package orchestrator

import (
	"testing"
	"time"

	"autopilot/events"
)

// Seeds 2.8.1, Q16, S25.
func TestModesAreClassified(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]struct {
		class   events.PeerClass
		assumed bool
	}{
		"bootstrap": {events.PeerExclusive, false}, "housekeeping": {events.PeerExclusive, false}, "memory-cleanup": {events.PeerExclusive, false},
		"deep": {events.PeerParallelOK, false}, "feature": {events.PeerParallelOK, false},
		"discovery": {events.PeerAlwaysOK, false}, "evolve": {events.PeerAlwaysOK, false}, "plan": {events.PeerAlwaysOK, false},
		"repo-audit": {events.PeerAlwaysOK, false}, "portfolio": {events.PeerAlwaysOK, false}, "plan-retro": {events.PeerAlwaysOK, false},
		"  deep\n": {events.PeerParallelOK, false}, "Housekeeping": {events.PeerParallelOK, true},
		"session": {events.PeerParallelOK, true}, "multi-story-pipeline": {events.PeerParallelOK, true}, "autopilot": {events.PeerParallelOK, true},
		"none": {events.PeerParallelOK, true}, "": {events.PeerParallelOK, true},
	} {
		if class, assumed := ClassifyMode(mode); class != want.class || assumed != want.assumed {
			t.Errorf("%q: %s %t", mode, class, assumed)
		}
	}
	if len(Modes()) != 11 || Modes()[0] != "bootstrap" {
		t.Errorf("%v", Modes())
	}
}

// Seeds 2.8.2, a row each; Q15.
func TestWhatASessionIsToldBesideOthers(t *testing.T) {
	t.Parallel()
	at := func(min int) time.Time { return time.Unix(int64(60*min), 0) }
	ex, par, ok := events.PeerExclusive, events.PeerParallelOK, events.PeerAlwaysOK
	for name, tt := range map[string]struct {
		caller events.PeerClass
		others []PeerBeside
		blind  bool
		want   PeerDecision
	}{
		"1: nothing could be looked at":                   {par, nil, true, PeerDecision{events.PassThrough, DiscoveryError, ""}},
		"1: exclusive, and nothing could be looked at":    {ex, nil, true, PeerDecision{events.PassThrough, DiscoveryError, ""}},
		"1: what was found counts all the same":           {par, []PeerBeside{{"a", ex, at(1), false}}, true, PeerDecision{events.ExclusiveBlocked, PeerIsExclusive, "a"}},
		"2: who only reads passes":                        {ok, []PeerBeside{{"a", par, at(1), false}}, false, PeerDecision{events.PassThrough, CallerReads, ""}},
		"2: also beside an exclusive one":                 {ok, []PeerBeside{{"a", ex, at(1), false}}, false, PeerDecision{events.PassThrough, CallerReads, ""}},
		"3: alone":                                        {par, nil, false, PeerDecision{events.PassThrough, NoPeers, ""}},
		"3: exclusive, alone":                             {ex, nil, false, PeerDecision{events.PassThrough, NoPeers, ""}},
		"4: beside an exclusive one":                      {par, []PeerBeside{{"a", ok, at(1), false}, {"b", ex, at(2), false}}, false, PeerDecision{events.ExclusiveBlocked, PeerIsExclusive, "b"}},
		"4: exclusive beside an exclusive one":            {ex, []PeerBeside{{"a", par, at(1), false}, {"b", ex, at(2), false}}, false, PeerDecision{events.ExclusiveBlocked, PeerIsExclusive, "b"}},
		"4: the one that is there longest is named":       {par, []PeerBeside{{"b", ex, at(2), false}, {"c", ex, at(1), false}, {"a", ex, at(2), false}}, false, PeerDecision{events.ExclusiveBlocked, PeerIsExclusive, "c"}},
		"5: two that write":                               {par, []PeerBeside{{"a", ok, at(1), false}, {"b", par, at(2), false}}, false, PeerDecision{events.PromotionOffer, BothParallel, "b"}},
		"6: beside those that only read":                  {par, []PeerBeside{{"a", ok, at(1), false}}, false, PeerDecision{events.PassThrough, PeersRead, ""}},
		"Q15: exclusive beside one that writes":           {ex, []PeerBeside{{"a", par, at(1), false}}, false, PeerDecision{events.ExclusiveBlocked, CallerExclusive, "a"}},
		"Q15: exclusive beside one that only reads":       {ex, []PeerBeside{{"a", ok, at(1), false}}, false, PeerDecision{events.ExclusiveBlocked, CallerExclusive, "a"}},
		"5: the other writes in another work tree":        {par, []PeerBeside{{"a", ok, at(1), false}, {"b", par, at(2), true}}, false, PeerDecision{events.PassThrough, OwnTree, ""}},
		"5: one here, one in another work tree":           {par, []PeerBeside{{"a", par, at(1), true}, {"b", par, at(2), false}}, false, PeerDecision{events.PromotionOffer, BothParallel, "b"}},
		"4: an exclusive one in another work tree":        {par, []PeerBeside{{"a", ex, at(1), true}}, false, PeerDecision{events.ExclusiveBlocked, PeerIsExclusive, "a"}},
		"Q15: exclusive, one writes in another work tree": {ex, []PeerBeside{{"a", par, at(1), true}}, false, PeerDecision{events.ExclusiveBlocked, CallerExclusive, "a"}},
		"6: one that only reads is in another work tree":  {par, []PeerBeside{{"a", ok, at(1), true}}, false, PeerDecision{events.PassThrough, PeersRead, ""}},
		"of two at one time the id decides":               {par, []PeerBeside{{"b", par, at(1), false}, {"a", par, at(1), false}}, false, PeerDecision{events.PromotionOffer, BothParallel, "a"}},
		"S25: a peer that has named no mode is no reader": {par, []PeerBeside{{"a", assumed(""), at(1), false}}, false, PeerDecision{events.PromotionOffer, BothParallel, "a"}},
	} {
		if got := Preamble(tt.caller, tt.others, tt.blind); got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
	}
}

func assumed(mode string) events.PeerClass {
	class, _ := ClassifyMode(mode)
	return class
}

// Seeds 2.8.4; S17, S18, S50: the pid takes no part, so a dead one with a fresh
// sign of life is fresh.
func TestTheLifeOfAPeerIsItsLastSignOfIt(t *testing.T) {
	t.Parallel()
	for age, want := range map[time.Duration]Life{
		-time.Hour: Fresh, 0: Fresh, 15 * time.Minute: Fresh, 15*time.Minute + 1: Stale, time.Hour: Stale, time.Hour + 1: Gone, 1<<63 - 1: Gone,
	} {
		if got := PeerLife(age); got != want {
			t.Errorf("%s: %s, want %s", age, got, want)
		}
	}
}

// Seeds 2.8.3.
func TestALockHoldsUntilExactlyItsEnd(t *testing.T) {
	t.Parallel()
	now := time.Unix(1e9, 0)
	for name, tt := range map[string]struct {
		beat time.Time
		live bool
	}{
		"just before": {now.Add(-LockTTL + 1), true}, "at its end": {now.Add(-LockTTL), false}, "ahead": {now.Add(time.Hour), true},
		"an hour behind": {now.Add(-time.Hour), true}, "unreadable": {time.Time{}, false},
	} {
		if got := LockLive(tt.beat, now, LockTTL); got != tt.live {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// S17, S48, S55: two sessions with one name, and a session that took its own file
// for a peer.
func TestAFileIsThatOfASessionByProof(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		e   OwnEntry
		own bool
	}{
		"its process is below the session":                 {OwnEntry{Alive: true, Lineage: true}, true},
		"whatever it is called":                            {OwnEntry{Alive: true, Lineage: true, Label: false, Alone: true}, true},
		"another that is alive, with the same name":        {OwnEntry{Alive: true, Label: true, Alone: true}, false},
		"S17: its hook has ended, and the host named it":   {OwnEntry{Label: true, Alone: true}, true},
		"S55: its hook has ended, and two have that name":  {OwnEntry{Label: true}, false},
		"its process has ended, and it is otherwise named": {OwnEntry{Alone: true}, false},
	} {
		if got := tt.e.Own(); got != tt.own {
			t.Errorf("%s: %t", name, got)
		}
	}
}
