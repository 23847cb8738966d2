package daemon

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/api"
	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
)

// sent is what a stream of events sends, in short.
func (s *site) sent(q wire.EventsRequest) (types []string, frames []wire.EventFrame) {
	s.t.Helper()
	err := s.d.api.RunEvents(s.t.Context(), auth.Request{}, q, func(f wire.EventFrame) error {
		frames = append(frames, f)
		if !f.End {
			e, err := events.Decode(f.Event)
			types = append(types, e.Data.EventType())
			return err
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return types, frames
}

func TestAStreamOfEventsGoesOnBehindEachOfItsCursors(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", "touch ok"))
	s.wants(st, "done")
	for _, every := range []bool{false, true} {
		ask := func(cursor string) wire.EventsRequest {
			q := wire.EventsRequest{RunRef: wire.RunRef{Run: st.ID}, Every: every, Cursor: cursor}
			if !every && cursor != "" {
				_, err := fmt.Sscan(cursor, &q.After)
				if err != nil {
					t.Fatal(err)
				}
			}
			return q
		}
		whole, frames := s.sent(ask(""))
		end := frames[len(frames)-1]
		if !end.End || end.Cursor != frames[len(frames)-2].Cursor || len(end.Event) > 0 {
			t.Errorf("the end is %+v", end)
		}
		for i, f := range frames {
			rest, more := s.sent(ask(f.Cursor))
			if diff := cmp.Diff(whole[min(i+1, len(whole)):], rest, cmp.Transformer("", func(l []string) []string { return append([]string{}, l...) })); diff != "" {
				t.Errorf("behind %s: %s", f.Cursor, diff)
			}
			if last := more[len(more)-1]; last.Cursor != end.Cursor {
				t.Errorf("behind %s it ends at %s, not %s", f.Cursor, last.Cursor, end.Cursor)
			}
		}
	}
}

func TestEventsAreFilteredByTypeAndTime(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", "touch ok"))
	s.wants(st, "done")
	ref := wire.RunRef{Run: st.ID}
	for _, c := range []struct {
		types []string
		want  []string
	}{
		{[]string{"run.*"}, []string{events.TypeRunStarted, events.TypeRunEnded}},
		{[]string{"run.ended"}, []string{events.TypeRunEnded}},
		{[]string{"run.ended.v1", "agent.*"}, []string{events.TypeAgentEnded, events.TypeRunEnded}},
		{[]string{"nothing"}, nil},
	} {
		got, frames := s.sent(wire.EventsRequest{RunRef: ref, Types: c.types})
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%v: %s", c.types, diff)
		}
		if end := frames[len(frames)-1]; end.Cursor != fmt.Sprint(st.Log.Seq) {
			t.Errorf("%v: ends at %s", c.types, end.Cursor)
		}
	}
	if got, _ := s.sent(wire.EventsRequest{RunRef: ref, Since: time.Now().Add(time.Hour)}); len(got) > 0 {
		t.Errorf("of the future: %v", got)
	}
	if got, _ := s.sent(wire.EventsRequest{Every: true, Types: []string{"run.ended"}}); !slices.Equal(got, []string{events.TypeRunEnded}) {
		t.Errorf("of all: %v", got)
	}
	if err := s.d.api.RunEvents(t.Context(), auth.Request{}, wire.EventsRequest{RunRef: ref, Types: []string{"[a"}}, nil); codeOf(err) != wire.Usage {
		t.Errorf("a bad pattern: %v", err)
	}
}

func TestAnExpiredCursorIsAnsweredWithTheOldestThereIs(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", "touch ok"))
	oldest := func(q wire.EventsRequest) string {
		err := api.Fault(s.d.api.RunEvents(t.Context(), auth.Request{}, q, func(wire.EventFrame) error { return nil }))
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != wire.CursorExpired {
			t.Fatalf("%+v: %v", q, err)
		}
		f, err := wire.ParseFrame(wire.Final(1, e).Header(), nil)
		if err != nil || f.Cursor != e.Cursor {
			t.Errorf("over the wire: %q, %v", f.Cursor, err)
		}
		return e.Cursor
	}
	for _, c := range []string{"9.4.0123456789abcdef", "1.1.0123456789abcdef", "nonsense"} {
		got, _ := s.sent(wire.EventsRequest{Every: true, Cursor: oldest(wire.EventsRequest{Every: true, Cursor: c})})
		if len(got) < int(st.Log.Seq) {
			t.Errorf("from the oldest place: %v", got)
		}
	}
	if got := oldest(wire.EventsRequest{RunRef: wire.RunRef{Run: st.ID}, After: st.Log.Seq + 1}); got != "0" {
		t.Errorf("of a run: %q", got)
	}
}
