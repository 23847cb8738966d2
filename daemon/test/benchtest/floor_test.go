package benchtest

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"autopilot/daemon/exec/effect"
)

// floor does what a verified iteration cannot do without: both commands under
// a supervisor, the work tree recorded after each with plain git into a bare
// repository, and one fsync for each event and blob.
type floor struct {
	b    *bench
	s    *supervision
	repo string
	log  syncFile
	n    int // of iterations
	refs int

	all, supervised, plain, git, syncs []time.Duration
}

func (b *bench) newFloor() (f *floor, err error) {
	f = &floor{b: b, repo: b.path("floor.git")}
	if _, err := output(b.command(b.dir, b.git, "init", "-q", "--bare", f.repo)); err != nil {
		return nil, err
	}
	if f.s, err = b.supervise("floor"); err != nil {
		return nil, err
	}
	if f.log, err = newSyncFile(b.path("floor.log")); err != nil {
		return nil, err
	}
	return f, f.record() // the whole tree, as a run does at its start
}

func (f *floor) iteration(events, blobs, bytes int) error {
	f.n++
	var errs [5]error
	var d [5]time.Duration
	for i, step := range []func() error{
		func() error { return f.supervise(agentCommand) }, f.record,
		func() error { return f.supervise(loopGate) }, f.record,
		func() error { return f.sync(events+blobs, bytes) },
	} {
		d[i], errs[i] = took(step)
	}
	effects, git, syncs := d[0]+d[2], d[1]+d[3], d[4]
	f.supervised, f.git, f.syncs = append(f.supervised, effects), append(f.git, git), append(f.syncs, syncs)
	f.all = append(f.all, effects+git+syncs)
	plain, err := took(func() error {
		agent, gate := f.shell(agentCommand), f.shell(loopGate)
		return errors.Join(agent.Run(), failed(gate.Run()))
	})
	f.plain = append(f.plain, plain)
	return errors.Join(append(errs[:], err)...)
}

// failed turns an exit code other than 0 into what was wanted.
func failed(err error) error {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return nil
	}
	return fmt.Errorf("the gate does not fail: %w", err)
}

func (f *floor) vars() []string {
	return []string{"AUTOPILOT_RUN_ID=floor", fmt.Sprintf("AUTOPILOT_ITERATION=%d", f.n)}
}

func (f *floor) shell(command string) *exec.Cmd {
	cmd := f.b.command(f.b.path("twin"), "/bin/sh", "-c", command)
	cmd.Env = append(cmd.Env, f.vars()...)
	return cmd
}

func (f *floor) supervise(command string) error {
	spec := f.s.spec(f.b.path("twin"), "/bin/sh", "-c", command)
	spec.Env = append(append([]string{}, spec.Env...), f.vars()...)
	return f.s.run(spec, effect.Box{})
}

// record is what a shell script would do.
func (f *floor) record() error {
	if _, err := f.gitRun("add", "-A"); err != nil {
		return err
	}
	tree, err := f.gitRun("write-tree")
	if err != nil {
		return err
	}
	commit, err := f.gitRun("commit-tree", "-m", "iteration", tree)
	if err != nil {
		return err
	}
	f.refs++
	_, err = f.gitRun("update-ref", fmt.Sprintf("refs/floor/%d", f.refs), commit)
	return err
}

func (f *floor) gitRun(args ...string) (string, error) {
	cmd := f.b.command(f.b.path("twin"), f.b.git, args...)
	cmd.Env = append(cmd.Env, "GIT_DIR="+f.repo, "GIT_WORK_TREE="+cmd.Dir)
	out, err := output(cmd)
	return strings.TrimSpace(string(out)), err
}

func (f *floor) sync(n, bytes int) error {
	for range n {
		if err := f.log.append(bytes); err != nil {
			return err
		}
	}
	return nil
}
