package transfer

import (
	"errors"
	"testing"

	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/disk"
	"autopilot/events/wire"
)

func TestAnImportThatWouldFillTheDiskIsRefused(t *testing.T) {
	t.Parallel()
	room := disk.Ballast{Dir: t.TempDir()}
	sum, m := wire.BundleSum{Bytes: 1 << 10}, archive.Manifest{Texts: []archive.Text{{Bytes: 1 << 10}}}
	if err := roomFor(room, sum, m); err != nil {
		t.Errorf("there is room: %v", err)
	}
	m.Texts[0].Bytes = 1 << 60
	err := roomFor(room, sum, m)
	if e, ok := errors.AsType[*wire.Error](err); !ok || e.Code != wire.Full {
		t.Errorf("there is no room: %v", err)
	}
}
