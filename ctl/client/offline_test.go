package client

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/test/proctest"
	"autopilot/events/wire"
)

func TestFindingsOfAnotherProcessAreReadWhateverItsExitCode(t *testing.T) {
	t.Parallel()
	exe := filepath.Join(t.TempDir(), "d")
	script := "#!/bin/sh\n[ \"$*\" = 'doctor --offline -C /w' ] || exit 2\necho '{\"findings\":[{\"topic\":\"git\",\"level\":\"error\",\"what\":\"x\"}]}'\nexit 1\n"
	if err := proctest.WriteProgram(exe, script); err != nil {
		t.Fatal(err)
	}
	v, err := examineBy(t.Context(), exe, "/w")
	if err != nil {
		t.Fatal(err)
	}
	want := wire.DoctorView{Findings: []wire.DoctorFinding{{Topic: "git", Level: "error", What: "x"}}}
	if diff := cmp.Diff(want, v); diff != "" {
		t.Error(diff)
	}
	if _, err := examineBy(t.Context(), exe, "/other"); code(err) != wire.Failed {
		t.Errorf("an answer that is none: %v", err)
	}
}
