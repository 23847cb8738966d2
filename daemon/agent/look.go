package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"autopilot/events/wire"
	"autopilot/projections/regex"
)

// Look is where agents are looked for.
type Look struct {
	Dir   string   // the workspace
	Env   []string // as a run would get it
	Home  string   // of the user, without HOME in Env
	Gates []string // commands of the gates that a run would have
	Root  bool
	// Slots bounds how many programs are asked at once, so that none is late only
	// for the others; nil is no bound.
	Slots chan struct{}
}

// View is what is known of a profile here. With ask its program is run twice,
// each within askLimit; the context ends that early.
func (p Profile) View(ctx context.Context, l Look, ask bool) wire.AgentView {
	v := wire.AgentView{
		Name: p.Name, Origin: p.Origin, Verified: p.Verified != "", VerifiedWith: p.Verified,
		Prompt: string(PromptStdin), Argv: []string{}, Strip: Strip(),
	}
	call, err := p.Call(Choice{Gates: l.Gates, Env: l.Env, Root: l.Root})
	if err != nil {
		v.Problems = append(v.Problems, problem(err, ""))
		call = Call{Command: Command{Command: p.change.Command}, Says: "none: no run can have it so"}
		if p.program.name != "" {
			call.Argv = p.program.argv
		}
	}
	v.Argv, v.Permissions, v.Full, v.Note = call.Process(), call.Says, call.Permissions == PermitFull, call.Note
	if call.Prompt != "" {
		v.Prompt = string(call.Prompt)
	}
	for _, entry := range call.Env {
		name, _, _ := strings.Cut(entry, "=")
		v.Env = append(v.Env, name)
	}
	env := merge(l.Env, call.Env)
	v.Login, v.LoginFrom = LoginUnknown, ""
	if p.program.name != "" {
		v.Login, v.LoginFrom = p.program.login.state(env, l.Home)
	}
	if v.Program, err = call.Resolve(Lookup(l.Env, "PATH"), l.Dir); err != nil {
		v.Problems = append(v.Problems, problem(err, p.program.install))
		return v
	}
	if v.Login == LoginNone {
		v.Problems = append(v.Problems, p.Name+" has no login: "+p.program.login.fix)
	}
	if ask && p.program.name != "" {
		p.ask(ctx, &v, l, env)
	}
	return v
}

// problem is an error with what to do about it.
func problem(err error, install string) string {
	var (
		e       *ProfileError
		missing *NotFoundError
	)
	switch {
	case errors.As(err, &e):
		return plain(e.Msg + ": " + e.Fix)
	case errors.As(err, &missing) && install != "" && missing.File == "":
		// PATH would be said again for each agent; apctl doctor compares it.
		return plain(fmt.Sprintf("no %s on PATH: install it, as with %s", missing.Word, install))
	case errors.Is(err, ErrNotFound):
		return plain(err.Error() + ": correct its command, or PATH")
	}
	return plain(err.Error())
}

// askLimit bounds each question to a program. Some need two seconds of
// processor time to say their version.
const askLimit = 10 * time.Second

// put asks when there is a slot.
func (l Look) put(ctx context.Context, env []string, program string, args ...string) answer {
	if l.Slots != nil {
		select {
		case l.Slots <- struct{}{}:
			defer func() { <-l.Slots }()
		case <-ctx.Done():
			return answer{err: ctx.Err()}
		}
	}
	return put(ctx, askLimit, l.Dir, env, program, args...)
}

// ask fills in the version, and says which options the program does not name.
func (p Profile) ask(ctx context.Context, v *wire.AgentView, l Look, env []string) {
	var version, help answer
	var wait sync.WaitGroup
	wait.Go(func() { version = l.put(ctx, env, v.Program, "--version") })
	wait.Go(func() { help = l.put(ctx, env, v.Program, p.program.help...) })
	wait.Wait()
	if version.err == nil {
		v.Version, version.err = readVersion(version.out)
	}
	if version.err != nil {
		v.Problems = append(v.Problems, fmt.Sprintf("%s --version: %v: %s", v.Program, version.err, p.advice(version.err)))
		return // what it says of its options means nothing then
	}
	asked := strings.Join(append([]string{v.Program}, p.program.help...), " ")
	if help.err != nil {
		v.Problems = append(v.Problems, fmt.Sprintf("%s: %v: %s", asked, help.err, p.advice(help.err)))
		return
	}
	// Some print their help on stderr.
	if missing := missingOptions(p.program.options(), help.out+"\n"+help.errOut); len(missing) > 0 {
		v.Problems = append(v.Problems, fmt.Sprintf("%s does not name %s, which a run needs: %s",
			asked, strings.Join(missing, ", "), p.other()))
	}
}

// other is what to install instead of a version that has not what a run needs.
func (p Profile) other() string {
	if p.Verified == "" {
		return "install its newest version, as with " + p.program.install
	}
	return "install the version that the profile was tried with, " + p.Verified
}

// advice is what to do about a program that did not answer as it should.
func (p Profile) advice(err error) string {
	if errors.Is(err, errLate) {
		return "ask again when the machine is less busy; if it stays so, see that the program works by itself"
	}
	return "see that it works, or install it anew: " + p.program.install
}

// versionNumber is what a version has in it.
var versionNumber = regex.New(`\d+\.\d+`)

// maxVersion bounds a version, in bytes.
const maxVersion = 60

// readVersion is the first line with a version in it.
func readVersion(out string) (string, error) {
	for line := range strings.Lines(out) {
		if line = plain(line); versionNumber.MatchString(line) {
			if len(line) > maxVersion {
				line = strings.ToValidUTF8(line[:maxVersion], "")
			}
			return strings.ReplaceAll(line, "\t", " "), nil
		}
	}
	return "", errors.New("it says no version")
}

// missingOptions are those that a help text does not have as a word.
func missingOptions(options []string, help string) []string {
	words := strings.FieldsFunc(plain(help), func(r rune) bool { return strings.ContainsRune(" \t\n,=<>[]|()\"'`", r) })
	return slices.DeleteFunc(options, func(o string) bool { return slices.Contains(words, o) })
}
