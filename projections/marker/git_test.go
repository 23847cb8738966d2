package marker_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"autopilot/projections/marker"
)

func TestS54WhatPointsGitAtARepositoryIsLeftOut(t *testing.T) {
	t.Parallel()
	environ := []string{"PATH=/bin", "GIT_DIR=/other/.git", "GIT_AUTHOR_NAME=a", "GIT_INDEX_FILE=", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_SSH_COMMAND=ssh", "GIT_WORK_TREE=/other", "ODD"}
	want := []string{"PATH=/bin", "GIT_AUTHOR_NAME=a", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_SSH_COMMAND=ssh", "ODD"}
	if d := cmp.Diff(want, marker.WithoutRepository(environ)); d != "" || environ[1] != "GIT_DIR=/other/.git" {
		t.Errorf("%s %v", d, environ)
	}
}

// What git itself takes for belonging to one repository, less the settings that
// were given for one command alone.
func TestS54TheListIsThatOfGit(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("git", "rev-parse", "--local-env-vars").Output()
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]bool{"GIT_CONFIG_PARAMETERS": true, "GIT_CONFIG_COUNT": true, "GIT_NO_REPLACE_OBJECTS": true}
	for _, name := range strings.Fields(string(out)) {
		if !settings[name] && !marker.Repository(name) {
			t.Errorf("%s points git at a repository", name)
		}
	}
}
