package probe

import (
	"bytes"
	"os"
	"path"
	"strings"

	"autopilot/probe/judge"
)

// unlimited is above all that the first hierarchy calls a limit.
const unlimited = 1 << 60

// container lowers what the host has to what the control groups around this
// process leave of it: each of them bounds all below.
func (s *Sampler) container(r *judge.Reading) {
	unified, memory, cpus := s.groups()
	for _, dir := range upward(unified) {
		s.memoryLimit(r, dir, "memory.max", "memory.current", "inactive_file")
		s.cpuQuota(r, dir)
	}
	for _, dir := range upward(memory) {
		s.memoryLimit(r, dir, "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
	}
	for _, dir := range upward(cpus) {
		s.cpuQuotaV1(r, dir)
	}
}

// groups are the directories of the own control groups below the root, empty
// where there is none.
func (s *Sampler) groups() (unified, memory, cpus string) {
	b, err := os.ReadFile(s.path("proc/self/cgroup"))
	if err != nil {
		return "", "", ""
	}
	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) != 3 || strings.HasPrefix(f[2], "/..") {
			continue
		}
		if f[1] == "" {
			unified = s.mounted(f[2], "sys/fs/cgroup", "cgroup.controllers", "sys/fs/cgroup/unified")
		}
		for c := range strings.SplitSeq(f[1], ",") {
			switch c {
			case "memory":
				memory = path.Join("sys/fs/cgroup/memory", f[2])
			case "cpu":
				cpus = path.Join("sys/fs/cgroup/cpu", f[2])
			}
		}
	}
	return unified, memory, cpus
}

// mounted is where the group is: in the unified hierarchy alone, or in the one
// beside the older ones.
func (s *Sampler) mounted(group, alone, mark, beside string) string {
	if _, err := os.Stat(s.path(alone, mark)); err == nil {
		return path.Join(alone, group)
	}
	return path.Join(beside, group)
}

// upward lists a group and those around it, up to where they are mounted.
func upward(dir string) []string {
	var out []string
	for dir != "" && dir != "sys/fs" && dir != "." && dir != "/" {
		out = append(out, dir)
		dir = path.Dir(dir)
	}
	return out
}

func (s *Sampler) memoryLimit(r *judge.Reading, dir, most, used, cache string) {
	limit, ok := s.value(dir, most).Get()
	if !ok || limit >= unlimited {
		return
	}
	lower(&r.MemoryTotal, limit)
	if now, ok := s.value(dir, used).Get(); ok {
		lower(&r.MemoryAvailable, max(0, limit-now+s.stat(dir, cache)))
	}
}

// stat is a number of memory.stat: here what is only kept as it may be of use.
func (s *Sampler) stat(dir, name string) float64 {
	b, err := os.ReadFile(s.path(dir, "memory.stat"))
	if err != nil {
		return 0
	}
	for line := range bytes.Lines(b) {
		if f := bytes.Fields(line); len(f) == 2 && string(f[0]) == name {
			v, _ := number(f[1]).Get()
			return v
		}
	}
	return 0
}

// cpuQuota reads "QUOTA PERIOD", or "max PERIOD".
func (s *Sampler) cpuQuota(r *judge.Reading, dir string) {
	b, err := os.ReadFile(s.path(dir, "cpu.max"))
	if f := bytes.Fields(b); err == nil && len(f) == 2 {
		share(r, number(f[0]), number(f[1]))
	}
}

func (s *Sampler) cpuQuotaV1(r *judge.Reading, dir string) {
	share(r, s.value(dir, "cpu.cfs_quota_us"), s.value(dir, "cpu.cfs_period_us"))
}

func share(r *judge.Reading, quota, period judge.Num) {
	q, ok := quota.Get()
	p, known := period.Get()
	if ok && known && q > 0 && p > 0 {
		lower(&r.Cores, q/p)
	}
}

func (s *Sampler) value(dir, name string) judge.Num {
	b, err := os.ReadFile(s.path(dir, name))
	if err != nil {
		return judge.Num{}
	}
	return number(bytes.TrimSpace(b))
}

func lower(n *judge.Num, v float64) {
	if was, ok := n.Get(); !ok || v < was {
		*n = judge.Known(v)
	}
}
