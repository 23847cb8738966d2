package daemon

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/transport/bus"
	"autopilot/events/wire"
	"autopilot/projections/retro"
)

// retroOf writes the retro of a run as a caller would get it.
func (s *site) retroOf(body wire.RetroRequest) (wire.RetroView, string) {
	s.t.Helper()
	v, err := s.d.retro(s.t.Context(), body, time.UTC)
	if err != nil {
		s.t.Fatal(err)
	}
	write, err := retroWriter(body.Format)
	if err != nil {
		s.t.Fatal(err)
	}
	var b bytes.Buffer
	if err := write(&b, v, time.UTC); err != nil {
		s.t.Fatal(err)
	}
	return v, b.String()
}

func TestARetroHasNoSecretsAndNothingThatActs(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	const key = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
	st := s.play(s.spec("test -f ok || { echo '--- FAIL: Test<b>"+key+"</b> (0.00s)'; false; }", "test -f n && touch ok; touch n", func(spec *wire.RunSpec) {
		spec.Task = "use " + key + " <script>\u202e</script>"
	}))
	s.wants(st, "done")
	for _, format := range []string{wire.RetroJSON, wire.RetroHTML, wire.RetroMarkdown} {
		for _, since := range []time.Time{{}, time.Unix(1, 0)} {
			_, text := s.retroOf(wire.RetroRequest{RunRef: wire.RunRef{Run: st.ID}, Format: format, Since: since})
			if strings.Contains(text, key) {
				t.Errorf("%s since %v has the key:\n%s", format, since, text)
			}
			if format == wire.RetroHTML && (strings.Contains(text, "<script") || strings.Contains(text, "\u202e")) {
				t.Errorf("%s has markup of others", format)
			}
		}
	}
	ref, err := s.d.blobs.Put(t.Context(), []byte("an older daemon stored "+key))
	if text, ok := s.d.retroTexts()(ref); err != nil || !ok || strings.Contains(text, key) {
		t.Errorf("a text that was stored with a key is %q, %v", text, err)
	}
	v, _ := s.retroOf(wire.RetroRequest{RunRef: wire.RunRef{Run: st.ID}})
	if v.Run.State != "done" || len(v.Run.Iterations) != 3 || len(v.Run.Findings) != 2 || v.Run.Findings[1].Settled != 2 {
		t.Errorf("%+v", v.Run)
	}
}

func TestManyRunsReadAtOnceAreTheSameAsOneByOne(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for range 3 {
		s.play(s.spec("test -f ok", "touch ok"))
		if err := os.Remove(filepath.Join(s.work, "ok")); err != nil {
			t.Fatal(err)
		}
	}
	body := wire.RetroRequest{Since: time.Unix(1, 0), RunRef: wire.RunRef{Workspace: s.work}, Here: true}
	wanted := func() map[string]uint64 {
		w := map[string]uint64{}
		for _, h := range s.d.fleet.Heads() {
			w[h.ID] = h.Seq
		}
		return w
	}
	var got []string
	for _, read := range []func(context.Context, map[string]uint64, *retro.Fleet) error{s.d.retroEach, s.d.retroAll} {
		sum := retro.NewFleet(body.Since, time.UTC)
		if err := read(t.Context(), wanted(), sum); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(sum.View(s.d.retroTexts()), json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b))
	}
	if got[0] != got[1] || !strings.Contains(got[0], `"count":3,"passed":3`) {
		t.Errorf("one by one %s\nat once %s", got[0], got[1])
	}
	f, err := s.d.retroFleet(t.Context(), body, time.UTC, s.d.retroTexts())
	if err != nil || f.Runs != 3 {
		t.Errorf("%d runs, %v", f.Runs, err)
	}
}

func TestAnAgentIsNotToldWhatPeopleAnswered(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("false", "echo $AUTOPILOT_ITERATION > n", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	s.wants(st, "halted:iterations")
	if _, err := s.d.runResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "look at n"}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []bus.Request{inside(), s.request()} {
		v, _ := s.retroOf(wire.RetroRequest{RunRef: wire.RunRef{Run: st.ID}})
		told := retroFor(q, v).Run.Decisions[0].Answer == "look at n"
		if told != guided(q) {
			t.Errorf("%+v is told: %v", q, told)
		}
	}
}

func TestARetroThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	if _, err := retroWriter("pdf"); err == nil {
		t.Error("pdf is written")
	}
	for _, body := range []wire.RetroRequest{{RunRef: wire.RunRef{Run: "zzzz"}}, {RunRef: wire.RunRef{Workspace: s.work}}} {
		if _, err := s.d.retro(t.Context(), body, time.UTC); err == nil {
			t.Errorf("%+v is answered", body)
		}
	}
}
