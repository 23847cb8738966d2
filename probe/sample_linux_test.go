package probe

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/probe/judge"
)

// machine writes the files of a made-up machine, and looks at it.
func machine(t *testing.T, files map[string]string) judge.Reading {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s := New(Config{Store: root, Root: root, Agents: []string{"claude", "codex"}})
	return s.Read(t.Context(), time.Unix(1_700_000_000, 0), Subject{Roots: map[string][]int{"run": {10}}})
}

const meminfo = "MemTotal: 16777216 kB\nMemFree: 1048576 kB\nMemAvailable: 8388608 kB\nSwapTotal: 2097152 kB\nSwapFree: 1048576 kB\n"

const gib = 1 << 30

func TestTheHostIsRead(t *testing.T) {
	t.Parallel()
	r := machine(t, map[string]string{
		"proc/meminfo":               meminfo,
		"proc/loadavg":               "3.50 1.25 0.75 2/345 6789\n",
		"proc/pressure/memory":       "some avg10=12.50 avg60=1.00 avg300=0.00 total=1\nfull avg10=2.25 avg60=0.00 avg300=0.00 total=1\n",
		"proc/pressure/io":           "some avg10=1.00 avg60=0 avg300=0 total=0\nfull avg10=0.50 avg60=0 avg300=0 total=0\n",
		"proc/pressure/cpu":          "some avg10=99.00 avg60=0 avg300=0 total=0\n",
		"proc/sys/fs/file-nr":        "1216\t0\t9223372\n",
		"proc/10/stat":               "10 (apshim) S 1 10 10 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1000 100 0\n",
		"proc/11/stat":               "11 (claude) S 10 10 10 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1000 200 0\n",
		"proc/12/stat":               "12 (codex) S 11 10 10 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1000 300 0\n",
		"proc/13/stat":               "13 (a) b (c)) S 1 10 10 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1000 400 0\n",
		"proc/14/stat":               "14 (claude) S 13 10 10 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 1000 400 0\n",
		"proc/15/stat":               "cut off",
		"proc/self/cgroup":           "0::/\n",
		"sys/fs/cgroup/cgroup.procs": "",
	})
	page := float64(os.Getpagesize())
	for _, c := range []struct {
		name string
		got  judge.Num
		want float64
	}{
		{"load 1", r.Load1, 3.5},
		{"load 5", r.Load5, 1.25},
		{"memory total", r.MemoryTotal, 16 * gib},
		{"memory available", r.MemoryAvailable, 8 * gib},
		{"swap used", r.SwapUsed, gib},
		{"stall of memory, some", r.StallMemory, 12.5},
		{"stall of memory, full", r.StallMemoryFull, 2.25},
		{"stall of the disk", r.StallIOFull, 0.5},
		{"stall of processors", r.StallCPU, 99},
		{"open files", r.OpenFiles, 1216},
		{"limit of open files", r.OpenFilesLimit, 9223372},
		{"agents: a tree each", r.Agents, 2},
		{"memory of the run", r.RunTrees[0].RSS, 600 * page},
	} {
		if v, ok := c.got.Get(); !ok || v != c.want {
			t.Errorf("%s: %v, known %v; want %v", c.name, v, ok, c.want)
		}
	}
	if r.RunTrees[0].Processes != 3 {
		t.Errorf("the run has %d processes, want 3", r.RunTrees[0].Processes)
	}
}

// TestTheContainerBoundsTheHost: of all groups around the daemon the tightest.
func TestTheContainerBoundsTheHost(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name                    string
		files                   map[string]string
		cores, total, available float64 // 0 is that of the host
	}{
		{"no limit", map[string]string{
			"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/cgroup.controllers": "memory cpu",
			"sys/fs/cgroup/a/memory.max": "max\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n",
		}, 0, 16 * gib, 8 * gib},
		{"a limit around the group", map[string]string{
			"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/cgroup.controllers": "memory cpu",
			"sys/fs/cgroup/a/memory.max": "4294967296\n", "sys/fs/cgroup/a/memory.current": "3221225472\n",
			"sys/fs/cgroup/a/memory.stat": "anon 1\ninactive_file 1073741824\n", "sys/fs/cgroup/a/b/memory.max": "max\n",
			"sys/fs/cgroup/a/cpu.max": "50000 100000\n",
		}, 0.5, 4 * gib, 2 * gib},
		{"used beyond the limit", map[string]string{
			"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/cgroup.controllers": "",
			"sys/fs/cgroup/a/memory.max": "1073741824\n", "sys/fs/cgroup/a/memory.current": "2147483648\n",
		}, 0, gib, 0},
		{"the first hierarchy", map[string]string{
			"proc/self/cgroup": "5:memory:/d\n4:cpu,cpuacct:/d\n0::/d\n",
			"sys/fs/cgroup/memory/d/memory.limit_in_bytes": "2147483648\n",
			"sys/fs/cgroup/memory/d/memory.usage_in_bytes": "1073741824\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n",
			"sys/fs/cgroup/cpu/d/cpu.cfs_quota_us":         "25000\n",
			"sys/fs/cgroup/cpu/d/cpu.cfs_period_us":        "100000\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us":           "-1\n",
			"sys/fs/cgroup/cpu/cpu.cfs_period_us":          "100000\n",
		}, 0.25, 2 * gib, gib},
		{"a group outside of what is shown", map[string]string{"proc/self/cgroup": "0::/../x\n"}, 0, 16 * gib, 8 * gib},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.files["proc/meminfo"] = meminfo
			r := machine(t, tt.files)
			if v, _ := r.Cores.Get(); tt.cores != 0 && v != tt.cores {
				t.Errorf("%v cores, want %v", v, tt.cores)
			}
			total, _ := r.MemoryTotal.Get()
			if v, ok := r.MemoryAvailable.Get(); !ok || v != tt.available || total != tt.total {
				t.Errorf("%v of %v available, want %v of %v", v, total, tt.available, tt.total)
			}
		})
	}
}

// TestWhatIsNotThereIsUnknown: a machine without any of these files.
func TestWhatIsNotThereIsUnknown(t *testing.T) {
	t.Parallel()
	r := machine(t, map[string]string{"proc/meminfo": "junk", "proc/pressure/memory": "some avg10=NaN", "proc/sys/fs/file-nr": "-1 0 x"})
	want := []string{
		"agents", "busy_percent", "disk_work_free_bytes", "memory_available_bytes", "memory_free_bytes", "memory_free_percent",
		"memory_total_bytes", "open_files", "open_files_limit", "peers", "stall_cpu_percent", "stall_io_full_percent", "stall_memory_full_percent", "stall_memory_percent", "swap_used_bytes",
	}
	got := slices.DeleteFunc(r.Unknown(), func(n string) bool { return n == "load1" || n == "load5" }) // the library asks the kernel itself then
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

// TestThisMachineIsRead looks at the real one, with a process of its own.
func TestThisMachineIsRead(t *testing.T) {
	t.Parallel()
	child := exec.CommandContext(t.Context(), "/bin/sh", "-c", "read line")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = in.Close(); _ = child.Wait() })
	dir := t.TempDir()
	r := New(Config{Store: dir}).Read(t.Context(), time.Now(), Subject{Work: []string{dir, dir + "/gone"}, Roots: map[string][]int{"run": {os.Getpid()}}})
	for _, n := range []judge.Num{r.Cores, r.Load1, r.MemoryTotal, r.MemoryAvailable, r.SwapUsed, r.OpenFiles, r.DiskStore, r.DiskWork, r.Agents} {
		if _, ok := n.Get(); !ok {
			t.Fatalf("not all is known: %+v", r)
		}
	}
	tree := r.RunTrees[0]
	if rss, _ := tree.RSS.Get(); tree.Processes < 2 || rss <= 1<<20 {
		t.Errorf("the tree of this process: %+v", tree)
	}
}

func BenchmarkRead(b *testing.B) {
	dir := b.TempDir()
	s := New(Config{Store: dir, Agents: []string{"claude"}})
	of := Subject{Work: []string{dir}, Roots: map[string][]int{"run": {os.Getpid()}}}
	for b.Loop() {
		s.Read(context.Background(), time.Unix(0, 0), of)
	}
}
