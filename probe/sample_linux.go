package probe

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"

	"github.com/shirou/gopsutil/v3/mem"

	"autopilot/probe/judge"
)

func (s *Sampler) path(elem ...string) string {
	return filepath.Join(append([]string{s.cfg.Root}, elem...)...)
}

// system reads what only this kernel tells.
func (s *Sampler) system(_ context.Context, r *judge.Reading) {
	r.StallCPU, _ = s.stall("cpu")
	r.StallMemory, r.StallMemoryFull = s.stall("memory")
	_, r.StallIOFull = s.stall("io")
	s.files(r)
	s.container(r)
}

// swap is that of the table that is read for memory: sysinfo(2), which the library
// asks, knows nothing of a container's view.
func swap(ctx context.Context) judge.Num {
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil || m.Total == 0 || m.SwapFree > m.SwapTotal {
		return judge.Num{}
	}
	return judge.Known(float64(m.SwapTotal - m.SwapFree))
}

// stall reads the shares of the last 10 s in which some, and in which all tasks
// waited.
func (s *Sampler) stall(of string) (some, full judge.Num) {
	b, err := os.ReadFile(s.path("proc/pressure", of))
	if err != nil {
		return some, full // not in this kernel, or not for us
	}
	for line := range bytes.Lines(b) {
		f := bytes.Fields(line)
		if len(f) < 2 {
			continue
		}
		v, ok := bytes.CutPrefix(f[1], []byte("avg10="))
		if !ok {
			continue
		}
		switch string(f[0]) {
		case "some":
			some = number(v)
		case "full":
			full = number(v)
		}
	}
	return some, full
}

// files reads how many files are open on the host, and how many may be.
func (s *Sampler) files(r *judge.Reading) {
	b, err := os.ReadFile(s.path("proc/sys/fs/file-nr"))
	if f := bytes.Fields(b); err == nil && len(f) == 3 {
		r.OpenFiles, r.OpenFilesLimit = number(f[0]), number(f[2])
	}
}

func number(b []byte) judge.Num {
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil {
		return judge.Num{}
	}
	return judge.Known(v)
}
