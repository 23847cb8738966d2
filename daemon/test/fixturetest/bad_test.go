//go:build linux

package fixturetest

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
)

// TestAFullSpoolDirectoryStopsNoAgent puts a device that is always full in the
// place of the spool.
func TestAFullSpoolDirectoryStopsNoAgent(t *testing.T) {
	t.Parallel()
	full := filepath.Join(t.TempDir(), "apshim")
	script := "#!/bin/sh\nln -s /dev/full \"$1/output\"\nexec " + apshim + " \"$@\"\n"
	if err := proctest.WriteProgram(full, script); err != nil {
		t.Fatal(err)
	}
	p := play(t, fixture{name: "stderr-flood", format: stream.Claude, wall: time.Minute, supervisor: full})
	if p.out.Outcome != events.Exited || p.out.Exit != 0 || !p.out.Truncated || p.out.Bytes < 64<<20 {
		t.Errorf("the agent ended as %+v, want exit 0 with its output counted", p.out)
	}
	if !strings.Contains(p.out.Err, "no space left") {
		t.Errorf("it is not said why there is no output: %q", p.out.Err)
	}
	if p.used.TokensFrom != events.SourceUnknown {
		t.Errorf("it used %+v, which nobody can know", p.used)
	}
}

func TestTwoAgentsOfOneSessionAreMeteredEachByItself(t *testing.T) {
	t.Parallel()
	var both [2]*played
	var wg sync.WaitGroup
	for i := range both {
		wg.Go(func() {
			both[i] = play(t, fixture{name: "ok-claude", format: stream.Claude, wall: time.Minute})
		})
	}
	wg.Wait()
	for _, p := range both {
		if p.sum.Session != "7b0c" || p.used.Tokens() != 120+1600+221 || p.got != progress {
			t.Errorf("%s of session %q used %+v", p.got, p.sum.Session, p.used)
		}
	}
}

func TestB7APromptOf3MiBThatBeginsWithDashesIsRead(t *testing.T) {
	t.Parallel()
	prompt := append([]byte("--help\x00"), bytes.Repeat([]byte("x"), 3<<20)...)
	p := play(t, fixture{name: "counts-prompt", format: stream.Text, wall: time.Minute, prompt: prompt})
	if out, err := p.output(); err != nil || strings.TrimSpace(out) != fmt.Sprint(len(prompt)) || p.got != progress {
		t.Errorf("it ended as %s and read %q bytes, %v, want %d", p.got, out, err, len(prompt))
	}
}
