package shim

import (
	"path/filepath"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
)

// killedByShell is the exit code by which a shell passes on that its child
// was killed.
const killedByShell = 128 + int(unix.SIGKILL)

// want watches a count of the processes that the system has ended for want of
// memory. The zero value knows of none.
type want struct {
	read   func(path string) ([]byte, error)
	source string
	before uint64
}

// watchMemory begins with the first count there is, from the narrowest to the
// widest: of the control group of the effect, of that of its supervisor, and
// of the host. Only the host's is always there.
func watchMemory(read func(path string) ([]byte, error), group, home proc.Cgroup) want {
	var sources []string
	for _, g := range []proc.Cgroup{group, home} {
		if g != "" {
			sources = append(sources, filepath.Join(string(g), "memory.events"))
		}
	}
	for _, source := range append(sources, "/proc/vmstat") {
		w := want{read: read, source: source}
		if n, ok := w.count(); ok {
			w.before = n
			return w
		}
	}
	return want{}
}

func (w want) count() (uint64, bool) {
	b, err := w.read(w.source)
	if err != nil {
		return 0, false
	}
	return proc.Count(b, "oom_kill")
}

// grew says whether the count has grown.
func (w want) grew() bool {
	if w.source == "" {
		return false
	}
	n, ok := w.count()
	return ok && n > w.before
}

// judge says in an exit record when want of memory explains it: the program
// was killed and not by us, or it passes that on from a child, while the count
// grew. A count of more than this effect may have grown for another one, but
// then that died beside it of the same want.
func (w want) judge(e *Exit, ours bool) {
	killed := e.Outcome == Signaled && e.Signal == int(unix.SIGKILL)
	passedOn := e.Outcome == Exited && e.Exit == killedByShell
	if ours || !killed && !passedOn || !w.grew() {
		return
	}
	e.OutOfMemory = true
	if e.Error == "" {
		e.Error = "ended by the system for want of memory, as oom_kill in " + w.source + " says"
	}
}

// noteMemory is called when the program has started: it does not wait for the
// kernel to add up its counts.
func (s *supervisor) noteMemory() { s.want = watchMemory(proc.Table, s.group, s.home) }
