package benchtest

import (
	"errors"
	"os"
	"time"
)

const (
	omxGoal  = 12 * time.Millisecond // exec to exit, over a program that does nothing
	omxTurns = 100
)

// omx makes the rows of the calls on the state of a mode: hooks make them at each turn.
func (b *bench) omx(t *table) error {
	nothing, err := b.build("nothing")
	if err != nil {
		return err
	}
	dir := b.path("omx")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, c := range []struct {
		what string
		args []string
	}{
		{"write", []string{"--input", `{"mode":"autopilot","active":true,"current_phase":"deep-interview"}`}},
		{"read", []string{"--mode", "autopilot"}},
	} {
		args := append([]string{"compat", "omx", "state", c.what, "--json"}, c.args...)
		floor, ours, err := turns(omxTurns,
			func() (time.Duration, error) { return took(b.command(dir, nothing).Run) },
			func() (time.Duration, error) { return took(b.command(dir, b.program("apctl"), args...).Run) })
		if err != nil {
			return errors.Join(errors.New("apctl compat omx state "+c.what), err)
		}
		t.more("compat omx state "+c.what+", exec to exit, p50", median(floor), median(ours), omxGoal)
	}
	return nil
}
