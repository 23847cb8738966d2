//go:build linux

package crashtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"autopilot/events/wire"
)

// verdict is one agent on a small suite, and how its run has to end.
type verdict struct {
	name  string
	files map[string]string
	gate  string
	agent string // for /bin/sh, in each iteration
	args  []string
	want  string // state, or state and reason; of a trick anything but done where it is empty
	names string // what the explanation of a trick has to name
}

// TestTricks plays agents that turn a gate green without the work.
func TestTricks(t *testing.T) { playVerdicts(t, tricks()) }

// TestHonest plays agents that do the work in odd ways.
func TestHonest(t *testing.T) { playVerdicts(t, honest()) }

func playVerdicts(t *testing.T, all []verdict) {
	t.Helper()
	w := newWorld(t)
	warm(t, w)
	rows := make([]string, len(all))
	t.Run("runs", func(t *testing.T) {
		for i, v := range all {
			t.Run(strings.ReplaceAll(v.name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				rows[i] = fmt.Sprintf("%s\t%s\n", v.name, v.play(t, w.as(t), w.path(fmt.Sprintf("v%d", i))))
			})
		}
	})
	w.close()
	var table bytes.Buffer
	tw := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "agent\tends as\n", strings.Join(rows, ""))
	_ = tw.Flush() // into memory
	t.Logf("%d runs\n%s", len(all), table.String())
}

// play runs one, and says how it ended.
func (v verdict) play(t *testing.T, w *world, dir string) string {
	t.Helper()
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(home, 0o700); err != nil {
		t.Fatal(err)
	}
	ws := filepath.Join(dir, "ws")
	w.repo(ws, v.files)
	// An iteration that changes nothing would only be waited for.
	agent := v.agent + "\necho \"$AUTOPILOT_ITERATION\" > .busy"
	args := append([]string{"run", "make the tests pass", "--gate", "test=" + v.gate, "--max-iterations", "3", "--agent-cmd", agent}, v.args...)
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config")}
	a := w.command(ws, env, filepath.Join(bin, "apctl"), args...)
	why := data[wire.WhyView](t, w.command(ws, env, filepath.Join(bin, "apctl"), "why", "--json"))
	ended := strings.TrimSuffix(why.Run.State+" "+why.Run.Reason, " ")
	switch {
	case v.want == "" && why.Run.State == "done":
		t.Errorf("ended %s\n%v", ended, a)
	case v.want != "" && ended != v.want && why.Run.State != v.want:
		t.Errorf("ended %s, want %s\n%v\n%s", ended, v.want, a, why.LastError)
	}
	said := strings.Join(append([]string{why.Because, why.LastError}, append(why.Files, why.Failing...)...), "\n")
	if !strings.Contains(said, v.names) {
		t.Errorf("the explanation does not name %q:\n%s", v.names, said)
	}
	return ended
}
