package effect_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"autopilot/daemon/test/proctest"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
)

// helperVariable makes the test binary one of the programs below instead.
const helperVariable = "EFFECT_TEST_HELPER"

// apshim is the real supervisor, built once.
var apshim string

func TestMain(m *testing.M) {
	if mode := os.Getenv(helperVariable); mode != "" {
		helper(mode)
		syscall.Exit(0) // os.Exit of a binary that counts coverage prints
	}
	proctest.Main(m, &apshim)
}

// helper is the program of an effect where a shell script will not do.
func helper(mode string) {
	switch mode {
	case "line": // 200 MB without a line end, then wait
		block := bytes.Repeat([]byte("x"), 1<<20)
		for range 200 {
			os.Stdout.Write(block)
		}
		os.Stdout.WriteString("\nready\n")
		if _, err := os.ReadFile(os.Getenv("GO")); err != nil {
			panic(err)
		}
	case "flood": // stderr first, 64 MiB
		block := bytes.Repeat([]byte("e"), 1<<20)
		for range 64 {
			os.Stderr.Write(block)
		}
		fmt.Println("out")
	case "connected": // hold a connection open and wait for what does not come
		c, err := net.Dial("tcp", os.Getenv("PEER"))
		if err != nil {
			panic(err)
		}
		fmt.Println("init")
		_, _ = c.Read(make([]byte, 1))
	case "touch": // change a file in silence, until STOP is there
		for {
			if err := os.WriteFile(os.Getenv("TOUCH"), []byte("x"), 0o600); err != nil {
				panic(err)
			}
			if _, err := os.Stat(os.Getenv("STOP")); err == nil {
				syscall.Exit(7)
			}
			time.Sleep(200 * time.Millisecond) // so seldom that the idle limit sees no CPU time
		}
	case "daemonize": // leave parent, session and environment
		daemonize("daemonized", os.Environ())
	case "daemonized":
		daemonize("stubborn", []string{"PIDS=" + os.Getenv("PIDS")})
	case "stubborn": // ignores TERM, holds no output
		pid := strconv.Itoa(os.Getpid())
		if err := os.WriteFile(os.Getenv("PIDS")+".new", []byte(pid), 0o600); err != nil {
			panic(err)
		}
		if err := os.Rename(os.Getenv("PIDS")+".new", os.Getenv("PIDS")); err != nil {
			panic(err)
		}
		panic(syscall.Exec("/bin/sh", []string{"sh", "-c", "trap '' TERM; sleep 300 & while :; do wait; done"}, nil))
	}
}

// daemonize starts the next program in a session of its own and does not wait.
func daemonize(mode string, env []string) {
	c := exec.Command(os.Args[0])
	c.Env = append(env, helperVariable+"="+mode)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		panic(err)
	}
}

var ids atomic.Int64

// newID is unique on the host, as ids of effects have to be.
func newID() string {
	return fmt.Sprintf("test-%d-%d-%d", os.Getpid(), time.Now().UnixNano(), ids.Add(1))
}

// rig is a root with a Runner, and one effect on it.
type rig struct {
	testing.TB
	root string
	r    *effect.Runner
	id   string
	dir  effect.Dir
	fifo string // what GO names: reading it waits for release
}

func newRig(t testing.TB) *rig {
	t.Helper()
	b := &rig{TB: t, root: t.TempDir(), id: newID()}
	b.restart()
	b.dir = b.r.Open(b.id)
	b.fifo = filepath.Join(t.TempDir(), "go")
	if err := syscall.Mkfifo(b.fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.clean)
	return b
}

// restart is a new daemon on the same root.
func (b *rig) restart() {
	b.Helper()
	r, err := effect.New(effect.Config{Root: b.root, Shim: apshim})
	if err != nil {
		b.Fatal(err)
	}
	b.r = r
}

// clean ends what a failed test may have left, and fails if anything was.
func (b *rig) clean() {
	for id, ps := range proc.Marked(func(id string) bool { return id == b.id }, 0) {
		for _, p := range ps {
			b.Errorf("process %d of effect %s was left", p.PID, id)
			_ = proc.Signal(p, syscall.SIGKILL)
		}
	}
}

func (b *rig) spec(argv ...string) shim.Spec {
	return shim.Spec{
		ID: b.id, Argv: argv, Dir: b.root,
		Env: []string{
			"PATH=" + os.Getenv("PATH"), "BOX=" + b.dir.Box(), "GO=" + b.fifo,
			"HELPER=" + os.Args[0], "PIDS=" + filepath.Join(b.dir.Box(), "pids"),
		},
		Grace: 5 * time.Second,
	}
}

func (b *rig) sh(script string) shim.Spec { return b.spec("sh", "-c", script) }

func (b *rig) helper(mode string) shim.Spec {
	s := b.spec(os.Args[0])
	s.Env = append(s.Env, helperVariable+"="+mode)
	return s
}

// run performs an effect to its end.
func (b *rig) run(s shim.Spec) effect.Outcome {
	b.Helper()
	out, err := b.r.Run(b.Context(), s, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

type result struct {
	out effect.Outcome
	err error
}

// start performs an effect beside the test.
func (b *rig) start(ctx context.Context, s shim.Spec, end <-chan struct{}) <-chan result {
	done := make(chan result, 1)
	r := b.r
	go func() {
		out, err := r.Run(ctx, s, nil, end)
		done <- result{out, err}
	}()
	return done
}

// started is start, and returns when the program has printed the word ready,
// with what it printed before.
func (b *rig) started(ctx context.Context, s shim.Spec, end <-chan struct{}) (<-chan result, string) {
	b.Helper()
	done := b.start(ctx, s, end)
	return done, b.ready()
}

func (b *rig) ready() string {
	b.Helper()
	for { // the directory may not exist yet
		var text strings.Builder
		var last error
		for c, err := range b.dir.Follow(b.Context(), effect.Merged, 0) {
			last = err
			text.Write(c.Data)
			if before, _, ok := strings.Cut(text.String(), "ready\n"); ok {
				return before
			}
		}
		if last == nil {
			b.Fatalf("the effect ended before it was ready: %q", text.String())
		}
		if b.Context().Err() != nil {
			b.Fatal(last)
		}
	}
}

// release lets a program go on that reads GO.
func (b *rig) release() {
	b.Helper()
	f, err := os.OpenFile(b.fifo, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	f.Close()
}

// shim is the supervisor of the effect, which may print before it is known here.
func (b *rig) shim() int {
	b.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		live := b.r.Live()
		if len(live) == 1 && live[0].Effect == b.id {
			return live[0].Shim
		}
		select {
		case <-tick.C:
		case <-b.Context().Done():
			b.Fatalf("live effects: %v, want one", live)
		}
	}
}

// output is what the effect printed.
func (b *rig) output() string {
	b.Helper()
	out, err := b.dir.Tail(effect.Merged, 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	return string(out)
}

// gone fails if one of the pids in text lives.
func (b *rig) gone(text string) {
	b.Helper()
	pids := strings.Fields(text)
	if len(pids) == 0 {
		b.Fatal("no pids to look at")
	}
	for _, f := range pids {
		pid, err := strconv.Atoi(f)
		if err != nil {
			b.Fatal(err)
		}
		if p, err := proc.Read(pid); err == nil && !p.Zombie {
			b.Errorf("process %d lives", pid)
		}
	}
}
