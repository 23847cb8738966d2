package shim

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// seen is what one look of a test finds.
type seen struct {
	after  time.Duration // since the start
	output time.Duration // when it last printed, since the start
	cpu    time.Duration // used since the start
	change time.Duration // newest change of a file, since the start
	step   time.Duration // by which the clock was set since the look before

	lives bool // wanted
	kind  string
}

func TestLooksForSignsOfLife(t *testing.T) {
	t.Parallel()
	const m = time.Minute
	files, transcript := Spec{Idle: 10 * m, Work: "/work"}, Spec{Idle: 10 * m, Watch: []string{"/transcript"}}
	for name, c := range map[string]struct {
		spec  Spec
		looks []seen
	}{
		"B-2: no sign ends it": {files, []seen{
			{after: 10 * m, kind: LifeOutput},
		}},
		"output puts the limit off by what is left of it": {files, []seen{
			{after: 10 * m, output: 4 * m, lives: true, kind: LifeOutput},
			{after: 14 * m, output: 4 * m, kind: LifeOutput},
		}},
		"CPU time puts it off": {files, []seen{
			{after: 10 * m, cpu: 5 * m, lives: true, kind: LifeCPU},
			{after: 20 * m, cpu: 5 * m, kind: LifeCPU},
		}},
		"a program that polls is not working": {files, []seen{
			{after: 10 * m, cpu: 6 * time.Second}, // 1 % of a core
		}},
		"CPU time before the last output does not count for the silence after it": {files, []seen{
			{after: 9 * m, output: 9 * m, cpu: 9 * m, lives: true, kind: LifeOutput},
			{after: 10 * m, output: 9 * m, cpu: 9 * m, lives: true, kind: LifeOutput},
			{after: 19 * m, output: 9 * m, cpu: 9 * m, kind: LifeOutput},
		}},
		"CPU time between the last output and a look shortly before the limit counts": {files, []seen{
			{after: 10 * m, output: time.Second, cpu: 5 * m, lives: true, kind: LifeOutput},
			{after: 10*m + time.Second, output: time.Second, cpu: 5 * m, lives: true, kind: LifeCPU},
			{after: 19 * m, output: time.Second, cpu: 5 * m, lives: true, kind: LifeCPU},
			{after: 20 * m, output: time.Second, cpu: 5 * m, kind: LifeCPU},
		}},
		"CPU time that was counted and is gone is none": {files, []seen{
			{after: 10 * m, cpu: 5 * m, lives: true, kind: LifeCPU},
			{after: 20 * m, cpu: m, kind: LifeCPU},
		}},
		"a changed file puts it off from the change on": {files, []seen{
			{after: 10 * m, change: 7 * m, lives: true, kind: LifeFiles},
			{after: 17 * m, change: 7 * m, kind: LifeFiles},
		}},
		"so does a transcript": {transcript, []seen{
			{after: 10 * m, change: 7 * m, lives: true, kind: LifeWatch},
			{after: 17 * m, change: 16 * m, lives: true, kind: LifeWatch},
		}},
		"files that nobody named are not looked at": {Spec{Idle: 10 * m}, []seen{
			{after: 10 * m, change: 7 * m},
		}},
		"a clock that was set forward by 8 h is no reason to end it": {files, []seen{
			{after: 10 * m, change: 7 * m, step: 8 * time.Hour, lives: true, kind: LifeUnclear},
			{after: 20 * m, change: 7 * m, kind: LifeUnclear},
		}},
		"nor one that was set back by 8 h": {files, []seen{
			{after: 10 * m, change: 7 * m, step: -8 * time.Hour, lives: true, kind: LifeUnclear},
			{after: 20 * m, change: 7 * m, kind: LifeUnclear},
		}},
		"a set clock is no sign of a gate": {Spec{Idle: 10 * m}, []seen{
			{after: 10 * m, step: 8 * time.Hour},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Unix(1_000_000, 0)
			var now seen
			var stepped time.Duration
			p := newPulse(c.spec, start, func() time.Duration { return now.cpu })
			p.walk = func(_ []string, since, until time.Time) time.Time {
				if change := start.Add(stepped + now.change); change.After(since) && !change.After(until) {
					return change
				}
				return time.Time{}
			}
			for i, look := range c.looks {
				now = look
				stepped += look.step
				at := start.Add(look.after)
				rest := p.look(at, at.Add(stepped), start.Add(look.output))
				if rest > 0 != look.lives || rest > p.step() || look.kind != "" && p.kind != look.kind {
					t.Errorf("look %d: next in %v by %s, want life %v by %s", i, rest, p.kind, look.lives, look.kind)
				}
			}
		})
	}
}

// TestWhatFallsSilentEndsSoonAfterTheLimit: whatever its last sign was, and whenever.
func TestWhatFallsSilentEndsSoonAfterTheLimit(t *testing.T) {
	t.Parallel()
	for _, idle := range []time.Duration{300 * time.Millisecond, 12 * time.Minute, 24 * time.Hour} {
		for _, last := range []time.Duration{0, idle / 3, idle, idle + idle/2, 5*idle + idle/7} {
			for _, kind := range []string{LifeOutput, LifeCPU, LifeFiles} {
				start, now := time.Unix(1_000_000, 0), time.Duration(0)
				until := func(of string) time.Duration {
					if kind != of {
						return 0
					}
					return min(now, last)
				}
				p := newPulse(Spec{Idle: idle, Work: "/w"}, start, func() time.Duration { return until(LifeCPU) })
				p.walk = func(_ []string, since, _ time.Time) time.Time {
					if at := start.Add(until(LifeFiles)); at.After(since) {
						return at
					}
					return time.Time{}
				}
				for rest := p.step(); rest > 0; {
					now += rest
					at := start.Add(now)
					rest = p.look(at, at, start.Add(until(LifeOutput)))
				}
				late := max(idle/8, 2*p.step())
				if silent := now - last; silent < idle*8/10 || silent > idle+late {
					t.Errorf("limit %v, last %s at %v: ended after %v of silence", idle, kind, last, silent)
				}
				if n := len(p.used); n > steps+2 {
					t.Errorf("limit %v: %d looks are kept", idle, n)
				}
			}
		}
	}
}

func TestFileSystemThatDoesNotAnswerIsNoSignAndHoldsNothingUp(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	defer close(never)
	if _, ok := within(time.Millisecond, func() bool { <-never; return true }); ok {
		t.Error("it has answered")
	}
}

func TestNewestChangeBelow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		want bool
	}{
		"a file":                   {"file", true},
		"one deep below":           {"a/b/c/d/file", true},
		"a repository":             {".git/index", false},
		"one further down":         {"a/.git/index", false},
		"what a link leads to":     {"../outside", false},
		"a name like a repository": {".github/file", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := filepath.Join(t.TempDir(), "root")
			file := filepath.Join(root, c.file)
			write(t, file)
			if err := errors.Join(os.MkdirAll(root, 0o700), os.Symlink("../outside", filepath.Join(root, "link"))); err != nil {
				t.Fatal(err)
			}
			far := time.Now().Add(time.Hour)
			before := newestBelow([]string{root, filepath.Join(root, "none")}, time.Time{}, far)
			if before.IsZero() || time.Since(before) > time.Minute {
				t.Fatalf("before: %v", before)
			}
			if again := newestBelow([]string{root}, before, far); !again.IsZero() {
				t.Errorf("nothing has changed since %v but at %v", before, again)
			}
			stamp := before
			for !stamp.After(before) { // the clock of a file system has steps
				write(t, file)
				info, err := os.Stat(file)
				if err != nil {
					t.Fatal(err)
				}
				stamp = info.ModTime()
			}
			if got := newestBelow([]string{root}, before, far); got.Equal(stamp) != c.want || got.IsZero() == c.want {
				t.Errorf("changed at %v: newest %v, want it seen: %v", stamp, got, c.want)
			}
			if got := newestBelow([]string{root}, before, stamp.Add(-time.Hour)); !got.IsZero() {
				t.Errorf("a time in the future was taken: %v", got)
			}
			if got := newestBelow([]string{file}, before, far); !got.Equal(stamp) {
				t.Errorf("a file as root: %v", got)
			}
		})
	}
}

// write makes or changes a file, and leaves its directories as they are if it
// is there.
func write(t *testing.T, file string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWalkEndsAtItsBounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a/file"))
	for name, w := range map[string]*walker{
		"entries": {entries: entriesMost, deadline: time.Now().Add(time.Hour)},
		"time":    {deadline: time.Now().Add(-time.Hour)},
	} {
		if w.folder(dir) {
			t.Errorf("%s: it went on", name)
		}
	}
	w := &walker{folders: make([]string, foldersMost), deadline: time.Now().Add(time.Hour)}
	if !w.folder(dir) || len(w.folders) != foldersMost {
		t.Errorf("folders: %d remembered", len(w.folders))
	}
}

func TestLifeIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := ReadLife(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before the first look: %v", err)
	}
	want := Life{At: time.Unix(5, 6).UTC(), Kind: LifeCPU}
	if err := writeLife(dir, want); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadLife(dir); err != nil || got != want {
		t.Errorf("life: %+v, %v", got, err)
	}
}

// Seeds 6.1 S4 and Q1: what counts is what this very effect did, a file of the
// future is none of the past, and what cannot be told is no stall.
func TestAnEffectIsStillAsLongAsNothingOfItMoved(t *testing.T) {
	t.Parallel()
	const m = time.Minute
	now := time.Now().Round(0)
	never := func([]string, time.Time, time.Time) time.Time { return time.Time{} }
	at := func(ago time.Duration) func([]string, time.Time, time.Time) time.Time {
		return func(_ []string, since, _ time.Time) time.Time {
			if since.After(now.Add(-ago)) {
				return time.Time{}
			}
			return now.Add(-ago)
		}
	}
	for name, c := range map[string]struct {
		silent time.Duration
		roots  []string
		walk   func([]string, time.Time, time.Time) time.Time
		want   time.Duration
	}{
		"it printed last":               {3 * time.Second, []string{"/w"}, at(m), 3 * time.Second},
		"nothing for long":              {20 * m, []string{"/w"}, never, 20 * m},
		"a file changed since":          {20 * m, []string{"/w"}, at(2 * m), 2 * m},
		"a file changed before":         {20 * m, []string{"/w"}, at(30 * m), 20 * m},
		"a file of the future":          {20 * m, []string{"/w"}, at(-m), 0},
		"nothing to look at":            {20 * m, nil, at(2 * m), 20 * m},
		"files that nobody can tell of": {20 * m, []string{"/w"}, func([]string, time.Time, time.Time) time.Time { <-t.Context().Done(); return time.Time{} }, 0},
	} {
		if got := stillFor(c.silent, now, c.roots, c.walk); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
