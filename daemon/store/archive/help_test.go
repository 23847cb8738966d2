package archive_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"go.uber.org/goleak"

	"autopilot/daemon/store/archive"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/projections/run"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir))
	}
	goleak.VerifyTestMain(m)
}

var (
	made = time.Date(2026, 11, 28, 7, 42, 0, 0, time.UTC)
	whom = archive.Maker{Made: made, Version: "v1.2.3", Host: "01JHOST", Generation: 3}
)

// story is a run with its stored events.
type story struct {
	archive.Run
	list []log.Stored
}

func newStory(handle, state string) *story {
	return &story{Run: archive.Run{ID: "01JRUN0000000000000000" + handle, Handle: handle, State: state}}
}

// add appends an event as a log would.
func (s *story) add(d events.Data) *story {
	e := events.Event{
		ID: fmt.Sprintf("01JEVENT%018d", len(s.list)), Source: "autopilot/01JHOST", Actor: "daemon:01JHOST",
		Aggregate: events.Run(s.ID), Time: made.Add(time.Duration(len(s.list)) * time.Second), Seq: uint64(len(s.list) + 1), Data: d,
	}
	if n := len(s.list); n > 0 {
		e.PrevHash = s.list[n-1].Hash
	}
	b, err := events.Encode(e)
	if err != nil {
		panic(err)
	}
	return s.raw(b)
}

// raw appends stored bytes, whatever they are.
func (s *story) raw(b []byte) *story {
	st := log.Stored{Subject: events.Run(s.ID).Subject(), Bytes: b, Hash: events.Hash(b)}
	if e, err := events.Decode(b); err == nil && e.Aggregate == events.Run(s.ID) {
		st.Event = e
	}
	s.list = append(s.list, st)
	return s
}

// started is a run that has begun.
func started(handle, state string) *story {
	return newStory(handle, state).add(events.RunStarted{Handle: handle, Project: "p", Phase: "work", Tree: "t0", Task: ref("task")})
}

// done is a run that is over after so many iterations.
func done(handle string, iterations int) *story {
	s := started(handle, "done")
	for i := range iterations {
		s.add(events.IterationStarted{Iteration: i + 1, Attempt: 1}).
			add(events.IterationRecorded{Iteration: i + 1, Verdict: events.Fail, Fingerprint: fmt.Sprint("f", i)})
	}
	return s.add(events.RunEnded{State: events.EndDone, Iteration: iterations})
}

// stored is what a log gives of it.
func (s *story) stored() iter.Seq2[log.Stored, error] {
	return func(yield func(log.Stored, error) bool) {
		for _, st := range s.list {
			var err error
			if st.Event.Seq == 0 {
				err = log.ErrDamaged
			}
			if !yield(st, err) {
				return
			}
		}
	}
}

// fold is its state.
func (s *story) fold() (out run.State) {
	for _, st := range s.list {
		out = run.Evolve(out, st.Event)
	}
	return out
}

func ref(text string) events.Ref { return events.Ref(sum([]byte(text))) }

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}

// write makes a bundle of runs and of texts under their own names.
func write(t testing.TB, m archive.Maker, runs []*story, texts ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := archive.NewWriter(&out, m)
	for _, s := range runs {
		must(t, w.Run(s.Run, s.stored()))
	}
	for _, text := range texts {
		must(t, w.Text(ref(text), []byte(text)))
	}
	got, err := w.Close()
	must(t, err)
	if string(got.SHA256) != sum(out.Bytes()) || got.Bytes != int64(out.Len()) {
		t.Fatalf("the sum is %s of %d bytes, of a file with %s and %d", got.SHA256, got.Bytes, sum(out.Bytes()), out.Len())
	}
	return out.Bytes()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file puts bytes into a file.
func file(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "bundle.zip")
	must(t, os.WriteFile(path, b, 0o600))
	return path
}

func openBundle(t testing.TB, b []byte) *archive.Bundle {
	t.Helper()
	got, err := archive.Open(file(t, b))
	must(t, err)
	t.Cleanup(func() { must(t, got.Close()) })
	return got
}

func openArchive(t testing.TB, dir string) *archive.Archive {
	t.Helper()
	a, err := archive.OpenArchive(dir, slog.New(slog.DiscardHandler))
	must(t, err)
	t.Cleanup(func() { must(t, a.Close()) })
	return a
}

// add takes a bundle in.
func add(t testing.TB, a *archive.Archive, b []byte, imported bool, at time.Time) archive.File {
	t.Helper()
	f, err := a.Add(context.Background(), incoming(t, a, b), imported, at)
	must(t, err)
	return f
}

func incoming(t testing.TB, a *archive.Archive, b []byte) string {
	t.Helper()
	tmp, err := a.Temp()
	must(t, err)
	_, err = tmp.Write(b)
	must(t, err)
	must(t, tmp.Close())
	return tmp.Name()
}

// all reads events, damaged ones too.
func all(t testing.TB, list iter.Seq2[log.Stored, error]) (out []string) {
	t.Helper()
	for st, err := range list {
		if st.Bytes == nil {
			t.Fatal(err)
		}
		if st.Hash != events.Hash(st.Bytes) {
			t.Errorf("event %d has another hash than its bytes", st.Event.Seq)
		}
		out = append(out, string(st.Bytes))
	}
	return out
}

func (s *story) bytes() (out []string) {
	for _, st := range s.list {
		out = append(out, string(st.Bytes))
	}
	return out
}

// parts are the entries of a bundle, to be made worse.
type parts struct {
	manifest archive.Manifest
	raw      string // in place of the manifest
	names    []string
	content  map[string][]byte
	twice    string // entry
}

func takeApart(t testing.TB, b []byte) *parts {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(b), int64(len(b)))
	must(t, err)
	p := &parts{content: map[string][]byte{}}
	for _, f := range z.File {
		r, err := f.Open()
		must(t, err)
		var out bytes.Buffer
		_, err = out.ReadFrom(r)
		must(t, err)
		p.names, p.content[f.Name] = append(p.names, f.Name), out.Bytes()
	}
	must(t, json.Unmarshal(p.content["manifest.json"], &p.manifest))
	return p
}

// put changes an entry, or adds one.
func (p *parts) put(name string, b []byte) {
	if !slices.Contains(p.names, name) {
		p.names = append(p.names, name)
	}
	p.content[name] = b
}

func (p *parts) drop(name string) {
	p.names = slices.DeleteFunc(p.names, func(n string) bool { return n == name })
}

// lines changes the events of the first run, and what the manifest says of the
// bytes with it.
func (p *parts) lines(change func([][]byte) [][]byte) {
	r := &p.manifest.Runs[0]
	name := "runs/" + r.ID + ".ndjson"
	list := bytes.SplitAfter(p.content[name], []byte("\n"))
	p.content[name] = bytes.Join(change(list[:len(list)-1]), nil)
	r.SHA256, r.Bytes = events.Digest(sum(p.content[name])), int64(len(p.content[name]))
}

func (p *parts) build(t testing.TB) []byte {
	t.Helper()
	b, err := json.Marshal(p.manifest)
	must(t, err)
	if p.raw != "" {
		b = []byte(p.raw)
	}
	p.content["manifest.json"] = b
	var out bytes.Buffer
	z := zip.NewWriter(&out)
	for _, name := range append(p.names, p.twice) {
		if name == "" {
			continue
		}
		w, err := z.Create(name)
		must(t, err)
		_, err = w.Write(p.content[name])
		must(t, err)
	}
	must(t, z.Close())
	return out.Bytes()
}
