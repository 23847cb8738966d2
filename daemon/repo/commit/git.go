package commit

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

// Within bounds each git that looks at or writes to a repository of this host.
const Within = 2 * time.Minute

// saidBytes is how much of what git says an error shows.
const saidBytes = 300

// Git runs git in a repository of the host, with nothing of the user's or the repository's
// own that would start a program.
type Git struct {
	Dir string   // GIT_DIR
	Env []string // beside the closed environment
}

// ExitError is a git that ended with another exit code than 0.
type ExitError struct {
	Verb string
	Exit int
	Said string // the beginning of what it said; may be empty
	Out  []byte // what it printed all the same
}

func (e *ExitError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("git %s: exit status %d", e.Verb, e.Exit)
	}
	return "git " + e.Verb + ": " + e.Said
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

// With adds variables.
func (g Git) With(env ...string) Git {
	return Git{g.Dir, append(g.Env[:len(g.Env):len(g.Env)], env...)}
}

// Run returns what git prints. An error is what it says.
func (g Git) Run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, Within)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir, cmd.Env = filepath.Dir(g.Dir), append(closed(g.Dir), g.Env...)
	cmd.Stdin, cmd.WaitDelay = bytes.NewReader(stdin), 5*time.Second
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], ctx.Err())
	case errors.As(err, &exit):
		return nil, &ExitError{args[0], exit.ExitCode(), begin(strings.TrimSpace(errs.String())), out.Bytes()}
	case err != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], err)
	}
	return out.Bytes(), nil
}

func begin(said string) string {
	if r := []rune(strings.ToValidUTF8(said, "\uFFFD")); len(r) > saidBytes {
		return string(r[:saidBytes])
	}
	return said
}

var objectID = regex.New(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// ID is the one object that git prints.
func (g Git) ID(ctx context.Context, stdin []byte, args ...string) (string, error) {
	out, err := g.Run(ctx, stdin, args...)
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !objectID.MatchString(id) {
		return "", fmt.Errorf("git %s: unexpected answer %.80q", args[0], id)
	}
	return id, nil
}

// Borrow makes an empty bare repository that reads the objects of another one.
func Borrow(ctx context.Context, dir, objects string, idLen int) error {
	return borrow(ctx, dir, dir, objects, idLen, "--bare")
}

// BorrowTree makes a repository with a work tree that reads the objects of another one.
func BorrowTree(ctx context.Context, top, objects string, idLen int) error {
	return borrow(ctx, top, filepath.Join(top, ".git"), objects, idLen)
}

func borrow(ctx context.Context, top, dir, objects string, idLen int, flags ...string) error {
	if strings.ContainsAny(objects, "\n\"") {
		return fmt.Errorf("the path of the repository, %.200q, cannot be borrowed from", objects)
	}
	format := "sha1"
	if idLen == 64 {
		format = "sha256"
	}
	if err := os.MkdirAll(top, 0o700); err != nil {
		return err
	}
	args := append([]string{"init", "--quiet", "--template=", "--object-format=" + format}, flags...)
	if _, err := (Git{Dir: dir}).Run(ctx, nil, args...); err != nil {
		return err
	}
	info := filepath.Join(dir, "objects", "info")
	if err := os.MkdirAll(info, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(info, "alternates"), []byte(objects+"\n"), 0o600)
}
