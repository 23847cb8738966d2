package atdd

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"autopilot/projections/atdd"
	"autopilot/projections/marker"
)

// checkRed says whether a commit of tests was seen red, and is before the
// implementation: a strict ancestor, in a history that git shows as it is.
//
// Source: atdd-kit, seeds 3.5, Q22, Q23; lessons A28, A30.
func checkRed(ctx context.Context, c Call) (string, error) {
	test, impl := c.Args[0], c.Args[1]
	if err := atdd.CheckCommits(test, impl); err != nil {
		return "", err
	}
	if c.Args[2] == "" {
		return "", fired("no file of tests that were seen red is named")
	}
	log, there, err := c.read(c.Args[2])
	switch {
	case err != nil:
		return "", fired("%s", atdd.Because(err))
	case !there:
		return "", fired("%s is not there", c.Args[2])
	}
	red, err := atdd.FindRed(log, test)
	if err != nil {
		return "", err
	}
	dir, err := c.path(c.arg(3, "."))
	if err != nil {
		return "", err
	}
	return "", history{dir, c.Environ}.before(ctx, red, impl)
}

// history is that of a repository.
type history struct {
	dir     string
	environ []string
}

func (h history) before(ctx context.Context, red atdd.Red, impl string) error {
	if err := h.whole(ctx); err != nil {
		return err
	}
	first, err := h.commit(ctx, red.Commit)
	if err != nil {
		return err
	}
	later, err := h.commit(ctx, impl)
	if err != nil {
		return err
	}
	if red.Impl != "" {
		if said, err := h.commit(ctx, red.Impl); err != nil || said != later {
			return fired("the row names %s as the implementation, and not %s", red.Impl, impl)
		}
	}
	if first == later {
		return fired("commit %s has the tests and is the implementation as well: the tests have to be in a commit before it", impl)
	}
	if _, err := h.git(ctx, "merge-base", "--is-ancestor", first, later); err != nil {
		return fired("commit %s of the tests is not before %s", red.Commit, impl)
	}
	return nil
}

// whole refuses a history that is cut off or shown otherwise than it is.
func (h history) whole(ctx context.Context) error {
	out, err := h.git(ctx, "rev-parse", "--is-shallow-repository", "--path-format=absolute", "--git-common-dir")
	shallow, common, ok := strings.Cut(out, "\n")
	if err != nil || !ok {
		return fired("%s is not a git repository", h.dir)
	}
	if shallow != "false" {
		return fired("the history of %s is shallow", h.dir)
	}
	if info, err := os.Stat(filepath.Join(common, "info", "grafts")); err == nil && info.Size() > 0 {
		return fired("the history of %s has grafts", h.dir)
	}
	if refs, err := h.git(ctx, "for-each-ref", "--count=1", "refs/replace"); err != nil || refs != "" {
		return fired("the history of %s has replace refs", h.dir)
	}
	return nil
}

func (h history) commit(ctx context.Context, name string) (string, error) {
	id, err := h.git(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return "", fired("there is no commit %s", name)
	}
	return id, nil
}

func (h history) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-replace-objects"}, args...)...)
	cmd.Dir, cmd.Env = h.dir, marker.WithoutRepository(h.environ)
	var out bytes.Buffer
	cmd.Stdout = &out
	err := cmd.Run()
	return strings.TrimSpace(out.String()), err
}

func fired(format string, args ...any) error {
	return fmt.Errorf("%w: %s", atdd.ErrFired, fmt.Sprintf(format, args...))
}
