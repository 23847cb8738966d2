package confine_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/test/proctest"
)

// apshim is the real supervisor, built once.
var apshim string

// shimVariable names one that is built, for a child that cannot build.
const shimVariable = "CONFINE_TEST_SHIM"

func TestMain(m *testing.M) {
	if apshim = os.Getenv(shimVariable); apshim != "" {
		os.Exit(m.Run())
	}
	proctest.Main(m, &apshim)
}

var ids atomic.Int64

// cell is a daemon's state directory with one effect, and a work tree.
type cell struct {
	testing.TB
	state string // hidden
	work  string // not hidden
	r     *effect.Runner
	id    string
	dir   effect.Dir
}

func newCell(t testing.TB) *cell {
	t.Helper()
	c := &cell{TB: t, state: t.TempDir(), work: t.TempDir()}
	c.id = fmt.Sprintf("confine-%d-%d", os.Getpid(), ids.Add(1))
	r, err := effect.New(effect.Config{Root: filepath.Join(c.state, "effects"), Shim: apshim})
	if err != nil {
		t.Fatal(err)
	}
	c.r, c.dir = r, r.Open(c.id)
	c.write(filepath.Join(c.state, "runs.json"), "the secret of the state")
	t.Cleanup(c.clean)
	return c
}

// clean ends what a failed test may have left, and fails if anything was.
func (c *cell) clean() {
	for _, ps := range proc.Marked(func(id string) bool { return id == c.id }, 0) {
		for _, p := range ps {
			c.Errorf("process %d was left", p.PID)
			_ = proc.Signal(p, unix.SIGKILL)
		}
	}
}

func (c *cell) write(path, text string) {
	c.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		c.Fatal(err)
	}
}

// plan hides the state and shows the box.
func (c *cell) plan() *confine.Plan {
	return &confine.Plan{Hide: []string{c.state}, Show: []string{c.dir.Box()}}
}

func (c *cell) spec(argv ...string) shim.Spec {
	return shim.Spec{
		ID: c.id, Argv: argv, Dir: c.work, Confine: c.plan(), Grace: 5 * time.Second,
		Env: []string{
			"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "STATE=" + c.state, "BOX=" + c.dir.Box(),
			fmt.Sprintf("DAEMON=%d", os.Getpid()),
		},
	}
}

func (c *cell) sh(script string) shim.Spec { return c.spec("sh", "-c", script) }

func (c *cell) run(s shim.Spec) (effect.Outcome, string) {
	c.Helper()
	out, err := c.r.Run(c.Context(), s, nil, nil)
	if err != nil {
		c.Fatal(err)
	}
	text, err := c.dir.Tail(effect.Merged, 1<<20)
	if err != nil {
		c.Fatal(err)
	}
	return out, string(text)
}

// whole fails unless everything could be enforced. The hosts that these tests
// run on have all of it.
func (c *cell) whole(out effect.Outcome) {
	c.Helper()
	if len(out.Lacking) > 0 && !slices.Equal(out.Lacking, []string{confine.Signals, confine.Sockets}) {
		c.Errorf("lacking: %v", out.Lacking)
	}
}

// await waits for a file in the box, and returns what is in it.
func (c *cell) await(name string) string {
	c.Helper()
	for c.Context().Err() == nil {
		b, err := os.ReadFile(filepath.Join(c.dir.Box(), name))
		if err == nil {
			return strings.TrimSpace(string(b))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			c.Fatal(err)
		}
		runtime.Gosched()
	}
	c.Fatal("the test ends")
	return ""
}
