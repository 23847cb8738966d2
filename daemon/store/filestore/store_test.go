package filestore_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/goleak"

	"autopilot/daemon/store/filestore"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const stream = "AP_EVENTS_1"

// fill writes n messages with a real server, and marks each.
func fill(t *testing.T, n int, headers bool) (streams, mark string) {
	t.Helper()
	return fillWith(t, n, headers, func(i int) []byte { return fmt.Appendf(nil, "message %d", i) })
}

func fillWith(t *testing.T, n int, headers bool, message func(int) []byte) (streams, mark string) {
	t.Helper()
	dir := t.TempDir()
	s, err := server.NewServer(&server.Options{
		DontListen: true, NoSigs: true, NoLog: true, JetStream: true, StoreDir: dir, SyncAlways: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer func() { s.Shutdown(); s.WaitForShutdown() }()
	nc, err := nats.Connect("nats://127.0.0.1", nats.InProcessServer(s))
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if _, err := js.CreateStream(ctx, jetstream.StreamConfig{Name: stream, Subjects: []string{"ev.>"}, Storage: jetstream.FileStorage}); err != nil {
		t.Fatal(err)
	}
	mark = filepath.Join(dir, "mark")
	m, err := filestore.OpenMark(mark, false, "boot")
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		msg := &nats.Msg{Subject: fmt.Sprintf("ev.%d", i%3), Data: message(i)}
		if headers {
			msg.Header = nats.Header{"A": {"b"}}
		}
		ack, err := js.PublishMsg(ctx, msg)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Set(filestore.Position{Stream: stream, Last: ack.Sequence}); err != nil {
			t.Fatal(err)
		}
	}
	// Not closed: as after a SIGKILL.
	return filepath.Join(dir, "jetstream", "$G", "streams"), mark
}

func block(streams string) string { return filepath.Join(streams, stream, "msgs", "1.blk") }

// edit changes the first block.
func edit(t *testing.T, streams string, f func([]byte) []byte) {
	t.Helper()
	b, err := os.ReadFile(block(streams))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(block(streams), f(b), 0o600); err != nil {
		t.Fatal(err)
	}
}

// record is the offset of the n-th record.
func record(b []byte, n int) int {
	at := 0
	for range n {
		at += int(binary.LittleEndian.Uint32(b[at:]) &^ (1 << 31))
	}
	return at
}

func TestASoundStorePasses(t *testing.T) {
	t.Parallel()
	for _, headers := range []bool{false, true} {
		streams, mark := fill(t, 20, headers)
		if err := filestore.Check(streams, mark, "boot", true); err != nil {
			t.Errorf("headers %v: %v", headers, err)
		}
	}
}

func TestWhatWasAcknowledgedAndIsNotThereIsSaid(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		damage func(t *testing.T, streams string)
		from   uint64 // first position that cannot be read
	}{
		"a flipped length": {func(t *testing.T, streams string) {
			edit(t, streams, func(b []byte) []byte { b[record(b, 9)] ^= 1; return b })
		}, 10},
		"a flipped byte of a message": {func(t *testing.T, streams string) {
			edit(t, streams, func(b []byte) []byte { b[record(b, 4)+30] ^= 1; return b })
		}, 5},
		"a flipped position": {func(t *testing.T, streams string) {
			edit(t, streams, func(b []byte) []byte { b[record(b, 4)+4] ^= 1; return b })
		}, 5},
		"a cut file": {func(t *testing.T, streams string) {
			edit(t, streams, func(b []byte) []byte { return b[:record(b, 12)] })
		}, 13},
		"a last record that is cut off": {func(t *testing.T, streams string) {
			edit(t, streams, func(b []byte) []byte { return b[:len(b)-3] })
		}, 20},
		"a removed record": {func(t *testing.T, streams string) {
			edit(t, streams, func(b []byte) []byte { return append(b[:record(b, 5)], b[record(b, 6):]...) })
		}, 6},
		"an empty block": {func(t *testing.T, streams string) {
			edit(t, streams, func([]byte) []byte { return nil })
		}, 1},
		"a removed block":  {func(t *testing.T, streams string) { remove(t, block(streams)) }, 1},
		"a removed stream": {func(t *testing.T, streams string) { remove(t, filepath.Join(streams, stream)) }, 1},
		"a removed store":  {func(t *testing.T, streams string) { remove(t, streams) }, 1},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			streams, mark := fill(t, 20, false)
			tt.damage(t, streams)
			before, _ := os.ReadFile(block(streams))
			err := filestore.Check(streams, mark, "boot", false)
			d, ok := errors.AsType[*filestore.DamagedError](err)
			if !ok || !errors.Is(err, filestore.ErrDamaged) {
				t.Fatalf("error %v, want a DamagedError", err)
			}
			if d.From != tt.from || d.Marked != 20 {
				t.Errorf("from %d of %d, want %d of 20: %v", d.From, d.Marked, tt.from, err)
			}
			if after, _ := os.ReadFile(block(streams)); string(after) != string(before) {
				t.Error("the check changed the store")
			}
		})
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func TestAWriteThatWasCutOffIsNoDamage(t *testing.T) {
	t.Parallel()
	streams, mark := fill(t, 20, false)
	edit(t, streams, func(b []byte) []byte { return append(b, b[:record(b, 1)-5]...) })
	if err := filestore.Check(streams, mark, "boot", false); err != nil {
		t.Error(err)
	}
}

func TestAStoreThatIsNotSyncedMayLoseItsEndWithThePower(t *testing.T) {
	t.Parallel()
	streams, mark := fill(t, 20, false)
	m, err := filestore.OpenMark(mark, true, "boot")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Set(filestore.Position{Stream: stream, Last: 21}); err != nil {
		t.Fatal(err)
	}
	if err := filestore.Check(streams, mark, "boot", false); !errors.Is(err, filestore.ErrDamaged) {
		t.Errorf("same boot: %v, want damage", err)
	}
	if err := filestore.Check(streams, mark, "another", false); err != nil {
		t.Errorf("another boot: %v", err)
	}
	if err := m.Close(-1); err != nil {
		t.Fatal(err)
	}
}

func TestACleanEndIsTakenByItsSizeUnlessAskedForMore(t *testing.T) {
	t.Parallel()
	streams, mark := fill(t, 20, false)
	m, err := filestore.OpenMark(mark, false, "boot")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Set(filestore.Position{Stream: stream, Last: 20}); err != nil {
		t.Fatal(err)
	}
	n, err := filestore.BlockBytes(streams, stream)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(n); err != nil {
		t.Fatal(err)
	}
	edit(t, streams, func(b []byte) []byte { b[record(b, 4)+30] ^= 1; return b })
	if err := filestore.Check(streams, mark, "boot", false); err != nil {
		t.Errorf("quick: %v", err)
	}
	if err := filestore.Check(streams, mark, "boot", true); !errors.Is(err, filestore.ErrDamaged) {
		t.Errorf("deep: %v, want damage", err)
	}
}

func TestWithoutAMarkNothingIsClaimed(t *testing.T) {
	t.Parallel()
	if err := filestore.Check(t.TempDir(), filepath.Join(t.TempDir(), "mark"), "boot", true); err != nil {
		t.Error(err)
	}
	blank := filepath.Join(t.TempDir(), "mark")
	if err := os.WriteFile(blank, make([]byte, 128), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := filestore.Check(t.TempDir(), blank, "boot", true); err != nil {
		t.Error(err)
	}
	junk := filepath.Join(t.TempDir(), "mark")
	if err := os.WriteFile(junk, []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := filestore.Check(t.TempDir(), junk, "boot", true); !errors.Is(err, filestore.ErrMark) {
		t.Errorf("a mark that cannot be read: %v", err)
	}
	if err := filestore.Check(t.TempDir(), t.TempDir(), "boot", true); !errors.Is(err, filestore.ErrMark) {
		t.Errorf("a mark that is a directory: %v", err)
	}
}
