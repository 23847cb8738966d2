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

	"autopilot/daemon/auth"
	"autopilot/events/wire"
	"autopilot/projections/retro"
)

// retroAs writes the retro of a run as a caller gets it.
func (s *site) retroAs(q auth.Request, body wire.RetroRequest) (string, error) {
	var b bytes.Buffer
	err := s.d.api.RunRetro(s.t.Context(), q, body, func(piece wire.Raw) error { _, err := b.Write(piece); return err })
	return b.String(), err
}

// retroOf is the retro of a run, and as it is written in the format that is asked for.
func (s *site) retroOf(body wire.RetroRequest) (v wire.RetroView, text string) {
	s.t.Helper()
	text, err := s.retroAs(s.request(), body)
	s.must(err)
	body.Format = wire.RetroJSON
	data, err := s.retroAs(s.request(), body)
	s.must(err)
	s.must(json.Unmarshal([]byte(data), &v))
	return v, text
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
	ref, err := s.d.Blobs.Put(t.Context(), []byte("an older daemon stored "+key))
	if text, ok := s.d.api.Texts()(ref); err != nil || !ok || strings.Contains(text, key) {
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
		for _, h := range s.d.Fleet.Heads() {
			w[h.ID] = h.Seq
		}
		return w
	}
	var got []string
	for _, read := range []func(context.Context, map[string]uint64, *retro.Fleet) error{s.d.api.Each, s.d.api.All} {
		sum := retro.NewFleet(body.Since, time.UTC)
		if err := read(t.Context(), wanted(), sum); err != nil {
			t.Fatal(err)
		}
		b, err := json.Marshal(sum.View(s.d.api.Texts()), json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b))
	}
	if got[0] != got[1] || !strings.Contains(got[0], `"count":3,"passed":3`) {
		t.Errorf("one by one %s\nat once %s", got[0], got[1])
	}
	if v, _ := s.retroOf(body); v.Many.Runs != 3 {
		t.Errorf("%d runs", v.Many.Runs)
	}
}

func TestAnAgentIsNotToldWhatPeopleAnswered(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec("false", "echo $AUTOPILOT_ITERATION > n", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	s.wants(st, "halted:iterations")
	if _, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}, Note: "look at n"}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []auth.Request{inside(), s.request()} {
		text, err := s.retroAs(q, wire.RetroRequest{RunRef: wire.RunRef{Run: st.ID}})
		s.must(err)
		if told := strings.Contains(text, "look at n"); told != (q.Kind != auth.KindEffect) {
			t.Errorf("%+v is told: %v", q, told)
		}
	}
}

func TestARetroThatMakesNoSenseIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	for _, body := range []wire.RetroRequest{
		{RunRef: wire.RunRef{Run: s.play(s.spec("test -f ok", "touch ok")).ID}, Format: "pdf"},
		{RunRef: wire.RunRef{Run: "zzzz"}},
		{RunRef: wire.RunRef{Workspace: t.TempDir()}},
	} {
		if _, err := s.retroAs(s.request(), body); err == nil {
			t.Errorf("%+v is answered", body)
		}
	}
}

// replay is what a replay sends.
func (s *site) replay(q auth.Request, body wire.ReplayRequest) (frames []wire.ReplayFrame, err error) {
	var whole []byte
	add := func(b []byte) error {
		var f wire.ReplayFrame
		err := json.Unmarshal(b, &f)
		frames = append(frames, f)
		return err
	}
	err = s.d.api.RunReplay(s.t.Context(), q, body, func(piece wire.Raw) error {
		if body.At == "" {
			return add(piece)
		}
		whole = append(whole, piece...)
		return nil
	})
	if err == nil && body.At != "" {
		err = add(whole)
	}
	return frames, err
}
