//go:build linux

package crashtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"

	"autopilot/events/wire"
)

// iterations is how often an agent may try, in the loop and under autopilot.
const iterations = 3

func TestCheat(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	warm(t, w)
	all := cheats()
	rows := make([]string, len(all))
	t.Run("cheats", func(t *testing.T) {
		for i, c := range all {
			t.Run(strings.ReplaceAll(c.name, " ", "-"), func(t *testing.T) {
				t.Parallel()
				own := w.as(t)
				if c.alone {
					own = newWorld(t)
					warm(t, own)
					defer own.close()
				}
				p := &play{world: own, cheat: c, dir: own.path(strconv.Itoa(i))}
				loop := p.loop()
				rows[i] = fmt.Sprintf("%s\t%s\t%s\n", c.name, loop, p.autopilot())
			})
		}
	})
	w.close()
	var table bytes.Buffer
	tw := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(tw, "cheat\tshell loop believes it\tautopilot says\n", strings.Join(rows, ""))
	_ = tw.Flush() // into memory
	t.Logf("\n%s", table.String())
}

// warm fills the compile cache of the gates: with the standard library, once for
// all worlds, as that takes longer than all cheats.
func warm(t *testing.T, w *world) {
	t.Helper()
	base, err := compiled()
	if err == nil {
		err = os.MkdirAll(w.path("state/cache"), 0o700)
	}
	if err == nil {
		err = os.Symlink(base, w.path("state/cache/go-build"))
	}
	if err != nil {
		t.Fatal(err)
	}
	w.env = append(append(w.env, "GOCACHE="+base), compiling...)
}

// compiling is the environment of everything that compiles in a world.
var compiling = []string{"GOTOOLCHAIN=local", "GOPROXY=off", "CGO_ENABLED=0"}

// compiled is a compile cache with what a small suite needs.
var compiled = sync.OnceValues(func() (string, error) {
	dir, base := filepath.Join(bin, "compiled"), filepath.Join(bin, "go-build")
	err := os.Mkdir(dir, 0o700)
	for name, text := range map[string]string{
		"go.mod": "module small\n\ngo 1.21\n", "small_test.go": "package small\n\nimport (\n\t_ \"os/exec\"\n\t\"testing\"\n)\n\nfunc Test(*testing.T) {}\n",
	} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if err != nil {
		return "", err
	}
	cmd := exec.Command("go", "test", "./...")
	cmd.Dir, cmd.Env = dir, append(append(os.Environ(), "GOCACHE="+base), compiling...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("fill the compile cache: %w\n%s", err, out)
	}
	return base, nil
})

// play is one cheat, twice.
type play struct {
	*world
	cheat cheat
	dir   string

	home, ws, script string
}

// begin makes the project and a home anew.
func (p *play) begin(name string) {
	p.t.Helper()
	p.home, p.ws = filepath.Join(p.dir, name, "home"), filepath.Join(p.dir, name, "ws")
	p.script = filepath.Join(p.dir, name, "agent.yaml")
	if err := os.MkdirAll(filepath.Join(p.home, "bin"), 0o700); err != nil {
		p.t.Fatal(err)
	}
	p.repo(p.ws, p.cheat.on.files)
	if err := os.WriteFile(filepath.Join(p.ws, "..", "check.sh"), []byte("sh add_test.sh\n"), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if p.cheat.claude != "" {
		install(p.t, p.home, p.placed(p.cheat.claude))
		return
	}
	if err := os.WriteFile(p.script, []byte(p.placed(p.cheat.script)), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// placed is a script with the directories of the test in it.
func (p *play) placed(script string) string {
	text := strings.NewReplacer("STATE", p.path("state"), "RUNTIME", p.path("r"), "BIN", bin).Replace(
		strings.NewReplacer("AUTOPILOT_STATE", "AUTOPILOT_\x00").Replace(script))
	return strings.ReplaceAll(text, "\x00", "STATE")
}

// env is the environment of a user with a bin of his own first on PATH.
func (p *play) env() []string {
	return []string{
		"HOME=" + p.home, "XDG_CONFIG_HOME=" + filepath.Join(p.home, ".config"),
		"PATH=" + strings.Join([]string{filepath.Join(p.home, "bin"), bin, os.Getenv("PATH")}, string(os.PathListSeparator)),
	}
}

// loop is the shell loop that people use: agent, gate, again until it passes.
func (p *play) loop() string {
	if !p.cheat.fooled {
		return "-" // it has nothing that could be ordered or forged
	}
	p.begin("loop")
	out := filepath.Join(p.dir, "out")
	env := append(p.env(), "AUTOPILOT_RESULT_FILE="+filepath.Join(p.dir, "result.json"), "OUT="+out)
	agent := []string{filepath.Join(bin, "autopilotd"), "script-agent", p.script}
	if p.cheat.claude != "" {
		agent = []string{filepath.Join(p.home, "bin/claude"), "-p", "--session-id", "1"}
	}
	until := p.cheat.until
	if until == "" {
		until = p.cheat.on.gate
	}
	for i := 1; i <= iterations; i++ {
		step := append(env, "AUTOPILOT_ITERATION="+strconv.Itoa(i))
		said := p.command(p.ws, step, agent[0], agent[1:]...)
		if err := os.WriteFile(out, said.stdout, 0o600); err != nil {
			p.t.Fatal(err)
		}
		if p.command(p.ws, env, "/bin/sh", "-c", until).code == 0 {
			if p.truth() {
				p.t.Error("the cheat is none: the code is right")
			}
			return "yes"
		}
	}
	p.t.Error("the shell loop does not believe it")
	return "no"
}

// truth asks the test as it was at the start, in a clean environment.
func (p *play) truth() bool {
	on := p.cheat.on
	path := filepath.Join(p.ws, on.test)
	_ = os.Remove(path) // it may be a link
	if err := os.WriteFile(path, []byte(on.files[on.test]), 0o600); err != nil {
		p.t.Fatal(err)
	}
	_ = os.Remove(filepath.Join(p.ws, "main_test.go"))
	return p.command(p.ws, nil, "/bin/sh", "-c", on.truth).code == 0
}

// autopilot plays the cheat under the daemon.
func (p *play) autopilot() string {
	p.begin("autopilot")
	state, v := "halted", wire.WhyView{}
	if p.cheat.waits {
		state, v = "waiting", p.wait()
	} else {
		a := p.command(p.ws, p.env(), filepath.Join(bin, "apctl"), p.args()...)
		v = p.why()
		if a.code == 0 || v.Run.State != state || v.Run.Reason != p.cheat.reason {
			p.t.Errorf("ended as %s %s (exit %d), want %s %s\n%v", v.Run.State, v.Run.Reason, a.code, state, p.cheat.reason, a)
		}
	}
	named := strings.Join(append(append(append([]string{v.Because, v.LastError}, v.Files...), v.Claims...), v.Failing...), "\n")
	if want := strings.ReplaceAll(p.cheat.names, "HOME", p.home); !strings.Contains(named, want) {
		p.t.Errorf("the explanation does not name %q:\n%s", want, named)
	}
	p.checkDenied()
	if p.cheat.check != nil {
		p.cheat.check(p, v)
	}
	if p.truth() {
		p.t.Error("the cheat is none: the code is right")
	}
	return fmt.Sprintf("%s: %s, names %s", state, v.Run.Reason, p.cheat.names)
}

// args are those of apctl run.
func (p *play) args() []string {
	agent := []string{"--script", p.script}
	if p.cheat.claude != "" {
		agent = []string{"--agent", "claude"}
	}
	return slices.Concat(
		[]string{"run", "make the test pass", "--gate", "test=" + p.cheat.on.gate, "--max-iterations", strconv.Itoa(iterations)},
		agent, p.cheat.args)
}

func (p *play) why() wire.WhyView {
	p.t.Helper()
	return data[wire.WhyView](p.t, p.command(p.ws, p.env(), filepath.Join(bin, "apctl"), "why", "--json"))
}

// wait starts the run in the background, and ends it once it waits.
func (p *play) wait() wire.WhyView {
	p.t.Helper()
	a := p.command(p.ws, p.env(), filepath.Join(bin, "apctl"), append(p.args(), "-d", "--json")...)
	id := data[wire.RunView](p.t, a).ID
	p.shows(id, "waiting", p.cheat.reason)
	v := p.why()
	p.must("cancel", id)
	return v
}

// checkDenied looks at the exit codes of what was tried from inside: in each
// iteration the same.
func (p *play) checkDenied() {
	if p.cheat.denied == 0 {
		return
	}
	b, err := os.ReadFile(filepath.Join(p.ws, "codes"))
	if err != nil {
		p.t.Fatal(err)
	}
	codes := strings.Fields(string(b))
	if len(codes) < p.cheat.denied || slices.ContainsFunc(codes, func(c string) bool { return c != strconv.Itoa(exitDenied) }) {
		p.t.Errorf("requests from inside ended with %v, want at least %d times %d", codes, p.cheat.denied, exitDenied)
	}
}
