package realtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// call is a request as one of the programs makes it.
type call struct{ path, tool, side string }

func calls() map[string]call {
	return map[string]call{
		"anthropic": {"/v1/messages", `{"model":"m","tools":[{"name":"Write"}]}`, `{"model":"m"}`},
		"openai":    {"/v1/responses", `{"model":"m","tools":[{"type":"function","name":"exec_command"}]}`, `{"model":"m"}`},
		"google":    {"/v1beta/models/m:streamGenerateContent", `{"tools":[{"functionDeclarations":[{"name":"write_file"}]}]}`, `{}`},
	}
}

func newTestProvider(t *testing.T) *provider {
	t.Helper()
	p, err := newProvider("/w", time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.close)
	return p
}

// post asks and reads to the end of the answer.
func (p *provider) post(t *testing.T, path, body string) (status int, header http.Header, text string, err error) {
	t.Helper()
	c := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	answer, err := c.Post(p.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, string(b), err
}

func TestAScriptIsPlayedInOrderAndItsLastStepRepeats(t *testing.T) {
	t.Parallel()
	for name, c := range calls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestProvider(t)
			p.play(step{edit: true}, step{text: "It is done."})
			for i, want := range []string{edited, "It is", "It is"} {
				if status, _, text, err := p.post(t, c.path, c.tool); status != http.StatusOK || err != nil || !strings.Contains(text, want) {
					t.Errorf("answer %d: %d, %v, without %q:\n%s", i, status, err, want, text)
				}
			}
			if n := len(p.asked()); n != 3 {
				t.Errorf("%d requests are kept, want 3", n)
			}
		})
	}
}

func TestASideQuestionDoesNotMoveTheScriptOn(t *testing.T) {
	t.Parallel()
	for name, c := range calls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestProvider(t)
			p.play(step{text: "Of the script."})
			if _, _, text, err := p.post(t, c.path, c.side); err != nil || strings.Contains(text, "script") {
				t.Errorf("a side question got %q, %v", text, err)
			}
			if n := len(p.asked()); n != 0 {
				t.Errorf("%d requests of the script, want none", n)
			}
		})
	}
}

func TestARefusalHasTheProvidersStatusAndReset(t *testing.T) {
	t.Parallel()
	want := map[string]map[refusal]int{
		"anthropic": {limited: 429, wrongKey: 401, overloaded: 529, tooLong: 400},
		"openai":    {limited: 429, wrongKey: 401, overloaded: 503, tooLong: 400},
		"google":    {limited: 429, wrongKey: 401, overloaded: 503, tooLong: 400},
	}
	for name, c := range calls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, got := newTestProvider(t), map[refusal]int{}
			for r := range want[name] {
				p.play(step{refuse: r})
				status, _, text, err := p.post(t, c.path, c.tool)
				if got[r] = status; err != nil || !json.Valid([]byte(text)) {
					t.Errorf("%s: %v, %s", r, err, text)
				}
			}
			if d := cmp.Diff(want[name], got); d != "" {
				t.Errorf("statuses (-want +got):\n%s", d)
			}
		})
	}
}

func TestACutAnswerEndsInTheMiddle(t *testing.T) {
	t.Parallel()
	for name, c := range calls() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newTestProvider(t)
			p.play(step{text: "beginning and the end", cut: true})
			_, _, text, err := p.post(t, c.path, c.tool)
			if err == nil || !strings.Contains(text, "beginning") || strings.Contains(text, "the end") {
				t.Errorf("a cut answer: %v\n%s", err, text)
			}
		})
	}
}

func TestAHeldAnswerEndsWithTheProvider(t *testing.T) {
	t.Parallel()
	c := calls()["anthropic"]
	p := newTestProvider(t)
	p.play(step{text: "This goes on for ever.", hold: true})
	ended := make(chan error, 1)
	go func() {
		_, _, _, err := p.post(t, c.path, c.tool)
		ended <- err
	}()
	<-p.held
	select {
	case err := <-ended:
		t.Errorf("the answer has ended: %v", err)
	default:
	}
	p.close()
	if err := <-ended; err == nil {
		t.Error("the answer was whole")
	}
}

func TestTheTableCountsAndMarksRowsThatDiffer(t *testing.T) {
	t.Parallel()
	tab := &table{}
	tab.add(row{program: "claude", version: "1.0.0", name: "text", want: "ended", got: "ended", seen: seen{exit: "0", usage: usage(1), priced: true, microUSD: 456}})
	tab.add(row{program: "codex", name: "install", want: "installed", faults: []string{"npm says no"}})
	var out strings.Builder
	tab.print(&out)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if tab.differ() != 1 || len(lines) != 3 || !strings.Contains(lines[1], "100+20/10") || !strings.Contains(lines[1], "$0.000456") ||
		strings.Contains(lines[1], "<<") || !strings.Contains(lines[2], "<< npm says no") {
		t.Errorf("%d differ:\n%s", tab.differ(), out.String())
	}
}

func TestCasesAreChosenByProgramOrByName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		only          choice
		program, name string
		want          bool
	}{
		{"", "claude", "text", true},
		{"claude", "claude", "text", true},
		{"claude", "codex", "text", false},
		{"codex/401,claude/text", "claude", "text", true},
		{"codex/401,claude/text", "claude", "529", false},
		{"claude/text", "claude", "", true},
	} {
		if got := c.only.has(c.program, c.name); got != c.want {
			t.Errorf("%q has %s/%s: %v", c.only, c.program, c.name, got)
		}
	}
}
