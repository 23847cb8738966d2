package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"autopilot/daemon/auth"
	"autopilot/daemon/test/proctest"
	"autopilot/events/wire"
)

// saidLine is a line of claude, whose text is hello.
const saidLine = `{"type":"assistant","message":{"content":[{"type":"text","text":"hello"}]}}`

// fakeClaude puts a program in place of the real one on the agent's PATH.
func fakeClaude(t *testing.T, s *site, q *wire.StartRequest, script string) {
	t.Helper()
	bin := t.TempDir()
	if err := proctest.WriteProgram(filepath.Join(bin, "claude"), "#!/bin/sh\n"+script); err != nil {
		t.Fatal(err)
	}
	q.Spec.Agent = wire.AgentSpec{Profile: "claude"}
	q.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + s.cfg.Home, "ANTHROPIC_API_KEY=x"}
}

func TestTheLastWordsOfAnAgentAreThoseOfItsStream(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	q := s.spec("test -f ok", "")
	fakeClaude(t, s, &q, `head -c 40000 /dev/zero | tr '\0' x | sed 's/^/{"type":"user","message":"/; s/$/"}/'; echo
echo '`+saidLine+`'
touch ok
printf '{"type":"result","subtype":"success","is_error":true,"result":"Please run /login","api_error_status":401}'
`)
	st := s.play(q)
	s.wants(st, "done")
	if got, want := s.d.api.Text(st.Last.Agent.Excerpt), "hello\nended: is_error 401: Please run /login\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestALogIsFollowedThroughPartsOfLines(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	goOn := filepath.Join(t.TempDir(), "go")
	q := s.spec("test -f ok", "")
	fakeClaude(t, s, &q, `printf '%s' '`+saidLine[:40]+`'
while ! test -f `+goOn+`; do sleep 0.01; done
printf '%s\n' '`+saidLine[40:]+`'
touch ok
`)
	v := s.start(q)
	text, data := "", ""
	err := s.d.api.RunLogs(t.Context(), auth.Request{}, wire.LogsRequest{RunRef: wire.RunRef{Run: v.ID}, Follow: true, Only: "agent"}, func(f wire.LogFrame) error {
		text, data = text+f.Text, data+string(f.Data)
		if data == saidLine[:40] && text == "" {
			return os.WriteFile(goOn, nil, 0o600)
		}
		return nil
	})
	if err != nil || text != "hello\n" || data != saidLine+"\n" {
		t.Errorf("%q, %q, %v", text, data, err)
	}
}

func TestASampleIsClassified(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	ask := func(q wire.ClassifyRequest) (wire.OutcomeView, error) {
		return s.d.api.AgentClassify(t.Context(), s.request(), q)
	}
	for i, name := range []string{"", "claude", "text", "codex"} {
		v, err := ask(wire.ClassifyRequest{Agent: name, Sample: []byte(saidLine + "\n")})
		if want := []string{"truncated-stream", "truncated-stream", "ended", "truncated-stream"}[i]; err != nil || v.Outcome != want {
			t.Errorf("%q: %s (%s), %v; want %s", name, v.Outcome, v.Reason, err, want)
		}
	}
	ref, err := s.d.Blobs.Put(t.Context(), []byte(saidLine))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := ask(wire.ClassifyRequest{SampleRef: ref}); err != nil || v.Last != "hello" {
		t.Errorf("%+v, %v", v, err)
	}
	effect := s.request()
	effect.Kind = auth.KindEffect
	if v, err := s.d.api.AgentClassify(t.Context(), effect, wire.ClassifyRequest{SampleRef: ref}); err == nil {
		t.Errorf("an effect reads a stored text: %+v", v)
	}
	bad := 256
	for _, q := range []wire.ClassifyRequest{{Agent: "cluade"}, {Exit: &bad}, {SampleRef: "none"}, {SampleRef: "../../x"}} {
		if v, err := ask(q); err == nil {
			t.Errorf("%+v: %+v", q, v)
		}
	}
}
