package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/shim"
	"autopilot/events/wire"
)

// Effects performs commands under a supervisor: an *effect.Runner.
type Effects interface {
	Run(ctx context.Context, spec shim.Spec, box effect.Box, end <-chan struct{}) (effect.Outcome, error)
	Open(id string) effect.Dir
	Remove(id string) error
}

// Config is what a Notifier works with. All fields but Timing are needed.
type Config struct {
	Dir      string                   // its own; made if it is missing
	Settings func() (Settings, error) // asked again for each event
	Effects  Effects
	Env      []string // of commands
	Home     string   // where commands run
	Now      func() time.Time
	Log      *slog.Logger
	Timing   Timing // zero is DefaultTiming
}

// recheck bounds every wait: the quiet time is wall clock, which may be set, and
// settings change.
const recheck = 30 * time.Second

// Notifier tells what is due. Its methods may be called from any goroutine.
type Notifier struct {
	cfg    Config
	ctx    context.Context // ends with Close
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu       sync.Mutex
	box      outbox
	settings Settings // the last that could be read
	problem  string   // why the present ones cannot
	rules    map[string]*sender
	closed   bool
}

// sender is the goroutine of a rule.
type sender struct {
	wake chan struct{}
}

// Open reads what an earlier daemon had yet to tell and goes on with it. known
// is false when there was no daemon before: then nobody is to be told of what
// is past.
func Open(cfg Config) (n *Notifier, known bool, err error) {
	if cfg.Timing.Burst == 0 {
		cfg.Timing = DefaultTiming()
	}
	if err := os.MkdirAll(cfg.Dir, 0o700); err != nil {
		return nil, false, fmt.Errorf("open notifications: %w", err)
	}
	n = &Notifier{cfg: cfg, rules: map[string]*sender{}}
	n.ctx, n.cancel = context.WithCancel(context.Background())
	n.box, known, err = readOutbox(n.path())
	if err != nil {
		cfg.Log.Error("what was to be told is lost", "error", err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.readSettingsLocked()
	n.sweepLocked()
	for id := range n.box.Rules {
		n.serveLocked(id)
	}
	return n, known, nil
}

// sweepLocked removes what commands left that were told of, but not forgotten,
// before the daemon ended. One that still runs stays for the next time.
func (n *Notifier) sweepLocked() {
	due := map[string]bool{}
	for id, q := range n.box.Rules {
		for _, m := range q.Due {
			due[m.effect(id)] = true
		}
	}
	root := filepath.Dir(n.cfg.Effects.Open(EffectPrefix).Path())
	left, _ := filepath.Glob(filepath.Join(root, EffectPrefix+"*")) // only a bad pattern is an error
	for _, path := range left {
		if id := filepath.Base(path); !due[id] {
			n.forget(id)
		}
	}
}

func (n *Notifier) path() string { return filepath.Join(n.cfg.Dir, outboxName) }

// Close ends the senders. What they have not told is told by the next Notifier.
func (n *Notifier) Close() {
	n.mu.Lock()
	n.closed = true
	n.mu.Unlock()
	n.cancel()
	n.wg.Wait()
}

// Cursor is the place behind the last event that was looked at.
func (n *Notifier) Cursor() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.box.Cursor
}

// Add takes what happened up to a cursor, which may be empty, and stores what is
// due from it. It returns an error when that cannot be stored; it is told all
// the same, and told again by the next daemon.
func (n *Notifier) Add(cursor string, notices ...Notice) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return errors.New("store notifications: closed")
	}
	n.readSettingsLocked()
	if cursor != "" {
		n.box.Cursor = cursor
	}
	now, quiet := n.cfg.Now(), n.settings.hush(n.cfg.Now())
	n.box.tidy(now, n.cfg.Timing)
	for _, x := range notices {
		if n.box.took(x.Key) {
			n.addLocked(x, now, quiet)
		}
	}
	return n.box.write(n.path())
}

func (n *Notifier) addLocked(x Notice, now time.Time, quiet hush) {
	for id, r := range n.settings.ways() {
		x := x
		if !r.matches(Kind(x.Kind)) {
			continue
		}
		if r.GitHub == "" {
			x.Comment = ""
		} else if id = r.queue(x); id == "" {
			continue
		}
		if n.box.Rules[id] == nil {
			n.box.Rules[id] = &queue{}
		}
		n.box.Rules[id].add(x, now, quiet)
		n.serveLocked(id)
	}
}

// readSettingsLocked keeps the last good settings where the present ones cannot
// be read: a slip in a file stops no run, and nobody goes untold.
func (n *Notifier) readSettingsLocked() {
	s, err := n.cfg.Settings()
	if err == nil {
		n.settings, n.problem = s, ""
		return
	}
	if n.problem != err.Error() {
		n.cfg.Log.Error("read notify settings; the earlier ones stay", "error", err)
	}
	n.problem = err.Error()
}

// hush says what is not to be told at a time.
func (s Settings) hush(now time.Time) hush {
	q, err := parseQuiet(s.Quiet)
	if err != nil || q == (quiet{}) || !q.covers(now) {
		return func(string) bool { return false }
	}
	pass := Rule{On: s.QuietPass}
	return func(kind string) bool { return len(s.QuietPass) == 0 || !pass.matches(Kind(kind)) }
}

// ways are the rules by id, without the bell. Rules that tell the same way are
// one, so that nobody is told twice.
func (s Settings) ways() map[string]Rule {
	out := map[string]Rule{}
	for _, r := range s.Rules {
		if r.Bell {
			continue
		}
		id := r.id()
		if known, ok := out[id]; ok && len(known.On) > 0 && len(r.On) > 0 {
			r.On = append(r.On[:len(r.On):len(r.On)], known.On...)
		} else if ok {
			r.On = nil
		}
		out[id] = r
	}
	return out
}

// id names a rule by its way and target.
func (r Rule) id() string {
	text := fmt.Appendf(nil, "%q %q %v", r.Run, r.Webhook, r.Desktop)
	if r.GitHub != "" {
		text = fmt.Appendf(text, " %q", strings.ToLower(r.GitHub))
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Rings says whether a rule wants the bell for a kind now.
func (s Settings) Rings(k Kind, now time.Time) bool {
	for _, r := range s.Rules {
		if r.Bell && r.matches(k) && !s.hush(now)(string(k)) {
			return true
		}
	}
	return false
}

// Rings says whether the settings want the terminals that follow a run to ring
// for a kind now.
func (n *Notifier) Rings(k Kind) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.readSettingsLocked()
	return n.settings.Rings(k, n.cfg.Now())
}

// Status counts what is due, and names the last failure.
func (n *Notifier) Status() (v wire.NotifyStatus, settingsProblem string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.readSettingsLocked()
	v.Rules = len(n.settings.Rules)
	for _, q := range n.box.Rules {
		v.Waiting += q.waiting()
		v.Failed += q.Failed
		if at := q.At; q.Error != "" && (v.At == nil || at.After(*v.At)) {
			v.Error, v.At = q.Error, &at
		}
	}
	return v, n.problem
}

// Busy says whether something is still to be told.
func (n *Notifier) Busy() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, q := range n.box.Rules {
		if q.waiting() > 0 {
			return true
		}
	}
	return false
}
