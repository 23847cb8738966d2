package effect_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
	"autopilot/events"
)

func TestResultFileIsReadOnlyIfItIsOne(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		want   string
		err    error
	}{
		"file":           {"echo '{}' >$BOX/result.json", "{}\n", nil},
		"at the bound":   {"head -c 65536 /dev/zero >$BOX/result.json", strings.Repeat("\x00", 65536), nil},
		"missing":        {"true", "", fs.ErrNotExist},
		"pipe":           {"mkfifo $BOX/result.json", "", effect.ErrNotRegular},
		"link":           {"ln -s /etc/passwd $BOX/result.json", "", effect.ErrNotRegular},
		"dangling link":  {"ln -s /no/such $BOX/result.json", "", effect.ErrNotRegular},
		"directory":      {"mkdir $BOX/result.json", "", effect.ErrNotRegular},
		"200 MB":         {"truncate -s 200000000 $BOX/result.json", "", effect.ErrTooLarge},
		"box is a link":  {"mv $BOX $BOX.old; mkdir $GO.d; echo x >$GO.d/result.json; ln -s $GO.d $BOX", "", effect.ErrNotRegular},
		"box is missing": {"rm -r $BOX", "", fs.ErrNotExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newRig(t)
			if out := b.run(b.sh(c.script)); out.Exit != 0 {
				t.Fatalf("outcome: %+v %s", out, b.output())
			}
			got, err := b.dir.Result()
			if string(got) != c.want || !errors.Is(err, c.err) {
				t.Errorf("result: %d bytes, %v", len(got), err)
			}
		})
	}
}

func TestNamesOutsideTheBoxAreNotRead(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	b.run(b.sh("true"))
	for _, name := range []string{"", ".", "..", "../ctl/spec.json", "/etc/passwd"} {
		if got, err := b.dir.ReadBox(name); err == nil {
			t.Errorf("%q was read: %q", name, got)
		}
	}
	if _, err := b.r.Open("../x").Outcome(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an id that is a path: %v", err)
	}
}

func TestLongLineCostsTheSupervisorNoMemory(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	done := b.startedQuietly(b.helper("line"))
	peak := statusKiB(t, b.shim(), "VmHWM:")
	b.release()
	got := <-done
	if got.err != nil || got.out.Bytes != 200<<20+7 || !got.out.Truncated {
		t.Errorf("outcome: %+v", got)
	}
	if peak > 12<<10 {
		t.Errorf("the supervisor used %d KiB", peak)
	}
	out, err := b.dir.Output(effect.Merged, 64)
	if err != nil || string(out.Head) != strings.Repeat("x", 32) || !bytes.HasSuffix(out.Tail, []byte("x\nready\n")) || out.Gap != got.out.Bytes-64 {
		t.Errorf("output: %+v, %v", out, err)
	}
	whole, err := b.dir.Output(effect.Merged, 1<<30)
	if err != nil || len(whole.Head) != 1<<20 || len(whole.Tail) != 4<<20 || whole.Gap != got.out.Bytes-5<<20 {
		t.Errorf("whole output: %d, %d, %d, %v", len(whole.Head), whole.Gap, len(whole.Tail), err)
	}
}

// startedQuietly is started for a program that prints too much to be kept.
func (b *rig) startedQuietly(s shim.Spec) <-chan result {
	b.Helper()
	done := b.start(b.Context(), s, nil)
	for b.Context().Err() == nil {
		for c, err := range b.dir.Follow(b.Context(), effect.Merged, 0) {
			if err == nil && bytes.HasSuffix(c.Data, []byte("ready\n")) {
				return done
			}
		}
	}
	b.Fatal("the effect did not get ready")
	return nil
}

func statusKiB(t testing.TB, pid int, field string) int {
	t.Helper()
	return fileKiB(t, filepath.Join("/proc", strconv.Itoa(pid), "status"), field)
}

// fileKiB sums the fields of a file of /proc that begin with prefix.
func fileKiB(t testing.TB, path, prefix string) int {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) > 1 && strings.HasPrefix(f[0], prefix) {
			n, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}

func TestFollowYieldsTheStreamAsItGrowsAndFromAnyPlace(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	done, before := b.started(t.Context(), b.sh("echo one; echo ready; read x < $GO; echo two"), nil)
	if before != "one\n" {
		t.Errorf("before: %q", before)
	}
	last, err := b.dir.LastOutput()
	if err != nil || last.IsZero() {
		t.Errorf("last output: %v, %v", last, err)
	}
	if _, err := b.dir.Outcome(); !errors.Is(err, effect.ErrUnfinished) {
		t.Errorf("outcome of a running effect: %v", err)
	}
	b.release()
	var got strings.Builder
	for c, err := range b.dir.Follow(t.Context(), effect.Merged, 4) {
		if err != nil || c.Offset != int64(4+got.Len()) || c.Gap != 0 {
			t.Fatalf("chunk %+v, %v", c, err)
		}
		got.Write(c.Data)
	}
	if got.String() != "ready\ntwo\n" {
		t.Errorf("followed: %q", got.String())
	}
	if out := <-done; out.err != nil {
		t.Error(out.err)
	}
	if out, err := b.dir.Outcome(); err != nil || out.Outcome != events.Exited {
		t.Errorf("outcome: %+v, %v", out, err)
	}
}

func TestFollowSaysWhatIsMissingAndEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("head -c 100000 /dev/zero; echo; echo ready; read x < $GO")
	s.Head, s.Tail = 10, 20
	done := b.startedQuietly(s)
	ctx, cancel := context.WithCancel(t.Context())
	var bytes, gap int64
	var last error
	for c, err := range b.dir.Follow(ctx, effect.Merged, 0) {
		last = err
		bytes, gap = bytes+int64(len(c.Data)), gap+c.Gap
		if bytes == 30 {
			cancel()
		}
	}
	cancel()
	if bytes != 30 || gap != 100007-30 || !errors.Is(last, context.Canceled) {
		t.Errorf("followed %d bytes, %d missing, %v", bytes, gap, last)
	}
	b.release()
	<-done
}

func TestReadersOfWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	if _, err := b.dir.Tail(effect.Merged, 10); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("tail of nothing: %v", err)
	}
	for _, err := range b.dir.Follow(t.Context(), effect.Merged, 0) {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("follow of nothing: %v", err)
		}
	}
	b.run(b.sh("true"))
	if out, err := b.dir.Output(effect.Stderr, 10); err != nil || len(out.Head) != 0 {
		t.Errorf("a stream that was merged: %+v, %v", out, err)
	}
	if path, err := b.dir.Spool(effect.Merged); err != nil || filepath.Base(path) != "output" {
		t.Errorf("spool: %s, %v", path, err)
	}
}

func TestOwnerIsFoundByAncestorsAndByMarker(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	done, pids := b.started(t.Context(), b.sh("EFFECT_TEST_HELPER=daemonize $HELPER; while ! test -e $PIDS; do sleep 0.01; done; cat $PIDS; echo; env -i sleep 300 & echo $! $$; echo ready; read x < $GO"), nil)
	b.restart() // a daemon that has not run the effect again yet knows it, too
	for _, f := range strings.Fields(pids) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			t.Fatal(err)
		}
		if id, ok := b.r.Owner(pid); !ok || id != b.id {
			t.Errorf("owner of %d: %q %v", pid, id, ok)
		}
	}
	stranger, _ := bystander(t)
	marked, _ := bystander(t, "AUTOPILOT_EFFECT=elsewhere")
	if id, ok := b.r.Owner(stranger.PID); ok {
		t.Errorf("owner of a stranger: %q", id)
	}
	if id, ok := b.r.Owner(marked.PID); !ok || id != "elsewhere" {
		t.Errorf("owner by marker: %q %v", id, ok)
	}
	if _, ok := b.r.Owner(os.Getpid()); ok {
		t.Error("the daemon has an owner")
	}
	b.release()
	if got := <-done; got.err != nil || got.out.Left != 0 {
		t.Errorf("outcome: %+v", got)
	}
	if p, err := proc.Read(stranger.PID); err != nil || !p.Same(stranger) {
		t.Error("the stranger was ended")
	}
	_ = syscall.Kill(marked.PID, syscall.SIGKILL)
}
