package library_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/daemon/run/workflow"
	"autopilot/daemon/run/workflow/library"
)

const mine = "name: mine\nversion: 1\nphases:\n  - name: work\n    prompt: mine.md\n    gates: [goals]\n"

// read reads a work tree with these files below .autopilot.
func read(t *testing.T, files map[string]string) (library.Project, string) {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, ".autopilot", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := library.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	return p, root
}

func TestAWorkflowOfTheProjectGoesBeforeAShippedOne(t *testing.T) {
	t.Parallel()
	p, root := read(t, map[string]string{
		"workflows/mine.yaml":       mine,
		"workflows/converge.yaml":   strings.Replace(mine, "name: mine", "name: converge", 1),
		"workflows/Not A Name.yaml": "", "workflows/notes.txt": "",
		"prompts/mine.md": "do {{quote .Task}}\n",
	})
	if diff := cmp.Diff([]string{"converge", "mine", "atdd-bugfix", "atdd-flaky", "atdd", "land", "omx-ralph", "omx", "sessions"}, p.Names()); diff != "" {
		t.Error(diff)
	}
	f, err := p.Find("converge")
	if err != nil || f.Origin != library.Own || !f.Hides || !f.Asks() || f.Path != library.Path(root, "converge") || len(f.Problems) > 0 {
		t.Errorf("%+v %v", f, err)
	}
	if f, err = p.Find("mine"); err != nil || f.Hides || len(f.Problems) > 0 || string(f.Prompts[0].Source) != "do {{quote .Task}}\n" {
		t.Errorf("%+v %v", f, err)
	}
	if _, err = p.Find("other"); !errors.Is(err, workflow.ErrUnknown) {
		t.Error(err)
	}
}

func TestAShippedWorkflowTakesAPromptOfTheProjectAndThenAsks(t *testing.T) {
	t.Parallel()
	none, _ := read(t, nil)
	f, err := none.Find("converge")
	if err != nil || f.Asks() || f.Origin != library.Shipped || f.Prompts[0].Origin != library.Shipped || len(f.Problems) > 0 {
		t.Errorf("%+v %v", f, err)
	}
	p, _ := read(t, map[string]string{"prompts/converge.md": "mine"})
	if f, err = p.Find("converge"); err != nil || !f.Asks() || !f.Prompts[0].Hides || string(f.Prompts[0].Source) != "mine" {
		t.Errorf("%+v %v", f, err)
	}
}

func TestEveryProblemOfAWorkflowAndItsPromptsIsFound(t *testing.T) {
	t.Parallel()
	_, root := read(t, map[string]string{
		"workflows/other.yaml":   mine,
		"workflows/near.yaml":    "name: near\nversion: 1\nlimit: 3\nphases:\n  - {name: work, prompt: convrge.md, gates: [goals]}\n",
		"workflows/bad.yaml":     "name: bad\nversion: 1\nphases:\n  - {name: work, prompt: broken.md, gates: [goals]}\n",
		"workflows/folder.yaml":  strings.NewReplacer("name: mine", "name: folder", "mine.md", "a/mine.md").Replace(mine),
		"prompts/broken.md":      "{{.Tusk}}",
		"prompts/fifo.md/x":      "",
		"workflows/dir.yaml/any": "",
	})
	if err := syscall.Mkfifo(filepath.Join(root, ".autopilot/workflows/fifo.yaml"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := library.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"other":  {`1:1 the workflow is named "mine", but its file is other.yaml`, `there is no prompt "mine.md"`},
		"near":   {`unknown key "limit"`, `there is no prompt "convrge.md" did you mean "converge.md"?`},
		"bad":    {"broken.md:0:0 try prompt"},
		"dir":    {"cannot be read: it is a directory"},
		"fifo":   {"cannot be read: it is not a regular file"},
		"folder": {`is not a prompt file`},
	} {
		f, err := p.Find(name)
		if err != nil || len(f.Problems) != len(want) {
			t.Errorf("%s: %+v %v", name, f.Problems, err)
			continue
		}
		for i, problem := range f.Problems {
			got := fmt.Sprintf("%s:%d:%d %s %s", problem.File, problem.Line, problem.Column, problem.Message, problem.Fix)
			if !strings.Contains(got, want[i]) {
				t.Errorf("%s: want %q in %q", name, want[i], got)
			}
		}
	}
}

func TestATextIsCheckedAsAFileOfTheProject(t *testing.T) {
	t.Parallel()
	p, _ := read(t, map[string]string{"prompts/mine.md": "x"})
	if f := p.Check("/x/any.yaml", []byte(mine)); f.Name != "mine" || len(f.Problems) > 0 {
		t.Errorf("%+v", f)
	}
	if f := p.Check("/x/any.yaml", []byte("name: [")); len(f.Problems) != 1 || f.Problems[0].File != "/x/any.yaml" {
		t.Errorf("%+v", f)
	}
}

func TestTooManyFilesAreRefused(t *testing.T) {
	t.Parallel()
	_, root := read(t, map[string]string{"prompts/a.md": strings.Repeat("x", 1<<20), "prompts/b.md": strings.Repeat("x", 1<<20), "prompts/c.md": strings.Repeat("x", 1<<20), "prompts/d.md": strings.Repeat("x", 1<<20)})
	if err := os.WriteFile(filepath.Join(root, ".autopilot/prompts/e.md"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := library.Read(root); err == nil || !strings.Contains(err.Error(), "4 MiB") {
		t.Error(err)
	}
	files := map[string]string{}
	for i := range 201 {
		files["prompts/"+strings.Repeat("x", i+1)+".md"] = ""
	}
	root = t.TempDir()
	if err := os.MkdirAll(library.PromptDir(root), 0o755); err != nil {
		t.Fatal(err)
	}
	for name := range files {
		if err := os.WriteFile(filepath.Join(root, ".autopilot", name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := library.Read(root); err == nil || !strings.Contains(err.Error(), "the limit is 200") {
		t.Error(err)
	}
}

func TestAConfigurationAloneIsItsOwnContent(t *testing.T) {
	t.Parallel()
	p, _ := read(t, nil)
	if got := library.Content(p.Parts([]byte("setup: x\n"))); string(got) != "setup: x\n" {
		t.Errorf("%q", got)
	}
	if got := library.Content(p.Parts(nil)); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// Two sets of files never have one content, and a content is taken apart into
// what it was made of.
func TestAContentIsOfOneSetOfFiles(t *testing.T) {
	t.Parallel()
	name := rapid.SampledFrom([]string{library.ConfigName, ".autopilot/workflows/a.yaml", ".autopilot/prompts/b \"\n.md"})
	source := rapid.SampledFrom([]string{"", "a", "@ 1 \"a\"\nx\n", "@ 0 \"", "setup: x\n"})
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.Custom(func(t *rapid.T) library.Part {
			return library.Part{Name: name.Draw(t, "name"), Source: []byte(source.Draw(t, "source"))}
		})
		parts := rapid.SliceOfN(part, 2, 5).Draw(t, "parts")
		if diff := cmp.Diff(parts, library.Split(library.Content(parts))); diff != "" {
			t.Fatal(diff)
		}
	})
	for _, text := range []string{"a: 1\n", "@ 5 \"x\"\nab\n", "@ x\n", "@ -1 \"x\"\n\n", "@ 0 \"x\"\n"} {
		if got := library.Split([]byte(text)); len(got) != 1 || got[0].Name != library.ConfigName || string(got[0].Source) != text {
			t.Errorf("%q: %+v", text, got)
		}
	}
}

func TestANewWorkflowIsSound(t *testing.T) {
	t.Parallel()
	p, _ := read(t, map[string]string{"workflows/fresh.yaml": string(workflow.Template("fresh"))})
	f, err := p.Find("fresh")
	if err != nil || len(f.Problems) > 0 || len(f.Flow.Phases) != 2 || len(f.Prompts) != 2 {
		t.Errorf("%+v %v", f, err)
	}
}

func TestAProfileThatNobodyKnowsIsAMistakeWhereItIsNamed(t *testing.T) {
	t.Parallel()
	p, _ := read(t, map[string]string{
		"workflows/mine.yaml": mine + "    role: coder\nroles:\n  coder: {agent: [small, bigg]}\n", "prompts/mine.md": "{{.Task}}",
	})
	for _, tt := range []struct {
		agents []string
		want   string
	}{{nil, ""}, {[]string{"small", "bigg"}, ""}, {[]string{"small", "big"}, `there is no agent "bigg": did you mean "big"?`}} {
		p.Agents = tt.agents
		f, err := p.Find("mine")
		if err != nil {
			t.Fatal(err)
		}
		var got string
		for _, m := range f.Problems {
			got = fmt.Sprintf("%s: %s", m.Message, m.Fix)
			if m.Line != 9 {
				t.Errorf("line %d of %+v", m.Line, m)
			}
		}
		if got != tt.want {
			t.Errorf("agents %v: %q, want %q", tt.agents, got, tt.want)
		}
	}
}
