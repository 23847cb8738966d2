package tree

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// rootWithin bounds the look for the first commit.
const rootWithin = 30 * time.Second

// Identities names repositories so that their clones agree, also on other hosts.
// It may be used from any goroutine.
type Identities struct {
	git     string // path of the program; empty looks on PATH
	host    string
	scratch string

	mu    sync.Mutex
	roots map[string]string // the first commit, by git directory and a commit that it leads to
}

// NewIdentities makes one, for the repositories of a host. Scratch is a folder that no
// effect can write to.
func NewIdentities(git, host, scratch string) *Identities {
	return &Identities{git: git, host: host, scratch: scratch, roots: map[string]string{}}
}

// Of is the identity of the repository that a work tree belongs to: the name of
// its remote (origin, or the only one), as `github.com/owner/name`; without a
// remote on another machine its oldest first commit, as `commit 1f3a...`; without
// commits, or where they are not read here, the real path of its git directory on
// this host. A remote that is a path is that path on this host.
func (i *Identities) Of(ctx context.Context, w Workspace) (string, error) {
	common, err := w.Common()
	if err != nil {
		return "", err
	}
	git, err := lookGit(i.git)
	if err != nil {
		return i.here(common), nil //nolint:nilerr // without git nothing else is known
	}
	address, err := remoteAddress(ctx, git, filepath.Join(common, "config"))
	if err != nil {
		return "", fmt.Errorf("find the remote of %s: %w", w.Path, err)
	}
	if name, ok := RemoteName(address); ok {
		return name, nil
	}
	if real, ok := localRemote(common, address); ok {
		return i.here(real), nil
	}
	if root := i.root(ctx, git, w, common); root != "" {
		return "commit " + root, nil
	}
	return i.here(common), nil
}

// here is a path of this host.
func (i *Identities) here(path string) string { return path + "@" + i.host }

// localRemote is the real path of the git directory that an address leads to, if it
// is one of this machine.
func localRemote(common, address string) (string, bool) {
	path := strings.TrimPrefix(address, "file://")
	if path == "" {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(common), path)
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	if gd, err := gitDirOf(real); err == nil {
		if real, err = filepath.EvalSymlinks(gd.common); err == nil {
			return real, true
		}
	}
	return real, isGitDir(real, real)
}

// remoteAddress is where origin is, or the only remote that there is; empty is none.
func remoteAddress(ctx context.Context, git, config string) (string, error) {
	text, err := readRegular(config, 1<<20)
	if err != nil || !bytes.Contains(bytes.ToLower(text), []byte("remote")) {
		return "", nil //nolint:nilerr // no file, no remote
	}
	r := &Repo{git: git, dir: "/nonexistent"}
	cmd := exec.CommandContext(ctx, git, "config", "--file", "-", "--no-includes", "-z", "--get-regexp", `^remote\..*\.url$`)
	cmd.Env = append(r.env(call{}), "GIT_CEILING_DIRECTORIES=/")
	cmd.Dir = "/"
	cmd.Stdin = bytes.NewReader(text)
	out, err := cmd.Output()
	if err != nil && len(out) == 0 {
		return "", ctx.Err() // none, or a file that git does not read either
	}
	all := map[string]string{}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		key, address, ok := strings.Cut(entry, "\n")
		if name := strings.TrimSuffix(strings.TrimPrefix(key, "remote."), ".url"); ok && all[name] == "" {
			all[name] = address
		}
	}
	if origin := all["origin"]; origin != "" || len(all) != 1 {
		return origin, nil
	}
	for _, only := range all {
		return only, nil
	}
	return "", nil
}

// root is the oldest first commit of what is worked on in a repository: of main or
// master, or of what its own work tree has. It is looked for once.
func (i *Identities) root(ctx context.Context, git string, w Workspace, common string) string {
	gd := gitDir{dir: common, common: common}
	head := ""
	for _, name := range []string{"refs/heads/main", "refs/heads/master"} {
		if value, err := gd.ref(name); err == nil && head == "" {
			head = strings.TrimSpace(string(value))
		}
	}
	if !idOK(head) {
		var err error
		if head, _, err = gd.head(); err != nil || head == "" {
			return ""
		}
	}
	key := common + "\x00" + head
	i.mu.Lock()
	root, ok := i.roots[key]
	i.mu.Unlock()
	if ok {
		return root
	}
	root, err := i.firstCommit(ctx, git, w, gd, head)
	if err != nil {
		return ""
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.roots[key] = root
	return root
}

// firstCommit reads the history with a repository of our own, that is thrown away.
func (i *Identities) firstCommit(ctx context.Context, git string, w Workspace, gd gitDir, head string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, rootWithin)
	defer cancel()
	dir, err := makeScratch(i.scratch)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	r, err := Open(ctx, Config{Root: dir, Git: git}, w)
	if err != nil {
		return "", err
	}
	out, err := r.run(ctx, call{args: []string{"rev-list", "--max-parents=0", "--timestamp", head, "--"}, objects: gd.objects()})
	if err != nil {
		return "", err
	}
	roots := strings.Split(strings.TrimSpace(string(out)), "\n")
	slices.SortFunc(roots, func(a, b string) int {
		return strings.Compare(fmt.Sprintf("%60s", a), fmt.Sprintf("%60s", b))
	})
	_, root, _ := strings.Cut(roots[0], " ")
	if !idOK(root) {
		return "", fmt.Errorf("git rev-list: unexpected answer %.80q", roots[0])
	}
	return root, nil
}
