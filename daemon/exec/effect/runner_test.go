package effect_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/test/proctest"
	"autopilot/events"
)

func TestExitCodesAreTakenAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, code := range []int{0, 1, 2, 7, 126, 127, 130, 255} {
		t.Run(strconv.Itoa(code), func(t *testing.T) {
			t.Parallel()
			b := newRig(t)
			out := b.run(b.sh(fmt.Sprintf("echo hello; exit %d", code)))
			if out.Outcome != events.Exited || out.Exit != code || out.Killed != 0 || out.Left != 0 {
				t.Errorf("outcome: %+v", out)
			}
			if got := b.output(); got != "hello\n" || out.Bytes != 6 {
				t.Errorf("output %q of %d bytes", got, out.Bytes)
			}
			if out.Ended.Before(out.Started) || out.Suspended != 0 {
				t.Errorf("times: %+v", out)
			}
		})
	}
}

func TestProgramThatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		argv []string
		dir  string
		want string
	}{
		"not on the path": {[]string{"no-such-program-x"}, "/", "was not found on the PATH"},
		"not a file":      {[]string{"/no/such"}, "/", "no such file"},
		"not executable":  {[]string{text}, "/", "permission denied"},
		"no directory":    {[]string{"true"}, "/no/such", "directory /no/such does not exist"},
		"a file as dir":   {[]string{"true"}, text, "is not a directory"},
		"nul byte":        {[]string{"true", "a\x00b"}, "/", "NUL"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newRig(t)
			s := b.spec(c.argv...)
			s.Dir = c.dir
			out := b.run(s)
			if out.Outcome != events.SpawnFailed || out.Exit != -1 || !strings.Contains(out.Err, c.want) {
				t.Errorf("outcome: %+v", out)
			}
		})
	}
}

func TestB5StdinIsEmptyNeverClosedAndCanBeAFile(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	if out := b.run(b.sh("cat; echo ok")); out.Exit != 0 || b.output() != "ok\n" {
		t.Errorf("without stdin: %+v %q", out, b.output())
	}
	b = newRig(t)
	s := b.sh("cat")
	s.Stdin = filepath.Join(b.dir.Box(), "prompt")
	prompt := strings.Repeat("--prompt\n", 400_000)
	out, err := b.r.Run(t.Context(), s, effect.Box{"prompt": []byte(prompt)}, nil)
	if err != nil || out.Bytes != int64(len(prompt)) {
		t.Errorf("with a prompt of 3.6 MB: %+v, %v", out, err)
	}
}

func TestEffectSeesItsMarkerAndNothingOfTheDaemon(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("env")
	s.Env = []string{"PATH=" + os.Getenv("PATH"), "AUTOPILOT_EFFECT=other", "A=1"}
	b.run(s)
	for line := range strings.Lines(b.output()) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case name == "AUTOPILOT_EFFECT" && value == b.id:
		case name == "PATH" || name == "A" || name == "PWD" || name == "OLDPWD" || name == "SHLVL" || name == "_":
		default:
			t.Errorf("unexpected in the environment: %s", line)
		}
	}
}

func TestB4LeakedPipeDoesNotHoldTheEnd(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	out := b.run(b.sh("(sleep 600 & echo $!) ; echo done; exit 0"))
	if out.Outcome != events.Exited || out.Exit != 0 || out.Killed != 1 || out.Left != 0 {
		t.Errorf("outcome: %+v", out)
	}
	pid, ok := strings.CutSuffix(b.output(), "done\n")
	if !ok {
		t.Errorf("output: %q", b.output())
	}
	b.gone(pid)
}

func TestB6FloodOfStderrBeforeStdoutIsDrained(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.helper("flood")
	s.Split = true
	out := b.run(s)
	if out.Exit != 0 || out.Bytes != 64<<20+4 || !out.Truncated {
		t.Errorf("outcome: %+v", out)
	}
	got, err := b.dir.Output(effect.Stdout, 100)
	if err != nil || string(got.Head) != "out\n" {
		t.Errorf("stdout: %+v, %v", got, err)
	}
	got, err = b.dir.Output(effect.Stderr, 100)
	if err != nil || len(got.Head) != 50 || len(got.Tail) != 50 || got.Gap != 64<<20-100 {
		t.Errorf("stderr: %+v, %v", got, err)
	}
}

// Lesson A38: what is ended is the tree, and not only its shell.
func TestB8TreeIsEndedOnRequest(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	end := make(chan struct{})
	done, pids := b.started(t.Context(), b.sh("sleep 300 & echo $!; sh -c 'sleep 300 & echo $!; echo ready; wait' & wait"), end)
	close(end)
	got := <-done
	if got.err != nil || got.out.Outcome != events.Stopped || got.out.Exit != -1 || got.out.Killed < 4 || got.out.Left != 0 {
		t.Errorf("outcome: %+v", got)
	}
	b.gone(pids)
}

func TestEndBeforeTheStartNeverStarts(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	end := make(chan struct{})
	close(end)
	ran := filepath.Join(b.root, "ran")
	for range 2 { // the second call finds the record
		out, err := b.r.Run(t.Context(), b.sh("echo x >"+ran), nil, end)
		if err != nil || out.Outcome != events.Stopped {
			t.Errorf("outcome: %+v, %v", out, err)
		}
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("the program has run")
	}
}

func TestProgramThatIgnoresTermIsKilledAfterGrace(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("trap '' TERM; echo $$; echo ready; while :; do sleep 300; done")
	s.Grace = 100 * time.Millisecond
	end := make(chan struct{})
	done, pids := b.started(t.Context(), s, end)
	close(end)
	got := <-done
	if got.err != nil || got.out.Outcome != events.Stopped || got.out.Signal != int(syscall.SIGKILL) || got.out.Left != 0 {
		t.Errorf("outcome: %+v", got)
	}
	b.gone(pids)
}

func TestStoppedProgramCanStillActOnTerm(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	end := make(chan struct{})
	done, _ := b.started(t.Context(), b.sh("trap 'echo saved; exit 3' TERM; echo ready; kill -STOP $$; sleep 300 & wait"), end)
	close(end)
	if got := <-done; got.err != nil || got.out.Outcome != events.Stopped {
		t.Errorf("outcome: %+v", got)
	}
	if got := b.output(); got != "ready\nsaved\n" {
		t.Errorf("output %q", got)
	}
}

func TestDaemonizedChildIsFoundAndEnded(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh(`EFFECT_TEST_HELPER=daemonize $HELPER; while ! test -e $PIDS; do sleep 0.01; done; exit 7`)
	out := b.run(s)
	if out.Outcome != events.Exited || out.Exit != 7 || out.Killed < 1 || out.Left != 0 {
		t.Errorf("outcome: %+v", out)
	}
	pids, err := os.ReadFile(filepath.Join(b.dir.Box(), "pids"))
	if err != nil {
		t.Fatal(err)
	}
	b.gone(string(pids))
}

func TestLimitsEndTheWholeTree(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		wall, idle time.Duration
		script     string
		want       events.Outcome
	}{
		"wall while it prints": {300 * time.Millisecond, time.Minute, "sleep 300 & echo $!; while :; do echo >/dev/null; done", events.WallTimeout},
		"idle":                 {time.Minute, 200 * time.Millisecond, "sleep 300 & echo $!; wait", events.IdleTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newRig(t)
			s := b.sh(c.script)
			s.Wall, s.Idle = c.wall, c.idle
			out := b.run(s)
			if out.Outcome != c.want || out.Exit != -1 || out.Killed < 2 || out.Left != 0 {
				t.Errorf("outcome: %+v", out)
			}
			b.gone(b.output())
		})
	}
}

func TestOutputPutsOffTheIdleLimit(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	s := b.sh("for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.2; done")
	s.Idle = 1200 * time.Millisecond
	if out := b.run(s); out.Outcome != events.Exited || out.Exit != 0 {
		t.Errorf("outcome: %+v", out)
	}
}

func TestB14SignalFromOutsideIsSaidToBeThat(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		b := newRig(t)
		out := b.run(b.sh(fmt.Sprintf("kill -%d $$; sleep 1", sig)))
		if out.Outcome != events.Signaled || out.Signal != int(sig) || out.Exit != -1 {
			t.Errorf("outcome: %+v", out)
		}
	}
}

func TestSignalsToTheSupervisorThatAreNotForItAreDropped(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	done, _ := b.started(t.Context(), b.sh("echo ready; read x < $GO; kill -HUP $$; sleep 1"), nil)
	pid := b.shim()
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGPIPE, syscall.SIGQUIT} {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	b.release()
	// The program itself does not inherit that.
	if got := <-done; got.err != nil || got.out.Outcome != events.Signaled || got.out.Signal != int(syscall.SIGHUP) {
		t.Errorf("outcome: %+v", got)
	}
}

func TestOneRunAtATime(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	done, _ := b.started(t.Context(), b.sh("echo ready; read x < $GO"), nil)
	if _, err := b.r.Run(t.Context(), b.sh("true"), nil, nil); !errors.Is(err, effect.ErrRunning) {
		t.Errorf("second run: %v", err)
	}
	if err := b.r.Remove(b.id); !errors.Is(err, effect.ErrUnfinished) {
		t.Errorf("remove: %v", err)
	}
	b.release()
	<-done
}

func TestBadSpecsAreRefused(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	for name, id := range map[string]string{"empty": "", "up": "..", "path": "a/b", "hidden": ".removed-x"} {
		s := b.sh("true")
		s.ID = id
		if _, err := b.r.Run(t.Context(), s, nil, nil); err == nil {
			t.Errorf("%s id was accepted", name)
		}
	}
	for _, name := range []string{"", "..", "a/b", "outbox", "/etc/x"} {
		if _, err := b.r.Run(t.Context(), b.sh("true"), effect.Box{name: nil}, nil); err == nil {
			t.Errorf("box file %q was accepted", name)
		}
	}
	s := b.spec()
	if _, err := b.r.Run(t.Context(), s, nil, nil); err == nil {
		t.Error("no command was accepted")
	}
}

func TestBrokenSupervisorIsAnErrorAndTheNextRunStarts(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	for _, broken := range []string{"/bin/true", "/no/such/apshim"} {
		r, err := effect.New(effect.Config{Root: b.root, Shim: broken})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		if _, err := r.Run(ctx, b.sh("echo hello"), nil, nil); !errors.Is(err, effect.ErrSupervisor) {
			t.Errorf("run with %s: %v", broken, err)
		}
		cancel()
	}
	if out := b.run(b.sh("echo hello")); out.Exit != 0 || b.output() != "hello\n" {
		t.Errorf("outcome: %+v", out)
	}
}

func TestWordsThatAreNotUTF8AndEscapesArriveAsTheyAre(t *testing.T) {
	t.Parallel()
	b := newRig(t)
	word := "a\xff\xfe\x1b[31m--\n\t\\ü"
	b.run(b.spec("printf", "%s", word))
	if got := b.output(); got != word {
		t.Errorf("printed %q, want %q", got, word)
	}
}

func TestSupervisorByHandSaysWhatItIs(t *testing.T) {
	t.Parallel()
	for want, args := range map[int][]string{2: nil, 1: {filepath.Join(t.TempDir(), "none")}} {
		c := exec.Command(apshim, args...)
		out, err := c.CombinedOutput()
		if err == nil || c.ProcessState.ExitCode() != want || !strings.HasPrefix(string(out), "apshim: ") {
			t.Errorf("%v: %v %q, want exit code %d", args, err, out, want)
		}
	}
}

func TestSignalsThatTheDaemonIgnoresReachTheProgram(t *testing.T) {
	t.Parallel()
	for _, sig := range []string{"HUP", "INT", "QUIT", "PIPE", "TERM", "USR1"} {
		t.Run(sig, func(t *testing.T) {
			t.Parallel()
			b := newRig(t)
			wrapper := filepath.Join(t.TempDir(), "apshim")
			script := fmt.Sprintf("#!/bin/sh\ntrap '' %s\nexec %s \"$@\"\n", sig, apshim)
			if err := proctest.WriteProgram(wrapper, script); err != nil {
				t.Fatal(err)
			}
			r, err := effect.New(effect.Config{Root: b.root, Shim: wrapper})
			if err != nil {
				t.Fatal(err)
			}
			out, err := r.Run(t.Context(), b.sh("kill -"+sig+" $$; sleep 1"), nil, nil)
			if err != nil || out.Outcome != events.Signaled {
				t.Errorf("outcome: %+v, %v", out, err)
			}
		})
	}
}
