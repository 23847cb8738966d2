package filestore_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/store/filestore"
)

// except are the positions from 1 to last but for some.
func except(last uint64, gone ...uint64) []uint64 {
	var out []uint64
	for i := uint64(1); i <= last; i++ {
		if !slices.Contains(gone, i) {
			out = append(out, i)
		}
	}
	return out
}

func TestWhatIsLeftOfAStoreIsReadAndWhatIsMissingSaid(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		damage func(*testing.T, string)
		left   []uint64
		from   []uint64 // first position of each hole
	}{
		"nothing is wrong": {func(*testing.T, string) {}, except(20), nil},
		"a flipped bit in a message": {func(t *testing.T, s string) {
			edit(t, s, func(b []byte) []byte { b[record(b, 4)+30] ^= 1; return b })
		}, except(20, 5), []uint64{5}},
		"a length that is too long": {func(t *testing.T, s string) {
			edit(t, s, func(b []byte) []byte { b[record(b, 4)+2] ^= 0xFF; return b })
		}, except(20, 5), []uint64{5}},
		"zeros over two records": {func(t *testing.T, s string) {
			edit(t, s, func(b []byte) []byte { clear(b[record(b, 4)+10 : record(b, 6)-3]); return b })
		}, except(20, 5, 6), []uint64{5}},
		"a record is gone": {func(t *testing.T, s string) {
			edit(t, s, func(b []byte) []byte { return slices.Delete(b, record(b, 4), record(b, 5)) })
		}, except(20, 5), []uint64{5}},
		"two places": {func(t *testing.T, s string) {
			edit(t, s, func(b []byte) []byte { b[record(b, 1)+30] ^= 1; b[record(b, 9)+30] ^= 1; return b })
		}, except(20, 2, 10), []uint64{2, 10}},
		"the first records": {func(t *testing.T, s string) {
			edit(t, s, func(b []byte) []byte { return b[record(b, 3):] })
		}, except(20, 1, 2, 3), []uint64{1}},
		"cut off in a record": {func(t *testing.T, s string) {
			edit(t, s, func(b []byte) []byte { return b[:record(b, 15)+9] })
		}, except(15), []uint64{16}},
		"empty": {func(t *testing.T, s string) { edit(t, s, func([]byte) []byte { return nil }) }, nil, []uint64{1}},
		"a record twice": {func(t *testing.T, s string) {
			edit(t, s, func(b []byte) []byte { return append(b, b[record(b, 19):]...) })
		}, except(20), []uint64{21}},
		"a block is a directory": {func(t *testing.T, s string) {
			remove(t, block(s))
			if err := os.Mkdir(block(s), 0o700); err != nil {
				t.Fatal(err)
			}
		}, nil, []uint64{1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			streams, mark := fill(t, 20, false)
			tt.damage(t, streams)
			var left, from []uint64
			holes, err := filestore.Salvage(streams, mark, func(r filestore.Record) error { left = append(left, r.Position); return nil })
			if err != nil {
				t.Fatal(err)
			}
			for _, h := range holes {
				from = append(from, h.From)
			}
			if d := cmp.Diff([][]uint64{tt.left, tt.from}, [][]uint64{left, from}); d != "" {
				t.Errorf("left and holes (-want +got): %s\n%v", d, holes)
			}
			if (filestore.Holes(holes) == "") != (len(tt.from) == 0) {
				t.Errorf("said: %q", filestore.Holes(holes))
			}
		})
	}
}

func TestWithoutAMarkTheLatestGenerationIsRead(t *testing.T) {
	t.Parallel()
	streams, mark := fill(t, 3, true)
	if err := os.WriteFile(mark, []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{"AP_EVENTS_0", "other"} {
		if err := os.Mkdir(filepath.Join(streams, other), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	holes, err := filestore.Salvage(streams, mark, func(filestore.Record) error { n++; return nil })
	if err != nil || n != 3 || len(holes) != 0 {
		t.Errorf("%d records, holes %v, %v", n, holes, err)
	}
	if _, err := filestore.Salvage(t.TempDir(), mark, nil); !errors.Is(err, filestore.ErrNothing) {
		t.Errorf("an empty directory: %v", err)
	}
	if _, err := filestore.Salvage(filepath.Join(t.TempDir(), "no"), mark, nil); !errors.Is(err, filestore.ErrNothing) {
		t.Errorf("no directory: %v", err)
	}
}

func TestWhoReadsWhatIsLeftMayEndIt(t *testing.T) {
	t.Parallel()
	streams, mark := fill(t, 5, false)
	enough, n := errors.New("enough"), 0
	_, err := filestore.Salvage(streams, mark, func(filestore.Record) error { n++; return enough })
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("%d records, %v", n, err)
	}
}
