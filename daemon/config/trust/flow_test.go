package trust_test

import (
	"strings"
	"testing"

	"autopilot/daemon/auth"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/workflow/library"
	"autopilot/events/wire"
)

const mineYAML = "name: mine\nversion: 1\nphases:\n  - name: work\n    prompt: mine.md\n    gates: [goals]\n"

func TestWorkflowsAndPromptsAreTrustedWithTheConfiguration(t *testing.T) {
	t.Parallel()
	s := newDesk(t, "setup: npm ci\n")
	s.trust()
	alone := s.show(s.work).Hash
	s.write(map[string]string{".autopilot/workflows/mine.yaml": mineYAML, ".autopilot/prompts/mine.md": "do it\n", ".autopilot/notes/x.md": "free"})
	v := s.show(s.work)
	if v.Trusted || !strings.HasSuffix(v.File, "/.autopilot") || len(v.Files) != 3 || string(v.Before) != alone ||
		!strings.Contains(v.Diff, "+++ .autopilot/workflows/mine.yaml\n") || !strings.Contains(v.Diff, "+do it\n") || strings.Contains(v.Diff, "npm ci") {
		t.Fatalf("with a workflow: %+v", v)
	}
	s.trust()
	if v = s.show(s.work); !v.Trusted {
		t.Fatalf("trusted: %+v", v)
	}
	s.write(map[string]string{".autopilot/notes/x.md": "still free"})
	if v = s.show(s.work); !v.Trusted {
		t.Errorf("a file that does not count: %+v", v)
	}
	s.write(map[string]string{".autopilot/prompts/mine.md": "do more\n"})
	if v = s.show(s.work); v.Trusted || !strings.Contains(v.Diff, "--- trusted/.autopilot/prompts/mine.md\n") || !strings.Contains(v.Diff, "-do it\n+do more\n") {
		t.Errorf("a changed prompt: %+v", v)
	}
	s.remove(".autopilot/prompts/mine.md")
	if v = s.show(s.work); v.Trusted || !strings.Contains(v.Diff, "+++ /dev/null\n") {
		t.Errorf("a prompt that is gone: %+v", v)
	}
	s.remove(".autopilot/workflows/mine.yaml")
	if v = s.show(s.work); !v.Trusted || v.Hash != alone {
		t.Errorf("the configuration alone, as it was trusted: %+v", v)
	}
}

func TestAWorkflowAloneCanBeTrusted(t *testing.T) {
	t.Parallel()
	s := newDesk(t, "# nothing\n")
	s.write(map[string]string{".autopilot/workflows/mine.yaml": mineYAML})
	if v := s.show(s.work); v.Trusted || len(v.Files) != 1 {
		t.Errorf("%+v", v)
	}
	s.trust()
	s.write(map[string]string{".autopilot/workflows/mine.yaml": "\xff"})
	if _, err := s.Show(t.Context(), auth.Request{}, wire.TrustRequest{Workspace: s.work}); codeOf(err) != wire.Usage {
		t.Errorf("no text: %v", err)
	}
}

func TestAWorkflowIsFoundCheckedAndKnownToBeTrusted(t *testing.T) {
	t.Parallel()
	s := newDesk(t, "setup: npm ci\n")
	ws, err := tree.Find(t.Context(), s.work)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		files   map[string]string
		give    bool
		origin  library.Origin
		trusted bool
		wrong   int
	}{
		{"converge", nil, false, library.Shipped, true, 0},
		{"mine", map[string]string{".autopilot/workflows/mine.yaml": mineYAML}, false, library.Own, false, 1},
		{"mine", map[string]string{".autopilot/prompts/mine.md": "do it\n"}, false, library.Own, false, 0},
		{"mine", nil, true, library.Own, true, 0},
		{"converge", nil, false, library.Shipped, true, 0},
		{"converge", map[string]string{".autopilot/prompts/converge.md": "else\n"}, false, library.Shipped, false, 0},
	} {
		s.write(c.files)
		if c.give {
			s.trust()
		}
		f, trusted, err := s.flows.Find(ws, c.name)
		if err != nil || f.Origin != c.origin || trusted != c.trusted || len(f.Problems) != c.wrong {
			t.Errorf("%+v: %+v %v %v", c, f, trusted, err)
		}
	}
	if _, _, err := s.flows.Find(ws, "mien"); codeOf(err) != wire.NotFound || !strings.Contains(err.Error(), "mien") {
		t.Error(err)
	}
}
