package gate

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"autopilot/events"
	"autopilot/projections/rule"
)

// The controls that every run with goals or invariants has, by the names of their
// results.
const (
	StartProof events.Name = "start-proof"
	StillRed   events.Name = "still-red"
)

// Surroundings are the modules that the interpreters of the gates would import: of
// their own library, and of virtual environments in the workspace.
func (p Pinned) Surroundings() rule.Surroundings {
	roots := []string{filepath.Join(p.Workspace, ".venv"), filepath.Join(p.Workspace, "venv"), p.value("VIRTUAL_ENV"), "/usr", "/usr/local"}
	for _, name := range []string{"python3", "python"} {
		if path := p.look(name); path != "" {
			roots = append(roots, filepath.Dir(filepath.Dir(realPath(path))))
		}
	}
	for name, pattern := range map[string]string{"PYENV_ROOT": "versions/*", "ASDF_DATA_DIR": "installs/python/*"} {
		if dir := p.value(name); dir != "" { // programs of the manager itself only start those of a version
			found, _ := filepath.Glob(filepath.Join(dir, pattern)) // the pattern is well formed
			roots = append(roots, found...)
		}
	}
	s := rule.Surroundings{Modules: map[string]bool{}}
	for _, root := range roots {
		if root == "" {
			continue
		}
		for _, pattern := range []string{"lib/python3*", "lib/python3*/site-packages", "lib/python3*/dist-packages", "lib/python3/dist-packages"} {
			dirs, _ := filepath.Glob(filepath.Join(root, pattern)) // the pattern is well formed
			for _, dir := range dirs {
				addModules(s.Modules, dir)
			}
		}
	}
	return s
}

// addModules adds the names of the modules in a directory; a directory that cannot be
// read has none.
func addModules(to map[string]bool, dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name, ext, _ := strings.Cut(e.Name(), ".")
		if e.IsDir() && ext == "" && !strings.Contains(name, "-") || ext == "py" {
			to[name] = true
		}
	}
}

// Short is the result of a command that exits 0 and does not pass, as its output does
// not show that the tests of the baseline were executed.
func Short(r events.GateResult, t Texts, s rule.Shortfall) (events.GateResult, Texts) {
	r.Verdict, r.Reason = events.Fail, s.Reason
	text := shortText(s)
	if s.Reason == events.ReasonNamesFailing {
		r.Failing, t.FailingIDs = len(s.IDs), rule.FailingText(s.IDs)
		r.FailingSum = rule.FailingSum(s.IDs)
	}
	r.OutputSum = rule.OutputSum([]byte(text))
	t.Excerpt = Headed(text, t.Printed)
	return r, t
}

// shortText says to the agent what is missing.
func shortText(s rule.Shortfall) string {
	list := NamedList(s.IDs)
	switch s.Reason {
	case events.ReasonNamesFailing:
		return "The command exits 0, but its output names failing tests:\n" + list
	case events.ReasonNoTests:
		return fmt.Sprintf("The command exits 0, but no test was executed; %d were at the start.\n", s.Was)
	case events.ReasonNotSeen:
		return "The command exits 0, but these tests failed at the start, and its output does not show that they pass now:\n" + list
	case events.ReasonMissingTests:
		return fmt.Sprintf("The command exits 0, but tests that ran at the start were not executed, or were skipped (%d then, %d now):\n", s.Was, s.Is) + list
	default:
		return "The command exits 0, but its output does not show that its tests ran.\n"
	}
}
