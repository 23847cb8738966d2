package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func read(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestEachCommandHasAPageAndEachShellItsCompletion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := run([]string{"-version", "1.2.3", "-date", "2026-01-02", dir}); err != nil {
		t.Fatal(err)
	}
	page := read(t, dir, "man1", "apctl-run.1")
	for _, want := range []string{`"autopilot 1.2.3"`, "--max-iterations", ".SH EXAMPLE"} {
		if !strings.Contains(page, want) {
			t.Errorf("apctl-run.1 lacks %q", want)
		}
	}
	for name, said := range map[string][]string{
		"apctl-run.1": {`\fB-a\fP, \fB--agent\fP \fINAME\fP` + "\n", `\fB--allow-test-changes\fP[=\fIGLOB\fP]` + "\n", `\fB--clean\fP` + "\n"},
	} {
		for _, want := range said {
			if !strings.Contains(read(t, dir, "man1", name), want) {
				t.Errorf("%s lacks %q", name, want)
			}
		}
	}
	if strings.Contains(page, `fP=""`) || strings.Contains(page, "=[]") || strings.Contains(page, "=false") {
		t.Error("empty defaults are shown")
	}
	for _, name := range []string{"apctl.1", "apctl-daemon-install.1", "apctl-replay.1"} {
		if read(t, dir, "man1", name) == "" {
			t.Errorf("%s is empty", name)
		}
	}
	for name, want := range map[string]string{"apctl.bash": "complete ", "_apctl": "#compdef apctl", "apctl.fish": "complete -c apctl"} {
		if !strings.Contains(read(t, dir, "completions", name), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	again := t.TempDir()
	if err := run([]string{"-version", "1.2.3", "-date", "2026-01-02", again}); err != nil {
		t.Fatal(err)
	}
	if read(t, again, "man1", "apctl-run.1") != page {
		t.Error("the same commands give another page")
	}
}

func TestBadArgumentsAreRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"a", "b"}, {"-date", "yesterday", t.TempDir()}, {"-none"}, {"/dev/null/x"}} {
		if run(args) == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
