package effect_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/store/durable"
)

// BenchmarkStart compares an effect from its intent to its outcome with what
// cannot be avoided: fork and exec of the program, and the files that are
// synced to make intent and outcome durable. The three take turns, so that
// they meet the same load, and medians are reported.
func BenchmarkStart(b *testing.B) {
	x := newRig(b)
	dir := b.TempDir()
	var plain, synced, supervised []time.Duration
	timed := func(list *[]time.Duration, work func()) {
		start := time.Now()
		work()
		*list = append(*list, time.Since(start))
	}
	for b.Loop() {
		timed(&plain, func() {
			if err := exec.Command("/bin/true").Run(); err != nil {
				b.Fatal(err)
			}
		})
		timed(&synced, func() { syncs(b, dir) })
		timed(&supervised, func() {
			x.id = newID()
			if out := x.run(x.spec("/bin/true")); out.Exit != 0 {
				b.Fatalf("outcome: %+v", out)
			}
		})
	}
	floor := medianMS(plain) + medianMS(synced)
	b.ReportMetric(medianMS(plain), "plain-ms")
	b.ReportMetric(medianMS(synced), "syncs-ms")
	b.ReportMetric(medianMS(supervised), "apshim-ms")
	b.ReportMetric(medianMS(supervised)-floor, "more-ms")
}

func medianMS(list []time.Duration) float64 {
	slices.Sort(list)
	return float64(list[len(list)/2].Microseconds()) / 1000
}

// syncs does what makes one effect without files in its box durable: the
// directories, the spec, the exit record.
func syncs(b *testing.B, root string) {
	path := filepath.Join(root, strconv.FormatInt(ids.Add(1), 10))
	ctl, box := filepath.Join(path, "ctl"), filepath.Join(path, "box")
	record := make([]byte, 300)
	steps := []error{
		os.MkdirAll(filepath.Join(box, "outbox"), 0o700), os.MkdirAll(ctl, 0o700),
		durable.Write(filepath.Join(ctl, "spec"), record),
		durable.SyncDir(ctl), durable.SyncDir(box), durable.SyncDir(path), durable.SyncDir(root),
		durable.Write(filepath.Join(ctl, "new"), record),
		os.Rename(filepath.Join(ctl, "new"), filepath.Join(ctl, "exit")), durable.SyncDir(ctl),
	}
	if err := errors.Join(steps...); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkMemory reports what each of several live supervisors needs for
// itself. Pages of the program file that they share are not in it.
func BenchmarkMemory(b *testing.B) {
	const n = 4
	var done []<-chan result
	var rigs []*rig
	for range n {
		x := newRig(b)
		d, _ := x.started(b.Context(), x.sh("echo ready; read x < $GO"), nil)
		done, rigs = append(done, d), append(rigs, x)
	}
	var kib int
	for b.Loop() {
		kib = 0
		for _, x := range rigs {
			kib += fileKiB(b, filepath.Join("/proc", strconv.Itoa(x.shim()), "smaps_rollup"), "Private_")
		}
	}
	b.ReportMetric(float64(kib)/n, "private-KiB/shim")
	for i, x := range rigs {
		x.release()
		<-done[i]
	}
}

// BenchmarkOwner is the look-up that every new connection costs.
func BenchmarkOwner(b *testing.B) {
	x := newRig(b)
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
