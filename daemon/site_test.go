package daemon

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"autopilot/daemon/auth"
	"autopilot/daemon/exec/confine"
	"autopilot/daemon/exec/sandbox"
	"autopilot/daemon/test/proctest"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// These tests let a whole daemon run real agents and gates in real work trees:
// only the socket's other end is left out.

var shimPath string

func TestMain(m *testing.M) {
	// The race detector makes simulations ten times as slow, and sees in a few runs what
	// it can see; `make sim` plays them without it.
	if raced && flag.Set("rapid.checks", "10") != nil {
		panic("package rapid has no such flag")
	}
	proctest.Main(m, &shimPath)
}

// site is a daemon with a work tree.
type site struct {
	t     testing.TB
	cfg   Config
	d     *Daemon
	work  string
	host  *fakeMachine // that of the daemon
	calls int
	late  *atomic.Pointer[time.Time] // for sessions, if a test says it
}

func newSite(t testing.TB, files map[string]string) *site {
	t.Helper()
	runtime, err := os.MkdirTemp("", "ap") // short: a socket path has 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(runtime) })
	state := t.TempDir()
	env := map[string]string{"HOME": t.TempDir(), "AUTOPILOT_STATE": state, "XDG_RUNTIME_DIR": runtime, "XDG_CONFIG_HOME": filepath.Join(state, "config")}
	places, err := place.Find(place.Env{
		Getenv: func(k string) string { return env[k] }, UID: os.Getuid(), GOOS: "linux", Home: func() (string, error) { return "", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	host := &fakeMachine{}
	s := &site{t: t, work: t.TempDir(), host: host, late: new(atomic.Pointer[time.Time]), cfg: Config{
		Places: places, Home: env["HOME"], Program: "/nonexistent/autopilotd", Shim: shimPath, Version: "test",
		Durability: bus.Process, Log: slog.New(slog.DiscardHandler), machine: host.stands, pinCost: 2, probe: probeOnce,
	}}
	s.cfg.Now = s.now
	s.write(files)
	proctest.Repository(t, s.work)
	s.open()
	t.Cleanup(func() {
		s.leaves()
		s.close()
	})
	return s
}

// probed is what this host cannot enforce: each daemon of the tests would find the same.
var probed struct {
	once    sync.Once
	lacking []confine.Gap
	err     error
}

func probeOnce(_ context.Context, exe, in string) ([]confine.Gap, error) {
	probed.once.Do(func() { probed.lacking, probed.err = sandbox.Probe(context.Background(), exe, in) })
	return slices.Clone(probed.lacking), probed.err
}

// leaves cancels what is live still at the end of a test, so that nothing of it writes
// to a directory that is about to be removed.
func (s *site) leaves() {
	if _, bench := s.t.(*testing.B); s.d == nil || bench {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	for _, st := range s.d.Fleet.LiveStates() {
		if _, err := s.d.api.RunCancel(ctx, s.request(), wire.StopRequest{RunRef: wire.RunRef{Run: st.ID}}); err != nil {
			continue // it has ended meanwhile, or cannot
		}
		for ctx.Err() == nil {
			changed := s.d.Fleet.Wait()
			if got, ok := s.d.Fleet.State(st.ID); !ok || settled(got) {
				break
			}
			select {
			case <-changed:
			case <-ctx.Done():
			}
		}
	}
}

func (s *site) write(files map[string]string) {
	s.t.Helper()
	for name, text := range files {
		path := filepath.Join(s.work, name)
		write := writeFile
		if strings.HasPrefix(text, "#!") {
			write = proctest.WriteProgram
		}
		if err := write(path, text); err != nil {
			s.t.Fatal(err)
		}
	}
}

func writeFile(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

func (s *site) read(name string) string {
	s.t.Helper()
	b, err := os.ReadFile(filepath.Join(s.work, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(b)
}

func (s *site) open() {
	s.t.Helper()
	d, err := Open(context.Background(), s.cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	s.d = d
}

func (s *site) close() {
	s.t.Helper()
	if s.d == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := s.d.Close(ctx); err != nil {
		s.t.Errorf("close: %v", err)
	}
	s.d = nil
}

func (s *site) request() auth.Request {
	s.calls++
	return auth.Request{Identity: auth.Identity{Kind: auth.KindLocal, Actor: "local:0@test/1"}, ID: fmt.Sprintf("r%d", s.calls)}
}

// spec is a run with one goal and an agent, both shell text. What it does is not about the
// sandbox, which costs two processes per effect: a test that is sets it.
func (s *site) spec(goal, agent string, edit ...func(*wire.RunSpec)) wire.StartRequest {
	spec := wire.RunSpec{
		Workspace: s.work, Task: "make it so", Workflow: "converge", MaxIterations: 4, Sandbox: events.SandboxOff,
		Gates: []wire.GateSpec{{Name: "goal", Role: events.RoleGoal, Command: goal}}, Agent: wire.AgentSpec{Command: agent},
	}
	for _, f := range edit {
		f(&spec)
	}
	return wire.StartRequest{Spec: spec, Env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.cfg.Home}}
}

func (s *site) start(q wire.StartRequest) wire.RunView {
	s.t.Helper()
	v, err := s.d.api.RunStart(s.t.Context(), s.request(), q)
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

// until waits for a state of the run.
func (s *site) until(id string, is func(run.State) bool) run.State {
	s.t.Helper()
	for {
		changed := s.d.Fleet.Wait()
		if st, ok := s.d.Fleet.State(id); ok && is(st) {
			return st
		}
		select {
		case <-changed:
		case <-s.t.Context().Done():
			s.t.Fatal("the run does not get there")
		}
	}
}

// printed waits until an effect has printed a text.
func (s *site) printed(effect, text string) {
	s.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		out, err := s.d.Effects.Open(effect).Tail("output", 1<<10)
		if err == nil && strings.Contains(string(out), text) {
			return
		}
		select {
		case <-tick.C:
		case <-s.t.Context().Done():
			s.t.Fatalf("effect %s does not print %q", effect, text)
		}
	}
}

func settled(st run.State) bool { return st.Status != run.Live }

// play starts a run and waits until it is not live.
func (s *site) play(q wire.StartRequest) run.State {
	s.t.Helper()
	st := s.until(s.start(q).ID, settled)
	if st.Status == run.Over { // its end is known a moment before the folders of its gates are gone
		s.must(s.d.Fleet.Settle(s.t.Context(), st.ID))
	}
	return st
}

func (s *site) why(id string) wire.WhyView {
	s.t.Helper()
	v, err := s.d.api.RunWhy(s.t.Context(), s.request(), wire.RunRef{Run: id})
	if err != nil {
		s.t.Fatal(err)
	}
	return v
}

func (s *site) wants(st run.State, state string) {
	s.t.Helper()
	if v := s.d.api.View(st); v.State != state && v.State+":"+v.Reason != state {
		w := s.why(st.ID)
		s.t.Fatalf("run is %s:%s, want %s\n%s\n%s: %s", v.State, v.Reason, state, w.Because, w.ErrorFrom, w.LastError)
	}
}

func (s *site) tree(st run.State) []string {
	s.t.Helper()
	repo, err := s.d.Worker.Repo(s.t.Context(), st)
	if err != nil {
		s.t.Fatal(err)
	}
	files, err := repo.Files(s.t.Context(), st.Last.Tree)
	if err != nil {
		s.t.Fatal(err)
	}
	return files
}

func (s *site) stop(id string, mode events.StopMode) run.State {
	s.t.Helper()
	q := wire.StopRequest{RunRef: wire.RunRef{Run: id}, Now: mode == events.StopNow}
	f := s.d.api.RunStop
	if mode == events.StopCancel {
		f = s.d.api.RunCancel
	}
	if _, err := f(s.t.Context(), s.request(), q); err != nil {
		s.t.Fatal(err)
	}
	return s.until(id, settled)
}
