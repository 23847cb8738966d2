package confine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/confine"
	"autopilot/events"
)

// layer lays a directory of the state, which is hidden, over the work tree.
func (c *cell) layer() confine.Layer {
	c.Helper()
	l := confine.Layer{Dir: c.work, Upper: filepath.Join(c.state, "up, and:more"), Work: filepath.Join(c.state, "layer work")}
	for _, dir := range []string{l.Upper, l.Work} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			c.Fatal(err)
		}
	}
	return l
}

func TestALayerIsSeenByTheEffectAlone(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	for name, text := range map[string]string{"kept": "kept", "changed": "before", "gone": "gone"} {
		c.write(filepath.Join(c.work, name), text)
	}
	s := c.sh(`test "$(pwd)" = ` + c.work + ` && cat kept changed && test ! -e gone && echo new > made && echo over > kept && ! mount -o remount,ro .`)
	s.Confine.Layers = []confine.Layer{c.layer()}
	c.write(filepath.Join(s.Confine.Layers[0].Upper, "changed"), "after")
	if err := unix.Mknod(filepath.Join(s.Confine.Layers[0].Upper, "gone"), unix.S_IFCHR, 0); err != nil {
		t.Fatal(err)
	}
	if out, text := c.run(s); out.Outcome != events.Exited || out.Exit != 0 || !strings.HasPrefix(text, "keptafter") {
		t.Fatalf("outcome %s, exit %d, %s: %s", out.Outcome, out.Exit, out.Err, text)
	}
	entries, err := os.ReadDir(c.work)
	if err != nil || len(entries) != 3 {
		t.Errorf("the work tree holds %v, %v", entries, err)
	}
	if b, err := os.ReadFile(filepath.Join(c.work, "kept")); err != nil || string(b) != "kept" {
		t.Errorf("it was changed to %q, %v", b, err)
	}
}

func TestWithoutItsLayerNothingIsStarted(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	s := c.sh("echo x > ran")
	s.Confine.Layers = []confine.Layer{{Dir: c.work, Upper: filepath.Join(c.state, "none"), Work: filepath.Join(c.state, "no work")}}
	if out, _ := c.run(s); out.Outcome != events.SpawnFailed || !strings.Contains(out.Err, "layers") {
		t.Errorf("outcome %s: %s", out.Outcome, out.Err)
	}
	if _, err := os.Lstat(filepath.Join(c.work, "ran")); err == nil {
		t.Error("it ran all the same")
	}
}
