package workflow_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/workflow"
	"autopilot/daemon/strictyaml"
)

const short = "name: mine\nversion: 1\nphases:\n  - name: work\n    prompt: mine.md\n    gates: [goals]\n"

func TestConvergeShips(t *testing.T) {
	t.Parallel()
	got, src, err := workflow.Shipped("converge")
	if err != nil {
		t.Fatal(err)
	}
	again, err := workflow.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, again); diff != "" {
		t.Error(diff)
	}
	want := workflow.Workflow{
		Name: "converge", Version: 1, Description: got.Description, Language: workflow.English,
		Phases: []workflow.Phase{{
			Name: "work", Prompt: "converge.md",
			Gates: []workflow.Gate{{Group: workflow.Goals}, {Group: workflow.Invariants}, {Group: workflow.Protected}},
		}},
		Rails: workflow.Rails{
			Drift: workflow.HaltRun, Sameness: workflow.HaltRun,
			Stuck: workflow.Stuck{Window: 3}, Signature: workflow.Signature{Count: 5, Then: workflow.HaltRun},
		},
		Fingerprint: []workflow.Part{workflow.PartGates, workflow.PartTests, workflow.PartTree},
		Limits: workflow.Limits{
			Iterations: 10, IterationsWithTime: 50,
			Agent: workflow.Effect{Wall: 2 * time.Hour, Idle: 12 * time.Minute, Grace: 10 * time.Second},
			Gate:  workflow.Effect{Wall: 30 * time.Minute, Grace: 10 * time.Second},
			Noop: workflow.Noop{
				Within: 10 * time.Second, Halt: 3,
				Backoff: []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute},
			},
			Losses: 3,
		},
		Notes: []string{".autopilot/notes/**"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryShippedWorkflowAndItsPromptsAreSound(t *testing.T) {
	t.Parallel()
	names := workflow.Names()
	if !slices.Contains(names, "converge") {
		t.Fatalf("shipped are %v", names)
	}
	for _, name := range names {
		w, _, err := workflow.Shipped(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if w.Name != name || w.Description == "" {
			t.Errorf("%s.yaml is named %q and says %q", name, w.Name, w.Description)
		}
		for _, file := range w.Prompts() {
			src, err := workflow.ShippedPrompt(file)
			if err != nil {
				t.Error(err)
				continue
			}
			if _, err := workflow.ParsePrompt(file, src); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestWhatDoesNotShipIsUnknown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "nope", "../shipped/converge", "converge.md"} {
		if _, _, err := workflow.Shipped(name); !errors.Is(err, workflow.ErrUnknown) {
			t.Errorf("workflow %q: %v", name, err)
		}
	}
	for _, name := range []string{"", "nope.md", "converge", "../converge.md"} {
		if _, err := workflow.ShippedPrompt(name); !errors.Is(err, workflow.ErrUnknown) {
			t.Errorf("prompt %q: %v", name, err)
		}
	}
}

func TestAShortFileGetsTheGuardsOfConverge(t *testing.T) {
	t.Parallel()
	got, err := workflow.Parse([]byte(short + "limits: {agent: {wall: 1h}}\n"))
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := workflow.Shipped("converge")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.Rails, got.Rails); diff != "" {
		t.Error(diff)
	}
	want.Limits.Agent.Wall = time.Hour
	if diff := cmp.Diff(want.Limits, got.Limits); diff != "" {
		t.Error(diff)
	}
	if ph, ok := got.Phase("work"); !ok || ph.Prompt != "mine.md" {
		t.Errorf("phase work is %v, %v", ph, ok)
	}
	if _, ok := got.Phase("nope"); ok {
		t.Error("there is a phase nope")
	}
}

func TestBadFilesAreRefusedWithPlaceAndFix(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		src  string
		line int
		want string
	}{
		"no name":             {"version: 1\n" + short[strings.Index(short, "phases"):], 1, `the workflow has no name: add name`},
		"bad name":            {strings.Replace(short, "mine", "My Flow", 1), 1, `"My Flow" is not a name`},
		"no version":          {strings.Replace(short, "version: 1\n", "", 1), 1, "has no version: add version: 1"},
		"later version":       {strings.Replace(short, "version: 1", "version: 2", 1), 2, "version is 2: this program reads version 1"},
		"no phase":            {"name: mine\nversion: 1\n", 1, "the workflow has no phase"},
		"empty phases":        {"name: mine\nversion: 1\nphases: []\n", 3, "the workflow has no phase"},
		"phase without name":  {strings.Replace(short, "name: work", "prompt: a.md", 1), 5, "already defined"},
		"equal phases":        {short + "  - {name: work, prompt: b.md, gates: [goals]}\n", 7, `there are two phases "work"`},
		"no prompt":           {strings.Replace(short, "    prompt: mine.md\n", "", 1), 5, "the phase has no prompt"},
		"prompt in a folder":  {strings.Replace(short, "mine.md", "../mine.md", 1), 5, `"../mine.md" is not a prompt file`},
		"prompt of a kind":    {strings.Replace(short, "mine.md", "mine.txt", 1), 5, `"mine.txt" is not a prompt file`},
		"no gates":            {strings.Replace(short, "    gates: [goals]\n", "", 1), 4, "the phase has no gates"},
		"unknown gate":        {strings.Replace(short, "[goals]", "[goals, invariant]", 1), 6, `unknown word "invariant": did you mean "invariants"?`},
		"gate twice":          {strings.Replace(short, "[goals]", "[goals, goals]", 1), 6, `"goals" is given twice`},
		"unknown key":         {short + "limit: {}\n", 7, `unknown key "limit": did you mean "limits"?`},
		"unknown rail":        {short + "rails: {stick: {window: 3}}\n", 7, `did you mean "stuck"?`},
		"drift off":           {short + "rails: {drift: warn}\n", 7, `unknown word "warn": allowed: halt`},
		"sameness off":        {short + "rails:\n  sameness: \"off\"\n", 8, `unknown word "off"`},
		"small window":        {short + "rails:\n  stuck:\n    window: 1\n", 9, "rails.stuck.window is 1: write a number from 2 to 100"},
		"signature then":      {short + "rails: {signature: {then: stop}}\n", 7, `unknown word "stop"`},
		"signature count":     {short + "rails: {signature: {count: 1}}\n", 7, "rails.signature.count is 1"},
		"fingerprint":         {short + "fingerprint: [tree]\n", 7, "the fingerprint lacks gates"},
		"fingerprint word":    {short + "fingerprint: [gates, test]\n", 7, `did you mean "tests"?`},
		"no iterations":       {short + "limits: {iterations: 0}\n", 7, "limits.iterations is 0"},
		"many iterations":     {short + "limits: {iterations_with_time: 10001}\n", 7, "write a number from 1 to 10000"},
		"long wall":           {short + "limits: {agent: {wall: 1000h}}\n", 7, "limits.agent.wall is 1000h0m0s"},
		"no end":              {short + "limits: {gate: {wall: 0s}}\n", 7, "a hanging process would never end"},
		"no grace":            {short + "limits: {gate: {grace: 0s}}\n", 7, "the grace between TERM and KILL is zero"},
		"no backoff":          {short + "limits: {noop: {backoff: []}}\n", 7, "is missing"},
		"zero backoff":        {short + "limits: {noop: {backoff: [1m, 0s]}}\n", 7, "the wait is zero"},
		"noop halt":           {short + "limits: {noop: {halt: 0}}\n", 7, "limits.noop.halt is 0"},
		"losses":              {short + "limits: {losses: 0}\n", 7, "limits.losses is 0"},
		"notes everywhere":    {short + "notes: [\"**\"]\n", 7, "would exclude files everywhere in the workspace"},
		"notes absolute":      {short + "notes: [/tmp/x]\n", 7, "is not a glob of the workspace"},
		"notes outside":       {short + "notes: [../x/**]\n", 7, "is not a glob of the workspace"},
		"notes of all":        {short + "notes: [./**]\n", 7, "is not a glob of the workspace"},
		"notes at home":       {short + "notes: [~/x]\n", 7, "is not a glob of the workspace"},
		"second document":     {short + "---\nname: x\n", 7, "a second document begins here"},
		"number for duration": {short + "limits: {agent: {wall: 7200}}\n", 7, "want a duration"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := workflow.Parse([]byte(tt.src))
			var e *strictyaml.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want a *strictyaml.Error", err)
			}
			if e.Line != tt.line || !strings.Contains(e.Error(), tt.want) {
				t.Errorf("line %d, want %d with %q in\n%v", e.Line, tt.line, tt.want, e)
			}
		})
	}
}

func TestCheckJudgesAWorkflowBuiltInCode(t *testing.T) {
	t.Parallel()
	w := workflow.Default()
	w.Name = "mine"
	if err := w.Check(); !errors.Is(err, workflow.ErrInvalid) || !strings.Contains(err.Error(), "has no phase") {
		t.Error(err)
	}
	w.Phases = []workflow.Phase{{Name: "work", Prompt: "a.md", Gates: []workflow.Gate{{Group: workflow.Goals}}}}
	if err := w.Check(); err != nil {
		t.Error(err)
	}
	w.Limits.Agent.Wall = -1
	if err := w.Check(); !errors.Is(err, workflow.ErrInvalid) {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	_, src, err := workflow.Shipped("converge")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src)
	f.Add([]byte(short))
	f.Add([]byte("name: [\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		w, err := workflow.Parse(src)
		var e *strictyaml.Error
		switch {
		case err == nil && w.Check() != nil:
			t.Fatal("parsed, and Check refuses it:", w.Check())
		case err != nil && !errors.As(err, &e):
			t.Fatalf("error without a place: %v", err)
		}
		if _, found := workflow.Lint(src); (len(found) == 0) != (err == nil) {
			t.Fatalf("Lint finds %v, and Parse says %v", found, err)
		}
	})
}
