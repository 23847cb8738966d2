package daemon

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// retold stores the events of a run once more, as edit leaves them, under an id
// of its own. They are numbered and chained anew.
func (s *site) retold(id string, edit func([]events.Event) []events.Event) string {
	s.t.Helper()
	var es []events.Event
	for stored, err := range s.d.Log.Read(s.t.Context(), events.Run(id), 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		es = append(es, stored.Event)
	}
	s.calls++
	other, hash := journal.NewID(time.Now().Add(time.Duration(s.calls)*time.Millisecond)), ""
	for k, e := range edit(es) {
		e.Aggregate, e.Seq, e.PrevHash, e.Causation, e.ID = events.Run(other), uint64(k+1), hash, "", fmt.Sprintf("%s-%d", other, k)
		if d, ok := e.Data.(events.RunStarted); ok {
			d.Handle = strings.ToLower(other[18:])
			e.Data = d
		}
		st, err := s.d.Log.Append(s.t.Context(), e, log.Ordinary)
		if err != nil {
			s.t.Fatal(err)
		}
		hash = st.Hash
	}
	return other
}

// morning is what the commands of the morning answer about a run.
type morning struct {
	why    wire.WhyView
	report wire.ReportView
	inbox  wire.InboxView
	line   wire.LineView
	status wire.RunView
	retro  wire.RetroView
	many   wire.RetroView
	replay []wire.ReplayFrame
	types  []string
	raw    []byte // all of it as JSON
}

func (s *site) morning(id string) (m morning) {
	s.t.Helper()
	ctx, ref := s.t.Context(), wire.RunRef{Run: id}
	must := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	st, err := s.d.api.Find(ctx, ref)
	must(err)
	m.status, m.why, m.report = s.d.api.View(st), s.why(id), s.report(time.Time{}, 0)
	m.inbox, err = s.d.api.InboxList(ctx, s.request(), wire.InboxRequest{})
	must(err)
	m.line, err = s.d.api.StatusLine(ctx, s.request(), wire.LineRequest{Workspace: s.work})
	must(err)
	for _, format := range []string{wire.RetroHTML, wire.RetroMarkdown, wire.RetroJSON} {
		m.retro, _ = s.retroOf(wire.RetroRequest{RunRef: ref, Format: format})
		m.many, _ = s.retroOf(wire.RetroRequest{Since: time.Unix(1, 0), Format: format})
	}
	m.replay, err = s.replay(s.request(), wire.ReplayRequest{RunRef: ref})
	must(err)
	for _, f := range m.replay {
		at, err := s.replay(s.request(), wire.ReplayRequest{RunRef: ref, At: fmt.Sprint(f.Seq)})
		must(err)
		m.replay = append(m.replay, at...)
	}
	m.types, _ = s.sent(wire.EventsRequest{RunRef: ref})
	m.raw, err = json.Marshal([]any{m.why, m.report, m.inbox, m.line, m.status, m.retro, m.many, m.replay})
	must(err)
	return m
}

// newer is an event of a type that only a later version has.
func newer(at time.Time) events.Event {
	return events.Event{
		Time: at, Source: "autopilot/later", Actor: "daemon:later",
		Data: events.Unknown{Type: "run.dreamt.v7", Raw: jsontext.Value(`{"of":"<b>sheep</b>\u202e","ms":-5}`)},
	}
}

// withNewer has an event of a later version behind each other one.
func withNewer(es []events.Event) (out []events.Event) {
	for _, e := range es {
		out = append(out, e, newer(e.Time))
	}
	return out
}

func TestEventsOfALaterVersionChangeNoAnswer(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	done := s.play(s.spec("test -f ok", "test -f n && touch ok; touch n"))
	s.wants(done, "done")
	s.write(nil)
	halted := s.play(s.spec("test -f never", "date +%N > n", func(r *wire.RunSpec) { r.MaxIterations = 2 }))
	s.wants(halted, "halted:iterations")
	ids := map[string]string{done.ID: s.retold(done.ID, withNewer), halted.ID: s.retold(halted.ID, withNewer)}
	host := newer(time.Now())
	host.Aggregate, host.Seq, host.ID, host.Data = events.Host(s.d.HostID), 1, journal.NewID(time.Now()), events.Unknown{Type: "host.moved.v2", Raw: jsontext.Value(`{}`)}
	if _, err := s.d.Log.Append(t.Context(), host, log.Ordinary); err != nil {
		t.Fatal(err)
	}
	s.again()
	for was, is := range ids {
		a, b := s.morning(was), s.morning(is)
		n := int(a.status.Seq)
		if b.status.Unknown != n || b.status.State != a.status.State || b.status.Reason != a.status.Reason || b.status.Iteration != a.status.Iteration {
			t.Errorf("status %+v, was %+v", b.status, a.status)
		}
		if b.why.Because != a.why.Because || b.why.Settled.Type != a.why.Settled.Type || b.why.Settled.Seq != 2*a.why.Settled.Seq-1 || len(b.why.Rows) != len(a.why.Rows) {
			t.Errorf("why %+v, was %+v", b.why, a.why)
		}
		if b.retro.Run.Unknown != n || b.retro.Run.Time != a.retro.Run.Time || len(b.retro.Run.Iterations) != len(a.retro.Run.Iterations) || b.many.Many.Unread != 0 {
			t.Errorf("retro %+v, was %+v", b.retro.Run, a.retro.Run)
		}
		if len(b.types) != 2*n || b.types[1] != "run.dreamt.v7" || b.replay[1].Line != "event run.dreamt.v7 of a newer version" {
			t.Errorf("events %v, %q", b.types, b.replay[1].Line)
		}
	}
	if v := s.report(time.Time{}, 0); len(v.Parts[1].Runs) != 2 || v.Counts.Halted != 2 || v.Total.Agents != 2*(2+2) {
		t.Errorf("report %+v, total %+v", v.Counts, v.Total)
	}
	if _, err := s.d.api.RunCancel(t.Context(), s.request(), wire.StopRequest{RunRef: wire.RunRef{Run: ids[halted.ID]}}); err != nil {
		t.Errorf("a run with them cannot be closed: %v", err)
	}
}

// lengths walks JSON for what is said in milliseconds.
func lengths(t *testing.T, raw []byte, see func(name string, ms float64)) {
	t.Helper()
	d := jsontext.NewDecoder(bytes.NewReader(raw))
	name := ""
	for {
		tok, err := d.ReadToken()
		if err != nil {
			return
		}
		switch tok.Kind() { //nolint:exhaustive // others are no numbers
		case '"':
			name = tok.String()
		case '0':
			if strings.HasSuffix(name, "_ms") || name == "ms" || strings.HasSuffix(name, "length") || strings.HasSuffix(name, "took") {
				ms, err := tok.Float()
				if err != nil {
					t.Fatal(err)
				}
				see(name, ms)
			}
		}
	}
}

// isLimit says that a member is what somebody has set, and no clock.
func isLimit(name string) bool {
	return strings.HasPrefix(name, "limit") || slices.Contains([]string{"idle_ms", "attempt_ms", "gate_ms"}, name)
}

func TestNoClockThatGoesBackMakesALengthNegativeOrAbsurd(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f never", "date +%N > n", func(r *wire.RunSpec) { r.MaxIterations = 2 }))
	s.wants(st, "halted:iterations")
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "again"}); err != nil {
		t.Fatal(err)
	}
	st = s.until(st.ID, func(st run.State) bool { return settled(st) && st.Loop.Iteration == 4 })
	base := s.morning(st.ID)
	var ids []string
	step := 2
	if raced {
		step = 7
	}
	for k := 0; k < int(st.Log.Seq); k += step {
		ids = append(ids, s.retold(st.ID, func(es []events.Event) []events.Event {
			for i := k; i < len(es); i++ {
				es[i].Time = es[i].Time.Add(-time.Hour)
			}
			return es
		}))
	}
	s.again()
	for n, id := range ids {
		k, m := step*n, s.morning(id)
		if strings.Join(m.types, " ") != strings.Join(base.types, " ") {
			t.Errorf("from event %d: the order is %v", k+1, m.types)
		}
		for i, f := range m.replay[:len(m.types)] {
			if f.Seq != uint64(i+1) || i > 0 && f.Line != base.replay[i].Line {
				t.Errorf("from event %d: step %d is %d, %q", k+1, i, f.Seq, f.Line)
			}
		}
		lengths(t, m.raw, func(name string, ms float64) {
			if ms < 0 || ms > float64((2*time.Minute).Milliseconds()) && !isLimit(name) {
				t.Errorf("from event %d: %s is %v", k+1, name, ms)
			}
		})
		if back := m.retro.Run.Back; back != min(k, 1) {
			t.Errorf("from event %d: the clock went back %d times", k+1, back)
		}
		if m.why.Because != base.why.Because {
			t.Errorf("from event %d: %s", k+1, m.why.Because)
		}
	}
	ahead := s.retold(st.ID, func(es []events.Event) []events.Event {
		es[len(es)-3].Time = es[len(es)-3].Time.Add(time.Hour) // one event only
		return es
	})
	s.again()
	lengths(t, s.morning(ahead).raw, func(name string, ms float64) {
		if ms < 0 || ms > float64((62*time.Minute).Milliseconds()) && !isLimit(name) {
			t.Errorf("of a clock that was ahead: %s is %v", name, ms)
		}
	})
}
