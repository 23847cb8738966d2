package client

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"

	"github.com/go-json-experiment/json"

	"autopilot/events/wire"
	"autopilot/projections/marker"
)

// Examine has autopilotd look for what could go wrong, in a process of its own:
// for when no daemon answers.
func Examine(ctx context.Context, dir string) (wire.DoctorView, error) {
	exe, err := findDaemon()
	if err != nil {
		return wire.DoctorView{}, err
	}
	return examineBy(ctx, exe, dir)
}

// Holder has autopilotd name the process that holds the state directory, and kill it if
// end says so: for when no daemon answers. The view is of the time before that end.
func Holder(ctx context.Context, end bool) (v wire.HolderView, err error) {
	exe, err := findDaemon()
	if err != nil {
		return v, err
	}
	args := []string{"holder"}
	if end {
		args = append(args, "--end")
	}
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Env = marker.WithoutRepository(os.Environ())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return v, wire.Errorf(wire.Failed, "%s", strings.TrimPrefix(strings.TrimSpace(stderr.String()), "autopilotd: "))
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return v, wire.Errorf(wire.Failed, "%s holder gave no answer: %v", exe, err).
			WithHint("install apctl and autopilotd of one version together")
	}
	return v, nil
}

func examineBy(ctx context.Context, exe, dir string) (v wire.DoctorView, err error) {
	cmd := exec.CommandContext(ctx, exe, "doctor", "--offline", "-C", dir)
	cmd.Env = marker.WithoutRepository(os.Environ())
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) { // it exits 1 for what it found
		return v, wire.Errorf(wire.Failed, "run %s: %v", exe, err)
	}
	if jsonErr := json.Unmarshal(out, &v); jsonErr != nil {
		return v, wire.Errorf(wire.Failed, "%s doctor gave no answer (%v): %s", exe, err, strings.TrimSpace(stderr.String())).
			WithHint("install apctl and autopilotd of one version together")
	}
	return v, nil
}
