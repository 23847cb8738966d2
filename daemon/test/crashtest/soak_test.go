//go:build linux

package crashtest

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"

	"autopilot/daemon/exec/proc"
	"autopilot/events/wire"
)

// atOnce is how many runs of a soak are under way at the same time.
const atOnce = 8

// What may be more after a soak than when it had begun.
const (
	moreFiles   = 8       // descriptors of the daemon
	moreThreads = 8       // threads of the daemon
	moreBytes   = 8 << 20 // in use, for what it knows of the runs
)

// soaked is a kind of short run.
type soaked struct {
	name  string
	args  []string
	state string
}

// lingerEvery is which run stays after its result: 20 seconds are waited for it.
const lingerEvery = 25

// kinds are the runs of a soak, in turn.
func kinds() []soaked {
	command := func(name, cmd, state string, more ...string) soaked {
		return soaked{name, append([]string{"--agent-cmd", cmd}, more...), state}
	}
	return []soaked{
		command("done", "touch ok", "done"),
		command("leaves a process", "touch ok; "+leave, "done"),
		command("halts", `echo "$AUTOPILOT_ITERATION" > n`, "halted", "--max-iterations", "2"),
		{"claude", []string{"--agent", "claude"}, "done"},
		command("prints 8 MB", "head -c 8000000 /dev/zero | tr '\\0' x; touch ok", "done"),
		command("asks", `echo '{"v":1,"claim":"blocked","reason":"which"}' > "$AUTOPILOT_RESULT_FILE"; echo 1 > n`, "halted"),
		command("is cancelled", "touch begun; "+leave+"; exec sleep 1000", "cancelled"),
	}
}

// level is what a daemon holds at some time.
type level struct {
	runs                  int
	files, threads, tasks int   // descriptors; tasks are processes beside the daemon
	heap, memory, disk    int64 // bytes: in use, of the process without its files, of the state
	runtime, temp, groups int   // entries
	took                  time.Duration
}

// TestSoak plays many short runs through one daemon, and compares what it holds
// at the end with what it held when it had begun.
func TestSoak(t *testing.T) {
	w := newWorld(t)
	s := &soak{world: w}
	if err := os.Mkdir(w.path("tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	install(t, w.path("home"), "message ok\ntouch ok\nresult\n[ -z \"$LINGER\" ] || exec sleep 1000\n")
	w.env = append(w.env, "TMPDIR="+w.path("tmp"), "PATH="+w.path("home/bin")+string(os.PathListSeparator)+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for i := range atOnce {
		w.repo(s.workspace(i), map[string]string{"keep": "keep\n"})
	}
	s.start()
	began := time.Now()
	var levels []level
	for _, mark := range []int{20, *soaks / 3, 2 * *soaks / 3, *soaks} {
		s.upTo(mark)
		l := s.level()
		l.runs, l.took = mark, time.Since(began)
		levels = append(levels, l)
	}
	t.Logf("\n%s", table(levels))
	s.compare(levels[0], levels[1], levels[len(levels)-1])
	w.close()
}

type soak struct {
	*world
	played int
	at     proc.Process // the daemon
}

// start starts the daemon so that it tells of its memory.
func (s *soak) start() {
	s.t.Helper()
	f, err := os.Create(s.path("collected"))
	if err != nil {
		s.t.Fatal(err)
	}
	defer f.Close()
	s.serve(f, "GODEBUG=gctrace=1")
}

// heapIn is what a line of the daemon says to be in use after a collection.
var heapIn = regexp.MustCompile(`^gc \d+ .* \d+->\d+->(\d+) MB`)

// heap is the least that was in use after one of the last collections, in bytes:
// others are made in the middle of work.
func (s *soak) heap() int64 {
	s.t.Helper()
	b, err := os.ReadFile(s.path("collected"))
	if err != nil {
		s.t.Fatal(err)
	}
	var all []int64
	for line := range bytes.Lines(b) {
		if m := heapIn.FindSubmatch(line); m != nil {
			n, _ := strconv.ParseInt(string(m[1]), 10, 64) // digits
			all = append(all, n<<20)
		}
	}
	if len(all) == 0 {
		s.t.Fatal("the daemon says nothing of its memory")
	}
	return slices.Min(all[max(len(all)-lastOnes, 0):])
}

// lastOnes is how many collections heap looks at.
const lastOnes = 10

func (s *soak) workspace(i int) string { return s.path("ws/" + strconv.Itoa(i)) }

// upTo plays runs until so many were.
func (s *soak) upTo(mark int) {
	numbers := make(chan int)
	var wg sync.WaitGroup
	for i := range atOnce {
		wg.Go(func() {
			for n := range numbers {
				s.play(n, s.workspace(i))
			}
		})
	}
	for ; s.played < mark; s.played++ {
		numbers <- s.played
	}
	close(numbers)
	wg.Wait()
}

// play plays one run in a workspace.
func (s *soak) play(n int, ws string) {
	all := kinds()
	k := all[n%len(all)]
	if n%lingerEvery == 0 {
		k = soaked{"lingers", []string{"--agent", "claude", "--env", "LINGER=1"}, "done"}
	}
	for _, name := range []string{"ok", "n", "begun"} {
		_ = os.Remove(filepath.Join(ws, name)) // of the run before, if it made it
	}
	args := append([]string{"run", "-d", "--json", "soak", "-C", ws, "--gate", "ok=test -f ok"}, k.args...)
	id := data[wire.RunView](s.t, s.apctl(args...)).ID
	if k.state == "cancelled" {
		s.appears(filepath.Join(ws, "begun"))
		s.must("cancel", id)
	}
	v := data[wire.RunView](s.t, s.apctl("wait", id, "--json", "--timeout", "80s"))
	if v.State != k.state {
		s.t.Errorf("run %d, one that %s, is %s %s, want %s", n, k.name, v.State, v.Reason, k.state)
	}
}

// level waits until the daemon is alone, and measures it.
func (s *soak) level() (l level) {
	s.t.Helper()
	s.eventually("the daemon to be alone", func() bool { return len(s.processes()) <= 1 })
	p, ok := s.daemon()
	if !ok || s.played > 20 && p != s.at {
		s.t.Fatalf("the daemon is %+v, it was %+v", p, s.at)
	}
	s.at = p
	l.tasks = len(s.processes()) - 1
	l.memory = 1 << 62
	for range 20 { // its memory is given back little by little
		time.Sleep(250 * time.Millisecond)
		now := s.status(p)
		l.memory, l.threads = min(l.memory, now.memory), now.threads
	}
	l.files = s.entries(fmt.Sprintf("/proc/%d/fd", p.PID))
	l.heap = s.heap()
	l.runtime, l.temp, l.groups = s.below("r"), s.below("tmp"), groups()
	l.disk = s.disk("state")
	return l
}

// status reads the memory and the threads of a process.
func (s *soak) status(p proc.Process) (l level) {
	s.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID))
	if err != nil {
		s.t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		name, value, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), ":")
		n, _ := strconv.Atoi(strings.Fields(value + " 0")[0]) // others are no numbers
		switch name {
		case "RssAnon":
			l.memory = int64(n) << 10
		case "Threads":
			l.threads = n
		}
	}
	return l
}

func (s *soak) entries(dir string) int {
	s.t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		s.t.Error(err)
	}
	return len(list)
}

// below counts all that is in a directory of the world.
func (s *soak) below(dir string) (n int) {
	s.walk(dir, func(string, fs.FileInfo) { n++ })
	return n
}

// disk is what the files in a directory of the world take of it.
func (s *soak) disk(dir string) (n int64) {
	s.walk(dir, func(_ string, info fs.FileInfo) {
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			n += st.Blocks * 512
		}
	})
	return n
}

func (s *soak) walk(dir string, use func(string, fs.FileInfo)) {
	s.t.Helper()
	err := filepath.WalkDir(s.path(dir), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // files come and go
		}
		if info, err := d.Info(); err == nil {
			use(path, info)
		}
		return nil
	})
	if err != nil {
		s.t.Error(err)
	}
}

// groups counts the control groups that no supervisor has any more, where there
// are any.
func groups() (n int) {
	own := proc.OwnCgroup()
	if own == "" {
		return 0
	}
	list, _ := os.ReadDir(string(own)) // it may not be ours to read
	for _, e := range list {
		if maker, ok := proc.Cgroup(e.Name()).Maker(); ok && !proc.Lives(maker) {
			n++
		}
	}
	return n
}

// compare says what has grown that should not.
func (s *soak) compare(first, early, last level) {
	s.t.Helper()
	for what, grown := range map[string]bool{
		"processes are left":                 last.tasks > 0,
		"descriptors are left":               last.files > first.files+moreFiles,
		"threads are left":                   last.threads > first.threads+moreThreads,
		"memory is left":                     last.heap > early.heap+moreBytes,
		"files in the runtime directory":     last.runtime > first.runtime,
		"files in the directory for such":    last.temp > first.temp,
		"control groups of effects are left": last.groups > first.groups,
	} {
		if grown {
			s.t.Errorf("%s: %+v, at first %+v", what, last, first)
		}
	}
}

func table(levels []level) string {
	var b bytes.Buffer
	tw := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(tw, "runs\tseconds\tprocesses\tdescriptors\tthreads\theap MB\tmemory MB\truntime files\ttemp files\tcontrol groups\tstate kB\tkB a run\t\n")
	var before level
	for _, l := range levels {
		perRun := (l.disk - before.disk) >> 10 / int64(max(l.runs-before.runs, 1))
		fmt.Fprintf(tw, "%d\t%.0f\t%d\t%d\t%d\t%d\t%.1f\t%d\t%d\t%d\t%d\t%d\t\n", l.runs, l.took.Seconds(), l.tasks, l.files, l.threads,
			l.heap>>20, float64(l.memory)/(1<<20), l.runtime, l.temp, l.groups, l.disk>>10, perRun)
		before = l
	}
	_ = tw.Flush() // into memory
	return b.String()
}
