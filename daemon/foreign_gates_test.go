package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// gatesSite has a run whose gates wait, in one iteration, for a person to change files.
// The gate runs the given command, and passes if never.txt exists. It returns the run,
// and lets the gate go on after does.
func gatesSite(t *testing.T, iteration, gate string, does func(*site)) (*site, run.State) {
	t.Helper()
	s := flowSite(t, oneAtATime)
	s.write(map[string]string{"main.go": "package main\n", "main_test.go": "package main\n", "lib/a.txt": "a\n"})
	s.git("add", "-A")
	s.git("commit", "-qm", "files")
	none := -time.Second // the clock of a file system is a little behind
	s.close()
	s.cfg.Late = &none
	s.open()
	on := filepath.Join(s.cfg.Home, "on")
	id := s.start(s.flowSpec("onebyone", "echo $AUTOPILOT_ITERATION >>own.txt", func(r *wire.RunSpec) {
		r.Gates = []wire.GateSpec{{Name: "goal", Role: events.RoleGoal, Command: "if test $(cat own.txt 2>/dev/null | wc -l) -ge " + iteration + "; then echo waits; while ! test -e " +
			on + "; do sleep 0.02; done; fi; " + gate + "; test -f never.txt"}}
	})).ID
	st := s.until(id, func(st run.State) bool {
		return settled(st) || st.Stage == run.Gates && strconv.Itoa(st.Last.Gates.Iteration) == iteration
	})
	s.printed(st.Last.Gates.Effects[0].Effect, "waits")
	does(s)
	s.must(os.WriteFile(on, nil, 0o600))
	return s, s.until(id, settled)
}

const oneAtATime = `name: onebyone
version: 1
phases: [{name: work, prompt: converge.md, gates: [goals, protected]}]
limits: {iterations: 2}
`

func (s *site) diffed(id, span string) string {
	s.t.Helper()
	var out strings.Builder
	s.must(s.d.api.RunDiff(s.t.Context(), s.request(), wire.DiffRequest{RunRef: wire.RunRef{Run: id}, Range: span}, func(piece wire.Raw) error {
		_, err := out.Write(piece)
		return err
	}))
	return out.String()
}

// Field reports, B.4 61: edits of others in the same checkout, here while gates run.
func TestWhatAPersonDoesWhileGatesRunHaltsTheRunAndIsNotTheAgents(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		iteration string
		gate      string
		does      func(*site)
		files     []string // of the halt; nil: it goes on
	}{
		"nothing":         {"1", ":", func(*site) {}, nil},
		"an edit":         {"1", ":", func(s *site) { s.write(map[string]string{"main.go": "package other\n"}) }, []string{"main.go"}},
		"in the baseline": {"0", ":", func(s *site) { s.write(map[string]string{"main.go": "package other\n"}) }, []string{"main.go"}},
		"a file gone":     {"1", ":", func(s *site) { s.must(os.Remove(filepath.Join(s.work, "lib/a.txt"))) }, []string{"lib/a.txt"}},
		"a new file":      {"1", ":", func(s *site) { s.write(map[string]string{"new.txt": "new\n"}) }, nil},
		"a gate that writes": {
			"1", "test -f own.txt && echo formatted >lib/a.txt", func(*site) {}, nil,
		},
		"a gate that writes, and an edit": {
			"1", "test -f own.txt && echo formatted >lib/a.txt", func(s *site) { s.write(map[string]string{"main.go": "package other\n"}) }, []string{"main.go"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, st := gatesSite(t, tt.iteration, tt.gate, tt.does)
			if tt.files == nil {
				s.wants(st, "halted:iterations")
				return
			}
			s.wants(st, "halted:foreign-change")
			w := s.why(st.ID)
			if !slices.Equal(w.Files, tt.files) {
				t.Errorf("files %q, want %q: %s", w.Files, tt.files, w.Because)
			}
			if d := s.diffed(st.ID, ""); strings.Contains(d, tt.files[0]) || strings.Contains(d, "own.txt") != (tt.iteration == "1") {
				t.Errorf("the diff of the run: %s", d)
			}
			if d := s.diffed(st.ID, tt.iteration+"..now"); !strings.Contains(d, tt.files[0]) || strings.Contains(d, "own.txt") {
				t.Errorf("what the others did: %s", d)
			}
			if v := s.resumes(st); !slices.Equal(v.Changed, tt.files) {
				t.Errorf("told of %q", v.Changed)
			}
			st = s.until(st.ID, settled)
			s.wants(st, "halted:iterations")
			want := 1 // own.txt
			if strings.Contains(tt.gate, "lib/a.txt") {
				want++
			}
			if n := st.Last.Agent.Files; n != want {
				t.Errorf("%d files changed by the run, want %d", n, want)
			}
			for _, span := range []string{"", "1", "2"} {
				if d := s.diffed(st.ID, span); strings.Contains(d, tt.files[0]) || !strings.Contains(d, "own.txt") {
					t.Errorf("the diff of %q at the end: %s", span, d)
				}
			}
		})
	}
}

// A person edits a test before any work: nobody of the run has touched the
// pinned file, so no gate is blamed for it.
func TestAPinnedFileThatAPersonChangesDuringTheBaselineIsForeign(t *testing.T) {
	t.Parallel()
	s, st := gatesSite(t, "0", ":", func(s *site) { s.write(map[string]string{"main_test.go": "package other\n"}) })
	s.wants(st, "halted:foreign-change")
	if w := s.why(st.ID); !slices.Equal(w.Files, []string{"main_test.go"}) {
		t.Errorf("files %q: %s", w.Files, w.Because)
	}
	_, err := s.d.api.RunResume(t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: st.ID}})
	if err == nil || !strings.Contains(err.Error(), "pins main_test.go") {
		t.Errorf("the resume over it: %v", err)
	}
	s.write(map[string]string{"main_test.go": "package main\n"})
	s.resumes(st)
	s.wants(s.until(st.ID, settled), "halted:iterations")
}
