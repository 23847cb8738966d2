package draft

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"autopilot/daemon/exec/effect"
	"autopilot/daemon/exec/redact"
	"autopilot/daemon/exec/shim"
	"autopilot/daemon/repo/commit"
	"autopilot/daemon/report/notify"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/regex"
)

// Config is what a Publisher works with. All fields are needed.
type Config struct {
	Dir      string                          // its own
	Settings func() (notify.Settings, error) // asked again each time
	Effects  notify.Effects
	Env      []string // of git and gh
	Home     string   // where they run
}

// Publisher shows sets. Its methods may be called from any goroutine.
type Publisher struct{ cfg Config }

// effectPrefix begins the ids of its effects.
const effectPrefix = "draft-"

// Times that what talks to a host may take.
const (
	lookWithin = 20 * time.Second
	pushWithin = 60 * time.Second
	ghWithin   = 30 * time.Second
	grace      = time.Second
	keptBytes  = 4 << 10
	saidBytes  = 300 // of what git or gh printed that a problem shows
)

// Bounds of a pull request.
//
// Source: atdd-kit, seeds 6.2 A60: what is a title has no control characters.
const (
	titleRunes = 200
	bodyRunes  = 10_000
)

// New removes what an earlier daemon left. What still runs is found again when its
// set is shown again.
func New(cfg Config) *Publisher {
	p := &Publisher{cfg}
	root := filepath.Dir(cfg.Effects.Open(effectPrefix).Path())
	left, _ := filepath.Glob(filepath.Join(root, effectPrefix+"*")) // only a bad pattern is an error
	for _, path := range left {
		_ = cfg.Effects.Remove(filepath.Base(path)) // it is made anew, or found again
	}
	return p
}

// Shown is where a set can be read; without a Link, why it cannot, or neither where
// nobody wants it. Commit is what was pushed of work that is final.
type Shown struct{ Link, Problem, Commit string }

// Show shows a set where the settings want that. It returns an error where ctx ends
// alone.
func (p *Publisher) Show(ctx context.Context, s Set) (Shown, error) {
	settings, err := p.cfg.Settings()
	if err != nil {
		return Shown{}, nil //nolint:nilerr // who tells of runs says what is wrong with them
	}
	to, ok := settings.Draft(s.Issue)
	if !ok {
		return Shown{}, nil
	}
	shown, err := p.show(ctx, s, to)
	switch {
	case ctx.Err() != nil:
		return Shown{}, ctx.Err()
	case err != nil:
		shown.Problem = redact.Text(redact.Secrets(p.cfg.Env), err.Error())
	}
	return shown, nil
}

func (p *Publisher) show(ctx context.Context, s Set, to notify.DraftTo) (shown Shown, err error) {
	made, err := s.work().OnBranch(ctx)
	if err != nil {
		return shown, err
	}
	if err := p.push(ctx, s, to, made.Commit); err != nil {
		return shown, err
	}
	if s.Final {
		shown.Commit = made.Commit
	}
	shown.Link, err = p.request(ctx, s, to.Repository)
	return shown, err
}

// push brings the commit to the branch of its name, from a repository that has
// nothing but a way to the objects.
func (p *Publisher) push(ctx context.Context, s Set, to notify.DraftTo, id string) error {
	common, err := s.Repo.Workspace().Common()
	if err != nil {
		return err
	}
	dir := filepath.Join(p.cfg.Dir, s.Run)
	defer func() {
		if ctx.Err() == nil { // else a push may still be at work, and is found again
			_ = os.RemoveAll(dir)
		}
	}()
	if err := commit.Borrow(ctx, dir, filepath.Join(common, "objects"), len(id)); err != nil {
		return err
	}
	git := gitArgs(to)
	env := append(p.env(), "GIT_DIR="+dir, "LC_ALL=C")
	heads, err := p.command(ctx, s.effect("look", id), "", lookWithin, env, slices.Concat(git, []string{"ls-remote", "--symref", "--", to.Address(), "HEAD"}))
	if err != nil {
		return err
	}
	switch main := defaultBranch(heads); main {
	case "":
		return fmt.Errorf("%s has no default branch yet, and a push would make this one it", to.Repository)
	case s.Branch:
		return fmt.Errorf("%s is the default branch of %s, and nothing is pushed to that", main, to.Repository)
	}
	_, err = p.command(ctx, s.effect("push", id), "", pushWithin, env, slices.Concat(git, []string{"push", "--quiet", "--no-verify", "--", to.Address(), id + ":" + commit.BranchRoot + s.Branch}))
	return err
}

// gitArgs is git as it talks to the remote: by HTTPS to the default address with the
// login of gh.
func gitArgs(to notify.DraftTo) []string {
	argv := []string{"git", "-c", "core.hooksPath=" + os.DevNull, "-c", "push.followTags=false", "-c", "push.recurseSubmodules=no"}
	if to.Remote == "" {
		argv = append(argv, "-c", "credential.helper=", "-c", "credential.helper=!gh auth git-credential")
	}
	return argv
}

var symref = regex.New(`(?m)^ref: refs/heads/(\S+)\tHEAD$`)

func defaultBranch(heads string) string {
	if m := symref.FindStringSubmatch(heads); m != nil {
		return m[1]
	}
	return ""
}

// request is the address of the pull request of the branch: the one that is open,
// else a new draft.
func (p *Publisher) request(ctx context.Context, s Set, repository string) (string, error) {
	look := []string{"gh", "pr", "list", "--repo", repository, "--head", s.Branch, "--state", "open", "--json", "url,isCrossRepository", "--jq", ".[] | select(.isCrossRepository | not) | .url"}
	out, err := p.command(ctx, s.effect("list", ""), "", ghWithin, p.env(), look)
	if err != nil {
		return "", err
	}
	body := redact.Text(redact.Secrets(p.cfg.Env), begin(s.Body, bodyRunes))
	if link := linkIn(out, repository); link != "" {
		if s.Final { // what was to be decided is decided
			_, err = p.command(ctx, s.effect("edit", ""), body, ghWithin, p.env(), []string{"gh", "pr", "edit", link, "--body-file", "-"})
		}
		return link, err
	}
	out, err = p.command(ctx, s.effect("create", ""), body, ghWithin, p.env(), []string{
		"gh", "pr", "create", "--repo", repository, "--head", s.Branch, "--draft",
		"--title", redact.Text(redact.Secrets(p.cfg.Env), title(s)), "--body-file", "-",
	})
	if err != nil {
		return "", err
	}
	link := linkIn(out, repository)
	if link == "" {
		return "", fmt.Errorf("gh pr create names no pull request of %s: %.200q", repository, out)
	}
	return link, nil
}

// linkIn is the address of a pull request of the repository that stands alone in a
// line; the last one.
func linkIn(out, repository string) string {
	for _, line := range slices.Backward(strings.Split(out, "\n")) {
		if line = strings.TrimSpace(line); wire.PullRequest(line, repository) {
			return line
		}
	}
	return ""
}

// title is one line without what cannot be seen, that is no option of a command.
func title(s Set) string {
	line := strings.Join(strings.FieldsFunc(s.Title, func(r rune) bool { return unicode.IsControl(r) || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) }), " ")
	if line = strings.TrimLeft(line, "-# "); line == "" {
		line = "Run " + s.Run
	}
	return begin(line, titleRunes)
}

// begin is the beginning of a text.
func begin(text string, most int) string {
	if r := []rune(strings.ReplaceAll(text, "\x00", "")); len(r) > most {
		return string(r[:most])
	}
	return text
}

// effect is the same for the same step, so that one which outlived the daemon is
// found again.
func (s Set) effect(step, id string) string {
	if s.Final { // its number is of another kind
		step = "final-" + step
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %s %s", s.Run, s.Number, step, id))
	return effectPrefix + hex.EncodeToString(sum[:12])
}

func (p *Publisher) env() []string {
	return append(p.cfg.Env[:len(p.cfg.Env):len(p.cfg.Env)],
		"GIT_TERMINAL_PROMPT=0", "SSH_ASKPASS_REQUIRE=never", "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "NO_COLOR=1")
}

const stdinFile = "body.md"

// command runs git or gh under a supervisor and returns what it printed.
func (p *Publisher) command(ctx context.Context, id, stdin string, wall time.Duration, env, argv []string) (string, error) {
	dir := p.cfg.Effects.Open(id)
	out, err := p.cfg.Effects.Run(ctx, shim.Spec{
		ID: id, Argv: argv, Dir: p.cfg.Home, Env: env, Stdin: filepath.Join(dir.Box(), stdinFile),
		Wall: wall, Grace: grace, Head: keptBytes, Tail: keptBytes, Secrets: redact.Secrets(env),
	}, effect.Box{stdinFile: []byte(stdin)}, nil)
	if err != nil {
		return "", err
	}
	printed, _ := out.Dir.Tail(shim.Merged, keptBytes) // how it ended is what counts
	_ = p.cfg.Effects.Remove(id)                       // else by the next daemon
	text := strings.TrimSpace(strings.ToValidUTF8(string(printed), "\uFFFD"))
	name := argv[0]
	said := strings.TrimSuffix(": "+begin(strings.Join(strings.Fields(text), " "), saidBytes), ": ")
	switch {
	case out.Outcome == events.Exited && out.Exit == 0:
		return text, nil
	case out.Outcome == events.SpawnFailed, out.Outcome == events.Exited && out.Exit == 127:
		return "", errors.New(name + " is not on the PATH of the daemon")
	case out.Outcome == events.Exited && name == "gh" && out.Exit == 4:
		return "", errors.New("gh is not logged in: gh auth login")
	case out.Outcome == events.Exited:
		return "", fmt.Errorf("%s exited with %d%s", verb(argv), out.Exit, said)
	case out.Outcome == events.WallTimeout:
		return "", fmt.Errorf("%s took longer than %v and was ended%s", verb(argv), wall, said)
	}
	return "", fmt.Errorf("%s has ended: %s%s", verb(argv), out.Outcome, said)
}

// verb names a command in a problem, without what it was given.
func verb(argv []string) string {
	for i, a := range argv {
		switch {
		case a == "ls-remote" || a == "push":
			return argv[0] + " " + a
		case i > 0 && argv[i-1] == "pr":
			return argv[0] + " pr " + a
		}
	}
	return argv[0]
}
