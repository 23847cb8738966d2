package benchtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"autopilot/events/wire"
)

// large measures what runs cost in a repository of many files, beside what git takes to
// read it: into an empty repository, into a new index where all objects are there, and
// where nothing has changed.
func (b *bench) large(t *table) error {
	if err := b.makeLarge(); err != nil {
		return err
	}
	var add, again, status, first, later, each []time.Duration
	for n := range largeTurns {
		one, err := b.largeFloor(n)
		if err != nil {
			return fmt.Errorf("floor of a large repository: %w", err)
		}
		add, again, status = append(add, one[0]), append(again, one[1]), append(status, one[2:]...)
		l, err := b.largeRuns(n)
		if err != nil {
			return err
		}
		first, later, each = append(first, l[0]), append(later, l[1]), append(each, l[2:]...)
	}
	what := fmt.Sprintf("%d files, ", b.largeFiles)
	t.ratio(what+"start of the first run", median(add), median(first), 1.5)
	t.ratio(what+"start of a later run", median(again), median(later), 2)
	t.ratio(what+"an iteration, p50", median(status), median(each), 3)
	t.note("A start is all before the first iteration, with the gates of the baseline. Its floor is git add -A: "+
		"of everything, and into a new index. That of an iteration is git status. The files have %d bytes each.", largeBytes)
	return nil
}

const (
	largeTurns = 2
	largeBytes = 4096 // of a file
	largeEach  = 50   // files of a folder
)

// makeLarge makes the repository, with its first commit.
func (b *bench) makeLarge() error {
	random := rand.New(rand.NewPCG(1, 1))
	words := make([]string, 4000)
	for i := range words {
		words[i] = fmt.Sprintf("w%x ", random.Uint32N(1<<20))
	}
	top := b.path("large")
	for i := range b.largeFiles {
		dir := filepath.Join(top, fmt.Sprintf("part%d/folder%d", i/largeEach/100, i/largeEach%100))
		if i%largeEach == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				return err
			}
		}
		var text bytes.Buffer
		fmt.Fprintln(&text, "file", i)
		for text.Len() < largeBytes {
			text.WriteString(words[random.IntN(len(words))])
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("file%d.txt", i)), text.Bytes(), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-qm", "start"}} {
		if _, err := output(b.command(top, b.git, args...)); err != nil {
			return err
		}
	}
	return nil
}

// largeFloor measures git add of everything, git add into a new index, and git status a
// few times.
func (b *bench) largeFloor(n int) (all []time.Duration, err error) {
	top, bare := b.path("large"), b.path(fmt.Sprint("large", n, ".git"))
	if _, err := output(b.command(b.dir, b.git, "init", "-q", "--bare", bare)); err != nil {
		return nil, err
	}
	steps := [][]string{{"add", "-A"}, {"add", "-A"}, {"status", "--porcelain"}, {"status", "--porcelain"}, {"status", "--porcelain"}}
	for i, args := range steps {
		cmd := b.command(top, b.git, args...)
		switch i {
		case 0:
			cmd.Env = append(cmd.Env, "GIT_DIR="+bare, "GIT_WORK_TREE="+top)
		case 1:
			cmd.Env = append(cmd.Env, "GIT_INDEX_FILE="+b.path("large.index"))
		}
		d, err := took(func() error { _, err := output(cmd); return err })
		if err != nil {
			return nil, err
		}
		all = append(all, d)
	}
	return all, errors.Join(os.RemoveAll(bare), os.RemoveAll(b.path("large.index")))
}

// largeRuns measures the starts of two runs of a daemon that has nothing, and then the
// iterations.
func (b *bench) largeRuns(n int) (all []time.Duration, err error) {
	state := fmt.Sprint("large-state", n)
	if err := os.Mkdir(b.path(state), 0o700); err != nil {
		return nil, err
	}
	d, err := b.startDaemonIn(state)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, d.stop(), os.RemoveAll(b.path(state))) }()
	var each []time.Duration
	for range 2 {
		start, spans, err := b.largeRun(state)
		if err != nil {
			return nil, err
		}
		all, each = append(all, start), append(each, spans...)
	}
	return append(all, each...), nil
}

// largeIterations stays below what halts a run that fails the same way each time.
const largeIterations = 4

// largeRun does one run and reads its times: of the start, and of each iteration but the
// first.
func (b *bench) largeRun(state string) (start time.Duration, each []time.Duration, err error) {
	apctl := func(args ...string) ([]byte, error) {
		cmd := b.command(b.path("large"), b.program("apctl"), args...)
		cmd.Env = b.envOf(state)
		return output(cmd)
	}
	began := time.Now()
	out, err := apctl("run", "-d", "measure iterations", "--gate", "test="+gateCommand,
		"--agent-cmd", agentCommand, "--max-iterations", fmt.Sprint(largeIterations))
	if err != nil {
		return 0, nil, err
	}
	id := strings.TrimSpace(string(out))
	var exit *exec.ExitError
	if _, err := apctl("wait", id); !errors.As(err, &exit) || exit.ExitCode() != wire.ExitLimit {
		return 0, nil, fmt.Errorf("run %s ended otherwise: %w", id, err)
	}
	if out, err = apctl("events", "--json", id); err != nil {
		return 0, nil, err
	}
	var last time.Time
	for line := range bytes.Lines(out) {
		var e struct {
			Data struct {
				Event struct {
					Type string    `json:"type"`
					Time time.Time `json:"time"`
				} `json:"event"`
			} `json:"data"`
		}
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, nil, err
		}
		switch at := e.Data.Event.Time; e.Data.Event.Type {
		case "iteration.started.v1":
			if start == 0 {
				start = at.Sub(began)
			}
		case "iteration.recorded.v1":
			if !last.IsZero() {
				each = append(each, at.Sub(last))
			}
			last = at
		}
	}
	if start == 0 || len(each) != largeIterations-1 {
		return 0, nil, fmt.Errorf("run %s has no start, or %d iterations and not %d", id, len(each)+1, largeIterations)
	}
	return start, each, nil
}
