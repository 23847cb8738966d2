package judge

// finder collects signals.
type finder struct {
	found   []Signal
	unknown []Axis
	l       Limits
}

// signals judges by precedence of measures, and by how many axes complain.
//
// Source: session-orchestrator, seeds 2.2.2.
func signals(r Reading, l Limits) Judgement {
	f := &finder{l: l}
	healthy := f.memory(r)
	f.cpu(r)
	f.sessions(r)
	f.swap(r, healthy)
	f.stall(r)
	f.files(r)
	f.disk(r)
	return sum(f.found, f.unknown, l)
}

func (f *finder) add(a Axis, l Level, of string, value, limit float64, u Unit) {
	f.found = append(f.found, Signal{Axis: a, Level: l, Of: of, Value: value, Limit: limit, Unit: u})
}

// below adds a signal for a value that is less than a limit, and says whether it
// did.
func (f *finder) below(a Axis, of string, v, soft, hard float64, u Unit) bool {
	switch {
	case v < hard:
		f.add(a, Hard, of, v, hard, u)
	case v < soft:
		f.add(a, Soft, of, v, soft, u)
	default:
		return false
	}
	return true
}

// memory takes the best measure that is known: one that is better replaces a
// worse one (S10, S11).
func (f *finder) memory(r Reading) (healthy bool) {
	if v, ok := r.MemoryFreePercent.Get(); ok {
		return !f.below(Memory, "memory_free_percent", v, f.l.FreeSoft, f.l.FreeHard, Percent)
	}
	of, n := "memory_available_bytes", r.MemoryAvailable
	if _, ok := n.Get(); !ok {
		of, n = "memory_free_bytes", r.MemoryFree
	}
	v, ok := n.Get()
	if !ok {
		f.unknown = append(f.unknown, Memory)
		return false
	}
	return !f.below(Memory, of, v, f.l.MemorySoft, f.l.MemoryHard, Bytes)
}

// cpu looks at the calmer of two averages, so that the load of a gate that has
// just ended holds back nothing (S15).
func (f *finder) cpu(r Reading) {
	one, ok := r.load(r.Load1)
	if !ok {
		f.unknown = append(f.unknown, CPU)
		return
	}
	of, v := "load1", one
	if five, ok := r.load(r.Load5); ok && five > 0 && five < one { // a system that has none says 0
		of, v = "load5", five
	}
	switch {
	case v > f.l.CPUSoft:
		f.add(CPU, Soft, of, v, f.l.CPUSoft, Percent)
	case one > f.l.CPUSoft:
		f.add(CPU, Info, "load1", one, f.l.CPUSoft, Percent)
	}
}

// load is an average per core in percent, at most 100.
func (r Reading) load(n Num) (float64, bool) {
	v, ok := n.Get()
	cores, known := r.Cores.Get()
	if !ok || !known || cores == 0 {
		return 0, false
	}
	return min(100, 100*v/cores), true
}

// sessions counts sessions, or where those are not known the processes of agents.
func (f *finder) sessions(r Reading) {
	if v, ok := r.Peers.Get(); ok {
		if v >= f.l.SessionsSoft {
			f.add(Session, Soft, "peers", v, f.l.SessionsSoft, Count)
		}
		return
	}
	v, ok := r.Agents.Get()
	switch {
	case !ok:
		f.unknown = append(f.unknown, Session)
	case v >= f.l.AgentsSoft:
		f.add(Session, Soft, "agents", v, f.l.AgentsSoft, Count)
	}
}

// swap says something only where memory is short: pages that were written out
// long ago harm nobody.
func (f *finder) swap(r Reading, healthy bool) {
	v, ok := r.SwapUsed.Get()
	switch {
	case !ok:
		f.unknown = append(f.unknown, Swap)
	case healthy && v > f.l.SwapSoft:
		f.add(Swap, Info, "swap_used_bytes", v, f.l.SwapSoft, Bytes)
	case healthy:
	case v > f.l.SwapHard:
		f.add(Swap, Hard, "swap_used_bytes", v, f.l.SwapHard, Bytes)
	case v > f.l.SwapSoft:
		f.add(Swap, Soft, "swap_used_bytes", v, f.l.SwapSoft, Bytes)
	}
}

// stall is what the kernel says of time in which work stood still.
func (f *finder) stall(r Reading) {
	full, known := r.StallMemoryFull.Get()
	if !known {
		f.unknown = append(f.unknown, Stall)
		return
	}
	switch some, _ := r.StallMemory.Get(); {
	case full >= f.l.StallHard:
		f.add(Stall, Hard, "stall_memory_full_percent", full, f.l.StallHard, Percent)
	case some >= f.l.StallSoft:
		f.add(Stall, Soft, "stall_memory_percent", some, f.l.StallSoft, Percent)
	}
	if v, ok := r.StallIOFull.Get(); ok && v >= f.l.StallIO {
		f.add(Stall, Info, "stall_io_full_percent", v, f.l.StallIO, Percent) // it comes with load, and would count that twice
	}
}

func (f *finder) files(r Reading) {
	used, ok := r.OpenFiles.Get()
	limit, known := r.OpenFilesLimit.Get()
	if !ok || !known || limit == 0 {
		f.unknown = append(f.unknown, Files)
		return
	}
	switch v := 100 * used / limit; {
	case v > f.l.FilesHard:
		f.add(Files, Hard, "open_files", v, f.l.FilesHard, Percent)
	case v > f.l.FilesSoft:
		f.add(Files, Soft, "open_files", v, f.l.FilesSoft, Percent)
	}
}

// disk is told only: how many agents work says nothing of how much they write, a
// small disk never has much room, and where there is none runs wait for it.
func (f *finder) disk(r Reading) {
	seen := false
	for _, d := range []struct {
		of string
		n  Num
	}{{"disk_store_free_bytes", r.DiskStore}, {"disk_work_free_bytes", r.DiskWork}} {
		if v, ok := d.n.Get(); ok {
			seen = true
			if v < f.l.DiskLow {
				f.add(Disk, Info, d.of, v, f.l.DiskLow, Bytes)
			}
		}
	}
	if !seen {
		f.unknown = append(f.unknown, Disk)
	}
}
