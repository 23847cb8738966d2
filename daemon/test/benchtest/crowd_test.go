package benchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// A thousand runs of agents that do nothing, in line for the one slot that there
// is, and what their daemon may need.
const (
	crowdPeers  = 500
	crowdAtOnce = 8 // commands that start runs, and sessions
	crowdGoal   = 300 << 10
	crowdShare  = 0.02 // of a core
	crowdClaims = 100 * time.Millisecond
	crowdTurns  = 50
	crowdBusy   = 30 * time.Second
	crowdSpans  = 7

	noopAgent    = "true"
	lastingAgent = "exec sleep 3600"
)

// crowd makes the rows of a daemon with many live runs, each over one that has
// none.
func (b *bench) crowd(t *table) (err error) {
	if err := b.configure("durability: process\nresources: {agents: 1}\n"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.path("config"))) }()
	alone, err := b.startDaemonIn("alone")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, alone.stop()) }()
	d, err := b.startDaemonIn("crowd")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	for _, name := range []string{"alone-work", "crowd-work"} {
		if _, err := output(b.command("/", b.git, "init", "-q", b.path(name))); err != nil {
			return err
		}
	}
	holder, err := b.gather(t)
	if err != nil {
		return err
	}
	defer func() { _ = b.apctlIn("crowd", "cancel", holder).Run() }() // ends its agent
	if err := b.waits(t, alone, d); err != nil {
		return err
	}
	if err := b.crowdLooks(t); err != nil {
		return err
	}
	if err := b.crowdHooks(t); err != nil {
		return err
	}
	if err := b.busy(t, alone, d, holder); err != nil {
		return err
	}
	return b.awake(t)
}

// configure writes the user's file.
func (b *bench) configure(text string) error {
	dir := b.path("config/autopilot")
	return errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(text), 0o600))
}

// gather starts the runs. The first one's agent has the slot.
func (b *bench) gather(t *table) (holder string, err error) {
	if holder, err = b.begin("crowd", 0, lastingAgent); err != nil {
		return "", err
	}
	for v := (runSaid{}); v.Stage != "agent" && err == nil; {
		v, err = b.statusIn("crowd", holder)
	}
	took, err := took(func() error {
		return errors.Join(err, many(b.crowdRuns-1, func(i int) error { _, err := b.begin("crowd", i+1, noopAgent); return err }))
	})
	t.note("%d runs were started by %d commands at a time in %s.", b.crowdRuns, crowdAtOnce, took.Round(time.Second))
	return holder, err
}

// begin starts a run in a work tree of its own.
func (b *bench) begin(state string, i int, agent string) (handle string, err error) {
	dir := b.path(fmt.Sprintf("%s-trees/%d", state, i))
	if _, err := output(b.command("/", b.git, "init", "-q", dir)); err != nil {
		return "", err
	}
	out, err := output(b.apctlIn(state, "run", "-d", "do nothing", "-C", dir, "--gate", "test="+gateCommand, "--agent-cmd", agent))
	return strings.TrimSpace(string(out)), err
}

// many does a thing often, a few at a time.
func many(n int, one func(i int) error) error {
	var wg sync.WaitGroup
	errs := make([]error, n)
	room := make(chan struct{}, crowdAtOnce)
	for i := range n {
		room <- struct{}{}
		wg.Go(func() {
			errs[i] = one(i)
			<-room
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// waits measures the daemon while all runs but one stand in line.
func (b *bench) waits(t *table, alone, d *daemon) error {
	if err := b.inLine(b.crowdRuns - 1); err != nil {
		return err
	}
	busy, err := d.computes(crowdSpans)
	if err != nil {
		return err
	}
	floor, err := memory(alone.cmd.Process.Pid, "VmRSS")
	if err != nil {
		return err
	}
	rss, err := b.resident(t, d, fmt.Sprintf("memory of a daemon with %d live runs", b.crowdRuns), floor)
	share := float64(median(busy)) / float64(idleFor)
	t.rows = append(t.rows, row{"of a core, with them in line", "-", fmt.Sprintf("%.2f %%", share*100), fmt.Sprintf("%.2f %%", share*100), fmt.Sprintf("<= %.2f %%", crowdShare*100), share <= crowdShare})
	t.note("A live run that waits takes %d KiB of its daemon, one without a run %s.", (rss-floor)/b.crowdRuns, mib(floor))
	return err
}

// computes is what a daemon computes in some spans of time: now and then it writes
// a snapshot.
func (d *daemon) computes(spans int) (list []time.Duration, err error) {
	for range spans {
		before, err := d.cpu()
		if err != nil {
			return nil, err
		}
		time.Sleep(idleFor)
		after, err := d.cpu()
		if err != nil {
			return nil, err
		}
		list = append(list, after-before)
	}
	return list, nil
}

func (b *bench) resident(t *table, d *daemon, what string, floor int) (rss int, err error) {
	rss, err = memory(d.cmd.Process.Pid, "VmRSS")
	t.rows = append(t.rows, row{what, mib(floor), mib(rss), mib(rss), "<= " + mib(crowdGoal), rss <= crowdGoal})
	return rss, err
}

// inLine waits until so many runs wait for the machine.
func (b *bench) inLine(n int) error {
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Second) {
		out, err := output(b.apctlIn("crowd", "probe", "--json"))
		if err != nil {
			return err
		}
		var v struct {
			Data struct {
				Waiting []json.RawMessage `json:"waiting"`
			} `json:"data"`
		}
		if err := json.Unmarshal(out, &v); err != nil {
			return err
		}
		switch is := len(v.Data.Waiting); {
		case is == n:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("%d runs wait for the machine, not %d", is, n)
		}
	}
}

// crowdLooks compares what lists all runs with the same where there is none.
func (b *bench) crowdLooks(t *table) error {
	for _, c := range []struct {
		args []string
		goal time.Duration
	}{
		{[]string{"ls"}, reportGoal}, {[]string{"report"}, reportGoal}, {[]string{"peer", "claims", "--all"}, crowdClaims}, {[]string{"status", "--line"}, lineGoal},
	} {
		floor, ours, err := turns(lookTurns,
			func() (time.Duration, error) { return b.answers("alone", c.args...) },
			func() (time.Duration, error) { return b.answers("crowd", c.args...) })
		if err != nil {
			return fmt.Errorf("apctl %v: %w", c.args, err)
		}
		t.more(fmt.Sprintf("apctl %s with %d live runs over none, exec to exit", strings.Join(c.args, " "), b.crowdRuns), median(floor), median(ours), c.goal)
	}
	return nil
}

// crowdHooks compares the hooks of a chat beside many claims and sessions with a
// program that does nothing. Each run has the claim on its work tree.
func (b *bench) crowdHooks(t *table) (err error) {
	sessions, err := b.sessions()
	if err != nil {
		return err
	}
	defer sessions.end()
	nothing, err := b.build("nothing")
	if err != nil {
		return err
	}
	for _, hook := range []string{"PreToolUse", "PostToolUse"} {
		text, err := json.Marshal(map[string]any{
			"session_id": "b", "cwd": b.path("crowd-work"), "hook_event_name": hook, "tool_name": "Write",
			"tool_input": map[string]string{"file_path": b.path("crowd-work/a.go"), "content": "package p\n"},
		})
		if err != nil {
			return err
		}
		given := func(cmd *exec.Cmd) (time.Duration, error) {
			cmd.Stdin = strings.NewReader(string(text))
			return took(cmd.Run)
		}
		floor, ours, err := turns(crowdTurns,
			func() (time.Duration, error) { return given(b.command("/", nothing)) },
			func() (time.Duration, error) { return given(b.apctlIn("crowd", "hook", "claude", hook)) })
		if err != nil {
			return fmt.Errorf("apctl hook: %w", err)
		}
		t.more(fmt.Sprintf("apctl hook claude %s, %d claims and %d sessions, exec to exit, p50", hook, b.crowdRuns, crowdPeers), median(floor), median(ours), hookGoal)
	}
	return nil
}

// sessions are processes that are on the bus.
type sessions struct {
	mu   sync.Mutex
	list []*exec.Cmd
}

// sessions starts them. Each is a shell of its own with a file of commands, as a
// command alone would count for who has started it.
func (b *bench) sessions() (*sessions, error) {
	file := b.path("session.sh")
	if err := os.WriteFile(file, []byte("apctl peer join --mode plan >&2 && echo && exec sleep 3600\n"), 0o600); err != nil {
		return nil, err
	}
	s := &sessions{}
	err := many(crowdPeers, func(int) error { return s.join(b.shellIn("crowd", file)) })
	if err == nil {
		err = b.onBus(crowdPeers)
	}
	if err != nil {
		s.end()
	}
	return s, err
}

// join starts one, and returns when it is on the bus.
func (s *sessions) join(cmd *exec.Cmd) error {
	said, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	s.mu.Lock()
	s.list = append(s.list, cmd)
	s.mu.Unlock()
	if n, err := said.Read(make([]byte, 1)); n == 0 {
		return fmt.Errorf("a session does not join: %w", err)
	}
	return nil
}

func (s *sessions) end() {
	for _, cmd := range s.list {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed
	}
}

// onBus makes sure that so many sessions are there.
func (b *bench) onBus(n int) error {
	out, err := output(b.apctlIn("crowd", "peer", "ls", "--json"))
	if err != nil {
		return err
	}
	var v struct {
		Data struct{ Peers []struct{ Source string } }
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return err
	}
	is := 0
	for _, p := range v.Data.Peers {
		if p.Source == "bus" {
			is++
		}
	}
	if is < n {
		return fmt.Errorf("%d sessions are on the bus, not %d", is, n)
	}
	return nil
}

// busy lets the agents begin, a few at a time, and measures the daemon while they
// come and go.
func (b *bench) busy(t *table, alone, d *daemon, holder string) error {
	if err := b.configure("durability: process\nresources: {agents: 4}\n"); err != nil {
		return err
	}
	if _, err := output(b.apctlIn("crowd", "cancel", holder)); err != nil {
		return err
	}
	time.Sleep(crowdBusy)
	floor, err := memory(alone.cmd.Process.Pid, "VmRSS")
	if err != nil {
		return err
	}
	_, err = b.resident(t, d, "the same, while agents come and go", floor)
	peak, perr := memory(d.cmd.Process.Pid, "VmHWM")
	t.note("At most it was %s.", mib(peak))
	return errors.Join(err, perr)
}
