package draft

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"autopilot/projections/regex"
)

// gitWithin bounds each git that looks at or writes to a repository of this host.
const gitWithin = time.Minute

// git is a repository of the host, with nothing of the user's or the repository's
// own that would start a program.
type git struct {
	dir string   // GIT_DIR
	env []string // beside the closed environment
}

// closed is the environment of a git that inherits nothing.
func closed(dir string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GIT_DIR=" + dir, "HOME=" + os.DevNull,
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_NO_REPLACE_OBJECTS=1", "GIT_NO_LAZY_FETCH=1",
		"GIT_TERMINAL_PROMPT=0", "GIT_ALLOW_PROTOCOL=none", "GIT_LITERAL_PATHSPECS=1",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=core.hooksPath", "GIT_CONFIG_VALUE_0=" + os.DevNull,
		"GIT_CONFIG_KEY_1=core.fsmonitor", "GIT_CONFIG_VALUE_1=false",
		"GIT_AUTHOR_NAME=autopilot", "GIT_AUTHOR_EMAIL=autopilot@localhost",
		"GIT_COMMITTER_NAME=autopilot", "GIT_COMMITTER_EMAIL=autopilot@localhost",
	}
}

func (g git) with(env ...string) git {
	return git{g.dir, append(g.env[:len(g.env):len(g.env)], env...)}
}

// run is what git prints. An error is what it says.
func (g git) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitWithin)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = filepath.Dir(g.dir), append(closed(g.dir), g.env...)
	cmd.Stdin, cmd.WaitDelay = bytes.NewReader(stdin), 5*time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if said := strings.TrimSpace(errs.String()); err != nil && said != "" {
		err = errors.New(begin(said, saidBytes))
	}
	if err != nil {
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

var objectID = regex.New(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// id is the one object that git prints.
func (g git) id(ctx context.Context, stdin []byte, args ...string) (string, error) {
	out, err := g.run(ctx, stdin, args...)
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !objectID.MatchString(id) {
		return "", fmt.Errorf("git %s: unexpected answer %.80q", args[0], id)
	}
	return id, nil
}
