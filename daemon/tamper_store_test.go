package daemon

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/minio/highwayhash"

	"autopilot/daemon/store/filestore"
	"autopilot/events"
)

// storedRecord is a record of a block, as the server writes it.
type storedRecord struct {
	time    uint64
	subject string
	header  []byte // with its length
	message []byte
}

// tampered is a copy of a state directory that somebody changes, who knows how
// the server writes its files.
type tampered struct {
	t       *testing.T
	state   string
	records []storedRecord
}

const (
	frameHead = 22
	frameSum  = 8
	framed    = 1 << 31 // the length is of a record with a header
)

func (x *tampered) block() string {
	return filepath.Join(filestore.StreamsIn(x.state), "AP_EVENTS_1", "msgs", "1.blk")
}

func (x *tampered) path(name string) string { return filepath.Join(x.state, name) }

func (x *tampered) load() {
	x.t.Helper()
	b, err := os.ReadFile(x.block())
	if err != nil {
		x.t.Fatal(err)
	}
	for len(b) > 0 {
		length := binary.LittleEndian.Uint32(b)
		n, subject := length&^framed, int(binary.LittleEndian.Uint16(b[20:]))
		r := storedRecord{time: binary.LittleEndian.Uint64(b[12:]), subject: string(b[frameHead : frameHead+subject])}
		rest := slices.Clone(b[frameHead+subject : n-frameSum])
		if length&framed != 0 {
			header := 4 + int(binary.LittleEndian.Uint32(rest))
			r.header, rest = rest[:header], rest[header:]
		}
		r.message = rest
		x.records = append(x.records, r)
		b = b[n:]
	}
}

// save writes the records at positions from 1 on, with sound checksums.
func (x *tampered) save() {
	x.t.Helper()
	key := sha256.Sum256([]byte("AP_EVENTS_1-1"))
	h, err := highwayhash.New64(key[:])
	if err != nil {
		x.t.Fatal(err)
	}
	var out []byte
	for i, r := range x.records {
		n := uint32(frameHead + len(r.subject) + len(r.header) + len(r.message) + frameSum)
		if r.header != nil {
			n |= framed
		}
		b := binary.LittleEndian.AppendUint32(nil, n)
		b = binary.LittleEndian.AppendUint64(b, uint64(i)+1)
		b = binary.LittleEndian.AppendUint64(b, r.time)
		b = binary.LittleEndian.AppendUint16(b, uint16(len(r.subject)))
		h.Reset()
		h.Write(b[4:20])
		h.Write([]byte(r.subject))
		if r.header != nil {
			h.Write(r.header[4:])
		}
		h.Write(r.message)
		b = append(append(append(b, r.subject...), r.header...), r.message...)
		out = append(out, h.Sum(b)...)
	}
	x.write(x.block(), out)
}

func (x *tampered) write(path string, b []byte) {
	x.t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		x.t.Fatal(err)
	}
}

func (x *tampered) edit(path string, f func([]byte) []byte) {
	x.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		x.t.Fatal(err)
	}
	x.write(path, f(b))
}

func (x *tampered) remove(path string) {
	x.t.Helper()
	if err := os.RemoveAll(path); err != nil {
		x.t.Fatal(err)
	}
}

// find is the index of event seq of an aggregate; 0 is its last.
func (x *tampered) find(agg events.Aggregate, seq uint64) int {
	x.t.Helper()
	found := -1
	for i, r := range x.records {
		if r.subject != agg.Subject() {
			continue
		}
		if found = i; x.event(i).Seq == seq {
			break
		}
	}
	if found < 0 {
		x.t.Fatalf("%s has no event %d", agg, seq)
	}
	return found
}

func (x *tampered) event(i int) events.Event {
	x.t.Helper()
	e, err := events.Decode(x.records[i].message)
	if err != nil {
		x.t.Fatal(err)
	}
	return e
}

// change changes who an event says has done it.
func (x *tampered) change(i int) {
	x.t.Helper()
	text := string(x.records[i].message)
	changed := strings.Replace(text, `"actor":"`, `"actor":"x`, 1)
	if changed == text {
		x.t.Fatalf("event %s has no actor", text)
	}
	x.records[i].message = []byte(changed)
}

// chain makes the hash chain of an aggregate right again.
func (x *tampered) chain(agg events.Aggregate) {
	x.t.Helper()
	before, seq := "", uint64(0)
	for i, r := range x.records {
		if r.subject != agg.Subject() {
			continue
		}
		e := x.event(i)
		seq++
		e.Seq, e.PrevHash = seq, before
		b, err := events.Encode(e)
		if err != nil {
			x.t.Fatal(err)
		}
		x.records[i].message, before = b, events.Hash(b)
	}
}

// copyOf copies a state directory as it is: as a daemon leaves it that is killed
// now.
func copyOf(t *testing.T, state string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "state")
	entries, err := os.ReadDir(state)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		from, err := filepath.Join(state, e.Name()), error(nil)
		switch {
		case e.Name() == "lock":
		case e.IsDir():
			err = os.CopyFS(filepath.Join(to, e.Name()), os.DirFS(from))
		default:
			var b []byte
			if b, err = os.ReadFile(from); err == nil {
				err = errors.Join(os.MkdirAll(to, 0o700), os.WriteFile(filepath.Join(to, e.Name()), b, 0o600))
			}
		}
		if err != nil {
			t.Fatal(fmt.Errorf("copy %s: %w", e.Name(), err))
		}
	}
	return to
}
