package stored_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"autopilot/events"
	"autopilot/events/stored"
)

// samples are what the frozen files of testdata decode to. A file is written once, and
// never again: what a run stored stays readable.
var samples = map[string]any{
	stored.TypeSpec: stored.Spec{
		Type:    stored.TypeSpec,
		Gates:   []stored.Gate{{Name: "test", Role: events.RoleGoal, Command: "go test ./..."}, {Name: "report", Kind: events.GateArtifact, Role: events.RoleGoal, Files: []string{"docs/**"}}},
		Protect: []string{"api/**"}, AllowTests: []string{"**"},
		Agent: stored.Agent{
			Command: "./agent.sh", Script: "steps: []", Profile: "claude", Model: "opus", Permissions: "full", Args: []string{"-v"},
			Argv: []string{"claude", "-p"}, Prompt: "file", Shape: jsontext.Value(`{"stream":"claude"}`), Account: "claude",
		},
		Crew:   []stored.Agent{{Profile: "codex"}},
		Driver: events.DriverSession, Setup: "npm ci", Checkout: events.CheckoutClean,
		Roles: map[string][]string{"coder": {"small", "big"}}, Inputs: map[string]string{"dir": "docs/issues/24"},
		Issue: "OWNER/NAME#24", Branch: "ap/24", From: "/src/app", MaxIterations: 7, StartBroken: true, Below: "web", NoControls: true,
		Timeouts: stored.Timeouts{IdleMS: 1, AttemptMS: -1, GateMS: 3},
		Sandbox:  events.SandboxWorkspace, SandboxAllow: []string{"docker"}, Git: stored.GitRules{Push: events.GitDeny, History: events.GitKeep},
		Land: &stored.Land{
			Target: "main", Onto: "4b825dc642cb6eb9a060e54bf8d69288fbee4904", Commit: "8c1f0a7d3b5e29460f1a2b3c4d5e6f708192a3b4",
			Of: []string{"01JZ8YQ5W3N6T4V2X0B1C9D8E7"}, How: "merge",
		},
	},
	stored.TypeItem:  stored.Item{Type: stored.TypeItem, Start: jsontext.Value(`{"spec":{"task":"fix it"}}`), Chat: true, Line: "- [ ] fix it"},
	stored.TypeQueue: stored.Queue{Type: stored.TypeQueue, Defaults: jsontext.Value(`{"spec":{}}`), Base: "main", How: "squash", File: "/src/app/TODO.md", Repository: "o/n", Label: "ready"},
	"evidence.v1":    []stored.Evidence{{Ref: "a.go:1", Detail: "there"}},
	"red.v1":         []stored.RedRow{{Gate: "red", Commit: "c0ffee", Impl: "decaf", File: "a_test.go"}},
	"opaque.v1":      []stored.Opaque{{Path: "logo.png", Kind: stored.OpaqueBinary, Bytes: 12, Hash: "e3b0"}},
	"findings.v1":    []stored.Finding{{Section: "plan.md:3", Evidence: "plan.md:3", Detail: "why?", Priority: 1.5}},
}

func TestSamplesDecodeToTheSameValuesAndBackToTheSameBytes(t *testing.T) {
	t.Parallel()
	for name, want := range samples {
		again, err := json.Marshal(want, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(filepath.Join("testdata", name+".json"))
		if err != nil {
			t.Errorf("%v; the sample of a new type is\n%s", err, again)
			continue
		}
		got := reflect.New(reflect.TypeOf(want))
		if err := json.Unmarshal(raw, got.Interface()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(want, got.Elem().Interface()) + cmp.Diff(string(raw), string(again)+"\n"); d != "" {
			t.Errorf("%s (-sample +now):\n%s", name, d)
		}
	}
	files, err := filepath.Glob("testdata/*.json")
	if err != nil || len(files) != len(samples) {
		t.Errorf("%d samples, %d types, %v", len(files), len(samples), err)
	}
}

// A sample shows every field, so that none can change unseen.
func TestTheSampleOfASpecHasEveryField(t *testing.T) {
	t.Parallel()
	v := reflect.ValueOf(samples[stored.TypeSpec])
	for f, value := range v.Fields() {
		if value.IsZero() {
			t.Errorf("%s is not in the sample", f.Name)
		}
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b   int64
		higher bool
		lower  int64
	}{{5, 5, false, 5}, {6, 5, true, 5}, {5, 6, false, 5}, {-1, 5, true, 5}, {5, -1, false, 5}, {-1, -1, false, -1}} {
		if stored.Higher(c.a, c.b) != c.higher || stored.Lower(c.a, c.b) != c.lower {
			t.Errorf("%+v: %v %d", c, stored.Higher(c.a, c.b), stored.Lower(c.a, c.b))
		}
	}
	if stored.Lower(0, 5) != 5 || stored.Lower(5, 0) != 5 {
		t.Error("zero is not set")
	}
}
