package peer

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/events"
)

var t0 = time.Date(2026, 11, 27, 21, 0, 0, 0, time.UTC)

// told are events, a minute apart.
func told(data ...events.Data) []events.Event {
	var out []events.Event
	for i, d := range data {
		out = append(out, events.Event{Seq: uint64(i + 1), Time: t0.Add(time.Duration(i) * time.Minute), Actor: "session:x", Data: d})
	}
	return out
}

func fold(s State, list []events.Event) State {
	for _, e := range list {
		s = Evolve(s, e)
	}
	return s
}

func TestASessionThatComesBackKeepsItsMailAndIsHereAnew(t *testing.T) {
	t.Parallel()
	all := told(
		events.PeerJoined{PID: 1, Mode: events.ModeNone}, events.PeerMessaged{No: 1, Text: "a"}, events.PeerJoined{PID: 1, Mode: "deep"},
		events.PeerLeft{Cause: events.PeerSilent}, events.PeerMessaged{No: 2, Text: "b"}, events.PeerJoined{PID: 1, Mode: "deep"},
	)
	s := fold(State{}, all[:3])
	if !s.Here() || !s.Since.Equal(t0) || s.Mode != "deep" || len(s.Unread()) != 1 {
		t.Errorf("what changed of it is no new session: %+v", s)
	}
	if s = fold(s, all[3:4]); s.Here() || s.Left != events.PeerSilent {
		t.Errorf("left: %+v", s)
	}
	s = fold(s, all[4:])
	if !s.Here() || !s.Since.Equal(t0.Add(5*time.Minute)) || len(s.Unread()) != 2 || s.Next() != 3 || s.Log.Broken != 0 {
		t.Errorf("back: %+v", s)
	}
}

func TestMessagesAreReadInTheirOrderAndNoneUnreadIsForgotten(t *testing.T) {
	t.Parallel()
	var data []events.Data
	for i := range MostMessages + 5 {
		data = append(data, events.PeerMessaged{No: i + 1})
		if i == 4 {
			data = append(data, events.PeerRead{UpTo: 5})
		}
	}
	s := fold(State{}, told(data...))
	if got := s.Unread(); len(got) != MostMessages || got[0].No != 6 || s.Next() != MostMessages+6 {
		t.Errorf("%d unread from %d on, next %d", len(got), got[0].No, s.Next())
	}
	late := Evolve(s, events.Event{Seq: s.Log.Seq + 1, Data: events.PeerRead{UpTo: 3}})
	if late.Read != 5 {
		t.Errorf("what was read stays so: %d", late.Read)
	}
}

func TestFoldingInPiecesIsFoldingAtOnce(t *testing.T) {
	t.Parallel()
	all := told(
		events.PeerJoined{PID: 1, Mode: "deep", Outcome: events.PromotionOffer, Beside: "p2", Reason: "r"}, events.PeerMessaged{No: 1},
		events.PeerRead{UpTo: 1}, events.PeerLeft{Cause: events.PeerEnded}, events.Unknown{Type: "peer.danced.v1"},
	)
	want := fold(State{}, all)
	if len(want.Deviated) != 1 || want.Deviated[0].Beside != "p2" || want.Log.Unknown != 1 {
		t.Errorf("%+v", want)
	}
	for cut := range all {
		before := fold(State{}, all[:cut])
		was := before
		if diff := cmp.Diff(want, fold(before, all[cut:])); diff != "" {
			t.Errorf("cut at %d (-want +got):\n%s", cut, diff)
		}
		if diff := cmp.Diff(was, before); diff != "" {
			t.Errorf("cut at %d: it was written over:\n%s", cut, diff)
		}
	}
	if gap := Evolve(want, events.Event{Seq: 9, Data: events.PeerLeft{}}); gap.Log.Broken != 9 {
		t.Errorf("a gap: %+v", gap.Log)
	}
}

// Lesson S55: a label is no identity. S26: without a proof there is no id in its place. Seeds 2.8.3: any field that is missing on
// either side is no proof.
func TestWhoASessionIsNeedsTheWholeProof(t *testing.T) {
	t.Parallel()
	whole := events.PeerJoined{PID: 7, Start: 8, Boot: "b", Host: "h", Label: "l"}
	edit := func(f func(*events.PeerJoined)) events.PeerJoined {
		d := whole
		f(&d)
		return d
	}
	for name, tt := range map[string]struct {
		other events.PeerJoined
		same  bool
	}{
		"the same":                    {whole, true},
		"the same, otherwise called":  {edit(func(d *events.PeerJoined) { d.Label, d.Mode = "other", "deep" }), true},
		"another process of one name": {edit(func(d *events.PeerJoined) { d.PID = 9 }), false},
		"a pid that was reused":       {edit(func(d *events.PeerJoined) { d.Start = 9 }), false},
		"after a reboot":              {edit(func(d *events.PeerJoined) { d.Boot = "c" }), false},
		"elsewhere":                   {edit(func(d *events.PeerJoined) { d.Host = "i" }), false},
	} {
		a, _ := ID(whole)
		if b, ok := ID(tt.other); !ok || (a == b) != tt.same {
			t.Errorf("%s: %s %s", name, a, b)
		}
	}
	for name, f := range map[string]func(*events.PeerJoined){
		"pid": func(d *events.PeerJoined) { d.PID = 0 }, "start": func(d *events.PeerJoined) { d.Start = 0 },
		"boot": func(d *events.PeerJoined) { d.Boot = "" }, "host": func(d *events.PeerJoined) { d.Host = "" },
	} {
		if id, ok := ID(edit(f)); ok {
			t.Errorf("without its %s it is %s", name, id)
		}
	}
}
