package effect_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"autopilot/daemon/effect"
	"autopilot/daemon/effect/shim"
)

// BenchmarkStart compares an effect from its intent to its outcome with what
// cannot be avoided: fork and exec of the program, and the files that are
// synced to make intent and outcome durable.
func BenchmarkStart(b *testing.B) {
	b.Run("plain", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("syncs", func(b *testing.B) {
		dir := b.TempDir()
		for b.Loop() {
			syncs(b, dir)
		}
	})
	b.Run("apshim", func(b *testing.B) {
		x := newBench(b)
		for b.Loop() {
			x.id = newID()
			s := x.spec("/bin/true")
			if out := x.run(s); out.Exit != 0 {
				b.Fatalf("outcome: %+v", out)
			}
		}
	})
}

// syncs does the same writes as one effect without a box: spec and exit record
// and the five directories.
func syncs(b *testing.B, dir string) {
	ctl := filepath.Join(dir, strconv.FormatInt(ids.Add(1), 10))
	if err := os.Mkdir(ctl, 0o700); err != nil {
		b.Fatal(err)
	}
	for _, name := range []string{"spec", "exit"} {
		if err := shim.WriteFile(ctl, name, make([]byte, 300)); err != nil {
			b.Fatal(err)
		}
		if err := shim.SyncDir(ctl); err != nil {
			b.Fatal(err)
		}
	}
	for range 3 {
		if err := shim.SyncDir(dir); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMemory reports what each of several live supervisors needs for
// itself. Pages of the program file that they share are not in it.
func BenchmarkMemory(b *testing.B) {
	const n = 4
	var done []<-chan result
	var benches []*bench
	for range n {
		x := newBench(b)
		d, _ := x.started(b.Context(), x.sh("echo ready; read x < $GO"), nil)
		done, benches = append(done, d), append(benches, x)
	}
	var kib int
	for b.Loop() {
		kib = 0
		for _, x := range benches {
			kib += fileKiB(b, filepath.Join("/proc", strconv.Itoa(x.shim()), "smaps_rollup"), "Private_")
		}
	}
	b.ReportMetric(float64(kib)/n, "private-KiB/shim")
	for i, x := range benches {
		x.release()
		<-done[i]
	}
}

// BenchmarkOwner is the look-up that every new connection costs.
func BenchmarkOwner(b *testing.B) {
	x := newBench(b)
	done, pids := x.started(b.Context(), x.sh("sh -c 'sh -c \"echo \\$\\$; echo ready; read x < $GO\"; true'; true"), nil)
	pid, err := strconv.Atoi(pids[:len(pids)-1])
	if err != nil {
		b.Fatal(err)
	}
	unadopted, err := effect.New(effect.Config{Root: b.TempDir(), Shim: apshim})
	if err != nil {
		b.Fatal(err)
	}
	for name, r := range map[string]*effect.Runner{"supervisor": x.r, "marker": unadopted} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, ok := r.Owner(pid); !ok {
					b.Fatal("no owner")
				}
			}
		})
	}
	x.release()
	<-done
}
