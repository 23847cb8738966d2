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
	b, err := os.ReadFile(s.cfg.Places.LineFile())
	if err != nil {
		t.Fatal(err)
	}
	var v wire.LineView
	if err := json.Unmarshal(b, &v); err != nil || v.Daemon != wire.LineIdle || v.Counts != (wire.Counts{Done: 1}) || v.Run != nil || v.At.IsZero() {
		t.Errorf("%+v, %v", v, err)
	}
	s.open()
	if _, err := os.Stat(s.cfg.Places.LineFile()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is there while a daemon is: %v", err)
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
