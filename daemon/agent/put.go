package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"syscall"
	"time"
)

// maxAnswer bounds what is kept of an answer, in bytes; a program that prints
// more is ended.
const maxAnswer = 1 << 20

// answer is what a program says to a question.
type answer struct {
	out, errOut string
	err         error
}

// Why a program is ended that does not end by itself.
var (
	errLate  = errors.New("no answer")
	errTalks = errors.New("it prints more than 1 MiB")
)

// put asks a program by its arguments. It has no input, a limit of time, and a
// process group of its own, of which nothing is left afterwards.
func put(ctx context.Context, limit time.Duration, dir string, env []string, program string, args ...string) answer {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(limit, func() { cancel(fmt.Errorf("%w within %v", errLate, limit)) })
	defer timer.Stop()
	enough := func() { cancel(errTalks) }
	out, errOut := &bounded{enough: enough}, &bounded{enough: enough}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, out, errOut
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	if cmd.Process != nil {
		// Most often nobody is left. The number cannot be anybody else's so soon.
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	switch {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil // it has ended; what it left behind held its output
	}
	return answer{out: out.kept.String(), errOut: errOut.kept.String(), err: err}
}

// bounded keeps the beginning of what is written. The buffer is not embedded:
// its ReadFrom would pass the bound by.
type bounded struct {
	kept   bytes.Buffer
	enough func()
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := maxAnswer - b.kept.Len(); len(p) > room {
		b.enough()
		b.kept.Write(p[:room])
		return len(p), nil
	}
	return b.kept.Write(p)
}
