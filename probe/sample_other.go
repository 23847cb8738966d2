//go:build !linux

package probe

import (
	"context"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/shirou/gopsutil/v3/mem"
	"github.com/shirou/gopsutil/v3/process"

	"autopilot/probe/judge"
)

func (s *Sampler) path(elem ...string) string {
	return filepath.Join(append([]string{s.cfg.Root}, elem...)...)
}

// toolWait bounds the programs that tell of memory.
const toolWait = 2 * time.Second

// system asks macOS for its memory pressure, which outranks all other measures of
// memory (S11), and for all pages that can be had: the library counts fewer. Where
// these programs are not, what the library says stays.
func (s *Sampler) system(ctx context.Context, r *judge.Reading) {
	r.MemoryFreePercent = freePercent(printed(ctx, "/usr/bin/memory_pressure", "-Q"))
	if all := available(printed(ctx, "/usr/bin/vm_stat")); !all.IsZero() {
		r.MemoryAvailable = all
	}
}

// printed is the output of a program, empty if it fails.
func printed(ctx context.Context, program string, args ...string) string {
	ctx, done := context.WithTimeout(ctx, toolWait)
	defer done()
	out, err := exec.CommandContext(ctx, program, args...).Output()
	if err != nil {
		return ""
	}
	return string(out)
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
