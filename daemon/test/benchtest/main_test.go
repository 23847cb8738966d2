package benchtest

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"autopilot/events/place"
	"autopilot/events/wire"
)

func TestMain(m *testing.M) {
	table := flag.Bool("bench.table", false, "measure and print the table")
	only := flag.String("bench.only", "", "measure these `groups` only, with commas: "+strings.Join(groupNames(), ", "))
	runs := flag.Int("bench.crowd", 1_000, "how many live `runs` a crowd is")
	files := flag.Int("bench.large", 100_000, "how many `files` a large repository has")
	flag.Parse()
	if done, err := child(); done || err != nil {
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if !*table {
		os.Exit(m.Run())
	}
	if err := measure(*only, *runs, *files); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

// group is rows that are measured together.
type group struct {
	name string
	rows func(*bench, *table) error
}

// groups are in the order of the table.
func groups() []group {
	return []group{
		{"append", (*bench).appends},
		{"run", (*bench).withDaemon},
		{"gate", (*bench).gates},
		{"proof", (*bench).proof},
		{"large", (*bench).large},
		{"hook", (*bench).hooks},
		{"compat", (*bench).compat},
		{"omx", (*bench).omx},
		{"effect", (*bench).effects},
		{"rails", (*bench).rails},
		{"idle", (*bench).idle},
		{"look", (*bench).looks},
		{"crowd", (*bench).crowd},
		{"scale", (*bench).scale},
	}
}

func groupNames() (names []string) {
	for _, g := range groups() {
		names = append(names, g.name)
	}
	return names
}

// chosen are the groups that are to be measured, all without a choice.
func chosen(only string) ([]group, error) {
	if only == "" {
		return groups(), nil
	}
	var out []group
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(groups(), func(g group) bool { return g.name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no group %q: %s", name, strings.Join(groupNames(), ", "))
		}
		out = append(out, groups()[i])
	}
	return out, nil
}

// measure makes the rows, in the order of the table, and prints them.
func measure(only string, runs, files int) (err error) {
	list, err := chosen(only)
	if err != nil {
		return err
	}
	began := time.Now()
	b, err := newBench()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	b.crowdRuns, b.largeFiles = runs, files
	facts, err := b.facts()
	if err != nil {
		return err
	}
	t := &table{}
	for _, g := range list {
		if err := g.rows(b, t); err != nil {
			return fmt.Errorf("%s: %w", g.name, err)
		}
	}
	t.print(os.Stdout, facts, time.Since(began))
	return nil
}

// bench is the place that everything is measured in.
type bench struct {
	bin   string // the programs
	dir   string // all files, on the disk that bin is on
	short string // sockets, whose paths must be short
	env   []string
	git   string

	crowdRuns  int
	largeFiles int
}

func newBench() (*bench, error) {
	wd, err := os.Getwd() // the package's own folder, as go test has it
	if err != nil {
		return nil, err
	}
	b := &bench{bin: filepath.Join(wd, "..", "..", "..", "bin")}
	for _, name := range []string{"apctl", "autopilotd", "apshim"} {
		if _, err := os.Stat(b.program(name)); err != nil {
			return nil, fmt.Errorf("%w: make build first", err)
		}
	}
	if b.git, err = exec.LookPath("git"); err != nil {
		return nil, err
	}
	if b.dir, err = os.MkdirTemp(b.bin, "bench-"); err != nil {
		return nil, err
	}
	if b.short, err = os.MkdirTemp("", "apb"); err != nil {
		return nil, errors.Join(err, os.RemoveAll(b.dir))
	}
	b.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + b.path("home"), place.EnvState + "=" + b.path("state"),
		"XDG_RUNTIME_DIR=" + b.short, "XDG_CONFIG_HOME=" + b.path("config"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=b", "GIT_AUTHOR_EMAIL=b@localhost", "GIT_COMMITTER_NAME=b", "GIT_COMMITTER_EMAIL=b@localhost",
	}
	for _, name := range []string{"home", "state"} {
		if err := os.Mkdir(b.path(name), 0o700); err != nil {
			return nil, errors.Join(err, b.close())
		}
	}
	return b, nil
}

func (b *bench) close() error { return errors.Join(os.RemoveAll(b.dir), os.RemoveAll(b.short)) }

func (b *bench) program(name string) string { return filepath.Join(b.bin, name) }

func (b *bench) path(name string) string { return filepath.Join(b.dir, name) }

// places are those of a state directory of this bench.
func (b *bench) places(state string) (place.Places, error) {
	env := place.System()
	env.Getenv = func(name string) string {
		return map[string]string{place.EnvState: state, "XDG_RUNTIME_DIR": b.short, "XDG_CONFIG_HOME": b.path("config")}[name]
	}
	return place.Find(env)
}

// build builds a program of testdata as make build builds ours.
func (b *bench) build(name string) (string, error) {
	to := b.path(name)
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, "./testdata/"+name)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", name, err, out)
	}
	return to, nil
}

// command is a program in a folder, with the environment of the bench.
func (b *bench) command(dir, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = dir, b.env
	return cmd
}

// output runs a program that must succeed.
func output(cmd *exec.Cmd) ([]byte, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%v: %w\n%s", cmd.Args, err, exit.Stderr)
	}
	return out, err
}

// took measures one call.
func took(work func() error) (time.Duration, error) {
	begin := time.Now()
	err := work()
	return time.Since(begin), err
}

// turns measures a floor and ours n times each. Who is first changes, so that
// neither always pays for what the other left behind.
func turns(n int, floor, ours func() (time.Duration, error)) (f, o []time.Duration, err error) {
	for i := range n {
		order := []func() error{
			func() error { d, err := floor(); f = append(f, d); return err },
			func() error { d, err := ours(); o = append(o, d); return err },
		}
		if i%2 == 1 {
			slices.Reverse(order)
		}
		for _, one := range order {
			if err := one(); err != nil {
				return nil, nil, err
			}
		}
	}
	return f, o, nil
}

func median(list []time.Duration) time.Duration {
	sorted := slices.Sorted(slices.Values(list))
	return sorted[len(sorted)/2]
}

// daemon is autopilotd as a child of the bench.
type daemon struct{ cmd *exec.Cmd }

// startDaemon starts the one of the runs.
func (b *bench) startDaemon() (*daemon, error) { return b.startDaemonIn("state") }

// envOf is the environment with another state directory.
func (b *bench) envOf(state string) []string {
	return append(slices.Clone(b.env), place.EnvState+"="+b.path(state))
}

// startDaemonIn returns when it serves.
func (b *bench) startDaemonIn(state string) (*daemon, error) {
	ready, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer ready.Close()
	cmd := b.command("/", b.program("autopilotd"))
	cmd.Env = append(b.envOf(state), place.EnvReady+"=3")
	cmd.ExtraFiles = []*os.File{theirs}
	cmd.Stderr = os.Stderr
	err = cmd.Start()
	_ = theirs.Close() // so that the end of the daemon is the end of the pipe
	if err != nil {
		return nil, err
	}
	d := &daemon{cmd}
	var said wire.Error
	if err := json.NewDecoder(ready).Decode(&said); err != nil || said.Code != wire.OK {
		return nil, errors.Join(fmt.Errorf("the daemon does not start: %s", said.Message), err, d.stop())
	}
	return d, nil
}

func (d *daemon) stop() error {
	if err := d.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return d.cmd.Wait()
}
