package realtest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"autopilot/daemon/agent"
	"autopilot/daemon/agent/outcome"
	"autopilot/daemon/agent/stream"
	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
)

// The prompts of a case. The second is that of a resumed session.
const (
	prompt = "Write the file, says PROMPT-ONE."
	again  = "Go on, says PROMPT-TWO."
)

// row plays a case.
func (w *world) row(in installed, c scenario) row {
	r := row{program: in.name, version: in.version, name: c.name, want: string(c.want.outcome)}
	began := time.Now()
	s, err := w.stage(in, c)
	if err == nil {
		if err = s.configure(); err == nil {
			err = s.perform(&r)
		}
		s.provider.close()
	}
	r.took = time.Since(began)
	if err != nil {
		r.faults = append(r.faults, firstLine(err))
	}
	return r
}

func (s *stage) perform(r *row) error {
	switch s.c.name {
	case caseRun:
		r.want = wantDone
		return s.whole(r)
	case caseOmx:
		r.want = wantDone
		return s.omx(r)
	case caseHooks:
		r.want = wantDone
		return s.hooked(r)
	}
	return s.play(r)
}

// stage is a home, a workspace and a provider for one case.
type stage struct {
	w        *world
	in       installed
	c        scenario
	dir      string
	call     agent.Call
	provider *provider
	calls    int
}

func (s *stage) at(name string) string { return filepath.Join(s.dir, name) }

func (w *world) stage(in installed, c scenario) (*stage, error) {
	s := &stage{w: w, in: in, c: c, dir: filepath.Join(w.root, in.name+"-"+c.name)}
	for _, name := range []string{"home", "work", "tmp"} {
		if err := os.MkdirAll(s.at(name), 0o700); err != nil {
			return nil, err
		}
	}
	git := exec.Command("git", "init", "-q", s.at("work"))
	git.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.at("home")}
	if out, err := git.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git init: %w: %s", err, out)
	}
	profile, err := agent.Overrides(nil).Find(in.name)
	if err != nil {
		return nil, err
	}
	if s.call, err = profile.Call(agent.Choice{Gates: []string{"test -f " + edited}, Root: os.Geteuid() == 0}); err != nil {
		return nil, err
	}
	s.provider, err = newProvider(s.at("work"), time.Now().Add(until).Truncate(time.Minute))
	return s, err
}

// configure leads the program to the provider.
func (s *stage) configure() error {
	if s.in.files == nil {
		return nil
	}
	for name, text := range s.in.files(s.provider.URL) {
		file := filepath.Join(s.at("home"), name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o600)); err != nil {
			return err
		}
	}
	return nil
}

// play calls the program, once or, to resume it, twice.
func (s *stage) play(r *row) error {
	turn := agent.Turn{}
	if s.call.Shape.PicksSession() {
		turn.Session = uuid()
	}
	s.provider.play(s.c.script...)
	got, err := s.run(prompt, turn, len(s.c.then) > 0)
	if err != nil {
		return err
	}
	first := got
	if len(s.c.then) > 0 {
		if first.decision.Outcome != outcome.KilledExternal {
			r.faults = append(r.faults, "killed, and was "+string(first.decision.Outcome))
		}
		s.provider.play(s.c.then...)
		if got, err = s.run(again, agent.Turn{Session: first.said.Session, Resume: true}, false); err != nil {
			return err
		}
	}
	r.got = string(got.decision.Outcome)
	r.seen = got.seen(len(s.provider.asked()))
	r.faults = append(r.faults, s.judge(turn.Session, first, got)...)
	return nil
}

// judge compares what was seen with what was expected.
func (s *stage) judge(chosen string, first, got result) (faults []string) {
	w := s.c.want
	fault := func(is bool, format string, args ...any) {
		if is {
			faults = append(faults, fmt.Sprintf(format, args...))
		}
	}
	said, d := got.said, got.decision
	fault(d.Outcome != w.outcome, "%s: %s", d.By.Source, d.By.Detail)
	fault(said.Usage != usage(w.answers), "tokens of %d answers expected", w.answers)
	fault(w.session && said.Session == "", "no session is known")
	fault(chosen != "" && said.Session != chosen, "it did not take the session that was chosen")
	fault(s.call.Shape.Reports.Cost && w.answers > 0 && said.MicroUSD == 0, "no cost is known")
	late := d.Reset.Sub(s.provider.reset).Abs()
	fault(w.reset && late > time.Minute, "the reset is at %s", clock(s.provider.reset))
	fault(!w.reset && !d.Reset.IsZero(), "no reset is expected")
	if w.file {
		b, _ := os.ReadFile(filepath.Join(s.at("work"), edited)) // what is missing differs
		fault(string(b) != content, "%s was not written", edited)
	}
	if len(s.c.then) > 0 {
		fault(said.Session != first.said.Session, "the session is another one")
		asked := s.provider.asked()
		whole := len(asked) > 0 && strings.Contains(asked[0].Body, "PROMPT-ONE") && strings.Contains(asked[0].Body, "PROMPT-TWO")
		fault(!whole, "it did not go on in the session")
	}
	return faults
}

// result is what was made of one process.
type result struct {
	effect.Outcome
	said     stream.Summary
	decision outcome.Decision
}

func (r result) seen(tries int) seen {
	exit := strconv.Itoa(r.Exit)
	if r.Exit < 0 {
		exit = string(r.Outcome.Outcome)
	}
	return seen{
		exit: exit, session: r.said.Session, usage: r.said.Usage, tries: tries, reset: r.decision.Reset,
		microUSD: r.said.MicroUSD, priced: r.said.CostFrom == stream.Reported,
	}
}

// run starts the program as the daemon does, under its supervisor, and with kill
// ends it with SIGKILL as soon as an answer is held.
func (s *stage) run(text string, turn agent.Turn, kill bool) (result, error) {
	s.calls++
	id := fmt.Sprintf("%s-%s-%d-%s", s.in.name, s.c.name, s.calls, rand.Text()[:8])
	dir := s.w.runner.Open(id)
	spec, err := s.spec(id, dir.Box(), turn)
	if err != nil {
		return result{}, err
	}
	over := make(chan struct{})
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		select {
		case <-s.provider.held:
			if kill {
				killAll(id)
			}
		case <-over:
		}
	}()
	// The end of a context would let the program run on.
	out, err := s.w.runner.Run(context.WithoutCancel(s.w.ctx), spec, effect.Box{promptName: []byte(text)}, s.w.ctx.Done())
	close(over)
	<-killed
	if err != nil {
		return result{}, err
	}
	return s.read(dir, out)
}

const promptName = "prompt.md"

// killAll ends the processes of an effect, and not its supervisor.
func killAll(id string) {
	for _, list := range proc.Marked(func(marked string) bool { return marked == id }, 0) {
		for _, p := range list {
			_ = proc.Signal(p, syscall.SIGKILL) // it may have ended
		}
	}
}

func (s *stage) spec(id, box string, turn agent.Turn) (shim.Spec, error) {
	turn.Box = box
	cmd := s.call.Command
	cmd.Argv = s.call.Shape.Argv(cmd.Argv, turn)
	inv, err := cmd.Invoke(agent.Place{
		RunID: "real", Phase: "work", Iteration: s.calls,
		PromptFile: filepath.Join(box, promptName), ResultFile: filepath.Join(box, effect.ResultFile),
	}, s.in.path(), s.at("work"))
	if err != nil {
		return shim.Spec{}, err
	}
	wall := patience
	if s.in.endless[s.c.name] {
		wall = impatient
	}
	env := append(s.env(), agent.EnvIn(s.call.Env, box)...)
	return shim.Spec{
		ID: id, Argv: append([]string{inv.Path}, inv.Argv[1:]...), Dir: s.at("work"), Env: append(env, inv.Env...),
		Stdin: inv.Stdin, Wall: wall, Grace: time.Second,
	}, nil
}

// env is a clean one, with what leads to the provider.
func (s *stage) env() []string {
	env := append([]string{
		"PATH=" + s.in.path(), "HOME=" + s.at("home"), "TMPDIR=" + s.at("tmp"), "LANG=C.UTF-8", "TZ=UTC", "USER=nobody",
	}, s.in.env(s.provider.URL)...)
	if s.c.name == caseKey {
		env = append(agent.Without(env, []string{"CLAUDE_CODE_OAUTH_TOKEN"}), "ANTHROPIC_API_KEY="+key)
	}
	return env
}

// read makes of the output what the daemon makes of it.
func (s *stage) read(dir effect.Dir, out effect.Outcome) (result, error) {
	raw, err := dir.Tail(effect.Merged, shim.DefaultTail)
	if err != nil {
		return result{}, err
	}
	if s.w.save != "" {
		name := fmt.Sprintf("%s-%s-%d.%s", s.in.name, s.c.name, s.calls, s.in.name)
		if err := os.WriteFile(filepath.Join(s.w.save, name), raw, 0o600); err != nil {
			return result{}, err
		}
	}
	r := stream.New(s.call.Shape.Stream, nil)
	_, _ = r.Write(raw) // it takes all
	said := r.End()
	return result{out, said, outcome.Decide(outcome.Input{
		Supervisor: out.Outcome, OutOfMemory: out.OutOfMemory, Exit: out.Exit, Stream: said, Now: out.Ended, Zone: time.UTC,
	})}, nil
}

// uuid is a random one, of version 4.
func uuid() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
