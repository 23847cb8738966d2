// Package tree records what a workspace looks like, in the daemon's own bare
// git repository, one per workspace.
//
// It owns the folder <root>/<workspace id>.git: objects, an index per run, and
// the refs refs/autopilot/<run>/<k>. It promises
//
//   - that recording reads the work tree and nothing else of the workspace
//     decides anything: it starts no program, and where git is asked, it runs
//     with our repository, our configuration and a closed environment, so no
//     program named by the workspace (fsmonitor, hook, filter, textconv) is
//     started, and bytes are stored as they are on disk;
//   - that a file is read again unless its device, inode, size and times, that
//     of its change among them, are those of the last time it was read;
//   - that objects are on the disk, where the repository is durable, before an
//     index or a caller names them;
//   - that the user's index, refs and objects are never written;
//   - that ignore rules are those that the caller froze at the start of a run;
//   - that what cannot be recorded whole (files over the size limit, nested
//     repositories, pipes, sockets, devices, files and folders that cannot be read)
//     is named in the Snapshot.
//
// It never follows a symbolic link out of the work tree, and it never writes
// to the work tree but in Restore.
//
// A Repo may be used from any goroutine. One process owns a repository, and
// opens it once: Open removes lock files, which after the death of a daemon
// are nobody's. It needs git 2.36 or newer.
package tree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"autopilot/events"
)

var (
	// ErrNotRepository says that a directory is in no git work tree.
	ErrNotRepository = errors.New("not a git work tree")
	// ErrNoGit says that there is no git to run.
	ErrNoGit = errors.New("git is not found")
	// ErrGone says that the directory of a workspace does not exist (any more).
	ErrGone = errors.New("workspace is gone")
	// ErrRefFormat says that the workspace keeps its refs in a form that is not
	// read here (reftable).
	ErrRefFormat = errors.New("refs are stored in a form that is not supported")
	// ErrUnreadable says that a file could not be recorded, twice.
	ErrUnreadable = errors.New("file cannot be recorded")
	// ErrNotFound says that a tree has no such path, or a run no such iteration.
	ErrNotFound = errors.New("not found")
	// ErrNotRecorded says that a path is known by size and hash, or by HEAD, only.
	ErrNotRecorded = errors.New("content is not recorded")
)

// DefaultLargeBytes is the size over which an untracked file is recorded by
// size and hash only.
const DefaultLargeBytes = 50 << 20

// Config says where repositories are and how safe their writes are.
type Config struct {
	Root       string // <state>/trees
	Durable    bool   // recorded trees survive a power cut
	LargeBytes int64  // 0 is DefaultLargeBytes
	Git        string // path of the git program; empty looks on PATH
	Scratch    string // for what is thrown away, out of the reach of effects; empty is Root
}

// Repo is the daemon's repository of one workspace.
type Repo struct {
	ws    Workspace
	dir   string
	git   string
	large int64

	scratch string
	idLen   int
	durable bool // what is written is synced

	lists    recent[events.Tree, []listing]
	long     recent[events.Tree, []listing] // of large trees
	compared recent[[2]events.Tree, []Change]
	configs  configs

	mu     sync.Mutex
	states map[string]*state // by index name
	nested map[string]*Repo  // by path
}

// Open opens the repository of a workspace, and makes it where it is missing.
func Open(ctx context.Context, c Config, ws Workspace) (*Repo, error) {
	if !nameOK(ws.ID) || !filepath.IsAbs(ws.Path) {
		return nil, fmt.Errorf("open tree repository: bad workspace %q at %q", ws.ID, ws.Path)
	}
	git, err := lookGit(c.Git)
	if err != nil {
		return nil, fmt.Errorf("open tree repository: %w", err)
	}
	root, err := filepath.Abs(c.Root)
	if err != nil {
		return nil, fmt.Errorf("open tree repository: %w", err)
	}
	r := &Repo{ws: ws, dir: filepath.Join(root, ws.ID+".git"), git: git, scratch: c.Scratch, large: c.LargeBytes, durable: c.Durable, states: map[string]*state{}}
	r.long.most = 2
	if r.scratch == "" {
		r.scratch = root
	}
	if r.large <= 0 {
		r.large = DefaultLargeBytes
	}
	if err := r.prepare(ctx, root); err != nil {
		return nil, fmt.Errorf("open tree repository %s: %w", r.dir, err)
	}
	return r, nil
}

// Dir is the path of the bare repository.
func (r *Repo) Dir() string { return r.dir }

// Workspace is the workspace that the repository belongs to.
func (r *Repo) Workspace() Workspace { return r.ws }

// Scratch makes a folder that the caller removes.
func (r *Repo) Scratch() (string, error) { return makeScratch(r.scratch) }

// makeScratch makes a folder below one that no effect can write to: what git reads
// there can name programs.
func makeScratch(in string) (string, error) {
	if err := os.MkdirAll(in, 0o700); err != nil {
		return "", err
	}
	return os.MkdirTemp(in, tempPrefix)
}

// GitDir is the directory of the repository, which its work trees share; empty where it
// is not there.
func (r *Repo) GitDir() string {
	gd, err := gitDirOf(r.ws.Path)
	if err != nil {
		return ""
	}
	return gd.common
}

func lookGit(path string) (string, error) {
	if path == "" {
		path = "git"
	}
	found, err := exec.LookPath(path)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoGit, err)
	}
	return filepath.Abs(found)
}

// prepare brings the repository's folder into the form that this version wants.
func (r *Repo) prepare(ctx context.Context, root string) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	format, err := r.objectFormat(ctx)
	if err != nil {
		return err
	}
	r.idLen = 40
	if format == "sha256" {
		r.idLen = 64
	}
	for _, sub := range []string{"objects/info", "objects/pack", "refs", "info", "indexes", "home"} {
		if err := os.MkdirAll(filepath.Join(r.dir, sub), 0o700); err != nil {
			return err
		}
	}
	files := map[string]string{
		"HEAD":            "ref: refs/heads/none\n",
		"info/attributes": attributes,
		"config":          configText(format, r.durable, r.dir),
	}
	for name, text := range files {
		if err := r.writeFile(filepath.Join(r.dir, name), []byte(text)); err != nil {
			return err
		}
	}
	return r.sweep()
}

// sweep removes lock and temporary files that a dead process left.
func (r *Repo) sweep() error {
	for _, sub := range []string{"refs", "indexes", "known"} {
		err := filepath.WalkDir(filepath.Join(r.dir, sub), func(path string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			if name := d.Name(); strings.HasSuffix(name, ".lock") || strings.Contains(name, tempPrefix) {
				return os.Remove(path)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// objectFormat is the hash of our repository: that of the workspace at the
// time when ours is made, so that commits can be compared.
func (r *Repo) objectFormat(ctx context.Context) (string, error) {
	config := filepath.Join(r.dir, "config")
	if _, err := os.Stat(config); errors.Is(err, fs.ErrNotExist) {
		gd, err := gitDirOf(r.ws.Path)
		if err != nil {
			return "", err
		}
		config = filepath.Join(gd.common, "config")
	}
	format, err := r.configValue(ctx, config, "extensions.objectformat")
	if err != nil {
		return "", err
	}
	switch format {
	case "", "sha1":
		return "sha1", nil
	case "sha256":
		return format, nil
	}
	return "", fmt.Errorf("unknown object format %q", format)
}

// attributes stand above every .gitattributes of the work tree: no filter, no
// line-ending change, and diffs decide by content whether a file is text.
const attributes = "* -text !eol -crlf -filter -ident !diff !merge -working-tree-encoding -whitespace\n"

func configText(format string, durable bool, dir string) string {
	var b strings.Builder
	version := "0"
	if format != "sha1" {
		version = "1"
	}
	b.WriteString("[core]\n\trepositoryformatversion = " + version + "\n" + `	bare = true
	fileMode = true
	symlinks = true
	ignoreCase = false
	precomposeUnicode = false
	protectHFS = false
	protectNTFS = false
	autocrlf = false
	safecrlf = false
	fsmonitor = false
	untrackedCache = false
	splitIndex = false
	hooksPath = /dev/null
	attributesFile = /dev/null
	excludesFile = /dev/null
	logAllRefUpdates = false
	commitGraph = false
	quotePath = false
	looseCompression = 1
`)
	if durable {
		b.WriteString("\tfsync = objects,reference\n\tfsyncMethod = " + fsyncMethod(dir) + "\n")
	} else {
		b.WriteString("\tfsync = none\n")
	}
	b.WriteString("[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n[submodule]\n\trecurse = false\n")
	if format != "sha1" {
		b.WriteString("[extensions]\n\tobjectFormat = " + format + "\n")
	}
	return b.String()
}

const tempPrefix = ".tmp-"

// writeFile replaces a file of this repository.
func (r *Repo) writeFile(path string, text []byte) error { return writeFile(path, text, r.durable) }

// writeFile replaces a file at once, if its text differs.
func writeFile(path string, text []byte, durable bool) error {
	if old, err := os.ReadFile(path); err == nil && string(old) == string(text) {
		return nil
	}
	return replace(path, text, 0o600, durable)
}

// replace puts a file in its place in one step.
func replace(path string, text []byte, mode fs.FileMode, durable bool) error {
	f, err := os.CreateTemp(filepath.Dir(path), tempPrefix)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err == nil && mode != 0o600 {
		err = f.Chmod(mode)
	}
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// nameOK says whether a run id or iteration can be part of a ref and a file name.
func nameOK(s string) bool {
	if s == "" || len(s) > 64 || s[0] == '-' {
		return false
	}
	for _, c := range []byte(s) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// treeOK keeps anything but an object id away from git's argument list.
func treeOK(t events.Tree) error {
	if !idOK(string(t)) {
		return fmt.Errorf("bad tree %.80q", string(t))
	}
	return nil
}

func idOK(id string) bool {
	if len(id) != 40 && len(id) != 64 {
		return false
	}
	return strings.Trim(id, "0123456789abcdef") == ""
}
