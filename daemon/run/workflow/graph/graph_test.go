package graph_test

import (
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"strings"
	"testing"

	"autopilot/ctl/golden"
	"autopilot/daemon/run/workflow"
	"autopilot/daemon/run/workflow/graph"
)

var update = flag.Bool("update", false, "keep what is drawn now")

var forms = map[string]func(workflow.Workflow) string{"txt": graph.Text, "mmd": graph.Mermaid, "svg": graph.SVG}

func TestDrawings(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("testdata/long.yaml")
	if err != nil {
		t.Fatal(err)
	}
	long, err := workflow.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	converge, _, err := workflow.Shipped("converge")
	if err != nil {
		t.Fatal(err)
	}
	for name, w := range map[string]workflow.Workflow{"long": long, "converge": converge} {
		for form, draw := range forms {
			golden.Compare(t, *update, name+"."+form, draw(w))
		}
	}
}

func TestNothingOfAWorkflowBreaksADrawing(t *testing.T) {
	t.Parallel()
	w := workflow.Default()
	evil := "a\n\"]; click p0 <script>alert(1)</script> & \x1b[2J\u202e \xff\uffff"
	w.Name, w.Description = evil, evil
	w.Phases = []workflow.Phase{
		{Name: evil, Prompt: evil, Role: evil, Produces: []string{evil}, Next: evil, Unclean: evil, Entry: []workflow.Gate{{Name: evil, Kind: "command", Run: evil}}},
		{Name: evil, Gates: []workflow.Gate{{Group: workflow.GateGroup(evil)}, {Name: evil, Kind: "consensus", Roles: []string{evil}, Of: []string{evil}}}},
	}
	sound(t, w)
	for form, draw := range forms {
		text := draw(w)
		if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "<script") && form != "txt" {
			t.Errorf("%s: %q", form, text)
		}
	}
	if text := graph.Mermaid(w); strings.Contains(text, "p0 <") || strings.Count(text, "\n") != 7 {
		t.Errorf("%s", text)
	}
	sound(t, workflow.Workflow{})
}

func FuzzDrawings(f *testing.F) {
	src, err := os.ReadFile("testdata/long.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(src)
	f.Fuzz(func(t *testing.T, src []byte) {
		w, _ := workflow.Lint(src) // what could be read of it
		sound(t, w)
	})
}

// sound says that every form can be drawn and the picture be read.
func sound(t *testing.T, w workflow.Workflow) {
	t.Helper()
	for form, draw := range forms {
		text := draw(w)
		if form != "svg" {
			continue
		}
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, text)
			}
		}
	}
}
