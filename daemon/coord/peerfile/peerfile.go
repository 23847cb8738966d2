// Package peerfile reads the files by which session-orchestrator says which of its
// sessions are there: a lock in each work tree, and a registry of the host with a
// file for each session.
//
// It only reads, never writes, and never removes. A file is absent, unreadable,
// corrupt or ok: four different answers, as what could not be read is not nothing.
// Whatever a file holds, it costs bounded time and memory. It judges nothing: what
// is fresh, and whose a file is, are rules of their own.
//
// Source: session-orchestrator, seeds 2.8.3 and 2.8.4.
package peerfile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// State is how a file was found.
type State string

// The states.
const (
	Absent     State = "absent"
	Unreadable State = "unreadable"
	Corrupt    State = "corrupt"
	OK         State = "ok"
)

// File is a place that was looked at.
type File struct {
	Path    string
	State   State
	Problem string // why it is unreadable or corrupt
}

// Session is what a file says of a session. All of it is a claim.
type Session struct {
	Path     string
	ID       string // as it calls itself
	Mode     string // empty if it does not say
	Platform string
	Branch   string
	PID      int    // zero if it does not say
	Host     string // name of the host, of a lock
	RepoHash string // of a registry entry: SHA-256 of the path of its work tree
	Started  time.Time
	Beat     time.Time     // zero if it cannot be read
	TTL      time.Duration // of a lock; zero if it does not say
	Written  time.Time     // when the file was
}

// LockPath is the lock file of a work tree.
func LockPath(tree string) string { return filepath.Join(tree, ".orchestrator", "session.lock") }

// RegistryDir is the registry of a user.
func RegistryDir(home string) string {
	return filepath.Join(home, ".config", "session-orchestrator", "sessions", "active")
}

// ReadLock reads the lock file of a work tree.
func ReadLock(tree string) (Session, File) {
	s, f := read(LockPath(tree))
	if f.State == OK && s.silent {
		s.Beat = s.Started
	}
	return s.Session, f
}

// Bounds of what is read.
const (
	maxFile    = 64 << 10
	maxEntries = 512
	maxNames   = 1 << 16
)

// ReadRegistry reads the entries of a registry, those that were written latest
// where there are too many. junk are files in it that are no entries, or that were
// left out; dir is the registry itself.
func ReadRegistry(path string) (list []Session, junk []File, dir File) {
	names, left, err := latest(path)
	if err != nil {
		return nil, nil, failed(path, err)
	}
	for _, name := range names {
		s, f := read(filepath.Join(path, name))
		switch {
		case f.State == OK && s.whole():
			list = append(list, s.Session)
		case f.State == OK:
			junk = append(junk, File{f.Path, Corrupt, "it has no started_at or no last_heartbeat that is text"})
		case f.State != Absent: // else it has ended meanwhile
			junk = append(junk, f)
		}
	}
	if left > 0 {
		junk = append(junk, File{path, Unreadable, fmt.Sprintf("it holds more than %d entries, and %d that were written before the others were not looked at", maxEntries, left)})
	}
	return list, junk, File{Path: path, State: OK}
}

// latest are the names of a registry's entries, the latest first, and how many were
// left out.
func latest(path string) (names []string, left int, err error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer d.Close()
	all, err := d.Readdirnames(maxNames)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, 0, err
	}
	all = slices.DeleteFunc(all, func(name string) bool { return !strings.HasSuffix(name, ".json") })
	if len(all) <= maxEntries {
		return all, 0, nil
	}
	written := make(map[string]time.Time, len(all))
	for _, name := range all {
		if info, err := os.Lstat(filepath.Join(path, name)); err == nil {
			written[name] = info.ModTime()
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(written[b].Compare(written[a]), cmp.Compare(a, b)) })
	return all[:maxEntries], len(all) - maxEntries, nil
}

func failed(path string, err error) File {
	if errors.Is(err, fs.ErrNotExist) {
		return File{Path: path, State: Absent}
	}
	return File{path, Unreadable, plain(err)}
}

// plain is an error without the path, which is said beside it.
func plain(err error) string {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// entry is a session with the texts that its times were read from.
type entry struct {
	Session
	started, beat string
	silent        bool // it has no last_heartbeat, or null: one that is no text is there, and cannot be read
}

// whole says that an entry of the registry has what it must have.
func (e entry) whole() bool { return e.started != "" && e.beat != "" }

func read(path string) (entry, File) {
	text, written, err := regular(path)
	if err != nil {
		return entry{}, failed(path, err)
	}
	e, err := parse(text)
	if err != nil {
		return entry{}, File{path, Corrupt, err.Error()}
	}
	e.Path, e.Written = path, written
	return e, File{Path: path, State: OK}
}

// regular reads a regular file. It follows no link, as their writer makes none, and
// opens nothing else: who waits at the other end of a pipe would notice.
func regular(path string) ([]byte, time.Time, error) {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, time.Time{}, fmt.Errorf("it is not a file but %s", kindOf(info.Mode()))
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, time.Time{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, time.Time{}, err
	}
	if !info.Mode().IsRegular() {
		return nil, time.Time{}, fmt.Errorf("it is not a file but %s", kindOf(info.Mode()))
	}
	if info.Size() > maxFile {
		return nil, time.Time{}, fmt.Errorf("it has %d bytes; the limit is %d", info.Size(), maxFile)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxFile))
	return text, info.ModTime(), err
}

func kindOf(m fs.FileMode) string {
	switch m.Type() {
	case fs.ModeDir:
		return "a folder"
	case fs.ModeSymlink:
		return "a link"
	case fs.ModeNamedPipe:
		return "a pipe"
	case fs.ModeSocket:
		return "a socket"
	default:
		return "a device"
	}
}

// parse reads a session from JSON as its writer would: unknown members count for
// nothing, and of one that is there twice the last does.
func parse(body []byte) (entry, error) {
	var m map[string]jsontext.Value
	if err := json.Unmarshal(body, &m, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil || m == nil {
		return entry{}, errors.New("it is not a JSON object")
	}
	var e entry
	e.ID = text(m, "session_id")
	if len(e.ID) > maxText {
		return entry{}, fmt.Errorf("its session_id has more than %d bytes", maxText)
	}
	if !safeID(e.ID) {
		return entry{}, errors.New("its session_id is none")
	}
	if v, ok := m["mode"]; ok && v.Kind() != '"' && v.Kind() != 'n' {
		return entry{}, errors.New("its mode is not a text")
	}
	e.Mode, e.Platform, e.Branch = str(m, "mode"), str(m, "platform"), str(m, "branch")
	e.Host, e.RepoHash = str(m, "host"), str(m, "repo_path_hash")
	e.started, e.beat = str(m, "started_at"), str(m, "last_heartbeat")
	e.Started, e.Beat = when(e.started), when(e.beat)
	v, there := m["last_heartbeat"]
	e.silent = !there || v.Kind() == 'n'
	if n := num(m, "pid"); n >= 1 && n <= 1<<30 {
		e.PID = int(n)
	}
	if h := num(m, "ttl_hours"); h > 0 && h <= 24*366 {
		e.TTL = time.Duration(h * float64(time.Hour))
	}
	return e, nil
}

// maxText bounds a text of a file.
const maxText = 200

// safeID says that a name is one that its writer would have taken.
//
// Source: session-orchestrator, seeds 2.8.4 id safety.
func safeID(id string) bool {
	return id != "" && id != "." && id != ".." && !strings.ContainsAny(id, "/\\\x00")
}

// text is a member that is text; empty where it is none.
func text(m map[string]jsontext.Value, name string) string {
	var s string
	if v := m[name]; v.Kind() != '"' || json.Unmarshal(v, &s, jsontext.AllowInvalidUTF8(true)) != nil {
		return ""
	}
	return s
}

// str is the beginning of a text.
func str(m map[string]jsontext.Value, name string) string {
	s := text(m, name)
	return strings.ToValidUTF8(s[:min(len(s), maxText)], "")
}

func num(m map[string]jsontext.Value, name string) float64 {
	var n float64
	if v := m[name]; v.Kind() != '0' || json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}

// when is a time, zero if it cannot be read.
func when(text string) time.Time {
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}
	}
	return t.UTC()
}
