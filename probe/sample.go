package probe

import (
	"context"
	"runtime"
	"time"

	"github.com/shirou/gopsutil/v3/common"
	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/disk"
	"github.com/shirou/gopsutil/v3/load"
	"github.com/shirou/gopsutil/v3/mem"

	"autopilot/probe/judge"
)

// Config says what is looked at.
type Config struct {
	Store  string   // directory on the disk of the event store
	Agents []string // names of agent programs, as the kernel shows them
	Root   string   // of the file system to read /proc and /sys in; empty is /
}

// Subject is what of the machine belongs to whom, at the time of a sample.
type Subject struct {
	Work  []string         // workspaces, for the free space of their disks
	Roots map[string][]int // pids of supervisors by run
}

// Sampler measures. It is not safe for several goroutines.
type Sampler struct {
	cfg   Config
	cores float64
	busy  busy
}

// busy are the times that all cores spent, as of the sample before.
type busy struct{ all, idle float64 }

// New makes a sampler.
func New(cfg Config) *Sampler {
	if cfg.Root == "" {
		cfg.Root = "/"
	}
	s := &Sampler{cfg: cfg, cores: float64(runtime.NumCPU())}
	s.busy, _ = times(s.context(context.Background()))
	return s
}

// Read takes a sample at now.
func (s *Sampler) Read(ctx context.Context, now time.Time, of Subject) judge.Reading {
	began := time.Now()
	ctx = s.context(ctx)
	r := judge.Reading{Time: now.UTC(), Cores: judge.Known(s.cores)}
	s.memory(ctx, &r)
	s.load(ctx, &r)
	s.system(ctx, &r)
	s.disks(ctx, &r, of.Work)
	s.processes(ctx, &r, of.Roots)
	r.TookUS = time.Since(began).Microseconds()
	return r
}

// context lets the library read below the root.
func (s *Sampler) context(ctx context.Context) context.Context {
	if s.cfg.Root == "/" {
		return ctx
	}
	return context.WithValue(ctx, common.EnvKey, common.EnvMap{common.HostProcEnvKey: s.path("proc"), common.HostSysEnvKey: s.path("sys")})
}

func (s *Sampler) memory(ctx context.Context, r *judge.Reading) {
	if m, err := mem.VirtualMemoryWithContext(ctx); err == nil && m.Total > 0 {
		r.MemoryTotal, r.MemoryFree = judge.Known(float64(m.Total)), judge.Known(float64(m.Free))
		if m.Available > 0 {
			r.MemoryAvailable = judge.Known(float64(m.Available))
		}
	}
	r.SwapUsed = swap(ctx)
}

func (s *Sampler) load(ctx context.Context, r *judge.Reading) {
	if l, err := load.AvgWithContext(ctx); err == nil {
		r.Load1, r.Load5 = judge.Known(l.Load1), judge.Known(l.Load5)
	}
	now, ok := times(ctx)
	if all := now.all - s.busy.all; ok && all > 0 {
		r.BusyPercent = judge.Known(100 * max(0, all-(now.idle-s.busy.idle)) / all)
	}
	s.busy = now
}

func times(ctx context.Context) (busy, bool) {
	t, err := cpu.TimesWithContext(ctx, false)
	if err != nil || len(t) == 0 {
		return busy{}, false
	}
	c := t[0]
	idle := c.Idle + c.Iowait
	return busy{all: idle + c.User + c.System + c.Nice + c.Irq + c.Softirq + c.Steal, idle: idle}, true
}

// disks looks at the disk of the store, and at the one of those of workspaces that
// has least room.
func (s *Sampler) disks(ctx context.Context, r *judge.Reading, work []string) {
	if u, err := disk.UsageWithContext(ctx, s.cfg.Store); err == nil {
		r.DiskStore = judge.Known(float64(u.Free))
	}
	for _, dir := range work {
		u, err := disk.UsageWithContext(ctx, dir)
		if err != nil {
			continue // it is gone: nothing can be written there
		}
		if least, ok := r.DiskWork.Get(); !ok || float64(u.Free) < least {
			r.DiskWork = judge.Known(float64(u.Free))
		}
	}
}
