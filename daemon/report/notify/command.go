package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/redact"
	"autopilot/daemon/exec/shim"
	"autopilot/events"
	"autopilot/events/wire"
)

type notification = wire.Notification

const (
	stdinFile = "notification.json"
	keptBytes = 4 << 10 // of the end of a command's output
	grace     = time.Second
)

// EffectPrefix begins the ids of effects that are notifiers.
const EffectPrefix = "notify-"

// effectID is the same for the same message by the same rule, so that a command
// which outlived the daemon is found again and not run twice.
func effectID(rule, key string) string {
	sum := sha256.Sum256([]byte(rule + " " + key))
	return EffectPrefix + hex.EncodeToString(sum[:12])
}

func encode(m notification) ([]byte, error) {
	b, err := json.Marshal(wire.Envelope{Schema: wire.SchemaNotification, Version: 1, Data: m}, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode a notification: %w", err)
	}
	return append(b, '\n'), nil
}

// command runs a command with the message on its standard input. It is not
// tried again: what it did before it failed is not known.
func (n *Notifier) command(ctx context.Context, id string, argv []string, m notification) outcome {
	text, err := encode(m)
	if err != nil {
		return outcome{err: err}
	}
	dir := n.cfg.Effects.Open(id)
	out, err := n.cfg.Effects.Run(ctx, shim.Spec{
		ID: id, Argv: argv, Dir: n.cfg.Home, Env: n.cfg.Env, Stdin: filepath.Join(dir.Box(), stdinFile),
		Wall: n.cfg.Timing.Command, Grace: grace, Head: keptBytes, Tail: keptBytes,
		Secrets: redact.Secrets(n.cfg.Env),
	}, effect.Box{stdinFile: text}, nil)
	if err != nil {
		return outcome{err: err}
	}
	return outcome{err: commandError(out, n.cfg.Timing.Command)}
}

func commandError(out effect.Outcome, wall time.Duration) error {
	var what string
	switch {
	case out.Outcome == events.Exited && out.Exit == 0:
		return nil
	case out.Outcome == events.Exited:
		what = fmt.Sprintf("the command exited with %d", out.Exit)
	case out.Outcome == events.WallTimeout:
		what = fmt.Sprintf("the command took longer than %v and was ended", wall)
	case out.Outcome == events.SpawnFailed:
		return fmt.Errorf("the command cannot be started: %s", out.Err)
	default:
		what = "the command has ended: " + string(out.Outcome)
	}
	// What it printed may not be there any more; that it failed is what counts.
	if tail, err := out.Dir.Tail(shim.Merged, keptBytes); err == nil && len(tail) > 0 {
		what += ": " + strings.TrimSpace(strings.ToValidUTF8(string(tail), "\uFFFD"))
	}
	return errors.New(what)
}

// forget removes what a command left.
func (n *Notifier) forget(id string) {
	if err := n.cfg.Effects.Remove(id); err != nil && !errors.Is(err, effect.ErrUnfinished) {
		n.cfg.Log.Warn("remove a notifier", "error", err)
	}
}

// desktopArgv shows a message on the desktop. Its text is an argument of its
// own, never a part of a script.
func desktopArgv(m notification) []string {
	title := "autopilot: " + Kind(m.Kind).words(wire.LanguageOf(m.Run))
	body := m.Line
	if m.Next != "" {
		body += "\n" + m.Next
	}
	if runtime.GOOS == "darwin" {
		return []string{
			"osascript", "-e", "on run argv", "-e", "display notification (item 2 of argv) with title (item 1 of argv)",
			"-e", "end run", title, body,
		}
	}
	argv := []string{"notify-send", "--app-name=autopilot"}
	if m.Kind == string(NeedsPerson) {
		argv = append(argv, "--urgency=critical")
	}
	// Servers of notifications read a body as markup.
	return append(argv, "--", title, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;").Replace(body))
}
