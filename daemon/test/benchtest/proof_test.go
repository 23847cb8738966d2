package benchtest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	namedTests   = 500
	readingGoal  = 1.05
	proofBlocks  = 4
	proofRuns    = 5 // that end as done, of a block
	proofGate    = 200 * time.Millisecond
	controlsGoal = 1.25
)

// proof makes the rows of what done proves: reading the tests in an output, beside an
// output of the same size that names none, and the controls at the end, beside the
// same gates with one run more.
func (b *bench) proof(t *table) (err error) {
	dir := b.path("proven")
	if err := b.workspace(dir); err != nil {
		return err
	}
	var tests, plain strings.Builder
	for i := range namedTests {
		line := fmt.Sprintf("--- PASS: TestNumber%03d (0.00s)\n", i)
		tests.WriteString(line)
		fmt.Fprintf(&plain, "%-*s\n", len(line)-1, fmt.Sprintf("    row %03d of the report", i))
	}
	tests.WriteString("--- FAIL: TestLast (0.00s)\nFAIL\nFAIL\tcalc\t0.01s\n")
	for name, text := range map[string]string{"tests.log": tests.String(), "plain.log": plain.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	d, err := b.startDaemon()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	var floor, ours []time.Duration
	for range proofBlocks {
		for name, to := range map[string]*[]time.Duration{"plain.log": &floor, "tests.log": &ours} {
			took, err := b.judged(dir, "--gate", "test=cat "+name+"; "+gateCommand, "--agent-cmd", agentCommand)
			if err != nil {
				return err
			}
			*to = append(*to, took...)
		}
	}
	t.ratio(fmt.Sprintf("gates of an iteration that name %d tests", namedTests), median(floor), median(ours), readingGoal)
	return b.controls(t, dir)
}

// controls compares runs that end as done with and without controls.
func (b *bench) controls(t *table, dir string) error {
	var floor, ours []time.Duration
	gate := fmt.Sprintf("test=sleep %.1f; test -f green", proofGate.Seconds())
	for range proofBlocks * proofRuns {
		for _, to := range []struct {
			all  *[]time.Duration
			args []string
		}{{&floor, []string{"--no-controls"}}, {&ours, nil}} {
			if err := os.Remove(filepath.Join(dir, "green")); err != nil && !errors.Is(err, os.ErrNotExist) {
				return err
			}
			took, err := b.judged(dir, append([]string{"--gate", gate, "--agent-cmd", "touch green"}, to.args...)...)
			if err != nil {
				return err
			}
			*to.all = append(*to.all, took...)
		}
	}
	t.ratio("controls before done, beside one more run of the gate", median(floor)+proofGate, median(ours), controlsGoal)
	return nil
}
