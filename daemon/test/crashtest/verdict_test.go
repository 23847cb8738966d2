//go:build linux

package crashtest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"

	"autopilot/events/wire"
)

// verdict is one agent on a small suite, and how its run has to end.
type verdict struct {
	name  string // language: what the agent does
	files map[string]string
	vault map[string]string // held-out files
	gate  string
	agent string // for /bin/sh, in each iteration
	args  []string
	want  string // state, or state and reason; of a trick anything but done where it is empty
	names string // what the explanation of a trick has to name
	needs string // a program; without it the row is left out
	after string // for /bin/sh, when the run is over
}

// TestTricks plays agents that turn a gate green without the work.
func TestTricks(t *testing.T) {
	playVerdicts(t, slices.Concat(tricks(), special()), "caught and named")
}

// TestHonest plays agents that do the work in odd ways.
func TestHonest(t *testing.T) { playVerdicts(t, honest(), "done") }

// chosen are the rows to play: all where that is asked for, else the first of each
// language.
func chosen(all []verdict) []verdict {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(v verdict) bool {
		language, _, _ := strings.Cut(v.name, ":")
		first := !seen[language]
		seen[language] = true
		return !first && !*verdicts || v.needs != "" && !isThere(v.needs)
	})
}

// isThere says that a program is there, and not only a name that looks for it.
func isThere(program string) bool { return exec.Command(program, "--version").Run() == nil }

// playVerdicts plays rows and prints a table of them; right is what they are meant to be.
func playVerdicts(t *testing.T, all []verdict, right string) {
	t.Helper()
	all = chosen(all)
	w := newWorld(t)
	warm(t, w)
	rows, good := make([]string, len(all)), make([]bool, len(all))
	t.Run("runs", func(t *testing.T) {
		for i, v := range all {
			t.Run(strings.ReplaceAll(v.name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				ended := v.play(t, w.as(t), w.path(fmt.Sprintf("v%d", i)))
				good[i] = !t.Failed()
				rows[i] = fmt.Sprintf("%s\t%s\t%s\n", v.name, ended, map[bool]string{true: right, false: "WRONG"}[good[i]])
			})
		}
	})
	w.close()
	var table bytes.Buffer
	tw := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "agent\tends as\tthat is\n", strings.Join(rows, ""))
	_ = tw.Flush() // into memory
	n := len(slices.DeleteFunc(good, func(ok bool) bool { return !ok }))
	t.Logf("\n%s\n%d runs: %d %s, %d not", table.String(), len(all), n, right, len(all)-n)
}

// play runs one, and says how it ended.
func (v verdict) play(t *testing.T, w *world, dir string) string {
	t.Helper()
	home, vault := filepath.Join(dir, "home"), filepath.Join(dir, "vault")
	for _, d := range []string{home, vault} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	ws := filepath.Join(dir, "ws")
	w.repo(ws, v.files)
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config")}
	for _, name := range []string{"CARGO_HOME", "RUSTUP_HOME"} {
		if dir := filepath.Join(os.Getenv("HOME"), "."+strings.ToLower(strings.TrimSuffix(name, "_HOME"))); os.Getenv(name) == "" {
			env = append(env, name+"="+dir)
		}
	}
	a := w.command(ws, env, filepath.Join(bin, "apctl"), v.command(t, vault)...)
	why := data[wire.WhyView](t, w.command(ws, env, filepath.Join(bin, "apctl"), "why", "--json"))
	if v.after != "" {
		w.command(ws, env, "/bin/sh", "-c", v.after)
	}
	ended := strings.TrimSuffix(why.Run.State+" "+why.Run.Reason, " ")
	switch {
	case v.want == "" && why.Run.State == "done":
		t.Errorf("ended %s\n%v", ended, a)
	case v.want != "" && ended != v.want && why.Run.State != v.want:
		t.Errorf("ended %s, want %s\n%v\n%s", ended, v.want, a, why.LastError)
	}
	said := strings.Join(append([]string{why.Because, why.LastError}, append(why.Files, why.Failing...)...), "\n")
	if !strings.Contains(said, v.names) {
		t.Errorf("the explanation does not name %q:\n%s\n%v", v.names, said, a)
	}
	return ended
}

// command are the arguments of apctl that begin the run.
func (v verdict) command(t *testing.T, vault string) []string {
	t.Helper()
	// An iteration that changes nothing would only be waited for.
	agent := v.agent + "\necho \"$AUTOPILOT_ITERATION\" > .busy"
	args := []string{"run", "make the tests pass", "--gate", "test=" + v.gate, "--max-iterations", "3", "--agent-cmd", agent}
	if len(v.vault) > 0 {
		args = append(args, "--holdout-dir", vault)
	}
	for name, text := range v.vault {
		if err := os.WriteFile(filepath.Join(vault, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return append(args, v.args...)
}
