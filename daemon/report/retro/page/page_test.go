package page_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/report/retro/page"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/retro"
	"autopilot/projections/retro/sheet"
)

var update = flag.Bool("update", false, "write the golden files anew")

// hostile is text that would do something if it were not written as text.
const hostile = "</title></style><script>alert(1)</script><img src=x onerror='a()'> \x1b[31mred \u202eevil\u2066 \x00 a\u200bb \U000e0041 \"q\" & | `` @team [a](javascript:x) https://example.com\n# no heading\r\n"

var began = time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)

// played is a run whose texts are hostile: some iterations that fail, each
// fourth as an earlier one, waits, halts, and a pass at the end.
func played(iterations int) wire.RetroRun { return story(0, iterations, "done").View(texts) }

// texts are hostile, however long.
func texts(ref events.Ref) (string, bool) {
	if k, ok := strings.CutPrefix(string(ref), "ids"); ok {
		return "pkg/" + hostile[:40] + " TestAlways\npkg/a Test" + k + " " + strings.Repeat(hostile[:60], 9), true
	}
	return strings.Repeat(hostile, 60), true
}

// story is the i-th run, a day after the one before.
func story(i, iterations int, end events.End) *retro.Fold {
	f := &retro.Fold{}
	at, seq := began.Add(time.Duration(i)*24*time.Hour), uint64(0)
	id, handle := fmt.Sprintf("01JGFJJZ0000000000000%05d", i), fmt.Sprintf("r%03d", i)
	add := func(after time.Duration, data ...events.Data) {
		for _, d := range data {
			seq++
			f.Add(events.Event{Aggregate: events.Run(id), Seq: seq, Time: at, Actor: "person:0@h/" + hostile, Data: d})
			at = at.Add(after)
		}
	}
	judged := func(k int, v events.Verdict) events.GatesJudged {
		r := events.GateResult{Gate: "test", Verdict: v, Reason: events.ReasonExit, DurationMS: 1500}
		if v == events.Fail {
			r.Failing, r.FailingIDs, r.FailingSum = 2+k%7, events.Ref(fmt.Sprint("ids", k)), "s"
		}
		return events.GatesJudged{Iteration: k, Results: []events.GateResult{r, {Gate: "lint", Verdict: events.Pass, Reason: events.ReasonExit}}}
	}
	add(2*time.Second, events.RunStarted{Handle: handle, Workflow: "loop", Phase: "work", Task: "text", Workspace: "text", Agent: "claude"},
		events.GatesStarted{}, judged(0, events.Fail))
	for k := 1; k <= iterations; k++ {
		add(time.Minute, events.IterationStarted{Phase: "work", Iteration: k, Attempt: 1})
		end := events.AgentEnded{
			Iteration: k, Outcome: events.Exited, Result: events.ResultEnded, By: events.FromStream, Claim: events.ClaimDone, Model: hostile, DurationMS: 60_000, Files: k,
			Usage: events.Usage{Input: int64(1000 * (k%9 + 1)), Output: 300, TokensFrom: events.Reported, MicroUSD: int64(20_000 * (k%5 + 1)), CostFrom: events.Computed},
		}
		if k%4 == 3 {
			end.Repeats, end.Repeat = 12, "text"
			end.Conflicts = []events.Signal{{By: events.FromExit, Result: events.ResultAgentError}}
		}
		verdict, print := events.Fail, fmt.Sprint("f", k-k%4/3)
		if k == iterations {
			verdict, print = events.Pass, ""
		}
		add(5*time.Second, end, events.GatesStarted{Iteration: k}, judged(k, verdict))
		add(time.Second, events.IterationRecorded{Phase: "work", Iteration: k, Verdict: verdict, Fingerprint: print, Signature: print, Files: k})
		if k%5 == 2 && k < iterations {
			add(10*time.Minute, events.LimitWaiting{Cause: events.LimitRate})
			add(0, events.LimitLifted{})
		}
		if k%6 == 3 && k < iterations {
			add(20*time.Minute, events.RunHalted{Reason: events.HaltNeedsPerson, Question: "text"})
			add(time.Second, events.RunResumed{Note: "text"})
		}
	}
	add(0, events.RunEnded{State: end})
	return f
}

func fleet(runs int) wire.RetroFleet {
	l := retro.NewFleet(began, time.UTC)
	ends := []events.End{"done", "failed", "done", "cancelled", "already-green"}
	for i := range runs {
		l.Add(story(i, 3+i%4, ends[i%len(ends)]))
	}
	return l.View(texts)
}

func small() map[string]wire.RetroView {
	run, many := played(9), fleet(23)
	empty := retro.NewFleet(began, time.UTC).View(texts)
	live := (&retro.Fold{}).View(nil)
	return map[string]wire.RetroView{
		"run": {Made: began, Run: &run}, "fleet": {Made: began, Many: &many}, "empty": {Made: began, Many: &empty}, "nothing": {Made: began, Run: &live},
	}
}

func html(t *testing.T, v wire.RetroView) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := page.HTML(&b, sheet.Make(v, time.UTC, sheet.Page()), "made by a test"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func markdown(t *testing.T, v wire.RetroView) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := page.Markdown(&b, sheet.Make(v, time.UTC, sheet.Page()), "made by a test"); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-update writes it):\n%s", file, d)
	}
}

func TestPagesAreAsTheyWere(t *testing.T) {
	t.Parallel()
	for name, v := range small() {
		golden(t, name+".html", html(t, v))
		golden(t, name+".md", markdown(t, v))
	}
}

// element is what a page may be made of, with the attributes that it may have.
var element = map[string]string{
	"html": "lang", "head": "", "meta": "charset http-equiv content name", "title": "id", "style": "", "body": "", "header": "", "main": "", "footer": "",
	"h1": "", "h2": "id", "p": "", "span": "class", "div": "class dir", "dl": "class", "dt": "", "dd": "", "nav": "aria-label", "ul": "class", "li": "",
	"a": "href", "section": "aria-labelledby", "figure": "", "figcaption": "", "i": "class", "details": "open", "summary": "", "caption": "", "table": "", "thead": "",
	"tbody": "", "tr": "", "th": "scope class", "td": "class colspan",
	"svg": "class viewBox preserveAspectRatio role aria-labelledby", "desc": "id", "rect": "class x y width height",
}

// checkPage reads a page as XML, which is stricter than HTML: everything is
// closed, quoted and known.
func checkPage(t *testing.T, b []byte) {
	t.Helper()
	if n := len(b); n >= 1_000_000 {
		t.Errorf("it has %d bytes", n)
	}
	ids, wanted := map[string]bool{}, map[string]bool{}
	drawings, titles, descs := 0, 0, 0
	for d := xml.NewDecoder(bytes.NewReader(b)); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		e, ok := tok.(xml.StartElement)
		if !ok {
			continue
		}
		allowed, known := element[e.Name.Local]
		if !known {
			t.Errorf("an element <%s>", e.Name.Local)
		}
		switch e.Name.Local {
		case "svg":
			drawings++
		case "title":
			titles++
		case "desc":
			descs++
		}
		for _, a := range e.Attr {
			if !strings.Contains(" "+allowed+" ", " "+a.Name.Local+" ") {
				t.Errorf("<%s %s=%q>", e.Name.Local, a.Name.Local, a.Value)
			}
			switch a.Name.Local {
			case "id":
				if ids[a.Value] {
					t.Errorf("two elements have the id %s", a.Value)
				}
				ids[a.Value] = true
			case "href":
				wanted[strings.TrimPrefix(a.Value, "#")] = true
				if !strings.HasPrefix(a.Value, "#") {
					t.Errorf("a link to %s", a.Value)
				}
			case "aria-labelledby":
				for _, id := range strings.Fields(a.Value) {
					wanted[id] = true
				}
			}
		}
	}
	for id := range wanted {
		if !ids[id] {
			t.Errorf("nothing has the id %s", id)
		}
	}
	if titles != drawings+1 || descs != drawings {
		t.Errorf("%d drawings have %d titles and %d descriptions", drawings, titles-1, descs)
	}
	checkText(t, b)
	if !bytes.Contains(b, []byte(`content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"`)) {
		t.Error("it has no policy")
	}
	if m := regexp.MustCompile(`(?i)url\(|@import|@font-face`).Find(b); m != nil {
		t.Errorf("its style has %s", m)
	}
}

// checkText finds what cannot be seen, or steers.
func checkText(t *testing.T, b []byte) {
	t.Helper()
	for i, r := range string(b) {
		if r != '\n' && r != '\t' && (r < ' ' || r >= 0x7f && r <= 0x9f || r >= 0x200b && r <= 0x200f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r >= 0xe0000 && r <= 0xe007f) {
			t.Fatalf("byte %d is %U", i, r)
		}
	}
}

func TestAPageIsWholeAndDoesNothing(t *testing.T) {
	t.Parallel()
	for name, v := range small() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			checkPage(t, html(t, v))
		})
	}
}

func TestTenThousandIterationsFitOnAPage(t *testing.T) {
	t.Parallel()
	r := played(10_000)
	b := html(t, wire.RetroView{Made: began, Run: &r})
	checkPage(t, b)
	for _, said := range []string{"9601 more are left out here", "Each column stands for 42 iterations", "10,000"} {
		if !bytes.Contains(b, []byte(said)) {
			t.Errorf("it does not say %q", said)
		}
	}
	md := markdown(t, wire.RetroView{Made: began, Run: &r})
	checkText(t, md)
	if len(md) > 256<<10 {
		t.Errorf("the text has %d bytes", len(md))
	}
}

func TestTenThousandRunsFitOnAPage(t *testing.T) {
	t.Parallel()
	l := retro.NewFleet(began, time.UTC)
	for i := range 10_000 {
		l.Add(story(i, 2, events.End(fmt.Sprint("newer-", i))))
	}
	f := l.View(texts)
	checkPage(t, html(t, wire.RetroView{Made: began, Many: &f}))
}

func TestMarkdownHasNoLinksMentionsOrHTMLOfOthers(t *testing.T) {
	t.Parallel()
	for name, v := range small() {
		b := markdown(t, v)
		checkText(t, b)
		text := outsideCode(string(b))
		if m := regexp.MustCompile(`<|https?:|@team|\]\(`).FindString(text); m != "" {
			t.Errorf("%s: %q outside of code in\n%s", name, m, text)
		}
	}
}

// outsideCode is what of a text is no code: there a run of backticks opens, and
// the next of the same length closes.
func outsideCode(text string) string {
	var out strings.Builder
	for text != "" {
		i := strings.IndexByte(text, '`')
		if i < 0 {
			break
		}
		out.WriteString(text[:i])
		n := len(text[i:]) - len(strings.TrimLeft(text[i:], "`"))
		text = text[i+n:]
		for text != "" {
			k := strings.IndexByte(text, '`')
			if k < 0 {
				return out.String() + text
			}
			m := len(text[k:]) - len(strings.TrimLeft(text[k:], "`"))
			if text = text[k+m:]; m == n {
				break
			}
		}
	}
	return out.String() + text
}

// spoiled has the hostile text in the place of every text that a view holds,
// names of ours included: what wrote an event may have been of another version.
func spoiled(t *testing.T, v wire.RetroView) wire.RetroView {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(hostile[:90])
	if err != nil {
		t.Fatal(err)
	}
	value := regexp.MustCompile(`(:|\[|,)"(?:[^"\\]|\\.)*"(,|\]|\})`)
	moment := regexp.MustCompile(`"\d{4}-\d\d-\d\dT`)
	b = value.ReplaceAllFunc(b, func(m []byte) []byte {
		if moment.Match(m) {
			return m
		}
		return []byte(string(m[0]) + string(text) + string(m[len(m)-1]))
	})
	var out wire.RetroView
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNoNameInAnEventActsOnAPage(t *testing.T) {
	t.Parallel()
	for name, v := range small() {
		bad := spoiled(t, v)
		if name == "run" && bad.Run.Iterations[1].Gates[0].Gate != hostile[:90] {
			t.Errorf("nothing is spoiled: %+v", bad.Run.Iterations[1])
		}
		checkPage(t, html(t, bad))
		checkText(t, markdown(t, bad))
	}
}
