package gate_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/gate"
	"autopilot/events"
	"autopilot/projections/rule"
)

// Lessons A23 and A24: words of a closed list, and nothing is taken for one of them.
func TestAResultOfARoleIsReadStrictly(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		kind events.GateKind
		src  string
		want string // part of the error; empty is none
	}{
		"approval":                        {events.GateConsensus, `{"v":1,"verdict":"approve"}`, ""},
		"a word of another kind":          {events.GateConsensus, `{"v":1,"verdict":"passed"}`, "verdict is"},
		"no verdict":                      {events.GateReview, `{"v":1,"architecture":"clear"}`, "verdict is"},
		"no architecture":                 {events.GateReview, `{"v":1,"verdict":"approve"}`, "architecture is"},
		"a whole review":                  {events.GateReview, `{"v":1,"verdict":"approve","architecture":"clear"}`, ""},
		"no version":                      {events.GateQA, `{"verdict":"passed"}`, "v is 0"},
		"a later version":                 {events.GateQA, `{"v":2,"verdict":"passed"}`, "v is 2"},
		"an unknown member":               {events.GateQA, `{"v":1,"verdict":"passed","approved":true}`, "approved"},
		"a member twice":                  {events.GateQA, `{"v":1,"verdict":"failed","verdict":"passed"}`, "appears twice"},
		"two values":                      {events.GateQA, `{"v":1,"verdict":"passed"}{}`, "after top-level"},
		"junk":                            {events.GateQA, `passed`, "invalid"},
		"nothing":                         {events.GateQA, ``, "ends too early"},
		"a number for a word":             {events.GateQA, `{"v":1,"verdict":1}`, "verdict"},
		"invalid UTF-8":                   {events.GateQA, "{\"v\":1,\"verdict\":\"passed\",\"summary\":\"\xff\"}", "UTF-8"},
		"a byte order mark":               {events.GateQA, "\xef\xbb\xbf" + `{"v":1,"verdict":"passed"}`, ""},
		"a finding without source":        {events.GateQA, `{"v":1,"verdict":"failed","findings":[{"detail":"d"}]}`, "finding 1 has no evidence_ref"},
		"a blank source":                  {events.GateQA, `{"v":1,"verdict":"failed","findings":[{"evidence_ref":" ","detail":"d"}]}`, "no evidence_ref"},
		"a finding of nothing":            {events.GateQA, `{"v":1,"verdict":"failed","findings":[{"evidence_ref":"a:1"}]}`, "finding 1 has no detail"},
		"no criteria":                     {events.GateCoverage, `{"v":1}`, "lists no criteria"},
		"a criterion twice":               {events.GateCoverage, `{"v":1,"criteria":[{"id":"a","covered":true},{"id":"a","covered":true}]}`, "criterion 2"},
		"covered":                         {events.GateCoverage, `{"v":1,"criteria":[{"id":"a","covered":true,"by":"t"}]}`, ""},
		"no scores":                       {events.GateInterview, `{"v":1,"question":"q"}`, "scores no dimension"},
		"a question about nothing":        {events.GateInterview, `{"v":1,"clarity":{"goal":10},"question":"?","changes":"all"}`, "want one of the dimensions"},
		"a question about what is clear":  {events.GateInterview, `{"v":1,"clarity":{"goal":100},"question":"?","about":"goal","changes":"all"}`, "which is clear"},
		"a question that changes nothing": {events.GateInterview, `{"v":1,"clarity":{"goal":10},"question":"?","about":"goal","changes":" "}`, "no changes"},
		"a score over 100":                {events.GateInterview, `{"v":1,"clarity":{"goal":101}}`, "clarity of"},
		"too long":                        {events.GateQA, `{"v":1,"verdict":"passed","summary":"` + strings.Repeat("x", gate.MaxOpinion) + `"}`, "bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, err := gate.ReadOpinion(tt.kind, []byte(tt.src))
			switch {
			case tt.want == "" && err != nil:
				t.Error(err)
			case tt.want != "" && (!errors.Is(err, gate.ErrOpinion) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want %q", err, tt.want)
			case tt.want != "" && !cmp.Equal(o, gate.Opinion{}):
				t.Errorf("with an error there is %+v", o)
			}
		})
	}
}

// Seeds 3.2: a finding without priority blocks. DESIGN 9: a claim without
// evidence is a FAIL.
func TestWhatIsNotSaidIsNotTakenForGood(t *testing.T) {
	t.Parallel()
	o, err := gate.ReadOpinion(events.GateCoverage, []byte(`{"v":1,
		"findings":[{"evidence_ref":"a.go:7","detail":"off by one"},{"priority":2,"evidence_ref":"b.go","detail":"a name"}],
		"criteria":[{"id":"AC1","covered":true,"by":"TestOne"},{"id":"AC2","covered":true},{"id":"AC3","covered":false}]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := events.Opinion{Findings: 2, Blocking: 1, Covered: 1, Uncovered: 2, UncoveredSum: rule.FailingSum([]string{"AC2", "AC3"})}
	if d := cmp.Diff(want, o.Sum(nil)); d != "" {
		t.Error(d)
	}
	list := "[P0] a.go:7\noff by one\n\n[P2] b.go\na name\n\n" +
		"[P0] criterion AC2 is said to be covered, but nothing is named that covers it\n\n[P0] criterion AC3 is not covered\n"
	if d := cmp.Diff(list, o.List()); d != "" {
		t.Error(d)
	}
	if got := (gate.Opinion{Clarity: map[string]int{"goal": 80}}).Sum(map[string]int{"goal": 60, "rest": 40}); got.Ambiguity != 52 {
		t.Errorf("ambiguity %d", got.Ambiguity)
	}
}

// A reviewer that is not content and names nothing is heard all the same.
func TestAVerdictWithoutAFindingIsToldAsIt(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		`"verdict":"request-changes","architecture":"watch"`:                                             "request-changes, architecture watch",
		`"verdict":"comment","architecture":"clear"`:                                                     "comment",
		`"verdict":"approve","architecture":"block"`:                                                     "architecture block",
		`"verdict":"approve","architecture":"clear"`:                                                     "",
		`"verdict":"comment","architecture":"watch","findings":[{"evidence_ref":"a.go:1","detail":"x"}]`: "",
	} {
		o, err := gate.ReadOpinion(events.GateReview, []byte(`{"v":1,`+src+`}`))
		if err != nil {
			t.Fatal(err)
		}
		list := o.List()
		if got := rule.BareRuling(o.Sum(nil)); got != want || (want == "") == strings.Contains(list, "names no finding") || want != "" && !strings.Contains(list, "[P0] the reviewer says "+want+",") {
			t.Errorf("%s: %q\n%s", src, got, list)
		}
	}
	failed, err := gate.ReadOpinion(events.GateQA, []byte(`{"v":1,"verdict":"failed"}`))
	if err != nil || !strings.Contains(failed.List(), "says failed, and") {
		t.Errorf("%v %s", err, failed.List())
	}
	covered, err := gate.ReadOpinion(events.GateCoverage, []byte(`{"v":1,"criteria":[{"id":"AC1","covered":true,"by":"t"}]}`))
	if err != nil || covered.List() != "" {
		t.Errorf("%v %s", err, covered.List())
	}
}

func FuzzReadOpinion(f *testing.F) {
	f.Add("review", []byte(`{"v":1,"verdict":"approve","architecture":"clear","findings":[{"priority":0,"evidence_ref":"a","detail":"b"}]}`))
	f.Add("coverage", []byte(`{"v":1,"criteria":[{"id":"a","covered":true,"by":"t"}]}`))
	f.Add("interview", []byte(`{"v":1,"clarity":{"goal":10},"question":"?","about":"goal","changes":"all"}`))
	f.Fuzz(func(t *testing.T, kind string, src []byte) {
		o, err := gate.ReadOpinion(events.GateKind(kind), src)
		if err != nil && !errors.Is(err, gate.ErrOpinion) {
			t.Fatal(err)
		}
		_, _ = o.Sum(map[string]int{"goal": 100}), o.List()
	})
}
