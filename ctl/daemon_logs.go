package ctl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"autopilot/ctl/render"
)

const (
	tailEvery = 200 * time.Millisecond
	tailMax   = 1 << 20 // bytes that the last lines are looked for in
)

type daemonLogsOptions struct {
	follow bool
	lines  int
}

func newDaemonLogs(a *app) *cobra.Command {
	o := daemonLogsOptions{}
	cmd := &cobra.Command{
		Use:               "logs",
		Short:             "The daemon's own log, read from its file",
		Args:              upTo(0),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE:              func(cmd *cobra.Command, _ []string) error { return runDaemonLogs(cmd.Context(), a, o) },
	}
	cmd.Flags().BoolVarP(&o.follow, "follow", "f", false, "wait for more")
	cmd.Flags().IntVarP(&o.lines, "lines", "n", 200, "the last `N` lines")
	return cmd
}

func runDaemonLogs(ctx context.Context, a *app, o daemonLogsOptions) error {
	if o.lines < 0 {
		return render.BadCount("--lines", o.lines)
	}
	p, err := a.FindPlaces()
	if err != nil {
		return err
	}
	t := &tail{a: a, path: p.LogFile()}
	defer t.close()
	err = t.begin(o.lines)
	if errors.Is(err, fs.ErrNotExist) && !o.follow {
		return render.NoLog(t.path)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for o.follow {
		if err := sleep(ctx, tailEvery); err != nil {
			return err
		}
		if err := t.more(); err != nil {
			return err
		}
	}
	return nil
}

// tail shows a file that grows and may be replaced by a new one.
type tail struct {
	a     *app
	path  string
	f     *os.File
	clean render.Cleaner
}

// begin opens the file and shows its last lines.
func (t *tail) begin(lines int) error {
	if err := t.open(); err != nil {
		return err
	}
	st, err := t.f.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", t.path, err)
	}
	from := max(0, st.Size()-tailMax)
	b, err := io.ReadAll(io.NewSectionReader(t.f, from, st.Size()-from))
	if err != nil {
		return fmt.Errorf("read %s: %w", t.path, err)
	}
	if _, err := t.f.Seek(st.Size(), io.SeekStart); err != nil {
		return fmt.Errorf("read %s: %w", t.path, err)
	}
	return t.write(lastLines(b, lines))
}

func (t *tail) open() error {
	f, err := os.Open(t.path)
	if err != nil {
		return fmt.Errorf("read the log of the daemon: %w", err)
	}
	t.f = f
	return nil
}

func (t *tail) close() {
	if t.f != nil {
		_ = t.f.Close()
		t.f = nil
	}
}

// more shows what was added, and goes over to a new file after the old one.
func (t *tail) more() error {
	if t.f != nil {
		if err := t.rest(); err != nil || !t.replaced() {
			return err
		}
		// Once more: the last lines may have come just before it was replaced.
		if err := t.rest(); err != nil {
			return err
		}
		t.close()
	}
	if err := t.open(); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// rest shows what was added to the open file.
func (t *tail) rest() error {
	b, err := io.ReadAll(t.f)
	if err != nil {
		return fmt.Errorf("read %s: %w", t.path, err)
	}
	return t.write(b)
}

// replaced says whether the path is another file now, or a shorter one.
func (t *tail) replaced() bool {
	now, err := os.Stat(t.path)
	if err != nil {
		return false
	}
	mine, err := t.f.Stat()
	if err != nil || !os.SameFile(now, mine) {
		return true
	}
	at, err := t.f.Seek(0, io.SeekCurrent)
	return err == nil && now.Size() < at
}

func (t *tail) write(b []byte) error {
	return t.a.say(string(t.clean.Clean(b)))
}

// lastLines is the last n lines of b.
func lastLines(b []byte, n int) []byte {
	end := len(b)
	if end > 0 && b[end-1] == '\n' {
		end--
	}
	for ; n > 0; n-- {
		i := bytes.LastIndexByte(b[:end], '\n')
		if i < 0 {
			return b
		}
		end = i
	}
	if end >= len(b) {
		return nil
	}
	return b[end+1:]
}
