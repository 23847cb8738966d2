package work

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/projections/rule"
)

// A fault that no work in the files mends is refused with its remedy; a part that an
// agent could make may be the task.
func TestAGoalThatTestsNothingIsRefusedWithWhatMendsIt(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files   string
		site    site
		u       rule.Unready
		says    string
		refused bool
	}{
		"typed in web":            {"web/Makefile", site{below: "web", command: rule.Command{Text: "make test"}}, rule.Unready{Cause: rule.NoTarget, Name: "test"}, "Makefile is in web. Write make -C web test", true},
		"typed at the root":       {"web/package.json", site{command: rule.Command{Text: "npm test"}}, rule.Unready{Cause: rule.NoManifest, Name: "package.json"}, "there is a package.json in web. Write cd web && npm test", true},
		"a script where typed":    {"web/check.sh", site{below: "web", command: rule.Command{Argv: []string{"sh", "check.sh"}}}, rule.Unready{Cause: rule.NoScript, Name: "check.sh"}, "Write cd web && sh check.sh", true},
		"a target of the task":    {"Makefile web/Makefile", site{}, rule.Unready{Cause: rule.NoTarget, Name: "test"}, "the makefile has no target test", false},
		"a script of the task":    {"README", site{}, rule.Unready{Cause: rule.NoProgram, Name: "./check.sh"}, "./check.sh does not exist", false},
		"a manifest of the task":  {"README", site{}, rule.Unready{Cause: rule.NoManifest, Name: "go.mod"}, "there is no go.mod at the root", false},
		"a new work tree":         {"main/node_modules/x tree/package.json", site{root: "tree", from: "main"}, rule.Unready{Cause: rule.NoProgram, Name: "jest"}, "git ignores it, so this new work tree has none", true},
		"packages":                {"package.json", site{}, rule.Unready{Cause: rule.NoProgram, Name: "jest"}, "node_modules is not there. Install them first", true},
		"a package of the task":   {"package.json node_modules/x", site{}, rule.Unready{Cause: rule.NoModule, Name: "express"}, "the package express is not there", false},
		"a program":               {"Makefile", site{}, rule.Unready{Cause: rule.NoProgram, Name: "pytest"}, "pytest is not on the PATH of gates", true},
		"a runner of Python":      {"a.py", site{command: rule.Command{Text: "python3 -m pytest"}}, rule.Unready{Cause: rule.NoModule, Name: "pytest"}, "Python has no module pytest", true},
		"the gate's own mode":     {"check.sh", site{command: rule.Command{Text: "./check.sh"}}, rule.Unready{Cause: rule.NotExecutable, Name: "./check.sh"}, "chmod +x ./check.sh", true},
		"the mode of something":   {"check.sh", site{command: rule.Command{Text: "./check.sh"}}, rule.Unready{Cause: rule.NotExecutable, Name: "./run"}, "./run cannot be executed", false},
		"a program of the script": {"check.sh", site{command: rule.Command{Text: "./check.sh"}}, rule.Unready{Cause: rule.NoProgram}, "a program that it calls does not exist", false},
	} {
		dir := t.TempDir()
		for file := range strings.FieldsSeq(tt.files) {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(`{"devDependencies": {"jest": "1"}}`), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		tt.site.root = filepath.Join(dir, tt.site.root)
		if tt.site.from != "" {
			tt.site.from = filepath.Join(dir, tt.site.from)
		}
		if says, refused := tt.site.missing(tt.u); !strings.Contains(says, tt.says) || refused != tt.refused {
			t.Errorf("%s: %q, refused %v", name, says, refused)
		}
	}
}
