package daemon

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/auth"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// secretWord stands in every held-out file.
const secretWord = "zanzibar"

// held makes a folder of held-out files that judge add.sh in three cases.
func held(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "coffer")
	if err := writeFile(filepath.Join(dir, "vault/hidden.sh"), `# `+secretWord+`
n=0; bad=0; echo 1..3
while read a b want; do
  n=$((n+1))
  if [ "$(sh ./add.sh $a $b)" = "$want" ]; then echo "ok $n - `+secretWord+` $a $b"; else echo "not ok $n - `+secretWord+` $a $b"; bad=1; fi
done <<END
1 2 3
2 2 4
5 7 12
END
exit $bad
`); err != nil {
		t.Fatal(err)
	}
	return dir
}

func holdsOut(dir, command string) func(*wire.RunSpec) {
	return func(r *wire.RunSpec) {
		r.Sandbox = events.SandboxGuard
		r.Holdout = wire.HoldoutSpec{Dir: dir, Gates: []wire.GateSpec{{Name: "accept", Command: command}}}
	}
}

const (
	visible   = `test "$(sh ./add.sh 1 2)" = 3`
	acceptRun = "sh vault/hidden.sh"
	special   = `echo 'echo 3' > add.sh`
	general   = `echo 'echo $(($1 + $2))' > add.sh`
)

func TestCodeThatSpecialCasesItsTestsFailsTheHeldOutGate(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec(visible, `cat > prompt.$AUTOPILOT_ITERATION; if [ $AUTOPILOT_ITERATION = 1 ]; then `+special+`; else `+general+`; fi`,
		holdsOut(held(t), acceptRun)))
	s.wants(st, "done")
	if st.Loop.Iteration != 2 {
		t.Errorf("done after iteration %d", st.Loop.Iteration)
	}
	first, second := s.read("prompt.1"), s.read("prompt.2")
	if !strings.Contains(second, "Held-out gate accept: failed (2 of 3)") || !strings.Contains(first, "accept") {
		t.Errorf("the agent was told:\n%s", second)
	}
	for _, word := range []string{secretWord, "hidden", "vault", "coffer"} {
		if strings.Contains(first+second, word) {
			t.Errorf("the agent was told of %s:\n%s%s", word, first, second)
		}
	}
	for _, path := range []string{"vault", "hidden.sh"} {
		if _, err := os.Lstat(filepath.Join(s.work, path)); err == nil {
			t.Errorf("%s is in the work tree", path)
		}
	}
	s.noCheckout()
}

// TestWhatIsHeldOutIsFoundNowhere lets an agent look for it, at the start and after a
// round of held-out gates, and code under test carry it away.
func TestWhatIsHeldOutIsFoundNowhere(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	dir := held(t)
	treasure := "treasure-" + filepath.Base(filepath.Dir(t.TempDir())) // its own, whatever else lies about on the host
	if err := os.Rename(filepath.Join(dir, "vault/hidden.sh"), filepath.Join(dir, "vault", treasure+".sh")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out")
	steal := `echo 3; for to in ` + out + ` /tmp/stolen-$$ /var/tmp/stolen-$$ /dev/shm/stolen-$$ ./stolen ignored/stolen "$HOME/stolen" "${GOCACHE:-.}/stolen" "$XDG_CACHE_HOME/stolen" ` + s.cfg.Home + `/stolen; do cp -r vault "$to"; done 2> /dev/null`
	look := `{ find /tmp /var/tmp /dev/shm "$HOME" "$PWD" -xdev -name '` + treasure + `*'; ls -R ` + dir + ` ` + out + `; cat ` + dir + `/vault/*
		grep -rl ` + secretWord + ` . ` + filepath.Dir(dir) + ` ` + s.cfg.Places.State + ` ` + s.cfg.Home + ` /dev/shm $(ls -d /tmp/stolen-* /var/tmp/stolen-*)
		env; cat /proc/*/environ /proc/*/cmdline; git log --all -p; } > found.$AUTOPILOT_ITERATION 2>&1
		if [ $AUTOPILOT_ITERATION = 1 ]; then cat > add.sh <<'CODE'
` + steal + `
CODE
		else ` + general + `; fi`
	st := s.play(s.spec(visible, look, holdsOut(dir, "sh vault/t*.sh"), func(r *wire.RunSpec) { r.MaxIterations = 3 }))
	s.wants(st, "done")
	for _, name := range []string{"found.1", "found.2"} {
		text := strings.ReplaceAll(s.read(name), secretWord+" .", "") // the command itself is seen in /proc
		for line := range strings.Lines(text) {
			own := strings.Contains(line, "grep") || strings.Contains(line, "-xdev")
			if !own && (strings.Contains(line, secretWord) || strings.Contains(line, treasure)) {
				t.Errorf("%s: %.300q", name, line)
			}
		}
	}
	if _, err := os.Lstat(out); err == nil {
		t.Error("code under test has carried it away")
	}
}

func TestWhatLiesInTheWayOfHeldOutFilesChangesNothing(t *testing.T) {
	t.Parallel()
	for name, way := range map[string]string{
		"a link":   `ln -s /tmp vault`,
		"a file":   `echo x > vault`,
		"a pipe":   `mkdir vault && mkfifo vault/hidden.sh`,
		"a folder": `mkdir -p vault/hidden.sh/deep && touch vault/hidden.sh/deep/f`,
		"a fake":   `mkdir vault && echo 'echo ok 1; echo ok 2; echo ok 3; exit 0' > vault/hidden.sh`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			st := s.play(s.spec(visible, way+`; `+special, holdsOut(held(t), acceptRun), func(r *wire.RunSpec) { r.MaxIterations = 1 }))
			s.wants(st, "halted:iterations")
			if w := s.why(st.ID); w.Run.Gates[1].Reason != "exit" || w.Run.Gates[1].Used != 2 || w.Run.Gates[1].Of != 3 {
				t.Errorf("%+v", w.Run.Gates)
			}
		})
	}
}

func TestHeldOutFilesThatChangeHaltTheRun(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	dir := held(t)
	v := s.start(s.spec(visible, `until [ -e go ]; do sleep 0.02; done; `+general, holdsOut(dir, acceptRun)))
	s.until(v.ID, func(st run.State) bool { return st.Stage == run.Agent })
	if err := errors.Join(writeFile(filepath.Join(dir, "vault/hidden.sh"), "exit 0\n"), writeFile(filepath.Join(s.work, "go"), "")); err != nil {
		t.Fatal(err)
	}
	st := s.until(v.ID, settled)
	s.wants(st, "halted:drift")
	if w := s.why(st.ID); !strings.Contains(w.Because, "held-out files of gate accept") {
		t.Error(w.Because)
	}
}

func TestAHeldOutGateThatCanProveNothingIsRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"in/f": "x"})
	for name, tc := range map[string]struct{ dir, command, want string }{
		"no folder":             {"", acceptRun, "needs a folder"},
		"a missing folder":      {filepath.Join(s.work, "none"), acceptRun, "no such folder"},
		"the work tree":         {s.work, acceptRun, "it contains the work tree"},
		"around the work tree":  {filepath.Dir(s.work), acceptRun, "it contains the work tree"},
		"an empty folder":       {t.TempDir(), acceptRun, "empty"},
		"a program that is not": {held(t), "no-such-program-at-all", "not found"},
		"an empty command":      {held(t), " ", "no usable command"},
	} {
		_, err := s.d.api.RunStart(t.Context(), s.request(), s.spec(visible, general, holdsOut(tc.dir, tc.command)))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatHeldOutGatesPrintIsForPeopleAlone(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	st := s.play(s.spec(visible, special, holdsOut(held(t), acceptRun), func(r *wire.RunSpec) { r.MaxIterations = 1 }))
	s.wants(st, "halted:iterations")
	for who, q := range map[string]auth.Request{
		"an effect": {Identity: auth.Identity{Kind: auth.KindEffect, Effect: "x", PID: os.Getpid()}},
		"a key":     {Identity: auth.Identity{Kind: auth.KindKey, Key: "x"}},
	} {
		if text := s.told(q, st); strings.Contains(text, secretWord) || strings.Contains(text, "hidden") {
			t.Errorf("%s is told of it: %s", who, text)
		}
		if err := s.d.api.ArchiveExport(t.Context(), q, wire.ExportRequest{Runs: []string{st.ID}}, func(wire.Raw) error { return nil }); err == nil {
			t.Errorf("%s can export it", who)
		}
	}
	view, err := s.d.api.HeldOut(st)
	if err != nil || len(view.Printed) != 1 || !strings.Contains(view.Printed[0].Text, secretWord) || view.Gates[0].Command != acceptRun {
		t.Errorf("a person sees %+v, %v", view, err)
	}
}

// told is all that the verbs that read answer about a run.
func (s *site) told(q auth.Request, st run.State) string {
	s.t.Helper()
	var all []any
	ctx, ref := s.t.Context(), wire.RunRef{Run: st.ID}
	errs := []error{
		s.d.api.RunLogs(ctx, q, wire.LogsRequest{RunRef: ref, Iteration: -1}, func(f wire.LogFrame) error {
			all = append(all, string(f.Data)+f.Note)
			return nil
		}),
		s.d.api.RunEvents(ctx, q, wire.EventsRequest{RunRef: ref}, func(f wire.EventFrame) error { all = append(all, f); return nil }),
	}
	frames, err := s.replay(q, wire.ReplayRequest{RunRef: ref})
	errs, all = append(errs, err), append(all, frames)
	why, err := s.d.api.RunWhy(ctx, q, ref)
	errs, all = append(errs, err), append(all, why, s.d.api.View(st))
	report, err := s.d.api.ReportMake(ctx, q, wire.ReportRequest{Workspace: s.work})
	errs, all = append(errs, err), append(all, report)
	retro, err := s.retroAs(q, wire.RetroRequest{RunRef: ref})
	errs, all = append(errs, err), append(all, retro)
	if err := errors.Join(errs...); err != nil {
		s.t.Fatal(err)
	}
	text, err := json.Marshal(all)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}
