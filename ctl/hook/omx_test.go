package hook_test

import (
	"slices"
	"strings"
	"testing"

	"autopilot/ctl/hook"
)

// The hook of oh-my-codex's modes stands beside those that tell the daemon, and beside
// those of others: each is taken out alone.
func TestTheHookOfModesIsInstalledBesideOthers(t *testing.T) {
	t.Parallel()
	for _, name := range hook.OmxHosts() {
		modes, ok := hook.FindOmx(name)
		plain, known := hook.Find(name)
		if !ok || !known {
			t.Fatalf("%s is not known", name)
		}
		const others = "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"node omx-hook.js\"}]}]\n  }\n}\n"
		both := others
		for _, h := range []hook.Host{plain, modes, modes, plain} { // each once
			to, err := h.Install([]byte(both), "/opt/my bin/apctl")
			if err != nil {
				t.Fatal(err)
			}
			both = string(to)
		}
		if n := strings.Count(both, "'/opt/my bin/apctl' compat omx hook"); n != 4 {
			t.Errorf("%s: %d hooks\n%s", name, n, both)
		}
		in, err := modes.Look([]byte(both))
		if err != nil || !slices.Equal(in.Events, []string{"SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"}) || !slices.Equal(in.Calls, []string{"/opt/my bin/apctl"}) {
			t.Errorf("%s: %v %+v", name, err, in)
		}
		for _, h := range []hook.Host{modes, plain} {
			to, err := h.Uninstall([]byte(both))
			if err != nil {
				t.Fatal(err)
			}
			both = string(to)
			if left, err := plain.Look([]byte(both)); err != nil || h.Name == modes.Name && strings.Contains(both, "compat omx") || len(left.Events) == 0 && strings.Contains(both, "apctl") {
				t.Errorf("%s: %v\n%s", name, err, both)
			}
		}
		if !strings.Contains(both, "node omx-hook.js") || strings.Contains(both, "apctl") {
			t.Errorf("%s: %s", name, both)
		}
	}
	for _, name := range []string{"gemini", "", "nano"} {
		if _, ok := hook.FindOmx(name); ok {
			t.Errorf("%q has the hook", name)
		}
	}
}
