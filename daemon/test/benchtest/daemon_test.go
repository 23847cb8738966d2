package benchtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// withDaemon makes the rows that need a daemon at work.
func (b *bench) withDaemon(t *table) (err error) {
	ask, err := b.build("ask")
	if err != nil {
		return err
	}
	for _, name := range []string{"work", "twin"} {
		if err := b.workspace(b.path(name)); err != nil {
			return err
		}
	}
	d, err := b.startDaemon()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	l := &loop{b: b}
	if err := l.measure(); err != nil {
		return err
	}
	if err := b.status(t, ask, l.ran); err != nil {
		return err
	}
	if err := b.line(t); err != nil {
		return err
	}
	l.report(t)
	return nil
}

// status measures from exec to exit. The floor is the least that a NATS program
// does to get the same answer.
func (b *bench) status(t *table, ask, run string) error {
	p, err := b.places(b.path("state"))
	if err != nil {
		return err
	}
	floor, ours, err := turns(150,
		func() (time.Duration, error) { return took(b.command(b.path("work"), ask, p.Socket, run).Run) },
		func() (time.Duration, error) {
			return took(b.command(b.path("work"), b.program("apctl"), "status", run).Run)
		})
	if err != nil {
		return fmt.Errorf("apctl status: %w", err)
	}
	t.ratio("apctl status RUN, exec to exit, p50", median(floor), median(ours), 2)
	return nil
}

// lineGoal is what a status bar shall not be seen to wait for.
const lineGoal = 20 * time.Millisecond

// line measures a status line from exec to exit. The floor is the start of a
// program that does nothing.
func (b *bench) line(t *table) error {
	nothing, err := b.build("nothing")
	if err != nil {
		return err
	}
	floor, ours, err := turns(150,
		func() (time.Duration, error) { return took(b.command(b.path("work"), nothing).Run) },
		func() (time.Duration, error) {
			return took(b.command(b.path("work"), b.program("apctl"), "status", "--line").Run)
		})
	if err != nil {
		return fmt.Errorf("apctl status --line: %w", err)
	}
	t.more("apctl status --line, exec to exit, p50", median(floor), median(ours), lineGoal)
	return nil
}

// workspace makes a git work tree.
func (b *bench) workspace(dir string) error {
	for i := range files {
		path := filepath.Join(dir, fmt.Sprintf("pkg%d", i%20), fmt.Sprintf("file%d.go", i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "package p // %d\n", i), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "start"}} {
		if _, err := output(b.command(dir, b.git, args...)); err != nil {
			return err
		}
	}
	return nil
}
