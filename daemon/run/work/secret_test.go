package work_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/run/work"
)

func TestTheSecretsOfEveryRunThatIsNotOverAreKnown(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	if got, err := work.Secrets(state); err != nil || len(got) != 0 {
		t.Errorf("of no run: %v, %v", got, err)
	}
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(state, "runs", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("A.json", `{"agent_env":["API_TOKEN=0123456789","PATH=/bin"]}`)
	write("B.json", `{"agent_env":["API_TOKEN=0123456789","MINE=qwertzui"],"redact":["MINE"]}`)
	got, err := work.Secrets(state)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"API_TOKEN=0123456789", "MINE=qwertzui"}, got); d != "" {
		t.Error(d)
	}
	write("C.json", "junk")
	if _, err := work.Secrets(state); err == nil {
		t.Error("junk is no error")
	}
}
