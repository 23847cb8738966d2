package realtest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"autopilot/daemon/test/proctest"
	"autopilot/events/place"
)

// caseHooks is a chat that drives a run, led by its hooks alone: it learns of the
// run when it begins, is kept from a pinned file, is held at its end until the
// work is delivered and the gates are judged, and leaves the next run when it
// ends.
const caseHooks = "hooks"

// pinnedFile is one that a run pins.
const pinnedFile = "check_test.sh"

// What a model takes from the words of its hooks.
const (
	joins   = `apctl session join \w+`
	submits = `apctl session submit --effect \w+ --phase work --iteration 1 --done -m TEXT`
)

// hooked plays that case.
func (s *stage) hooked(r *row) error {
	released := s.at("tmp/released")
	gate := fmt.Sprintf("test -f ok && while test ! -f %s; do sleep 0.02; done", released)
	err := errors.Join(
		os.WriteFile(filepath.Join(s.at("work"), pinnedFile), []byte("test -f ok\n"), 0o600),
		// A login shell finds programs its own way.
		os.WriteFile(s.at("home/.bash_profile"), []byte("PATH='"+s.chatPath()+"'\n"), 0o600),
		s.says("hook", "install", s.in.name, "--yes"),
		s.saveHooks(),
		s.says("run", "--driver", "session", "-d", "--gate", "made="+gate, "write the file ok"),
	)
	if err != nil {
		return errors.Join(err, s.stopDaemon())
	}
	first, err := s.chats([]step{
		{obeys: joins},
		{read: true, file: pinnedFile},
		{edit: true, file: pinnedFile},
		{run: "true && echo x >> " + pinnedFile},
		{text: "That is all."},
		{edit: true, file: "ok"},
		{obeys: submits},
		{text: "Now that is all."},
		{run: "touch " + released + " && apctl session next --wait 1m"},
		{text: "It is done."},
	})
	state, _, serr := s.apctl(s.w.ctx, "ls", "--all", "--json")
	if err = errors.Join(err, serr); err == nil {
		s.judgeHooks(r, first, state)
		err = s.leaves(r)
	}
	return errors.Join(err, s.stopDaemon())
}

// says runs a command that has to work.
func (s *stage) says(args ...string) error {
	out, exit, err := s.apctl(s.w.ctx, args...)
	if err == nil && exit != 0 {
		err = fmt.Errorf("apctl %s: exit %d: %s", args[0], exit, lastLine(out))
	}
	return err
}

// chats lets the program answer a person once, as a chat, and returns what it sent
// to the provider.
func (s *stage) chats(script []step) ([]request, error) {
	s.provider.play(script...)
	ctx, stop := context.WithTimeout(s.w.ctx, patience)
	defer stop()
	cmd := exec.CommandContext(ctx, filepath.Join(s.in.bin(), s.in.name), append(s.in.chat, prompt)...)
	cmd.Env = s.chatEnv()
	cmd.Dir = s.at("work")
	out, err := cmd.CombinedOutput()
	if s.w.save != "" {
		err = errors.Join(err, os.WriteFile(filepath.Join(s.w.save, s.in.name+"-hooks.txt"), out, 0o600))
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %s", err, lastLine(string(out)))
	}
	return s.provider.asked(), nil
}

func (s *stage) chatEnv() []string {
	env := append(s.env(), place.EnvState+"="+s.at("state"), "XDG_RUNTIME_DIR="+filepath.Join(s.w.root, "r"))
	for i, v := range env {
		if strings.HasPrefix(v, "PATH=") {
			env[i] = "PATH=" + s.chatPath()
		}
	}
	return env
}

// chatPath has our programs before those of the host.
func (s *stage) chatPath() string {
	return filepath.Dir(s.w.program("apctl")) + string(os.PathListSeparator) + s.in.path()
}

// judgeHooks compares what the program told its model with what its hooks said.
func (s *stage) judgeHooks(r *row, asked []request, state string) {
	fault := func(is bool, format string, args ...any) {
		if is {
			r.faults = append(r.faults, fmt.Sprintf(format, args...))
		}
	}
	r.seen.tries = len(asked)
	r.got = "not done"
	if strings.Contains(state, `"state":"done"`) {
		r.got = wantDone
	}
	fault(r.got != wantDone, "the run is not done")
	for i, says := range []string{"waits for a chat", "", "", "pinned in run", "pinned in run", "is not done yet: phase work", "", "", "its gates are running", `done`} {
		fault(i >= len(asked), "no request %d", i+1)
		fault(i < len(asked) && !strings.Contains(asked[i].Body, says), "request %d has no %q", i+1, says)
	}
	_, err := os.Stat(filepath.Join(s.at("work"), pinnedFile))
	b, _ := os.ReadFile(filepath.Join(s.at("work"), pinnedFile))
	fault(err != nil || string(b) == content, "the pinned file was changed")
}

// leaves lets a chat drive another run and end without delivering: it is held
// once, and no more, and has left the run then.
func (s *stage) leaves(r *row) error {
	if err := s.says("run", "--driver", "session", "-d", "--gate", "other=test -f other", "write the file other"); err != nil {
		return err
	}
	asked, err := s.chats([]step{{obeys: joins}, {text: "That is all."}, {text: "I will not."}})
	if err != nil {
		return err
	}
	out, exit, err := s.apctl(s.w.ctx, "status", "--json")
	if exit != 0 || !strings.Contains(out, `"driver":{"kind":"session"}`) {
		r.faults = append(r.faults, "the chat has not left the run: "+lastLine(out))
	}
	if len(asked) != 3 || !strings.Contains(asked[2].Body, "is not done yet") {
		r.faults = append(r.faults, "it was held "+strconv.Itoa(len(asked)-2)+" times, want once")
	}
	return err
}

// saveHooks keeps what the program sends to its hooks, if that is wanted.
func (s *stage) saveHooks() error {
	if s.w.save == "" {
		return nil
	}
	dir := s.at("tee")
	script := "#!/bin/sh\ntee -a '" + filepath.Join(s.w.save, s.in.name+"-hooks.json") + "' | '" + s.w.program("apctl") + "' \"$@\"\n"
	err := errors.Join(os.MkdirAll(dir, 0o700), proctest.WriteProgram(filepath.Join(dir, "apctl"), script))
	if err != nil {
		return err
	}
	return filepath.WalkDir(s.at("home"), func(path string, _ os.DirEntry, err error) error {
		b, rerr := os.ReadFile(path)
		if err != nil || rerr != nil || !strings.Contains(string(b), s.w.program("apctl")+" hook") {
			return err
		}
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(b), s.w.program("apctl"), filepath.Join(dir, "apctl"))), 0o600)
	})
}
