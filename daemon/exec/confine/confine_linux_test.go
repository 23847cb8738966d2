package confine_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
)

// hostile scripts try to get at the daemon from inside. None may print a secret
// or end with 0.
var hostile = []struct{ name, script string }{
	{"read the state directory", `cat "$STATE/runs.json"`},
	{"list the state directory", `ls "$STATE" | grep runs`},
	{"read it through the root of the daemon", `cat "/proc/$DAEMON/root$STATE/runs.json"`},
	{"read it through the directory of the daemon", `cd "/proc/$DAEMON/cwd" && ls`},
	{"read it through the root of the supervisor", `cat "/proc/$PPID/root$STATE/runs.json"`},
	{"read it through the root of init", `cat "/proc/1/root$STATE/runs.json"`},
	{"read the environment of the daemon", `cat "/proc/$DAEMON/environ"`},
	{"read the environment of the supervisor", `cat "/proc/$PPID/environ"`},
	{"list the descriptors of the supervisor", `ls -l "/proc/$PPID/fd/"`},
	{"open the memory of the daemon", `dd "if=/proc/$DAEMON/mem" of=/dev/null bs=1 count=1`},
	{"write to the state directory", `echo x > "$STATE/new"`},
	{"write over the state", `echo x > "$STATE/runs.json"`},
	{"write beside the own box", `echo x > "$BOX/../ctl/exit.json"`},
	{"unmount what covers it", `umount "$STATE"`},
	{"unmount it lazily", `umount -l "$STATE"`},
	{"make it writable", `mount -o remount,rw,bind "$STATE"`},
	{"mount over it", `mount -t tmpfs none "$STATE"`},
	{"bind another place over it", `mount --bind "$BOX" "$STATE"`},
	{"unmount it in a nested namespace", `unshare -Urm umount "$STATE"`},
	{"make it writable in a nested namespace", `unshare -Urm mount -o remount,rw,bind "$STATE"`},
	{"see it by a bind of what is above", `unshare -Urm sh -c 'mkdir -p /tmp/x$$ && mount --bind "${STATE%/*}" /tmp/x$$ && cat "/tmp/x$$/${STATE##*/}/runs.json"; s=$?; umount /tmp/x$$; rmdir /tmp/x$$; exit $s'`},
	{"enter the namespaces of init", `nsenter -t 1 -m cat "$STATE/runs.json"`},
	{"enter the namespaces of the daemon", `nsenter -t "$DAEMON" -m cat "$STATE/runs.json"`},
	{"enter the user namespace of the daemon", `nsenter -t "$DAEMON" -U true`},
	{"enter the namespaces of the supervisor", `nsenter -t "$PPID" -U -m cat "$STATE/runs.json"`},
	{"end the daemon", `kill -TERM "$DAEMON"`},
	{"kill the daemon", `kill -KILL "$DAEMON"`},
	{"stop the daemon", `kill -STOP "$DAEMON"`},
	{"look whether the daemon takes signals", `kill -0 "$DAEMON"`},
	{"kill the supervisor", `kill -KILL "$PPID"`},
	{"stop the supervisor", `kill -STOP "$PPID"`},
	{"kill the group of the daemon", `kill -KILL -- "-$(ps -o pgid= -p "$DAEMON" | tr -d ' ')"`},
	{"signal from a session of its own", `setsid -w sh -c 'kill -TERM "$DAEMON"'`},
	{"signal after a double fork", `(setsid sh -c 'kill -TERM "$DAEMON"; echo $? > "$BOX/new"; mv "$BOX/new" "$BOX/done"' &); until [ -e "$BOX/done" ]; do :; done; exit "$(cat "$BOX/done")"`},
	{"signal from nested namespaces", `unshare -Urm kill -TERM "$DAEMON"`},
	{"trace the daemon", `strace -o /dev/null -p "$DAEMON" 2>&1 | grep -i 'attached' `},
	{"move into another control group", `for g in $(find /sys/fs/cgroup -name cgroup.procs 2>/dev/null | head -20); do echo $$ > "$g" && exit 0; done; exit 1`},
}

func TestHostileScriptsAreRefused(t *testing.T) {
	t.Parallel()
	for _, h := range hostile {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			refused(t, h.script)
		})
	}
}

func refused(t *testing.T, script string) {
	t.Helper()
	c := newCell(t)
	// In the place of the daemon, as one of these would end the test.
	daemon := exec.Command("sleep", "60")
	daemon.Env = []string{"SECRET=the secret of the environment"}
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	}()
	s := c.sh(script)
	s.Env = append(s.Env, fmt.Sprintf("DAEMON=%d", daemon.Process.Pid))
	s.Confine.ReadOnly = []string{"/sys/fs/cgroup"}
	out, text := c.run(s)
	c.whole(out)
	if out.Outcome != events.Exited || out.Exit == 0 || strings.Contains(text, "the secret") {
		t.Errorf("outcome %s, exit %d, left %d: %s", out.Outcome, out.Exit, out.Left, text)
	}
	if b, err := os.ReadFile(filepath.Join(c.state, "runs.json")); err != nil || string(b) != "the secret of the state" {
		t.Errorf("the state is now %q, %v", b, err)
	}
	var status unix.WaitStatus
	if pid, _ := unix.Wait4(daemon.Process.Pid, &status, unix.WNOHANG|unix.WUNTRACED, nil); pid != 0 {
		t.Errorf("the daemon was hit: %v", status)
	}
}

func TestNobodyIsConfinedAsRootIs(t *testing.T) {
	const base = "CONFINE_TEST_BASE"
	if dir := os.Getenv(base); dir != "" {
		t.Setenv("TMPDIR", dir)
		for _, h := range hostile {
			t.Run(h.name, func(t *testing.T) { refused(t, h.script) })
		}
		t.Run("ordinary work", func(t *testing.T) { ordinary(t) })
		return
	}
	dir, err := os.MkdirTemp("/tmp", "confine-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := effect.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	if out, err := exec.Command("cp", apshim, filepath.Join(dir, "apshim")).CombinedOutput(); err != nil {
		t.Fatal(err, string(out))
	}
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	proctest.AsNobody(t, dir, base+"="+dir, "PATH="+os.Getenv("PATH"), "HOME="+dir, shimVariable+"="+filepath.Join(dir, "apshim"))
}

func TestWhatIsNotHiddenWorksAsBefore(t *testing.T) {
	t.Parallel()
	ordinary(t)
}

func ordinary(t *testing.T) {
	t.Helper()
	uid, gid := strconv.Itoa(os.Getuid()), strconv.Itoa(os.Getgid())
	for name, script := range map[string]string{
		"its user is the same":            `test "$(id -u)" = ` + uid + ` && test "$(id -g)" = ` + gid,
		"its box can be written":          `echo x > "$BOX/result.json" && test -s "$BOX/result.json"`,
		"the work tree can be written":    `echo x > f && chmod 700 f && rm f`,
		"devices work":                    `: > /dev/null && head -c1 /dev/urandom > /dev/null && test -c /dev/zero`,
		"shared memory works":             `t=$(mktemp -p /dev/shm) && rm "$t"`,
		"terminals can be made":           `script -qec 'test -t 0' /dev/null < /dev/null`,
		"children can be signalled":       `sleep 60 & kill -TERM $! && ! wait $!`,
		"namespaces can be nested":        `unshare -Urm sh -c 'mount -t tmpfs none /mnt && echo x > /mnt/x && umount /mnt'`,
		"processes can be hidden, nested": `unshare -Urmpf --mount-proc sh -c 'test $$ = 1 && test -d /proc/1'`,
		"children can be traced":          `strace -o /dev/null true`,
		"its own files can be given away": `touch f && chown ` + uid + `:` + gid + ` f && rm f`,
	} {
		t.Run(name, func(t *testing.T) {
			c := newCell(t)
			s := c.sh(script)
			s.Confine.ReadOnly = []string{"/sys/fs/cgroup"}
			if out, text := c.run(s); out.Outcome != events.Exited || out.Exit != 0 {
				t.Errorf("outcome %s, exit %d, %s: %s", out.Outcome, out.Exit, out.Err, text)
			}
		})
	}
}

func TestRootWorksForOthersInside(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		return // this is about root's rights
	}
	c := newCell(t)
	out, text := c.run(c.sh(`touch f && chown 1234:4321 f && test "$(stat -c %u:%g f)" = 1234:4321 && setpriv --reuid 65534 --regid 65534 --clear-groups id -u`))
	if out.Exit != 0 || text != "65534\n" {
		t.Errorf("exit %d: %s", out.Exit, text)
	}
}

func TestAProgramEndsAsItWouldUnconfined(t *testing.T) {
	t.Parallel()
	big := "BIG=" + strings.Repeat("x", 128<<10-5)
	for _, tc := range []struct {
		name   string
		change func(*cell, *shim.Spec)
		want   effect.Outcome
		prints string
	}{
		{"with a status", func(c *cell, s *shim.Spec) { *s = c.sh("exit 7") }, effect.Outcome{Outcome: events.Exited, Exit: 7}, ""},
		{"by a signal", func(c *cell, s *shim.Spec) { *s = c.sh("kill -SEGV $$") }, effect.Outcome{Outcome: events.Signaled, Exit: -1, Signal: 11}, ""},
		{"with a large environment", func(c *cell, s *shim.Spec) {
			*s = c.sh("printf %s ${#BIG7}")
			for i := range 12 {
				s.Env = append(s.Env, strings.Replace(big, "BIG", fmt.Sprintf("BIG%d", i), 1)[:128<<10-2])
			}
		}, effect.Outcome{Outcome: events.Exited}, strconv.Itoa(128<<10 - 2 - 5)},
		{"with words of any bytes", func(c *cell, s *shim.Spec) {
			*s = c.spec("sh", "-c", `printf %s "$1$X"`, "x", "a\xff")
			s.Env = append(s.Env, "X=\xfe")
		}, effect.Outcome{Outcome: events.Exited}, "a\xff\xfe"},
		{"where it was sent", func(c *cell, s *shim.Spec) { *s = c.sh(`test "$(pwd)" = ` + c.work) }, effect.Outcome{Outcome: events.Exited}, ""},
		{"with its stdin", func(c *cell, s *shim.Spec) {
			*s = c.sh("cat")
			s.Stdin = filepath.Join(c.state, "runs.json")
		}, effect.Outcome{Outcome: events.Exited}, "the secret of the state"},
		{"in a group of its own below its supervisor", func(c *cell, s *shim.Spec) {
			*s = c.sh(`set -- $(cat /proc/$$/stat); test "$5" = $$ && test "$4" = $PPID && test "$6" = $PPID`)
		}, effect.Outcome{Outcome: events.Exited}, ""},
		{"without descriptors of ours", func(c *cell, s *shim.Spec) { *s = c.spec("ls", "-x", "/proc/self/fd") }, effect.Outcome{Outcome: events.Exited}, "0  1  2  3\n"},
		{"not, without its program", func(c *cell, s *shim.Spec) { *s = c.spec("no-such-tool") }, effect.Outcome{
			Outcome: events.SpawnFailed, Exit: -1, Err: `no-such-tool was not found on the PATH "` + os.Getenv("PATH") + `"`,
		}, ""},
		{"not, with a file that cannot be run", func(c *cell, s *shim.Spec) {
			c.write(filepath.Join(c.work, "tool"), "#!/bin/sh\n")
			*s = c.spec("./tool")
		}, effect.Outcome{Outcome: events.SpawnFailed, Exit: -1, Err: "start ./tool: permission denied"}, ""},
		{"not, with a file that is no program", func(c *cell, s *shim.Spec) {
			c.write(filepath.Join(c.work, "tool"), "\x00\x01")
			*s = c.spec(filepath.Join(c.work, "tool"))
			if err := os.Chmod(s.Argv[0], 0o700); err != nil {
				c.Fatal(err)
			}
		}, effect.Outcome{Outcome: events.SpawnFailed, Exit: -1, Err: "start WORK/tool: exec format error"}, ""},
		{"not, in a directory that is hidden", func(c *cell, s *shim.Spec) {
			*s = c.sh("true")
			s.Dir = c.r.Open("x").Path()
			if err := os.MkdirAll(s.Dir, 0o700); err != nil {
				c.Fatal(err)
			}
		}, effect.Outcome{Outcome: events.SpawnFailed, Exit: -1, Err: "directory STATE/effects/x is hidden by the sandbox"}, ""},
		{"not, with a program that is hidden", func(c *cell, s *shim.Spec) {
			*s = c.spec(filepath.Join(c.state, "tool"))
			c.write(s.Argv[0], "#!/bin/sh\n")
		}, effect.Outcome{Outcome: events.SpawnFailed, Exit: -1, Err: "start STATE/tool: no such file or directory, or it is hidden by the sandbox"}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t)
			var s shim.Spec
			tc.change(c, &s)
			out, text := c.run(s)
			out.Err = strings.NewReplacer(c.state, "STATE", c.work, "WORK").Replace(out.Err)
			if out.Outcome != tc.want.Outcome || out.Exit != tc.want.Exit || out.Signal != tc.want.Signal || out.Err != tc.want.Err || text != tc.prints {
				t.Errorf("%+v, %.200q", out, text)
			}
		})
	}
}

func TestNothingSurvivesTheSupervisor(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	s := c.sh(`sleep 300 & echo $$ $! > "$BOX/pids.new"; mv "$BOX/pids.new" "$BOX/pids"; wait`)
	done := make(chan error, 1)
	go func() {
		out, err := c.r.Run(c.Context(), s, nil, nil)
		if err == nil && out.Outcome != events.Lost {
			err = fmt.Errorf("outcome %s", out.Outcome)
		}
		done <- err
	}()
	pids := strings.Fields(c.await("pids"))
	if err := unix.Kill(c.r.Live()[0].Shim, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	for _, pid := range pids {
		if b, err := os.ReadFile("/proc/" + pid + "/stat"); err == nil && !strings.Contains(string(b), ") Z ") {
			t.Errorf("it left %s", b)
		}
	}
}

func TestTheTreeIsEndedInside(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	s := c.sh(`trap '' TERM; (setsid sleep 300 &); touch "$BOX/ready"; while :; do sleep 1; done`)
	s.Grace = 10 * time.Millisecond
	end, done := make(chan struct{}), make(chan effect.Outcome, 1)
	go func() {
		out, err := c.r.Run(c.Context(), s, nil, end)
		if err != nil {
			t.Error(err)
		}
		done <- out
	}()
	c.await("ready")
	close(end)
	if out := <-done; out.Outcome != events.Stopped || out.Left > 0 {
		t.Errorf("%+v", out)
	}
}

func TestPathsThatAreNotThereArePassedOver(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	s := c.sh("true")
	missing := filepath.Join(c.work, "none", "x")
	s.Confine = &confine.Plan{
		Hide: []string{missing}, Empty: []string{missing}, Show: []string{missing}, ReadOnly: []string{missing},
		Strict: true, Write: []string{missing, c.work},
	}
	out, _ := c.run(s)
	c.whole(out)
	if out.Exit != 0 {
		t.Errorf("%+v", out)
	}
}

func TestEmptyDirectoriesCanBeFilledAndShowWhatIsAllowed(t *testing.T) {
	t.Parallel()
	c := newCell(t)
	run := filepath.Join(c.work, "run")
	if err := os.MkdirAll(filepath.Join(run, "pulse"), 0o700); err != nil {
		t.Fatal(err)
	}
	c.write(filepath.Join(run, "bus"), "bus")
	c.write(filepath.Join(run, "pulse", "native"), "pulse")
	s := c.sh(`cd run && ls; cat pulse/native; echo x > new && ls; cat new`)
	s.Confine.Empty, s.Confine.Show = []string{run}, append(s.Confine.Show, filepath.Join(run, "pulse", "native"))
	s.Confine.Hide = append(s.Confine.Hide, filepath.Join(run, "pulse"), filepath.Join(run, "bus"))
	out, text := c.run(s)
	c.whole(out)
	if text != "pulse\npulsenew\npulse\nx\n" {
		t.Errorf("%q", text)
	}
	if _, err := os.Stat(filepath.Join(run, "new")); !os.IsNotExist(err) {
		t.Errorf("it came out: %v", err)
	}
}

// TestStrictPlansLetWritesOnlyWhereTheySay covers each way to change a file.
func TestStrictPlansLetWritesOnlyWhereTheySay(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"make":     `echo x > "$OUT/new"`,
		"write":    `echo x >> "$OUT/old"`,
		"cut":      `truncate -s 0 "$OUT/old"`,
		"remove":   `rm -f "$OUT/old"`,
		"rename":   `mv "$OUT/old" "$OUT/older"`,
		"move out": `mv "$OUT/old" .`,
		"move in":  `touch f && mv f "$OUT/f"`,
		"link":     `ln "$OUT/old" linked`,
		"folder":   `mkdir "$OUT/dir"`,
		"symlink":  `ln -s x "$OUT/link"`,
		"mount":    `unshare -Urm mount -t tmpfs none /mnt`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newCell(t)
			out := t.TempDir()
			c.write(filepath.Join(out, "old"), "old")
			s := c.sh(`cat "$OUT/old" && cd "$BOX" && mkdir -p a && echo x > a/f && mv a/f g && rm -r a g && ` + script)
			s.Env = append(s.Env, "OUT="+out)
			s.Confine.Strict, s.Confine.Write = true, []string{c.dir.Box(), "/dev"}
			end, text := c.run(s)
			c.whole(end)
			if end.Exit == 0 || !strings.HasPrefix(text, "old") || !strings.Contains(text, "denied") && !strings.Contains(text, "not permitted") && !strings.Contains(text, "cross-device") {
				t.Errorf("%+v: %s", end, text)
			}
			if b, err := os.ReadFile(filepath.Join(out, "old")); err != nil || string(b) != "old" {
				t.Errorf("the file is now %q, %v", b, err)
			}
			entries, err := fs.ReadDir(os.DirFS(out), ".")
			if err != nil || len(entries) != 1 {
				t.Errorf("the directory has now %v, %v", entries, err)
			}
		})
	}
}

// TestWithoutNamespacesGuardGoesOnAndStrictPlansDoNot takes them away, in one.
func TestWithoutNamespacesGuardGoesOnAndStrictPlansDoNot(t *testing.T) {
	t.Parallel()
	daemon := exec.Command("sleep", "60")
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = daemon.Process.Kill()
		_ = daemon.Wait()
	}()
	script := fmt.Sprintf("echo ran; kill -TERM %d; exit 3", daemon.Process.Pid)
	for _, tc := range []struct {
		plan     confine.Plan
		exit     int
		out, err string
	}{
		{confine.Plan{Hide: []string{"/tmp"}}, 3, "ran\n", "not permitted"},
		{confine.Plan{Strict: true, Write: []string{"/tmp"}}, 1, "", "so nothing was started: it lacks namespaces: "},
	} {
		from, to, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("unshare", "-Ur", "sh", "-c", `echo 0 > /proc/sys/user/max_user_namespaces && exec "$0" confine-run`, apshim)
		cmd.ExtraFiles = []*os.File{from}
		var out, errs strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &errs
		if err := json.NewEncoder(to).Encode(confine.Run{Plan: &tc.plan, Path: "/bin/sh", Argv: []string{"sh", "-c", script}}); err != nil {
			t.Fatal(err)
		}
		to.Close()
		_ = cmd.Run()
		from.Close()
		if cmd.ProcessState.ExitCode() != tc.exit || out.String() != tc.out || !strings.Contains(errs.String(), tc.err) {
			t.Errorf("%+v: exit %d, %q, %q", tc.plan, cmd.ProcessState.ExitCode(), out.String(), errs.String())
		}
	}
	var status unix.WaitStatus
	if pid, _ := unix.Wait4(daemon.Process.Pid, &status, unix.WNOHANG, nil); pid != 0 {
		t.Errorf("the daemon was hit: %v", status)
	}
}
