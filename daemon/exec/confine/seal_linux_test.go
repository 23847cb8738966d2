package confine_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"autopilot/daemon/exec/confine"
	"autopilot/events"
)

func TestASealedEffectLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a file":            `echo x > "$OUT/new"`,
		"text in a file":    `echo x >> "$OUT/old"`,
		"a mode":            `chmod 700 "$OUT/old"`,
		"a time":            `touch -d 2001-01-01 "$OUT/old"`,
		"an attribute":      `python3 -c 'import os; os.setxattr(os.environ["OUT"] + "/old", "user.x", b"x")'`,
		"a name":            `mv "$OUT/old" "$OUT/older"`,
		"a link":            `ln -s x "$OUT/link"`,
		"in the state":      `echo x > "$STATE/new"`,
		"a mount":           `mount -o remount,rw /`,
		"a nested mount":    `unshare -Urm mount -o remount,rw,bind "$OUT"`,
		"through its box":   `echo x > "$BOX/new"`,
		"through a process": `echo x > "/proc/$PPID/root$OUT/new"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t)
			out := t.TempDir()
			old := filepath.Join(out, "old")
			c.write(old, "old")
			then := time.Unix(1_000_000_000, 0)
			if err := os.Chtimes(old, then, then); err != nil {
				t.Fatal(err)
			}
			before, err := os.Stat(old)
			if err != nil {
				t.Fatal(err)
			}
			s := c.sh(script)
			s.Env = append(s.Env, "OUT="+out)
			s.Confine.Sealed = true
			if end, text := c.run(s); end.Outcome != events.Exited || end.Exit == 0 {
				t.Errorf("outcome %s, exit %d, %s: %s", end.Outcome, end.Exit, end.Err, text)
			}
			after, err := os.Stat(old)
			if err != nil || after.Mode() != before.Mode() || !after.ModTime().Equal(before.ModTime()) {
				t.Errorf("it is now %v, %v", after, err)
			}
			if entries, err := os.ReadDir(out); err != nil || len(entries) != 1 {
				t.Errorf("the folder holds %v, %v", entries, err)
			}
		})
	}
}

func TestASealedEffectWorksInItsOwnPlaces(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	own, tmp := filepath.Join(c.state, "own"), t.TempDir()
	for _, dir := range []string{own, filepath.Join(tmp, "there")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	c.write(filepath.Join(c.work, "kept"), "kept")
	s := c.sh(`set -e; test ! -e "$T/there"; echo x > "$T/f"; echo x > "$OWN/f"; chmod 700 "$OWN/f"; echo over > kept; echo x > made
		echo x > /dev/null; echo x > /dev/shm/sealed-test-$$; script -qec 'test -t 0' /dev/null < /dev/null; test "$(ipcs -m | grep -c 0x)" = 0; ipcmk -M 16 > /dev/null`)
	s.Env = append(s.Env, "OWN="+own, "T="+tmp)
	s.Confine.Sealed = true
	s.Confine.Show, s.Confine.Write = append(s.Confine.Show, own), []string{own, filepath.Join(c.work, "missing")}
	s.Confine.Empty = []string{tmp, "/dev/shm"}
	s.Confine.Layers = []confine.Layer{c.layer()}
	if out, text := c.run(s); out.Outcome != events.Exited || out.Exit != 0 {
		t.Fatalf("outcome %s, exit %d, %s: %s", out.Outcome, out.Exit, out.Err, text)
	}
	if b, err := os.ReadFile(filepath.Join(own, "f")); err != nil || string(b) != "x\n" {
		t.Errorf("what it wrote is %q, %v", b, err)
	}
	if b, err := os.ReadFile(filepath.Join(c.work, "kept")); err != nil || string(b) != "kept" {
		t.Errorf("it was changed to %q, %v", b, err)
	}
	left, err := filepath.Glob("/dev/shm/sealed-test-*")
	if entries, readErr := os.ReadDir(tmp); err != nil || readErr != nil || len(entries) != 1 || len(left) > 0 {
		t.Errorf("it left %v and %v, %v, %v", entries, left, err, readErr)
	}
}
