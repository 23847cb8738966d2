package archive_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"autopilot/daemon/store/archive"
	"autopilot/events"
	"autopilot/events/log"
)

func TestABundleGivesBackWhatWentIn(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bundle")
	rapid.Check(t, func(rt *rapid.T) {
		runs, texts := drawRuns(rt), rapid.MapOf(rapid.StringMatching(`[a-f]`), rapid.SliceOf(rapid.Byte())).Draw(rt, "texts")
		var out bytes.Buffer
		w := archive.NewWriter(&out, whom)
		for _, s := range runs {
			must(t, w.Run(s.Run, s.stored()))
		}
		for name, text := range texts {
			must(t, w.Text(ref(name), text))
		}
		must(t, w.Missing(ref("gone")))
		put, err := w.Close()
		must(t, err)
		overwrite(t, path, out.Bytes())
		b, err := archive.Open(path)
		must(t, err)
		defer b.Close()
		must(t, b.Check(t.Context()))
		if d := cmp.Diff(put.Manifest, b.Manifest()); d != "" {
			rt.Fatalf("manifest (-written +read):\n%s", d)
		}
		for _, s := range runs {
			if d := cmp.Diff(s.bytes(), all(t, b.Events(s.ID, 0))); d != "" {
				rt.Fatalf("events of %s (-in +out):\n%s", s.ID, d)
			}
		}
		for name, text := range texts {
			if got, err := b.Text(ref(name)); err != nil || !bytes.Equal(got, text) {
				rt.Fatalf("text %q is %q, %v; want %q", name, got, err, text)
			}
		}
	})
}

// drawRuns draws runs with events of any kind, some of them damaged.
func drawRuns(t *rapid.T) []*story {
	var out []*story
	for i := range rapid.IntRange(0, 4).Draw(t, "runs") {
		s := newStory(fmt.Sprintf("%04d", i), rapid.SampledFrom([]string{"done", "halted", "live", "parked", ""}).Draw(t, "state"))
		for range rapid.IntRange(0, 12).Draw(t, "events") {
			switch rapid.IntRange(0, 9).Draw(t, "kind") {
			case 0:
				s.raw(rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "bytes"))
			case 1:
				s.raw([]byte(rapid.SampledFrom([]string{"", "\n", "=", "=AA==", "\r", "{\n}", "a\nb\n"}).Draw(t, "odd")))
			case 2:
				s.add(events.Unknown{Type: "run.parked.v7", Raw: []byte(`{"at":[1]}`)})
			default:
				s.add(rapid.SampledFrom([]events.Data{
					events.RunStarted{Handle: s.Handle, Phase: "work"},
					events.IterationStarted{Iteration: 1, Attempt: 1},
					events.RunHalted{Reason: events.HaltStuck},
					events.RunEnded{State: events.EndDone},
				}).Draw(t, "data"))
			}
		}
		out = append(out, s)
	}
	return out
}

func TestTheSameContentGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	of := func() []byte { return write(t, whom, []*story{done("aaaa", 3), done("bbbb", 1)}, "one", "two") }
	if !bytes.Equal(of(), of()) {
		t.Error("two bundles of the same content differ")
	}
}

func TestATextIsInABundleOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := archive.NewWriter(&out, whom)
	must(t, w.Text(ref("key is 1"), []byte("key is ***")))
	must(t, w.Text(ref("key is 2"), []byte("key is ***")))
	must(t, w.Text(ref("key is 2"), []byte("something else")))
	must(t, w.Missing(ref("gone")))
	must(t, w.Text(ref("gone"), []byte("gone")))
	must(t, w.Missing(ref("key is 1")))
	s, err := w.Close()
	must(t, err)
	want := []archive.Text{
		{Ref: ref("key is 2"), Bytes: 10, SHA256: events.Digest(ref("key is ***"))},
		{Ref: ref("key is 1"), Bytes: 10, SHA256: events.Digest(ref("key is ***"))},
	}
	if want[0].Ref > want[1].Ref {
		want[0], want[1] = want[1], want[0]
	}
	if d := cmp.Diff(want, s.Manifest.Texts); d != "" || s.Manifest.Redacted() != 2 {
		t.Errorf("texts, redacted %d (-want +got):\n%s", s.Manifest.Redacted(), d)
	}
	if d := cmp.Diff([]events.Ref{ref("gone")}, s.Manifest.Missing); d != "" {
		t.Errorf("missing (-want +got):\n%s", d)
	}
	b := openBundle(t, out.Bytes())
	must(t, b.Check(t.Context()))
	for _, r := range []events.Ref{ref("key is 1"), ref("key is 2")} {
		if got, err := b.Text(r); err != nil || string(got) != "key is ***" {
			t.Errorf("text %s is %q, %v", r, got, err)
		}
	}
	if _, err := b.Text(ref("gone")); !errors.Is(err, archive.ErrNoText) {
		t.Errorf("a missing text is %v", err)
	}
	if got := len(takeApart(t, out.Bytes()).names); got != 2 {
		t.Errorf("%d entries, want one text and the manifest", got)
	}
}

func TestEventsAreReadFromAPlaceOn(t *testing.T) {
	t.Parallel()
	s := done("aaaa", 2)
	b := openBundle(t, write(t, whom, []*story{s}))
	for after := range uint64(8) {
		want := s.bytes()[min(int(after), len(s.list)):]
		got := all(t, b.Events(s.ID, after))
		if len(want)+len(got) > 0 && !cmp.Equal(want, got) {
			t.Errorf("after %d: %d events, want %d", after, len(got), len(want))
		}
	}
	for _, err := range b.Events(s.ID, 0) {
		must(t, err)
		break // leaves nothing open
	}
	for _, err := range b.Events("01JNONE", 0) {
		if !errors.Is(err, archive.ErrNoRun) {
			t.Errorf("events of no run: %v", err)
		}
	}
}

func TestABreakThatABundleWasMadeWithIsKnown(t *testing.T) {
	t.Parallel()
	other := done("zzzz", 1)
	for name, tt := range map[string]struct {
		damage func(*story)
		broken uint64
	}{
		"nothing":                  {func(*story) {}, 0},
		"an event is gone":         {func(s *story) { s.list = append(s.list[:2], s.list[3:]...) }, 3},
		"the first is gone":        {func(s *story) { s.list = s.list[1:] }, 1},
		"two are the wrong way":    {func(s *story) { s.list[2], s.list[3] = s.list[3], s.list[2] }, 3},
		"one is there twice":       {func(s *story) { s.list = append(s.list[:2], s.list[1:]...) }, 3},
		"one is no event":          {func(s *story) { s.raw([]byte("junk")) }, 7},
		"one is empty":             {func(s *story) { s.raw([]byte{}) }, 7},
		"one is of another run":    {func(s *story) { s.raw(other.list[0].Bytes) }, 7},
		"one was changed":          {func(s *story) { changed(s, 3) }, 5},
		"the last one was changed": {func(s *story) { changed(s, 5) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := done("aaaa", 2)
			tt.damage(s)
			b := openBundle(t, write(t, whom, []*story{s}))
			if got := b.Manifest().Runs[0].Broken; got != tt.broken {
				t.Errorf("broken at %d, want %d", got, tt.broken)
			}
			must(t, b.Check(t.Context()))
			if d := cmp.Diff(s.bytes(), all(t, b.Events(s.ID, 0))); d != "" {
				t.Errorf("events (-in +out):\n%s", d)
			}
		})
	}
}

// changed flips a letter of an event, and nothing that follows from it.
func changed(s *story, i int) {
	tail := s.list[i+1:]
	s.list = s.list[:i]
	was := done(s.Handle, 2).list[i].Bytes
	s.raw(bytes.Replace(was, []byte("daemon:"), []byte("demon:"), 1))
	s.list = append(s.list, tail...)
}

func TestAWriterRefuses(t *testing.T) {
	t.Parallel()
	s := done("aaaa", 1)
	failing := errors.New("the log is away")
	for name, tt := range map[string]struct {
		do   func(*archive.Writer) error
		want string
	}{
		"a run twice": {func(w *archive.Writer) error {
			return errors.Join(w.Run(s.Run, s.stored()), w.Run(s.Run, s.stored()))
		}, "not a new id"},
		"an id that is a path": {func(w *archive.Writer) error {
			return w.Run(archive.Run{ID: "../../x"}, s.stored())
		}, "not a new id"},
		"a state that is a text": {func(w *archive.Writer) error {
			return w.Run(archive.Run{ID: s.ID, State: "it is done"}, s.stored())
		}, "its state is none"},
		"a run behind a text": {func(w *archive.Writer) error {
			return errors.Join(w.Text(ref("x"), []byte("x")), w.Run(s.Run, s.stored()))
		}, "runs come before texts"},
		"a name that is no hash": {func(w *archive.Writer) error { return w.Text("../x", []byte("x")) }, "not the name of a text"},
		"events that cannot be read": {func(w *archive.Writer) error {
			return w.Run(s.Run, func(yield func(log.Stored, error) bool) { yield(log.Stored{}, failing) })
		}, "the log is away"},
		"an event without end": {func(w *archive.Writer) error {
			return w.Run(s.Run, one(log.Stored{Bytes: make([]byte, 9<<20)}))
		}, "has 9437184 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := archive.NewWriter(io.Discard, whom)
			err := tt.do(w)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			if _, cerr := w.Close(); cerr == nil {
				t.Error("it can be closed all the same")
			}
		})
	}
}

func one(st log.Stored) iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) { yield(st, nil) }
}

func TestAWriterSaysThatItCannotWrite(t *testing.T) {
	t.Parallel()
	w := archive.NewWriter(full{}, whom)
	s := done("aaaa", 10)
	err := w.Run(s.Run, s.stored())
	if _, cerr := w.Close(); !errors.Is(errors.Join(err, cerr), errFull) {
		t.Errorf("errors %v, %v", err, cerr)
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestACheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	b := openBundle(t, write(t, whom, []*story{done("aaaa", 2)}, "x"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := b.Check(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestOtherProgramsReadABundle(t *testing.T) {
	t.Parallel()
	unzip, err := exec.LookPath("unzip")
	if err != nil {
		return // the form is that of archive/zip, which the other tests read
	}
	path := file(t, write(t, whom, []*story{done("aaaa", 2)}, "x"))
	if out, err := exec.Command(unzip, "-t", path).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := exec.Command(unzip, "-l", path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "bundle format 1: runs 1, events 6, texts 1") {
		t.Errorf("%v\n%s", err, out)
	}
}
