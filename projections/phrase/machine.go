package phrase

import (
	"fmt"
	"strings"

	"autopilot/events"
)

// Held is what holds an agent back on a machine.
type Held struct {
	By          events.Name // verdict, memory, max or project; empty: other runs come first
	Used, Slots int64       // agents at work, and how many may be
	Signal      events.Pressure
}

// HeldBy is that of a run that waits.
func HeldBy(w events.LimitWaiting) Held {
	return Held{By: w.By, Used: w.Used, Slots: w.Limit, Signal: w.Signal}
}

// Says tells it in a sentence that follows why a run waits.
func (h Held) Says(l events.Language) string {
	slots := Say(l, "%d of %d slots in use", "枠 %d / %d 使用中", h.Used, h.Slots)
	why := Signal(l, h.Signal)
	switch {
	case h.By == "project":
		return Say(l, "%d of %d agents of its project are at work, as resources.project.agents says", "プロジェクトのエージェント %d / %d 稼働中(resources.project.agents)", h.Used, h.Slots)
	case h.By == "max":
		return Say(l, "%s, as resources.agents says", "%s(resources.agents)", slots)
	case h.By == "memory":
		return Say(l, "%s: one more needs %s of memory above what stays free, and %s are available", "%s: 追加にはメモリ %s が必要、利用可能は %s", slots, Size(h.Signal.Limit), Size(h.Signal.Value))
	case h.By == "verdict" && why == "":
		return Say(l, "%s, until the machine is calm for a minute", "%s。1分間安定するまで", h.standing(l, slots))
	case h.By == "verdict":
		return h.standing(l, slots) + Say(l, ": ", ": ") + why
	case h.Slots > 0:
		return slots
	}
	return Say(l, "other runs come first", "先に待っている実行あり")
}

// standing is how many agents may be at work by the verdict.
func (h Held) standing(l events.Language, slots string) string {
	if h.Slots > 0 {
		return slots
	}
	return Say(l, "it is critical", "危険な状態")
}

// Short tells it in a few words.
func (h Held) Short(l events.Language) string {
	slots := Say(l, "%d/%d slots", "枠 %d/%d", h.Used, h.Slots)
	switch {
	case h.By == "project":
		return Say(l, "%d/%d agents of the project", "プロジェクトの枠 %d/%d", h.Used, h.Slots)
	case h.By == "memory":
		return slots + Say(l, ": memory", ": メモリ")
	case h.By == "verdict":
		if h.Slots <= 0 {
			slots = Say(l, "critical", "危険な状態")
		}
		if h.Signal.Of == "" {
			return slots
		}
		return slots + Say(l, ": ", ": ") + signalWord(l, h.Signal.Of) + " " + signalAmount(h.Signal.Of, h.Signal.Value)
	case h.Slots > 0:
		return slots
	}
	return ShortLimit(l, events.LimitResources)
}

// Signal tells a value of the machine and its limit; empty without one.
func Signal(l events.Language, s events.Pressure) string {
	if s.Of == "" {
		return ""
	}
	return Say(l, "%s %s, limit %s", "%s %s(基準 %s)", signalWord(l, s.Of), signalAmount(s.Of, s.Value), signalAmount(s.Of, s.Limit))
}

// signalWord is what a member of a reading is called.
func signalWord(l events.Language, of events.Name) string {
	switch of {
	case "memory_free_percent":
		return Say(l, "memory left by its pressure", "メモリ圧迫後の空き")
	case "memory_available_bytes":
		return Say(l, "memory available", "利用可能メモリ")
	case "memory_free_bytes":
		return Say(l, "memory free", "空きメモリ")
	case "load1", "load5":
		return Say(l, "load per core", "コアあたりの負荷")
	case "peers":
		return Say(l, "sessions", "セッション数")
	case "agents":
		return Say(l, "agent programs", "エージェントプログラム数")
	case "swap_used_bytes":
		return Say(l, "swap used", "スワップ使用量")
	case "stall_memory_percent":
		return Say(l, "memory stalls", "メモリ待ち")
	case "stall_memory_full_percent":
		return Say(l, "memory stalls of all work", "全処理のメモリ待ち")
	case "stall_io_full_percent":
		return Say(l, "disk stalls of all work", "全処理のディスク待ち")
	case "open_files":
		return Say(l, "open files", "開いているファイル")
	case "disk_store_free_bytes":
		return Say(l, "disk free for the record", "記録用ディスクの空き")
	case "disk_work_free_bytes":
		return Say(l, "disk free for work trees", "作業ツリー用ディスクの空き")
	default:
		return string(of)
	}
}

// signalAmount is a value in the unit of its member.
func signalAmount(of events.Name, n int64) string {
	switch {
	case strings.HasSuffix(string(of), "_bytes"):
		return Size(n)
	case of == "peers" || of == "agents":
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%d %%", n)
}

// Size is a number of bytes, as 3.4 MiB.
func Size(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	f, unit := float64(n)/1024, "KiB"
	for _, next := range []string{"MiB", "GiB", "TiB"} {
		if f < 1024 {
			break
		}
		f, unit = f/1024, next
	}
	return fmt.Sprintf("%.1f %s", f, unit)
}
