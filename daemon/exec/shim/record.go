package shim

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"autopilot/daemon/exec/confine"
	"autopilot/daemon/store/durable"
)

// Version is the version of the records. A supervisor refuses a spec of
// another one.
const Version = 1

// Files of a control directory.
const (
	specFile  = "spec.json"
	claimFile = "claim"
	lockFile  = "lock"
	exitFile  = "exit.json"
	lifeFile  = "life.json"
)

// Names of spools.
const (
	Merged = "output" // both streams in the order in which they were read
	Stdout = "stdout" // with Spec.Split
	Stderr = "stderr"
)

// Outcomes of an exit record: those of the event vocabulary, which is too
// large to link here.
const (
	Exited      = "exited"
	Signaled    = "signaled"
	WallTimeout = "wall-timeout"
	IdleTimeout = "idle-timeout"
	Stopped     = "stopped"
	SpawnFailed = "spawn-failed"
	Lost        = "lost" // written by a recovering daemon only
)

// Spec says what to run and within which limits. It is written by the daemon
// before the supervisor starts.
type Spec struct {
	V     int      `json:"v"`
	ID    string   `json:"id"`              // of the effect; unique on the host, as processes are hunted by it
	Boot  string   `json:"boot"`            // the boot of the host in which it was written
	Argv  []string `json:"argv"`            // Argv[0] is a path, or a name on the PATH of Env
	Dir   string   `json:"dir"`             // absolute
	Env   []string `json:"env"`             // the whole environment
	Stdin string   `json:"stdin,omitempty"` // a file; empty is /dev/null
	Split bool     `json:"split,omitempty"` // a spool for each of stdout and stderr

	Wall  time.Duration `json:"wall,omitempty"`  // longest activity, 0 is no limit
	Idle  time.Duration `json:"idle,omitempty"`  // longest silence, 0 is no limit
	Grace time.Duration `json:"grace,omitempty"` // from the polite to the final signal, 0 is DefaultGrace

	// Signs of life beside output: CPU time of the tree always counts, and with
	// these the growth of what they name.
	Work  string   `json:"work,omitempty"`  // a work tree in which files change
	Watch []string `json:"watch,omitempty"` // files and directories that grow, as a transcript

	Confine *confine.Plan `json:"confine,omitempty"` // what it may touch; without one, all

	Secrets []string `json:"secrets,omitempty"` // NAME=value each: what no spool may hold, see package redact

	Raw bool `json:"raw,omitempty"` // as stored: all texts are base64, as one is not UTF-8

	Head int64 `json:"head,omitempty"` // bytes kept of the beginning of each spool
	Tail int64 `json:"tail,omitempty"` // bytes kept of its end; both 0 is the defaults
}

// Defaults of a Spec.
const (
	DefaultGrace = 5 * time.Second
	DefaultHead  = 1 << 20
	DefaultTail  = 4 << 20
)

// GraceOrDefault is the time between the polite and the final signal.
func (s Spec) GraceOrDefault() time.Duration {
	if s.Grace > 0 {
		return s.Grace
	}
	return DefaultGrace
}

func (s Spec) bounds() (head, tail int64) {
	if s.Head == 0 && s.Tail == 0 {
		return DefaultHead, DefaultTail
	}
	return s.Head, s.Tail
}

// Exit is how an effect ended.
type Exit struct {
	V           int       `json:"v"`
	Outcome     string    `json:"outcome"`
	Exit        int       `json:"exit"`             // -1 unless the outcome is exited
	Signal      int       `json:"signal,omitempty"` // that ended the program itself, ours or not
	Error       string    `json:"error,omitempty"`
	Started     time.Time `json:"started,omitzero"`
	Ended       time.Time `json:"ended,omitzero"`
	ActiveMS    int64     `json:"active_ms"` // without the time that the host slept
	SuspendedMS int64     `json:"suspended_ms,omitempty"`
	SilentMS    int64     `json:"silent_ms,omitempty"` // before its end: no output, and nothing that Spec names changed
	Bytes       int64     `json:"bytes,omitempty"`     // of output, kept or not
	Truncated   bool      `json:"truncated,omitempty"` // some were not kept
	Killed      int       `json:"killed,omitempty"`    // processes that were signalled to end
	Left        int       `json:"left,omitempty"`      // processes that could not be ended
	LeftPIDs    []int     `json:"left_pids,omitempty"` // the first of them
	OutOfMemory bool      `json:"oom,omitempty"`       // the system ended the program, or one below it, for want of memory
	Cgroup      bool      `json:"cgroup,omitempty"`    // the effect had a control group of its own
	Redacted    int       `json:"redacted,omitempty"`  // secrets that were kept out of the spools
	Lacking     []string  `json:"lacking,omitempty"`   // words of package confine: what of the plan could not be enforced
}

// leftBound is how many pids an exit record names.
const leftBound = 32

// SetLeft notes the processes that could not be ended.
func (e *Exit) SetLeft(pids []int) {
	e.Left = len(pids)
	e.LeftPIDs = pids[:min(len(pids), leftBound)]
}

// SetLacking notes what could not be enforced, each word once.
func (e *Exit) SetLacking(lacking []confine.Gap) {
	e.Lacking = nil
	for _, l := range lacking {
		if !slices.Contains(e.Lacking, l.Word) {
			e.Lacking = append(e.Lacking, l.Word)
		}
	}
}

// WriteSpec stores the spec, synced, readable by its owner only: it holds the
// environment. It is written in place and the caller syncs the directory: an
// effect has no supervisor before that, so half a spec is as good as none.
func WriteSpec(dir string, s Spec) error {
	b, err := json.Marshal(s.coded(base64.StdEncoding.EncodeToString, !s.valid()))
	if err == nil {
		err = durable.Write(filepath.Join(dir, specFile), b)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", specFile, err)
	}
	return nil
}

// ReadSpec reads the spec.
func ReadSpec(dir string) (Spec, error) {
	var s Spec
	if err := readRecord(dir, specFile, &s); err != nil {
		return Spec{}, err
	}
	if s.V != Version {
		return Spec{}, fmt.Errorf("read %s: version %d, this program knows %d", specFile, s.V, Version)
	}
	var bad error
	s = s.coded(func(b []byte) string {
		plain, err := base64.StdEncoding.DecodeString(string(b))
		bad = errors.Join(bad, err)
		return string(plain)
	}, s.Raw)
	if bad != nil {
		return Spec{}, fmt.Errorf("read %s: %w", specFile, bad)
	}
	s.Raw = false
	return s, nil
}

// valid says that JSON can hold the words of the command and its environment
// as they are. The kernel knows bytes, JSON only UTF-8.
func (s Spec) valid() bool {
	invalid := func(w string) bool { return !utf8.ValidString(w) }
	texts := slices.Concat([]string{s.Dir, s.Stdin, s.Work}, s.Argv, s.Env, s.Watch, s.Secrets)
	if s.Confine != nil {
		s.Confine.Code(func(text string) string { texts = append(texts, text); return text })
	}
	return !slices.ContainsFunc(texts, invalid)
}

// coded returns s with its texts replaced, if raw.
func (s Spec) coded(code func([]byte) string, raw bool) Spec {
	if !raw {
		return s
	}
	s.Raw = true
	lists := []*[]string{&s.Argv, &s.Env, &s.Watch, &s.Secrets}
	if s.Confine != nil {
		plan := s.Confine.Code(func(text string) string { return code([]byte(text)) })
		s.Confine = &plan
	}
	for _, list := range lists {
		*list = slices.Clone(*list)
		for i, w := range *list {
			(*list)[i] = code([]byte(w))
		}
	}
	for _, text := range []*string{&s.Dir, &s.Stdin, &s.Work} {
		*text = code([]byte(*text))
	}
	return s
}

// DropSpec forgets the spec of an effect that has an outcome: the environment is
// in it. One that is gone is no error.
func DropSpec(dir string) error {
	if err := os.Remove(filepath.Join(dir, specFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// WriteExit stores the exit record so that it appears whole or not at all, and
// then forgets the spec. Its end is not synced, and what a power cut brings back
// is dropped when a daemon starts.
func WriteExit(dir string, e Exit) error {
	e.V = Version
	b, err := json.Marshal(e)
	// A name of its own: when records were deleted, a supervisor and a
	// recovering daemon can both be at it.
	made := filepath.Join(dir, fmt.Sprintf("%s.%d", exitFile, os.Getpid()))
	if err == nil {
		err = durable.Write(made, b)
	}
	if err == nil {
		err = os.Rename(made, filepath.Join(dir, exitFile))
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", exitFile, err)
	}
	if err := durable.SyncDir(dir); err != nil {
		return err
	}
	return DropSpec(dir)
}

// ReadExit reads the exit record. A missing one is fs.ErrNotExist.
func ReadExit(dir string) (Exit, error) {
	var e Exit
	if err := readRecord(dir, exitFile, &e); err != nil {
		return Exit{}, err
	}
	if e.V != Version {
		return Exit{}, fmt.Errorf("read %s: version %d, this program knows %d", exitFile, e.V, Version)
	}
	return e, nil
}

// HasExit says whether the effect of a control directory has an outcome.
func HasExit(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, exitFile))
	return err == nil
}

func readRecord(dir, name string, into any) error {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
