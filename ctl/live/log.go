package live

import (
	"context"
	"strings"
	"sync"
	"time"

	"autopilot/ctl/render"
	"autopilot/events/wire"
)

const (
	keptLines = 1000 // of a log
	lineBytes = 4096 // of one line
	logEvery  = 250 * time.Millisecond
)

// logs follows the log of one run at a time.
type logs struct {
	f      *feed
	cancel context.CancelFunc
	done   chan struct{}
}

// show follows the log of want.run, unless that is being followed.
func (l *logs) show(ctx context.Context, want, have what) {
	if l.done != nil && want.run == have.run && want.epoch == have.epoch {
		select {
		case <-l.done: // the run went on after its log had ended
		default:
			return
		}
	}
	l.stop()
	ctx, l.cancel = context.WithCancel(ctx)
	done := make(chan struct{})
	l.done = done
	go l.f.guard(func() {
		defer close(done)
		l.f.followLog(ctx, want.run)
	})()
}

func (l *logs) stop() {
	if l.done != nil {
		l.cancel()
		<-l.done
	}
}

// followLog delivers the tail of a log until it ends. It delivers at most every
// logEvery, however much is printed.
func (f *feed) followLog(ctx context.Context, run string) {
	t := &tail{style: f.style}
	var wg sync.WaitGroup
	defer wg.Wait()
	ended := make(chan struct{})
	wg.Go(f.guard(func() {
		defer close(ended)
		for frame, err := range f.src.Logs(ctx, run) {
			if err != nil {
				return
			}
			t.add(frame)
		}
	}))
	tick := time.NewTicker(logEvery)
	defer tick.Stop()
	for {
		last := false
		select {
		case <-tick.C:
		case <-ended:
			last = true
		}
		if lines, changed := t.take(); changed && ctx.Err() == nil {
			f.send(Log{Run: run, Lines: lines})
		}
		if last {
			return
		}
	}
}

// tail keeps the last lines of a log, clean.
type tail struct {
	style render.Style

	mu      sync.Mutex
	clean   render.Cleaner
	from    wire.LogFrame // of the last piece
	begun   bool
	lines   []string
	open    string // a line that has not ended
	changed bool
}

func (t *tail) add(f wire.LogFrame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.begun || f.Iteration != t.from.Iteration || f.Attempt != t.from.Attempt || f.Source != t.from.Source {
		t.text(string(t.clean.Flush()))
		t.end()
		t.begun, t.from = true, f
		t.from.Data, t.from.Text = nil, ""
		t.line(strings.TrimRight(t.style.LogHead(f), "\n"))
	}
	if f.Gap > 0 {
		t.end()
		t.line(strings.TrimRight(t.style.LogGap(f.Gap), "\n"))
	}
	if f.Note != "" {
		t.end()
		t.line(strings.TrimRight(t.style.LogNote(f.Note), "\n"))
	}
	t.text(string(t.clean.Clean(f.Shown())))
	t.changed = true
}

func (t *tail) text(s string) {
	for l := range strings.Lines(s) {
		whole, ended := strings.CutSuffix(l, "\n")
		if room := lineBytes - len(t.open); room > 0 {
			t.open += whole[:min(room, len(whole))]
		}
		if ended {
			t.line(t.open)
			t.open = ""
		}
	}
}

// end ends a line that is open.
func (t *tail) end() {
	if t.open != "" {
		t.line(t.open)
		t.open = ""
	}
}

func (t *tail) line(l string) {
	t.lines = append(t.lines, untab(strings.ToValidUTF8(l, "")))
	if len(t.lines) >= 2*keptLines {
		t.lines = append([]string(nil), t.lines[len(t.lines)-keptLines:]...)
	}
}

// take is a copy of the tail, if it has changed since it was taken last.
func (t *tail) take() ([]string, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.changed {
		return nil, false
	}
	t.changed = false
	lines := append([]string(nil), t.lines...)
	if t.open != "" {
		lines = append(lines, untab(strings.ToValidUTF8(t.open, "")))
	}
	return lines[max(0, len(lines)-keptLines):], true
}

const tabStop = 8

// untab writes tabs as blanks: on a screen they would jump over what is there.
// Letters count one cell, which is near enough for a log.
func untab(l string) string {
	if !strings.Contains(l, "\t") {
		return l
	}
	var b strings.Builder
	at := 0
	for _, r := range l {
		if r != '\t' {
			b.WriteRune(r)
			at++
			continue
		}
		n := tabStop - at%tabStop
		b.WriteString(strings.Repeat(" ", n))
		at += n
	}
	return b.String()
}
