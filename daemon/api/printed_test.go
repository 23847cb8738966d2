package api

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/agent/stream"
	"autopilot/events/wire"
)

// gather keeps the frames that are sent.
func gather(t *testing.T, to *[]wire.LogFrame) func(wire.LogFrame) error {
	return func(v wire.LogFrame) error {
		b, err := json.Marshal(v)
		if err != nil || len(b) > wire.MaxFrame {
			t.Errorf("a frame of %d bytes, %v", len(b), err)
		}
		*to = append(*to, v)
		return nil
	}
}

const saidLine = `{"type":"assistant","message":{"content":[{"type":"text","text":"hello"}]}}`

func TestAFrameHasTheTextOfTheLinesThatEndInIt(t *testing.T) {
	t.Parallel()
	var got []wire.LogFrame
	p := newPrinted(Source{iteration: 1, attempt: 1, name: agentSource}, stream.Claude, gather(t, &got))
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
	p := newPrinted(Source{name: agentSource}, stream.Claude, gather(t, &got))
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
		p := newPrinted(Source{name: c.source}, c.format, gather(t, &got))
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
