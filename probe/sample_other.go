//go:build !linux

package probe

import (
	"context"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v3/mem"
	"github.com/shirou/gopsutil/v3/process"

	"autopilot/probe/judge"
)

func (s *Sampler) path(elem ...string) string {
	return filepath.Join(append([]string{s.cfg.Root}, elem...)...)
}

// pressureWait bounds the program that tells the memory pressure.
const pressureWait = 2 * time.Second

// system asks macOS for its memory pressure, which outranks all other measures of
// memory (S11).
func (s *Sampler) system(ctx context.Context, r *judge.Reading) {
	ctx, done := context.WithTimeout(ctx, pressureWait)
	defer done()
	out, err := exec.CommandContext(ctx, "/usr/bin/memory_pressure", "-Q").Output()
	if err == nil {
		r.MemoryFreePercent = freePercent(string(out))
	}
}

// freePercent reads the line "System-wide memory free percentage: 63%".
func freePercent(out string) judge.Num {
	for line := range strings.Lines(out) {
		label, value, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || !strings.HasSuffix(label, "free percentage") {
			continue
		}
		if v, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64); err == nil {
			return judge.Known(v)
		}
	}
	return judge.Num{}
}

func swap(ctx context.Context) judge.Num {
	m, err := mem.SwapMemoryWithContext(ctx)
	if err != nil {
		return judge.Num{}
	}
	return judge.Known(float64(m.Used))
}

func (s *Sampler) processes(ctx context.Context, r *judge.Reading, roots map[string][]int) {
	found, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return
	}
	all := make([]entry, 0, len(found))
	for _, p := range found {
		e := entry{pid: int(p.Pid)}
		parent, err := p.PpidWithContext(ctx)
		if err != nil {
			continue // it has ended
		}
		e.parent = int(parent)
		e.name, _ = p.NameWithContext(ctx)
		if m, err := p.MemoryInfoWithContext(ctx); err == nil && m != nil {
			e.rss = judge.Known(float64(m.RSS))
		}
		all = append(all, e)
	}
	newTable(all).fill(r, roots, s.cfg.Agents)
}
