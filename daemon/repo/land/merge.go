package land

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"autopilot/daemon/repo/commit"
)

// How says in what form work comes onto its target.
type How string

// The forms.
const (
	Merge  How = "merge"  // a commit with both parents
	Rebase How = "rebase" // the commits of the work again, on top
	Squash How = "squash" // one commit
)

// Hows lists the forms.
func Hows() []string { return []string{string(Merge), string(Rebase), string(Squash)} }

// Part is the work of one run.
type Part struct {
	Run     string // its handle
	Commit  string
	Subject string   // of the commit: one line
	Message string   // in the place of the whole message, but for its last lines
	Gates   []string // that judge the merged tree
}

// Onto brings work onto a commit, part after part, and returns the last commit that this
// makes. Nothing points to it. Errors are ErrNothing, *ConflictError and *MergesError,
// beside those of git.
func (s *Scratch) Onto(ctx context.Context, tip string, parts []Part, how How) (string, error) {
	now := tip
	for _, p := range parts {
		has, err := s.leads(ctx, s.own, p.Commit, now)
		if err != nil {
			return "", err
		}
		if has {
			continue
		}
		switch how {
		case Rebase:
			now, err = s.rebase(ctx, now, p)
		case Squash:
			now, err = s.merge(ctx, now, p, now)
		default:
			now, err = s.merge(ctx, now, p, now, p.Commit)
		}
		if err != nil {
			return "", err
		}
	}
	same, err := s.sameTree(ctx, tip, now)
	if err == nil && same {
		err = ErrNothing
	}
	return now, err
}

func (s *Scratch) merge(ctx context.Context, tip string, p Part, parents ...string) (string, error) {
	t, err := s.mergeTree(ctx, tip, p.Commit, p.Run)
	if err != nil {
		return "", err
	}
	return s.commit(ctx, s.own, t, message(p, len(parents) > 1), parents...)
}

// message is that of a commit which the daemon makes: it is the record on the branch of
// why it is there.
func message(p Part, merge bool) string {
	subject := p.Subject
	if merge {
		subject = "Merge run " + p.Run + ": " + p.Subject
	}
	text := cmp.Or(strings.TrimSpace(p.Message), subject) + "\n\nRun " + p.Run + " of autopilot made this work.\n"
	if len(p.Gates) > 0 {
		text += "Gates on the merged tree: " + strings.Join(p.Gates, ", ") + "\n"
	}
	return text
}

func (s *Scratch) commit(ctx context.Context, g commit.Git, t, text string, parents ...string) (string, error) {
	args := []string{"commit-tree", t}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	return g.ID(ctx, []byte(text), args...)
}

// mergeTree is the tree of two commits merged.
func (s *Scratch) mergeTree(ctx context.Context, ours, theirs, run string) (string, error) {
	out, err := s.own.Run(ctx, nil, "merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs)
	var exit *commit.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exit == 1:
		files := strings.Split(strings.Trim(string(exit.Out), "\x00"), "\x00")[1:]
		for i, f := range files { // a file in the way of a folder is named with its side
			files[i] = strings.TrimSuffix(strings.TrimSuffix(f, "~"+ours), "~"+theirs)
		}
		slices.Sort(files)
		return "", &ConflictError{run, slices.Compact(files)}
	case errors.As(err, &exit) && exit.Exit == 129:
		return "", ErrOldGit
	case err != nil:
		return "", err
	}
	return strings.Trim(strings.TrimSpace(string(out)), "\x00"), nil
}

// rebase repeats the commits of the work on top of a tip. What the tip has already is left
// out, as git rebase does.
func (s *Scratch) rebase(ctx context.Context, tip string, p Part) (string, error) {
	base, err := s.own.ID(ctx, nil, "merge-base", tip, p.Commit)
	if err != nil {
		return "", err
	}
	if base == tip {
		return p.Commit, nil
	}
	list := func(args ...string) ([]string, error) {
		out, err := s.own.Run(ctx, nil, append([]string{"rev-list", "--reverse", "--topo-order", base + ".." + p.Commit}, args...)...)
		return strings.Fields(string(out)), err
	}
	if merges, err := list("--min-parents=2"); err != nil || len(merges) > 0 {
		return "", errors.Join(err, &MergesError{p.Run})
	}
	commits, err := list()
	if err != nil {
		return "", err
	}
	for _, c := range commits {
		if tip, err = s.again(ctx, tip, c, p.Run); err != nil {
			return "", err
		}
	}
	return tip, nil
}

// again repeats one commit on top of a tip. Its own parent is the base of the merge: a
// commit with the tree of the tip and that parent makes it so, as older versions of git
// take no base.
func (s *Scratch) again(ctx context.Context, tip, id, run string) (string, error) {
	base, err := s.commit(ctx, s.own, tip+"^{tree}", "base\n", id+"^")
	if err != nil {
		return "", err
	}
	t, err := s.mergeTree(ctx, base, id, run)
	if err != nil {
		return "", err
	}
	if same, err := s.sameTree(ctx, tip, t); err != nil || same {
		return tip, err
	}
	about, err := s.own.Run(ctx, nil, "log", "-1", "--date=raw", "--format=%an%x00%ae%x00%ad%x00%cn%x00%ce%x00%cd%x00%B", id)
	if err != nil {
		return "", err
	}
	f := strings.SplitN(string(about), "\x00", 7)
	if len(f) != 7 {
		return "", fmt.Errorf("git log: unexpected answer about %s", id)
	}
	g := s.own.With("GIT_AUTHOR_NAME="+f[0], "GIT_AUTHOR_EMAIL="+f[1], "GIT_AUTHOR_DATE="+f[2],
		"GIT_COMMITTER_NAME="+f[3], "GIT_COMMITTER_EMAIL="+f[4], "GIT_COMMITTER_DATE="+f[5])
	return s.commit(ctx, g, t, strings.TrimRight(f[6], "\n")+"\n", tip)
}

func (s *Scratch) sameTree(ctx context.Context, a, b string) (bool, error) {
	x, err := s.own.ID(ctx, nil, "rev-parse", "--verify", a+"^{tree}")
	if err != nil {
		return false, err
	}
	y, err := s.own.ID(ctx, nil, "rev-parse", "--verify", b+"^{tree}")
	return x == y, err
}

// leads says that the history leads from one commit to another.
func (s *Scratch) leads(ctx context.Context, g commit.Git, from, to string) (bool, error) {
	_, err := g.Run(ctx, nil, "merge-base", "--is-ancestor", from, to)
	if exits(err, 1) {
		return false, nil
	}
	return err == nil, err
}

func exits(err error, codes ...int) bool {
	var exit *commit.ExitError
	return errors.As(err, &exit) && slices.Contains(codes, exit.Exit)
}
