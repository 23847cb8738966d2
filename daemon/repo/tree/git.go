package tree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// gitTimeout ends a git that something in the work tree made hang (a pipe put
// in place of a file between our look and git's).
const gitTimeout = 10 * time.Minute

// call is one run of git in our repository.
type call struct {
	args    []string
	index   string // path of the index file; empty needs none
	objects string // a foreign objects directory to read from as well
	tree    bool   // needs the work tree
	stdin   io.Reader
	stdout  io.Writer // nil returns the output
	quiet   bool      // a word on stderr is an error, whatever the exit code
	lone    bool      // writes one object at most
}

// gitError carries what git said.
type gitError struct {
	verb   string
	stderr string
	err    error
}

func (e *gitError) Error() string {
	if e.stderr == "" {
		return fmt.Sprintf("git %s: %v", e.verb, e.err)
	}
	return fmt.Sprintf("git %s: %s", e.verb, e.stderr)
}

func (e *gitError) Unwrap() error { return e.err }

var errSpoke = errors.New("git printed a warning")

func (r *Repo) run(ctx context.Context, c call) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.git, c.args...)
	cmd.Env = r.env(c)
	cmd.Dir = r.dir
	if c.tree {
		// Paths on stdin and in the output are relative to the work tree.
		cmd.Dir = r.ws.Path
	}
	cmd.Stdin = c.stdin
	var out, stderr bytes.Buffer
	cmd.Stdout = &out
	if c.stdout != nil {
		cmd.Stdout = c.stdout
	}
	cmd.Stderr = &limitedBuffer{buf: &stderr, left: 16 << 10}
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err == nil && c.quiet && spoken(stderr.String()) {
		err = errSpoke
	}
	if err != nil {
		return nil, &gitError{verb: c.args[0], stderr: strings.TrimSpace(stderr.String()), err: err}
	}
	return out.Bytes(), nil
}

// spoken is what git said on stderr, without what it says of attributes that it cannot
// open: those do not count here.
func spoken(stderr string) bool {
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if line != "" && (!strings.HasPrefix(line, "warning: unable to access '") || !strings.Contains(line, ".gitattributes': ")) {
			return true
		}
	}
	return false
}

// Who commits in our repositories.
const (
	author     = "autopilot"
	authorMail = "autopilot@localhost"
)

// env is the whole environment of a git: nothing is inherited.
func (r *Repo) env(c call) []string {
	env := []string{
		"PATH=" + filepath.Dir(r.git) + ":/usr/bin:/bin",
		"HOME=" + filepath.Join(r.dir, "home"),
		"XDG_CONFIG_HOME=" + filepath.Join(r.dir, "home"),
		"LC_ALL=C",
		"GIT_DIR=" + r.dir,
		"GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_SYSTEM=/dev/null",
		"GIT_CONFIG_NOSYSTEM=1",
		"GIT_ATTR_NOSYSTEM=1",
		"GIT_NO_REPLACE_OBJECTS=1",
		"GIT_NO_LAZY_FETCH=1",
		"GIT_TERMINAL_PROMPT=0",
		"GIT_OPTIONAL_LOCKS=0",
		"GIT_LITERAL_PATHSPECS=1",
		"GIT_PROTOCOL_FROM_USER=0",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_AUTHOR_NAME=" + author,
		"GIT_AUTHOR_EMAIL=" + authorMail,
		"GIT_COMMITTER_NAME=" + author,
		"GIT_COMMITTER_EMAIL=" + authorMail,
	}
	if c.tree {
		env = append(env, "GIT_WORK_TREE="+r.ws.Path)
	}
	if c.index != "" {
		env = append(env, "GIT_INDEX_FILE="+c.index)
	}
	// Whatever a configuration says, no program of it runs.
	set := []string{"core.fsmonitor", "false", "core.hooksPath", os.DevNull, "log.showSignature", "false"}
	if c.lone {
		// Batch mode makes and empties a folder of its own for each process: for
		// one object that costs more than the sync that it saves.
		set = append(set, "core.fsyncMethod", "fsync")
	}
	env = append(env, configEnv(set...)...)
	if c.objects != "" {
		env = append(env, "GIT_ALTERNATE_OBJECT_DIRECTORIES="+quoteAlternate(c.objects))
	}
	return env
}

// quoteAlternate writes a path as git reads it from a colon-separated list.
func quoteAlternate(path string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(path) {
		switch {
		case c == '"' || c == '\\':
			b.WriteByte('\\')
			b.WriteByte(c)
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// oid runs git and returns the one object id that it prints.
func (r *Repo) oid(ctx context.Context, c call) (string, error) {
	out, err := r.run(ctx, c)
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(out))
	if !idOK(id) {
		return "", fmt.Errorf("git %s: unexpected answer %.80q", c.args[0], id)
	}
	return id, nil
}

// configValue reads one value of a configuration file as data: includes are
// not followed, and nothing in it applies to the git that reads it.
func (r *Repo) configValue(ctx context.Context, path, key string) (string, error) {
	text, err := readRegular(path, 1<<20)
	if err != nil {
		return "", nil //nolint:nilerr // no file, no value
	}
	last := key[strings.LastIndexByte(key, '.')+1:]
	if !strings.Contains(strings.ToLower(string(text)), last) {
		return "", nil
	}
	cmd := exec.CommandContext(ctx, r.git, "config", "--file", "-", "--no-includes", "-z", "--get", key)
	cmd.Env = append(r.env(call{}), "GIT_CEILING_DIRECTORIES=/")
	cmd.Dir = "/"
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == 1:
		return "", nil // not set
	case err != nil:
		return "", fmt.Errorf("read %s from %s: %w", key, path, err)
	}
	return strings.TrimSuffix(string(out), "\x00"), nil
}

// readRegular reads a small regular file; a pipe in its place cannot hang it.
func readRegular(path string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read %s: not a regular file", strconv.Quote(path))
	}
	if info.Size() > limit {
		return nil, fmt.Errorf("read %s: larger than %d bytes", strconv.Quote(path), limit)
	}
	return io.ReadAll(io.LimitReader(f, limit))
}

// limitedBuffer keeps the beginning of what git says.
type limitedBuffer struct {
	buf  *bytes.Buffer
	left int
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.buf.Write(p[:n])
	l.left -= n
	return len(p), nil
}

// configEnv are the variables that set keys of git's configuration over all files:
// keys and values in turn.
func configEnv(set ...string) []string {
	env := []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(len(set)/2)}
	for i := 0; i+1 < len(set); i += 2 {
		n := strconv.Itoa(i / 2)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+set[i], "GIT_CONFIG_VALUE_"+n+"="+set[i+1])
	}
	return env
}
