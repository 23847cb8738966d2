package tracker

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"autopilot/events/wire"
)

func TestAGhThatHangsIsEndedWithWhatItStarted(t *testing.T) {
	note := filepath.Join(t.TempDir(), "pid")
	r := reader(t, "sh -c 'trap \"\" TERM; echo $$ > "+note+".new; mv "+note+".new "+note+"; while :; do sleep 1; done' & wait")
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() {
		_, err := r.Read(ctx, wire.Issue{Repository: "o/n", Number: 24})
		ended <- err
	}()
	var child string
	for range time.Tick(5 * time.Millisecond) {
		if b, err := os.ReadFile(note); err == nil {
			child = strings.TrimSpace(string(b))
			break
		}
	}
	cancel()
	if err := <-ended; err == nil {
		t.Error("it was read")
	}
	for range time.Tick(5 * time.Millisecond) {
		if line, err := os.ReadFile("/proc/" + child + "/cmdline"); err != nil || len(line) == 0 { // gone, or not yet buried
			return
		}
	}
}
