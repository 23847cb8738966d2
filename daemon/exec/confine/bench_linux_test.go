package confine_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/shim"
)

// BenchmarkStart compares a confined effect with one that is not, from its
// intent to its outcome. They take turns, so that they meet the same load.
func BenchmarkStart(b *testing.B) {
	c := newCell(b)
	var off, guard, strict []time.Duration
	timed := func(list *[]time.Duration, plan *confine.Plan) {
		s := c.spec("/bin/true")
		s.ID, s.Confine = c.id+"-"+strconv.FormatInt(ids.Add(1), 10), plan
		start := time.Now()
		out, err := c.r.Run(b.Context(), s, nil, nil)
		*list = append(*list, time.Since(start))
		if err != nil || out.Exit != 0 {
			b.Fatal(out, err)
		}
	}
	for b.Loop() {
		timed(&off, nil)
		timed(&guard, c.usual(false))
		timed(&strict, c.usual(true))
	}
	b.ReportMetric(medianMS(off), "off-ms")
	b.ReportMetric(medianMS(guard)-medianMS(off), "guard-more-ms")
	b.ReportMetric(medianMS(strict)-medianMS(off), "workspace-more-ms")
}

// usual is a plan of the size that a desktop's user has.
func (c *cell) usual(strict bool) *confine.Plan {
	p := c.plan()
	p.ReadOnly = []string{"/sys/fs/cgroup", apshim}
	for i := range 12 {
		dir := filepath.Join(c.work, "hide"+strconv.Itoa(i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			c.Fatal(err)
		}
		p.Hide = append(p.Hide, dir)
	}
	if strict {
		p.Strict, p.Write = true, []string{c.work, "/tmp", "/dev/null", "/proc", "/var/tmp"}
	}
	return p
}

func medianMS(list []time.Duration) float64 {
	slices.Sort(list)
	return float64(list[len(list)/2].Microseconds()) / 1000
}

// BenchmarkMemory reports what a live confined effect needs beside its program:
// the processes between the daemon and it.
func BenchmarkMemory(b *testing.B) {
	for name, confined := range map[string]bool{"off": false, "guard": true} {
		b.Run(name, func(b *testing.B) {
			c := newCell(b)
			s := c.sh(`echo $PPID > "$BOX/new"; mv "$BOX/new" "$BOX/pid"; until [ -e "$BOX/go" ]; do sleep 0.02; done`)
			if !confined {
				s.Confine = nil
			}
			done := make(chan error, 1)
			go func(s shim.Spec) {
				_, err := c.r.Run(b.Context(), s, nil, nil)
				done <- err
			}(s)
			parent := c.await("pid")
			var kib int
			for b.Loop() {
				kib = private(b, parent)
			}
			b.ReportMetric(float64(kib), "private-KiB")
			c.write(filepath.Join(c.dir.Box(), "go"), "")
			if err := <-done; err != nil {
				b.Fatal(err)
			}
		})
	}
}

// private is the memory that a process shares with none, in KiB.
func private(t testing.TB, pid string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", pid, "smaps_rollup"))
	if err != nil {
		t.Fatal(err)
	}
	sum := 0
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); strings.HasPrefix(line, "Private_") && len(f) > 1 {
			n, err := strconv.Atoi(f[1])
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}
