package benchtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

const (
	quietGates = 4 // that run no command, more than the floor has
	gateGoal   = time.Millisecond
	gateBlocks = 4
)

// gates makes the row of gates that run no command: what each adds to judging,
// from the event that announces the gates to the one that has their results.
func (b *bench) gates(t *table) (err error) {
	dir := b.path("gated")
	if err := b.workspace(dir); err != nil {
		return err
	}
	d, err := b.startDaemon()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	var floor, ours []time.Duration
	for range gateBlocks {
		plain, err := b.judged(dir, neverGreen(0)...)
		if err != nil {
			return err
		}
		more, err := b.judged(dir, neverGreen(quietGates)...)
		if err != nil {
			return err
		}
		floor, ours = append(floor, plain...), append(ours, more...)
	}
	each := (median(ours) - median(floor)) / quietGates
	t.more(fmt.Sprintf("a gate that runs no command, of %d beside one that does", quietGates), median(floor), median(floor)+each, gateGoal)
	return nil
}

// neverGreen are the arguments of a run that has so many gates for files that the
// agent writes, beside one that never passes.
func neverGreen(quiet int) []string {
	args := []string{"--gate", "test=" + gateCommand, "--agent-cmd", agentCommand}
	for i := range quiet {
		args = append(args, "--artifact", fmt.Sprintf("file%d=state.txt", i))
	}
	return args
}

// judged measures the gates of each iteration of a run. It leaves out the baseline and,
// in a long run, the first iterations.
func (b *bench) judged(dir string, args ...string) (all []time.Duration, err error) {
	args = append([]string{"run", "-d", "measure gates", "--max-iterations", fmt.Sprint(iterations + warm)}, args...)
	out, err := output(b.command(dir, b.program("apctl"), args...))
	if err != nil {
		return nil, err
	}
	ran := strings.TrimSpace(string(out))
	_ = b.command(dir, b.program("apctl"), "wait", ran).Run() // it ends halted, as an exit code
	if out, err = output(b.command(dir, b.program("apctl"), "events", "--json", ran)); err != nil {
		return nil, err
	}
	var began time.Time
	for line := range bytes.Lines(out) {
		var e struct {
			Data struct {
				Event struct {
					Type string    `json:"type"`
					Time time.Time `json:"time"`
				} `json:"event"`
			} `json:"data"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		switch e.Data.Event.Type {
		case "gates.started.v1":
			began = e.Data.Event.Time
		case "gates.judged.v1":
			all = append(all, e.Data.Event.Time.Sub(began))
		}
	}
	if len(all) < 2 { // the first one is the baseline
		return nil, fmt.Errorf("run %s judged no iteration", ran)
	}
	return all[max(1, len(all)-iterations):], nil
}
