package daemon

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

func TestADaemonThatEndsLeavesAStatusLine(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.wants(s.play(s.spec("test -f ok", "touch ok")), "done")
	s.close()
	read := func() (v wire.LineView) {
		b, err := os.ReadFile(s.cfg.Places.LineFile())
		if err = errors.Join(err, json.Unmarshal(b, &v)); err != nil {
			t.Fatal(err)
		}
		return v
	}
	v := read()
	if v.Daemon != wire.LineIdle || v.Counts != (wire.Counts{Done: 1}) || v.Run != nil || v.At.IsZero() {
		t.Errorf("%+v", v)
	}
	s.open()
	if old := read(); old.Daemon != wire.LineOff || !old.At.Equal(v.At) {
		t.Errorf("while another daemon is, which may be killed: %+v", old)
	}
}

func TestADaemonThatEndsWithALiveRunLeavesNoStatusLine(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	id := s.start(s.spec("test -f ok", "sleep 600")).ID
	s.until(id, func(st run.State) bool { return st.Stage == run.Agent })
	s.close()
	if _, err := os.Stat(s.cfg.Places.LineFile()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is one: %v", err)
	}
	s.open()
	s.stop(id, events.StopCancel)
}
