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
