package budget

import (
	"fmt"
	"os"
	"sync"

	"autopilot/daemon/agent/price"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/config"
	"autopilot/daemon/store/blob"
	"autopilot/projections/run"
)

// Limits are what the files of settings say of runs beside what each was started
// with. Its methods may be called from any goroutine.
type Limits struct {
	file    *config.Held // of the user
	shipped *price.Table // as it is built in
	blobs   *blob.Store

	mu     sync.Mutex
	user   *config.User // the last that could be read
	seen   string       // how its file looked then
	prices *price.Table // with the user's
	of     map[string]limited
}

// limited is what the files say of one run, by the user's file that it was read
// from.
type limited struct {
	user   *config.User
	day    []config.Budget
	bounds config.Bounds // of what its agents take of the machine
}

// NewLimits makes the Limits of who has a file of settings. The configurations of
// runs are texts of blobs. Nothing is read yet.
func NewLimits(file *config.Held, shipped *price.Table, blobs *blob.Store) *Limits {
	return &Limits{file: file, shipped: shipped, blobs: blobs, of: map[string]limited{}}
}

// Bounds are those of what the agents of a run take of the machine.
func (l *Limits) Bounds(s run.State) (config.Bounds, error) {
	of, err := l.limited(s)
	return of.bounds, err
}

// day are the limits of the day that a run counts for: the user's as they are
// now, and the project's as they were trusted for it.
func (l *Limits) day(s run.State) ([]config.Budget, error) {
	of, err := l.limited(s)
	return of.day, err
}

func (l *Limits) limited(s run.State) (limited, error) {
	user, err := l.User()
	if err != nil {
		return limited{}, err
	}
	l.mu.Lock()
	known, ok := l.of[s.ID]
	l.mu.Unlock()
	if ok && known.user == user {
		return known, nil
	}
	layers := config.Layers{User: &config.UserFile{User: *user}}
	if s.Facts.Config != "" {
		src, err := l.blobs.Get(s.Facts.Config)
		if err != nil {
			return limited{}, fmt.Errorf("read the configuration of the run: %w", err)
		}
		p := config.ParseProject("", src)
		layers.Project = &p
	}
	known = limited{user, layers.Budgets(), layers.Bounds()}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.of[s.ID] = known
	return known, nil
}

// keep drops the limits of runs that are not live.
func (l *Limits) keep(live map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id := range l.of {
		if !live[id] {
			delete(l.of, id)
		}
	}
}

// User are the user's settings, read anew where their file has changed. One that
// cannot be read lifts no limit: the last that could be counts, and without one no
// agent begins.
func (l *Limits) User() (*config.User, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seen := sight(l.file.Path())
	if l.user != nil && seen == l.seen {
		return l.user, nil
	}
	f := l.file.Read()
	switch err := f.Err(); {
	case err == nil:
		l.user, l.prices = &f.User, l.shipped.With(f.Rates())
	case l.user == nil:
		return nil, fmt.Errorf("read the limits of the day: %w", err)
	}
	l.seen = seen
	return l.user, nil
}

// sight is what changes when a file is written or replaced.
func sight(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(info.ModTime().UnixNano(), info.Size())
}

// Price is what tokens of a model cost, with the prices of the user over those
// that are built in.
func (l *Limits) Price(model string, u stream.Usage) (microUSD int64, date string, ok bool) {
	return l.table().Compute(model, u)
}

// Priced says that the cost of a model can be computed.
func (l *Limits) Priced(model string) bool { return l.table().Knows(model) }

// table is the built-in table with the user's prices over it.
func (l *Limits) table() *price.Table {
	l.mu.Lock()
	t := l.prices
	l.mu.Unlock()
	if t != nil {
		return t
	}
	if _, err := l.User(); err != nil {
		return l.shipped // the file says nothing, and no agent begins before it can be read
	}
	return l.table()
}
