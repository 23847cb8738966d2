package filestore_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/store/filestore"
)

func TestTheRecordsOfOneSubjectAreReadFromTheFiles(t *testing.T) {
	t.Parallel()
	for _, headers := range []bool{false, true} {
		streams, _ := fill(t, 20, headers)
		for _, c := range []struct {
			subject string
			behind  uint64
			want    []int // messages
		}{
			{"ev.0", 0, []int{0, 3, 6}},
			{"ev.1", 2, []int{4, 7}},
			{"ev.1", 3, []int{4}},
			{"ev.1", 17, []int{19}},
			{"ev.2", 0, nil},
		} {
			var want []filestore.Record
			for _, n := range c.want {
				want = append(want, filestore.Record{Position: uint64(n + 1), Subject: c.subject, Message: fmt.Appendf(nil, "message %d", n)})
			}
			got, err := filestore.Subject(streams, stream, c.subject, c.behind, len(want))
			if d := cmp.Diff(want, append([]filestore.Record(nil), got...)); err != nil || d != "" {
				t.Errorf("%+v: %v\n%s", c, err, d)
			}
		}
	}
}

func TestRecordsAreReadFromTheBlockOnThatHasThem(t *testing.T) {
	t.Parallel()
	const n = 27
	streams, _ := fillWith(t, n, true, func(i int) []byte { return bytes.Repeat([]byte{byte(i)}, 1<<20-100) })
	if blocks, err := filepath.Glob(filepath.Join(streams, stream, "msgs", "*.blk")); err != nil || len(blocks) < 3 {
		t.Fatalf("%d blocks, %v", len(blocks), err)
	}
	for behind := range uint64(n - 2) {
		want := (n - int(behind)) / 3
		subject := fmt.Sprintf("ev.%d", behind%3)
		got, err := filestore.Subject(streams, stream, subject, behind, want)
		if err != nil {
			t.Fatalf("behind %d: %v", behind, err)
		}
		for i, r := range got {
			if p := behind + 1 + 3*uint64(i); r.Position != p || r.Message[0] != byte(p-1) {
				t.Fatalf("behind %d record %d is that of position %d", behind, i, r.Position)
			}
		}
	}
}

func TestRecordsThatAreNotInTheFilesAreMissed(t *testing.T) {
	t.Parallel()
	cut := func(b []byte) []byte { return b[:len(b)-3] } // within message 19, of ev.1
	flip := func(n int) func([]byte) []byte {
		return func(b []byte) []byte { b[record(b, n+1)-1] ^= 1; return b }
	}
	for name, c := range map[string]struct {
		edit   func([]byte) []byte
		stream string
		n      int // records of ev.1, of which there are 7
		want   error
	}{
		"more than there are":               {nil, stream, 8, filestore.ErrShort},
		"no such stream":                    {nil, "AP_EVENTS_2", 1, filestore.ErrShort},
		"the last one is being written":     {cut, stream, 7, filestore.ErrShort},
		"those before one that is":          {cut, stream, 6, nil},
		"one is damaged":                    {flip(4), stream, 7, filestore.ErrDamaged},
		"those before one that is damaged":  {flip(4), stream, 1, nil},
		"one of another subject is damaged": {flip(3), stream, 7, nil},
		"a length is impossible":            {func(b []byte) []byte { copy(b[record(b, 3):], "\x01\x00\x00\x00"); return b }, stream, 7, filestore.ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			streams, _ := fill(t, 20, false)
			if c.edit != nil {
				edit(t, streams, c.edit)
			}
			got, err := filestore.Subject(streams, c.stream, "ev.1", 0, c.n)
			if !errors.Is(err, c.want) || err == nil && len(got) != c.n {
				t.Errorf("%d records, %v", len(got), err)
			}
		})
	}
}
