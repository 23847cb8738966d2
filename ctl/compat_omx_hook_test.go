package ctl

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json/jsontext"
)

// broken is an input that fails.
type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("it broke") }

func TestO30WhateverAHostSendsItGetsOneLineOfJSON(t *testing.T) {
	t.Parallel()
	stop := `{"hook_event_name":"Stop","session_id":"s1"}`
	for name, c := range map[string]struct {
		in    io.Reader
		state string
		held  bool
	}{
		"a stop":                      {strings.NewReader(stop), `{"active":true,"current_phase":"ralplan"}`, true},
		"a stop without a state":      {strings.NewReader(stop), "", false},
		"a state that is cut":         {strings.NewReader(stop), `{"active":tr`, false},
		"a state that is a list":      {strings.NewReader(stop), `[]`, false},
		"a state of another session":  {strings.NewReader(stop), `{"active":true,"current_phase":"ralplan","session_id":"s2"}`, false},
		"nothing":                     {strings.NewReader(""), "", false},
		"no JSON":                     {strings.NewReader("x\x00\xff"), "", false},
		"an input that breaks":        {broken{}, "", false},
		"one byte after the other":    {iotest.OneByteReader(strings.NewReader(stop)), `{"active":true,"current_phase":"ralplan"}`, true},
		"more than a megabyte":        {strings.NewReader(`{"hook_event_name":"Stop","session_id":"s1","x":"` + strings.Repeat("x", 2<<20) + `"}`), `{"active":true,"current_phase":"ralplan"}`, false},
		"a directory that is none":    {strings.NewReader(`{"hook_event_name":"Stop","session_id":"s1","cwd":"/none/x"}`), `{"active":true,"current_phase":"ralplan"}`, false},
		"a directory with a NUL byte": {strings.NewReader(`{"hook_event_name":"Stop","session_id":"s1","cwd":"\u0000"}`), `{"active":true,"current_phase":"ralplan"}`, false},
		"a session that is a path":    {strings.NewReader(`{"hook_event_name":"SessionEnd","session_id":"../s1"}`), `{"active":true,"current_phase":"ralplan"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, nil, "compat", "omx", "hook")
			w.In = c.in
			path := filepath.Join(w.Dir, ".omx", "state", "sessions", "s1", "autopilot-state.json")
			if c.state != "" {
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(c.state), 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			code(t, w, 0)
			line := w.out.String()
			if strings.Count(line, "\n") != 1 || !jsontext.Value(line).IsValid() || w.err.Len() > 0 || strings.Contains(line, `"decision":"block"`) != c.held {
				t.Errorf("%q, stderr %q", line, w.err.String())
			}
			if c.state != "" {
				if now, err := os.ReadFile(path); err != nil || string(now) != c.state {
					t.Errorf("%v: the state is %s", err, now)
				}
			}
			if len(w.starts) > 0 {
				t.Error("a daemon was asked")
			}
		})
	}
}
