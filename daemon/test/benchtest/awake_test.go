package benchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Runs whose agents are at work.
const (
	awakeFirst = 20 // what any number of them takes is there then
	awakeRuns  = 100
	awakeGoal  = 300 // KiB of the daemon, for each
)

// awake measures what runs take whose agents are at work.
func (b *bench) awake(t *table) (err error) {
	if err := b.configure("durability: process\nresources: {policy: \"off\"}\n"); err != nil {
		return err
	}
	if _, err := output(b.command("/", b.git, "init", "-q", b.path("awake-work"))); err != nil {
		return err
	}
	d, err := b.startDaemonIn("awake")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	defer func() {
		_, serr := output(b.apctlIn("awake", "stop", "--all", "--now"))
		err = errors.Join(err, serr, b.atWork("awake", 0))
	}()
	was, err := b.woken(d, 0, awakeFirst)
	if err != nil {
		return err
	}
	is, err := b.woken(d, awakeFirst, awakeRuns)
	each := (is - was) / (awakeRuns - awakeFirst)
	t.rows = append(t.rows, row{
		fmt.Sprintf("memory of a daemon for a run whose agent works, from %d to %d", awakeFirst, awakeRuns), mib(was), mib(is),
		fmt.Sprintf("%d KiB", each), fmt.Sprintf("<= %d KiB", awakeGoal), each <= awakeGoal,
	})
	return err
}

// woken is the memory of the daemon once so many agents are at work.
func (b *bench) woken(d *daemon, from, to int) (kib int, err error) {
	err = many(to-from, func(i int) error { _, err := b.begin("awake", from+i, lastingAgent); return err })
	if err == nil {
		err = b.atWork("awake", to)
	}
	if err != nil {
		return 0, err
	}
	return memory(d.cmd.Process.Pid, "VmRSS")
}

// atWork waits until so many agents are.
func (b *bench) atWork(state string, n int) error {
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(time.Second) {
		out, err := output(b.apctlIn(state, "ls", "--json"))
		if err != nil {
			return err
		}
		var v struct {
			Data struct{ Runs []runSaid }
		}
		if err := json.Unmarshal(out, &v); err != nil {
			return err
		}
		is := 0
		for _, r := range v.Data.Runs {
			if r.Stage == "agent" {
				is++
			}
		}
		switch {
		case is == n:
			return nil
		case time.Now().After(end):
			return fmt.Errorf("%d agents are at work, not %d", is, n)
		}
	}
}
