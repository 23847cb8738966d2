package benchtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const (
	hookGoal  = 15 * time.Millisecond // exec to exit, over a program that does nothing
	hookTurns = 150
)

// hooks makes the rows of what a host of a chat calls before each of its tools.
func (b *bench) hooks(t *table) (err error) {
	if err := b.workspace(b.path("hooked")); err != nil {
		return err
	}
	if err := b.hook(t, "no daemon"); err != nil {
		return err
	}
	d, err := b.startDaemon()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.stop()) }()
	if err := b.hook(t, "nothing driven"); err != nil {
		return err
	}
	join := b.command(b.path("hooked"), b.program("apctl"), "session", "join", "measure hooks", "--gate", "test="+gateCommand)
	if _, err := output(join); err != nil {
		return err
	}
	return b.hook(t, "a run driven")
}

// hook compares apctl hook claude PreToolUse with a program that does nothing.
func (b *bench) hook(t *table, how string) error {
	nothing, err := b.build("nothing")
	if err != nil {
		return err
	}
	text, err := json.Marshal(map[string]any{
		"session_id": "b", "cwd": b.path("hooked"), "hook_event_name": "PreToolUse", "tool_name": "Write",
		"tool_input": map[string]string{"file_path": b.path("hooked/pkg0/file0.go"), "content": "package p\n"},
	})
	if err != nil {
		return err
	}
	given := func(cmd *exec.Cmd) func() error {
		cmd.Stdin = strings.NewReader(string(text))
		return cmd.Run
	}
	floor, ours, err := turns(hookTurns,
		func() (time.Duration, error) { return took(given(b.command(b.path("hooked"), nothing))) },
		func() (time.Duration, error) {
			return took(given(b.command(b.path("hooked"), b.program("apctl"), "hook", "claude", "PreToolUse")))
		})
	if err != nil {
		return fmt.Errorf("apctl hook: %w", err)
	}
	t.more("apctl hook claude PreToolUse, "+how+", exec to exit, p50", median(floor), median(ours), hookGoal)
	return nil
}
