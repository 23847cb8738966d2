package agent

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/strictyaml"
	"autopilot/projections/rule"
)

// Exit codes of the script agent itself, beside those that a script asks for.
const (
	ScriptFailed      = 1   // a step could not be done
	ScriptUsage       = 2   // no readable script, or no AUTOPILOT_ITERATION
	ScriptInterrupted = 130 // the context ended
)

// childLinger bounds the wait for output of processes that a command left
// behind; it matters only where stdout is not a file.
const childLinger = time.Second

// RunScriptFile reads a script and runs it as RunScript does.
func RunScriptFile(ctx context.Context, file string, env []string, dir string, stdout, stderr io.Writer) int {
	src, err := readBounded(file)
	if err != nil {
		say(stderr, "read script: %v", err)
		return ScriptUsage
	}
	script, err := ParseScript(src)
	if err != nil {
		say(stderr, "%s: %v", file, err)
		return ScriptUsage
	}
	return RunScript(ctx, script, env, dir, stdout, stderr)
}

func readBounded(file string) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	src, err := io.ReadAll(io.LimitReader(f, strictyaml.MaxBytes+1))
	return src, errors.Join(err, f.Close())
}

// RunScript performs the iteration that AUTOPILOT_ITERATION in env names, in
// the workspace dir, and returns the exit code of the agent. A command of the
// script that fails is said on stderr and stops nothing, as with a real agent.
func RunScript(ctx context.Context, script Script, env []string, dir string, stdout, stderr io.Writer) int {
	n, err := strconv.Atoi(Lookup(env, EnvIteration))
	if err != nil || n < 1 || len(script.Iterations) == 0 {
		say(stderr, "%s is %q, want the number of an iteration", EnvIteration, Lookup(env, EnvIteration))
		return ScriptUsage
	}
	step := script.Step(n)
	r := runner{env: env, dir: dir, stdout: stdout, stderr: stderr}
	for _, do := range []func(context.Context, Step) error{r.files, r.run, r.print, sleep, r.result} {
		err := do(ctx, step)
		if ctx.Err() != nil {
			say(stderr, "interrupted")
			return ScriptInterrupted
		}
		if err != nil {
			say(stderr, "iteration %d: %v", n, err)
			return ScriptFailed
		}
	}
	return step.Exit
}

type runner struct {
	env            []string
	dir            string
	stdout, stderr io.Writer
}

// files removes, then writes. It works below an open root, so a symbolic link
// cannot lead out of the workspace.
func (r runner) files(_ context.Context, step Step) (err error) {
	if len(step.Rm) == 0 && len(step.Edit) == 0 {
		return nil
	}
	root, err := os.OpenRoot(r.dir)
	if err != nil {
		return fmt.Errorf("open workspace: %w", err)
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	for _, name := range step.Rm {
		if err := root.RemoveAll(path.Clean(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rm %s: %w", name, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(step.Edit)) {
		if err := root.MkdirAll(path.Dir(path.Clean(name)), 0o755); err != nil {
			return fmt.Errorf("edit %s: %w", name, err)
		}
		if err := root.WriteFile(path.Clean(name), []byte(step.Edit[name]), 0o644); err != nil {
			return fmt.Errorf("edit %s: %w", name, err)
		}
	}
	return nil
}

func (r runner) run(ctx context.Context, step Step) error {
	for _, text := range step.Run {
		cmd := exec.CommandContext(ctx, rule.Shell, "-c", text)
		cmd.Env, cmd.Dir = r.env, r.dir
		cmd.Stdout, cmd.Stderr = r.stdout, r.stderr
		cmd.WaitDelay = childLinger
		err := cmd.Run()
		var exit *exec.ExitError
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err == nil, errors.Is(err, exec.ErrWaitDelay):
		case errors.As(err, &exit):
			say(r.stderr, "run %q: %v", text, exit)
		default:
			return fmt.Errorf("run %q: %w", text, err)
		}
	}
	return nil
}

func (r runner) print(_ context.Context, step Step) error {
	for _, line := range step.Print {
		if _, err := fmt.Fprintln(r.stdout, line); err != nil {
			return fmt.Errorf("print: %w", err)
		}
	}
	return nil
}

func sleep(ctx context.Context, step Step) error {
	timer := time.NewTimer(step.Sleep)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

func (r runner) result(_ context.Context, step Step) error {
	if len(step.Result) == 0 {
		return nil
	}
	file := Lookup(r.env, EnvResultFile)
	if file == "" {
		return fmt.Errorf("write result: %s is not set", EnvResultFile)
	}
	value := maps.Clone(step.Result)
	if _, ok := value["v"]; !ok {
		value["v"] = 1
	}
	text, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode result: %w", err)
	}
	if err := os.WriteFile(file, append(text, '\n'), 0o644); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

func say(w io.Writer, format string, args ...any) {
	// Nothing can be done about a stderr that is gone.
	_, _ = fmt.Fprintf(w, "script agent: "+format+"\n", args...)
}
