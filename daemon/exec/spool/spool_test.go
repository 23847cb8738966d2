package spool_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"autopilot/daemon/exec/spool"
)

func open(t rapid.TB, dir string) *spool.Reader {
	t.Helper()
	r, err := spool.Open(dir, "out")
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// model is what a spool keeps of all bytes that were written.
type model struct {
	all        []byte
	head, tail int64
}

func (m model) kept() (head, from int64) {
	total := int64(len(m.all))
	head = min(total, m.head)
	return head, max(head, total-m.tail)
}

func TestAnyWritesKeepHeadAndTail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		os.Remove(filepath.Join(dir, "out.tail"))
		m := model{head: rapid.Int64Range(0, 40).Draw(t, "head"), tail: rapid.Int64Range(0, 40).Draw(t, "tail")}
		w, err := spool.Create(dir, "out", m.head, m.tail)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		r := open(t, dir)
		defer r.Close()
		for _, n := range rapid.SliceOfN(rapid.IntRange(0, 100), 0, 12).Draw(t, "writes") {
			part := make([]byte, n)
			for i := range part {
				part[i] = byte(len(m.all) + i)
			}
			m.all = append(m.all, part...)
			w.Append(part)
			m.check(t, r, w)
		}
	})
}

func (m model) check(t *rapid.T, r *spool.Reader, w *spool.Writer) {
	head, from := m.kept()
	total := int64(len(m.all))
	if w.Total() != total || w.Truncated() != (from > head) || w.Err() != nil {
		t.Fatalf("writer: %d %v %v, want %d", w.Total(), w.Truncated(), w.Err(), total)
	}
	if m.tail == 0 {
		from, total = head, head // without a ring nobody counts the rest
	}
	x, err := r.Extent()
	if err != nil || x != (spool.Extent{Head: head, From: from, Total: total}) {
		t.Fatalf("extent: %+v %v, want %d %d %d", x, err, head, from, total)
	}
	off := rapid.Int64Range(0, total+1).Draw(t, "offset")
	want := off
	if off >= head && off < from {
		want = from
	}
	b, at, err := r.Read(off, 1<<20)
	if err != nil || at != want || !bytes.HasPrefix(m.all[min(want, total):], b) || (want < total) != (len(b) > 0) {
		t.Fatalf("read at %d: %d bytes at %d, %v", off, len(b), at, err)
	}
	n := rapid.Int64Range(0, 200).Draw(t, "n")
	b, err = r.Tail(n)
	keep := total
	if from > head {
		keep = total - from
	}
	if err != nil || !bytes.Equal(b, m.all[total-min(n, keep):total]) {
		t.Fatalf("tail of %d: %v, %v", n, b, err)
	}
	out, err := r.Output(n)
	size := int64(len(out.Head) + len(out.Tail))
	if err != nil || size > n || size+out.Gap != total || size != min(n, head+total-from) ||
		!bytes.HasPrefix(m.all, out.Head) || !bytes.HasSuffix(m.all[:total], out.Tail) {
		t.Fatalf("output of %d: %+v, %v", n, out, err)
	}
}

func TestReaderBesideAWriterSeesOnlyWholeBytes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := spool.Create(dir, "out", 100, 3000)
	if err != nil {
		t.Fatal(err)
	}
	const rounds, size = 4000, 251 // of a pattern that gives each offset its byte
	block := make([]byte, size)
	for i := range block {
		block[i] = byte(i)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range rounds {
			w.Append(block)
		}
		w.Close()
	}()
	r := open(t, dir)
	defer r.Close()
	var off int64
	for over := false; ; {
		b, at, err := r.Read(off, 700)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range b {
			if want := byte((at + int64(i)) % size); c != want {
				t.Fatalf("byte at %d is %d, want %d", at+int64(i), c, want)
			}
		}
		off = at + int64(len(b))
		if len(b) > 0 {
			continue
		}
		if over {
			break
		}
		select {
		case <-done:
			over = true
		default:
		}
	}
	if off != rounds*size {
		t.Errorf("read up to %d, want %d", off, rounds*size)
	}
}

func TestDiskErrorsAreKeptAndNeverReachTheProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w, err := spool.Create(dir, "out", 2, 10)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "out.tail.new"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.Append([]byte("abcd"))
	}
	if w.Err() == nil || !w.Truncated() || w.Total() != 12 {
		t.Errorf("writer: %v %v %d", w.Err(), w.Truncated(), w.Total())
	}
	r := open(t, dir)
	defer r.Close()
	if b, err := r.Tail(100); err != nil || string(b) != "ab" {
		t.Errorf("what was kept: %q, %v", b, err)
	}
}

func TestDamagedRingIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := spool.Open(dir, "out"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing spool: %v", err)
	}
	for name, ring := range map[string][]byte{
		"short": []byte("x"), "zero": make([]byte, 64), "full": bytes.Repeat([]byte{0xff}, 64),
	} {
		for file, content := range map[string][]byte{"out": []byte("ab"), "out.tail": ring} {
			if err := os.WriteFile(filepath.Join(dir, file), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r := open(t, dir)
		if _, _, err := r.Read(0, 10); err == nil {
			t.Errorf("%s ring was accepted", name)
		}
		r.Close()
	}
}
