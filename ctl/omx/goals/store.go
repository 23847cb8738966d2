package goals

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/ctl/disk"
	"autopilot/projections/omx/ultragoal"
)

// Names of the files.
const (
	briefName  = "brief.md"
	planName   = "goals.json"
	ledgerName = "ledger.jsonl"
	changeName = ".change.json"
)

// Waited is how long a command waits for other writers.
const Waited = 10 * time.Second

// Store is the plan of a working directory.
type Store struct {
	Root  string        // the working directory
	Now   func() string // ISO 8601, of the rows
	Alive func(pid int) bool
	Wait  time.Duration // for other writers
}

// State is what the files have.
type State struct {
	Plan  ultragoal.Plan
	Rows  []ultragoal.Row
	Brief string
	size  int64 // of the ledger
}

// ErrNone is a directory without a plan.
var ErrNone = errors.New("there is no plan in " + ultragoal.Dir + "; create one with create-goals")

// change is a change as it is noted before it is carried out.
type change struct {
	Size  int64  `json:"size"` // of the ledger before
	Rows  string `json:"rows"`
	Plan  string `json:"plan,omitzero"`  // goals.json, unless it stays
	Brief string `json:"brief,omitzero"` // of a new plan
	Fresh string `json:"fresh,omitzero"` // a new plan: what the old files are called from now on
}

// Read is the plan, without a writer's turn where nothing is under way.
func (s Store) Read(ctx context.Context) (State, error) {
	if _, err := os.Lstat(s.path(planName)); errors.Is(err, fs.ErrNotExist) && !s.noted() {
		return State{}, ErrNone
	}
	if !s.noted() {
		if st, err := s.load(); err == nil && !s.noted() {
			return st, nil
		}
	}
	var st State
	err := s.Change(ctx, func(now State) (ultragoal.Change, error) { // somebody writes, or did
		st = now
		return ultragoal.Change{Same: true}, nil
	})
	return st, err
}

func (s Store) noted() bool {
	_, err := os.Lstat(s.path(changeName))
	return err == nil
}

// load reads the files, and checks that they agree.
func (s Store) load() (st State, err error) {
	text, there, err := s.read(planName, mostPlan)
	switch {
	case err != nil:
		return st, err
	case !there:
		return st, ErrNone
	}
	if st.Plan, err = ultragoal.Read(text); err != nil {
		return st, err
	}
	if text, there, err = s.read(ledgerName, mostLedger); err != nil {
		return st, err
	}
	if !there {
		return st, fmt.Errorf("%w: %s is missing, and %s is there", ultragoal.ErrDamaged, ultragoal.LedgerPath, ultragoal.GoalsPath)
	}
	st.size = int64(len(text))
	if st.Rows, err = ultragoal.ReadLedger(text); err != nil {
		return st, err
	}
	if text, _, err = s.read(briefName, mostBrief); err != nil {
		return st, err
	}
	st.Brief = string(text)
	return st, ultragoal.Agree(st.Plan, st.Rows)
}

// Change lets a rule change the plan, with the turn of a writer.
func (s Store) Change(ctx context.Context, rule func(State) (ultragoal.Change, error)) error {
	if info, err := os.Stat(s.dir()); err != nil || !info.IsDir() {
		return ErrNone
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.recover(); err != nil {
		return err
	}
	st, err := s.load()
	if err != nil {
		return err
	}
	c, err := rule(st)
	if err != nil {
		return err
	}
	return s.carry(st, c)
}

// carry writes what a rule wants.
func (s Store) carry(st State, c ultragoal.Change) error {
	if len(c.Rows) == 0 && c.Same {
		return nil
	}
	rows, err := ultragoal.Lines(c.Rows)
	if err != nil {
		return err
	}
	n := change{Size: st.size, Rows: string(rows)}
	if !c.Same {
		text, err := c.Plan.Text()
		if err != nil {
			return err
		}
		n.Plan = string(text)
	}
	return s.perform(n)
}

// Create makes a new plan. One that is there stays, unless it is forced: then its files
// are kept under other names.
func (s Store) Create(ctx context.Context, brief string, force bool, rule func() (ultragoal.Change, error)) error {
	c, err := rule()
	if err != nil {
		return err
	}
	if err := s.makeDir(); err != nil {
		return err
	}
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := s.recover(); err != nil && !force {
		return err
	}
	for _, name := range []string{planName, ledgerName} {
		if _, err := os.Lstat(s.path(name)); err == nil && !force {
			return fmt.Errorf("%s is there already; --force keeps it under another name and begins anew", filepath.Join(ultragoal.Dir, name))
		}
	}
	rows, err := ultragoal.Lines(c.Rows)
	if err != nil {
		return err
	}
	text, err := c.Plan.Text()
	if err != nil {
		return err
	}
	if !strings.HasSuffix(brief, "\n") {
		brief += "\n"
	}
	return s.perform(change{Rows: string(rows), Plan: string(text), Brief: brief, Fresh: s.fresh()})
}

// makeDir makes .omx/ultragoal, which may not lead elsewhere.
func (s Store) makeDir() error {
	for _, dir := range []string{filepath.Join(s.Root, ".omx"), s.dir()} {
		if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) { //nolint:gosec // as other files of the project
			return err
		}
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() {
			return errors.Join(err, fmt.Errorf("%s is not a directory", dir))
		}
	}
	return nil
}

// fresh is a suffix that no kept file has.
func (s Store) fresh() string {
	stamp := strings.NewReplacer("-", "", ":", "", ".", "").Replace(s.Now())
	suffix := stamp
	for n := 2; ; n++ {
		if _, err := os.Lstat(s.path(kept(ledgerName, suffix))); err != nil {
			return suffix
		}
		suffix = fmt.Sprintf("%s-%d", stamp, n)
	}
}

// kept is the name of a file of a plan before.
func kept(name, suffix string) string {
	ext := filepath.Ext(name)
	return strings.TrimSuffix(name, ext) + "-" + suffix + ext
}

// perform notes a change, and carries it out.
func (s Store) perform(c change) error {
	note, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if err := s.replace(changeName, note); err != nil {
		return err
	}
	return s.redo(c)
}

// recover carries out what was noted and cut off. Twice is as once.
func (s Store) recover() error {
	text, there, err := s.read(changeName, mostPlan+mostLedger)
	if err != nil || !there {
		return err
	}
	var c change
	if err := json.Unmarshal(text, &c); err != nil {
		return fmt.Errorf("%s cannot be read: %w", s.path(changeName), err)
	}
	return s.redo(c)
}

func (s Store) redo(c change) error {
	if c.Fresh != "" {
		if err := s.begin(c); err != nil {
			return err
		}
	} else if err := s.extend(c); err != nil {
		return err
	}
	if c.Plan != "" {
		if err := s.replace(planName, []byte(c.Plan)); err != nil {
			return err
		}
	}
	if err := os.Remove(s.path(changeName)); err != nil {
		return err
	}
	return disk.SyncDir(s.dir())
}

// extend appends the rows of a change, unless they are there.
func (s Store) extend(c change) error {
	text, _, err := s.read(ledgerName, mostLedger)
	if err != nil {
		return err
	}
	if int64(len(text)) < c.Size {
		return fmt.Errorf("%w: %s was cut while a change was under way", ultragoal.ErrDamaged, ultragoal.LedgerPath)
	}
	if rest := text[c.Size:]; !bytes.HasPrefix(rest, []byte(c.Rows)) && !bytes.HasPrefix([]byte(c.Rows), rest) {
		return fmt.Errorf("%w: %s was written by somebody else while a change was under way", ultragoal.ErrDamaged, ultragoal.LedgerPath)
	} else if len(rest) >= len(c.Rows) {
		return nil
	}
	return s.appendFrom(ledgerName, c.Size, []byte(c.Rows))
}

// begin keeps the files of the plan before, and writes the first of a new one.
func (s Store) begin(c change) error {
	for _, name := range []string{ledgerName, planName, briefName} {
		err := s.keep(name, kept(name, c.Fresh))
		if err != nil && !errors.Is(err, fs.ErrExist) { // kept before it was cut off
			return fmt.Errorf("keep %s: %w", name, err)
		}
	}
	if err := s.replace(briefName, []byte(c.Brief)); err != nil {
		return err
	}
	return s.replace(ledgerName, []byte(c.Rows))
}
