package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"

	"autopilot/daemon/exec/confine"
)

// Probe returns what of a sandbox cannot be enforced on this host. exe is the supervisor's
// program, in a folder in which a directory is made and hidden.
//
// Probe starts a separate process: the kernel copies the page tables of a process that
// makes a user namespace, and the caller may be large.
func Probe(ctx context.Context, exe, in string) ([]confine.Gap, error) {
	cmd := exec.CommandContext(ctx, exe, confine.ProbeStage)
	cmd.Dir, cmd.Env = in, []string{"GOMAXPROCS=1"}
	b, err := cmd.Output()
	var lacking []confine.Gap
	if err == nil {
		err = json.Unmarshal(b, &lacking)
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
		return nil, errors.New(string(bytes.TrimSpace(exit.Stderr)))
	}
	return lacking, err
}
