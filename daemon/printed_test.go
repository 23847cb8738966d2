package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/test/proctest"
	"autopilot/daemon/transport/bus"
	"autopilot/events/wire"
)

// gather keeps the frames that are sent.
func gather(t *testing.T, to *[]wire.LogFrame) func(any) error {
	return func(v any) error {
		b, err := json.Marshal(v)
		if err != nil || len(b) > wire.MaxFrame {
			t.Errorf("a frame of %d bytes, %v", len(b), err)
		}
		*to = append(*to, v.(wire.LogFrame))
		return nil
	}
}

const saidLine = `{"type":"assistant","message":{"content":[{"type":"text","text":"hello"}]}}`

func TestAFrameHasTheTextOfTheLinesThatEndInIt(t *testing.T) {
	t.Parallel()
	var got []wire.LogFrame
	p := newPrinted(source{iteration: 1, attempt: 1, name: agentSource}, stream.Claude, gather(t, &got))
	for _, piece := range []string{saidLine[:20], saidLine[20:] + "\n" + saidLine[:30]} {
		if err := p.add([]byte(piece), 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.add([]byte("lost\"}\n"+saidLine), 7); err != nil {
		t.Fatal(err)
	}
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	var data, text []string
	for _, f := range got {
		if f.Format != "claude" || f.Source != agentSource {
			t.Errorf("%+v", f)
		}
		data, text = append(data, string(f.Data)), append(text, f.Text)
	}
	if want := saidLine + "\n" + saidLine[:30] + "lost\"}\n" + saidLine; strings.Join(data, "") != want {
		t.Errorf("data %q", data)
	}
	if want := "|hello\n|(a broken line of 30 bytes)\n|hello\n"; strings.Join(text, "|") != want {
		t.Errorf("text %q", text)
	}
	if got[2].Gap != 7 {
		t.Errorf("gap %d", got[2].Gap)
	}
}

func TestALongTextGoesIntoSeveralFrames(t *testing.T) {
	t.Parallel()
	var got []wire.LogFrame
	p := newPrinted(source{name: agentSource}, stream.Claude, gather(t, &got))
	long := strings.Repeat("\u00e9\\\"\n", 20<<10)
	b, err := json.Marshal(long)
	if err != nil {
		t.Fatal(err)
	}
	line := []byte(strings.Replace(saidLine, `"hello"`, string(b), 1) + "\n")
	for len(line) > 0 {
		n := min(len(line), logPiece)
		if err := p.add(line[:n], 0); err != nil {
			t.Fatal(err)
		}
		line = line[n:]
	}
	text := ""
	for _, f := range got {
		text += f.Text
	}
	if text != long {
		t.Errorf("%d bytes of %d", len(text), len(long))
	}
}

func TestOutputOfGatesAndCommandsIsSentAsItIs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		source string
		format stream.Format
	}{{"goal", stream.Claude}, {agentSource, stream.Text}} {
		var got []wire.LogFrame
		p := newPrinted(source{name: c.source}, c.format, gather(t, &got))
		if err := p.add([]byte(saidLine), 0); err != nil {
			t.Fatal(err)
		}
		if err := p.end(); err != nil {
			t.Fatal(err)
		}
		if len(got) != 1 || got[0].Format != "" || got[0].Text != "" || string(got[0].Shown()) != saidLine {
			t.Errorf("%s: %+v", c.source, got)
		}
	}
}

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
	if got, want := s.d.text(st.Last.Agent.Excerpt), "hello\nended: is_error 401: Please run /login\n"; got != want {
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
	err := s.d.runLogs(t.Context(), bus.Request{}, wire.LogsRequest{RunRef: wire.RunRef{Run: v.ID}, Follow: true, Only: agentSource}, func(v any) error {
		f := v.(wire.LogFrame)
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
		return s.d.agentClassify(t.Context(), s.request(), q)
	}
	for i, name := range []string{"", "claude", "text", "codex"} {
		v, err := ask(wire.ClassifyRequest{Agent: name, Sample: []byte(saidLine + "\n")})
		if want := []string{"truncated-stream", "truncated-stream", "ended", "truncated-stream"}[i]; err != nil || v.Outcome != want {
			t.Errorf("%q: %s (%s), %v; want %s", name, v.Outcome, v.Reason, err, want)
		}
	}
	ref, err := s.d.blobs.Put(t.Context(), []byte(saidLine))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := ask(wire.ClassifyRequest{SampleRef: ref}); err != nil || v.Last != "hello" {
		t.Errorf("%+v, %v", v, err)
	}
	effect := s.request()
	effect.Kind = bus.KindEffect
	if v, err := s.d.agentClassify(t.Context(), effect, wire.ClassifyRequest{SampleRef: ref}); err == nil {
		t.Errorf("an effect reads a stored text: %+v", v)
	}
	bad := 256
	for _, q := range []wire.ClassifyRequest{{Agent: "cluade"}, {Exit: &bad}, {SampleRef: "none"}, {SampleRef: "../../x"}} {
		if v, err := ask(q); err == nil {
			t.Errorf("%+v: %+v", q, v)
		}
	}
}
