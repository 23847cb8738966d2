package daemon

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// copies stores a run n times more, each under an id of its own that began a
// second later than the one before, changed by edit.
func (s *site) copies(id string, n int, edit func(i int, e *events.Event)) []string {
	s.t.Helper()
	var es []events.Event
	for stored, err := range s.d.Log.Read(s.t.Context(), events.Run(id), 0) {
		if err != nil {
			s.t.Fatal(err)
		}
		es = append(es, stored.Event)
	}
	var ids []string
	for i := range n {
		ids = append(ids, journal.NewID(time.Now().Add(time.Duration(i-n)*time.Second)))
		hash := ""
		for k, e := range es {
			e.Aggregate, e.PrevHash, e.Causation = events.Run(ids[i]), hash, ""
			e.ID = fmt.Sprintf("%s-%d", ids[i], k)
			if d, ok := e.Data.(events.RunStarted); ok {
				d.Handle = strings.ToLower(ids[i][20:])
				e.Data = d
			}
			if edit != nil {
				edit(i, &e)
			}
			st, err := s.d.Log.Append(s.t.Context(), e, log.Ordinary)
			if err != nil {
				s.t.Fatal(err)
			}
			hash = st.Hash
		}
	}
	return ids
}

// again ends the daemon and starts the next one.
func (s *site) again() {
	s.t.Helper()
	s.close()
	s.open()
}

func (s *site) report(since time.Time, limit int) wire.ReportView {
	s.t.Helper()
	v, err := s.d.api.ReportMake(s.t.Context(), s.request(), wire.ReportRequest{Since: since, Limit: limit})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// parts is what a report says of runs, in short.
func parts(v wire.ReportView) []string {
	var out []string
	for _, p := range v.Parts {
		for _, r := range p.Runs {
			out = append(out, fmt.Sprintf("%s %s %s: %s", p.Name, r.Run.State, r.Kind, strings.ReplaceAll(r.Next.Command, r.Run.Handle, "RUN")))
		}
	}
	return out
}

func TestAReportSaysWhatNeedsAPersonFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	asks := `echo '{"v":1,"claim":"blocked","reason":"Which colour?"}' > "$AUTOPILOT_RESULT_FILE"`
	s.wants(s.play(s.spec("test -f ok", asks)), "halted:needs-person")
	s.wants(s.play(s.spec("test -f ok", "touch ok")), "done")
	if err := os.Remove(filepath.Join(s.work, "ok")); err != nil {
		t.Fatal(err)
	}
	s.wants(s.play(s.spec("test -f ok", "date +%N > n", func(r *wire.RunSpec) { r.MaxIterations = 1 })), "halted:iterations")
	s.wants(s.play(s.spec("true", "touch ok")), "refused:goal-green")
	live := s.start(s.spec("test -f ok", "sleep 600"))
	s.until(live.ID, func(st run.State) bool { return st.Stage == run.Agent })
	want := []string{
		"needs-you halted blocked: apctl resume RUN -m 'ANSWER'", "done done : apctl diff RUN",
		"halted halted : apctl why RUN", "running running : apctl watch RUN", "ended refused : apctl why RUN",
	}
	v := s.report(time.Now().Add(-time.Hour), 0)
	if diff := cmp.Diff(want, parts(v)); diff != "" {
		t.Error(diff)
	}
	if want := (wire.Counts{Live: 1, Running: 1, Halted: 2, Needs: 1, Done: 1, Failed: 1}); v.Counts != want {
		t.Errorf("counts %+v", v.Counts)
	}
	inside, err := s.d.api.ReportMake(t.Context(), inside(), wire.ReportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range parts(inside) {
		if strings.Contains(l, "resume") {
			t.Errorf("an agent is told: %s", l)
		}
	}
	line, err := s.d.api.StatusLine(t.Context(), s.request(), wire.LineRequest{Workspace: s.work, Since: time.Now().Add(-time.Hour)})
	if err != nil || line.Counts != v.Counts || line.Run == nil || line.Run.Handle != live.Handle || line.Run.Stage != "agent" {
		t.Errorf("line %+v %v", line, err)
	}
	s.stop(live.ID, events.StopCancel)
	if v := s.report(time.Now().Add(time.Hour), 0); len(parts(v)) != 1 || v.Parts[2].Before != 1 {
		t.Errorf("of the future: %v, %d halted before", parts(v), v.Parts[2].Before)
	}
}

func TestTheInboxHasTheOldestFirstAndWhatWasAsked(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	v, err := s.d.api.InboxList(t.Context(), s.request(), wire.InboxRequest{})
	if err != nil || v.Items == nil || len(v.Items) != 0 {
		t.Fatalf("at first: %+v %v", v, err)
	}
	s.wants(s.play(s.spec("test -f ok", "date +%N > n", func(r *wire.RunSpec) { r.MaxIterations = 1 })), "halted:iterations")
	s.wants(s.play(s.spec("test -f ok", `echo '{"v":1,"claim":"blocked","reason":"Which colour?"}' > "$AUTOPILOT_RESULT_FILE"`)), "halted:needs-person")
	paused := s.start(s.spec("test -f ok", "sleep 600"))
	s.until(paused.ID, func(st run.State) bool { return st.Stage == run.Agent })
	s.stop(paused.ID, events.StopNow)
	if v, err = s.d.api.InboxList(t.Context(), s.request(), wire.InboxRequest{}); err != nil {
		t.Fatal(err)
	}
	if len(v.Items) != 2 || v.Items[0].Kind != "halted" || v.Items[1].Kind != "blocked" || v.Items[1].Question != "Which colour?" {
		t.Errorf("%+v", v.Items)
	}
	oldest, err := s.d.api.InboxList(t.Context(), s.request(), wire.InboxRequest{Limit: 1})
	if err != nil || len(oldest.Items) != 1 || oldest.Items[0].Kind != "halted" || oldest.More != 1 {
		t.Errorf("the oldest, and how many more: %+v %v", oldest, err)
	}
	all, err := s.d.api.InboxList(t.Context(), s.request(), wire.InboxRequest{Limit: 2})
	if err != nil || len(all.Items) != 2 || all.More != 0 {
		t.Errorf("all of them: %+v %v", all, err)
	}
	_, err = s.d.api.InboxList(t.Context(), s.request(), wire.InboxRequest{Limit: -1})
	refusedAs(t, "less than none", err, wire.Usage, "the limit is -1")
}

func TestAConfigurationThatBlocksARunWaitsInTheInbox(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{".autopilot/config.yaml": "limits: {iterations: 3}\n"})
	if _, err := s.d.api.RunStart(t.Context(), s.request(), s.spec("test -f ok", "touch ok")); codeOf(err) != wire.NeedsPerson {
		t.Fatal(err)
	}
	v, err := s.d.api.InboxList(t.Context(), s.request(), wire.InboxRequest{})
	if err != nil || len(v.Items) != 1 || v.Items[0].Kind != "trust" || !strings.HasSuffix(v.Items[0].Next.Command, " && apctl trust") {
		t.Fatalf("%+v %v", v, err)
	}
	if r := s.report(time.Time{}, 0); len(r.Blocks) != 1 {
		t.Errorf("report: %+v", r.Blocks)
	}
	if v, err := s.d.api.InboxList(t.Context(), inside(), wire.InboxRequest{}); err != nil || v.Items[0].Next.Command != "" {
		t.Errorf("an agent is told %+v %v", v, err)
	}
	if err := os.Remove(filepath.Join(s.work, ".autopilot/config.yaml")); err != nil {
		t.Fatal(err)
	}
	if v, err := s.d.api.InboxList(t.Context(), s.request(), wire.InboxRequest{}); err != nil || len(v.Items) != 0 {
		t.Errorf("when it is gone: %+v %v", v, err)
	}
}

func TestAReportIsOfItsTimeAlsoWhereAClockWentBack(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("test -f ok", "touch ok"))
	s.wants(st, "done")
	long := time.Now().Add(-72 * time.Hour)
	s.copies(st.ID, 3, func(i int, e *events.Event) {
		if ended, ok := e.Data.(events.AgentEnded); ok {
			ended.Usage = events.Usage{MicroUSD: 7, CostFrom: events.Reported}
			e.Data = ended
		}
		_, agent := e.Data.(events.AgentEnded)
		if i == 0 || i == 1 && !agent {
			e.Time = long // the second one ended before its agent did
		}
	})
	s.again()
	v := s.report(time.Now().Add(-24*time.Hour), 0)
	if len(v.Parts[1].Runs) != 3 || v.Total.MicroUSD != 14 || v.Total.Agents != 3 {
		t.Errorf("%d runs, total %+v", len(v.Parts[1].Runs), v.Total)
	}
	if v := s.report(time.Now().Add(-24*time.Hour), 1); len(v.Parts[1].Runs) != 1 || v.Parts[1].More != 2 || v.Total.MicroUSD != 14 {
		t.Errorf("at most one: %d and %d, total %+v", len(v.Parts[1].Runs), v.Parts[1].More, v.Total)
	}
	if v := s.report(time.Time{}, 0); len(v.Parts[1].Runs) != 4 || v.Total.MicroUSD != 21 {
		t.Errorf("of ever: %d runs, total %+v", len(v.Parts[1].Runs), v.Total)
	}
}

// BenchmarkReport reports over a thousand finished runs. The floor reads the
// states that have to be read for that, and nothing else. Goal: 300 ms.
func BenchmarkReport(b *testing.B) {
	s := newSite(b, nil)
	st := s.play(s.spec("test -f ok", "touch ok"))
	s.copies(st.ID, 999, nil)
	s.again()
	b.Run("floor", func(b *testing.B) {
		for b.Loop() {
			if n := len(s.d.Fleet.States()); n != 1000 {
				b.Fatal(n)
			}
		}
	})
	b.Run("report", func(b *testing.B) {
		for b.Loop() {
			v, err := s.d.api.ReportMake(b.Context(), s.request(), wire.ReportRequest{Since: time.Now().Add(-24 * time.Hour)})
			if err != nil || len(v.Parts[1].Runs) != 1000 {
				b.Fatal(len(v.Parts[1].Runs), err)
			}
		}
	})
	b.Run("line", func(b *testing.B) {
		for b.Loop() {
			v, err := s.d.api.StatusLine(b.Context(), s.request(), wire.LineRequest{Since: time.Now().Add(-24 * time.Hour)})
			if err != nil || v.Counts.Done != 1000 {
				b.Fatal(v, err)
			}
		}
	})
}
