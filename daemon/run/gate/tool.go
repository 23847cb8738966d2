package gate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"autopilot/daemon/regular"
	"autopilot/projections/rule"
)

// Tool is a command word and the program that it was at the start.
type Tool struct {
	Word string `json:"word"`
	File        // Path is where PATH leads to; empty if the word was not found
	Real string `json:"real,omitzero"` // the file behind links
}

// File is a file by its contents. A path with an empty sum was absent.
type File struct {
	Path string `json:"path,omitzero"`
	Sum  string `json:"sum,omitzero"`
	ID   fileID `json:"id,omitzero"`
}

// Dir is a directory of PATH and the programs that were in it.
type Dir struct {
	Path  string   `json:"path"`
	ID    fileID   `json:"id,omitzero"` // zero if it was absent
	Names []string `json:"names,omitzero"`
}

// readFile sums a file. Absent ones, and directories, have no sum.
func readFile(path string) (File, error) {
	f := File{Path: path}
	in, err := regular.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, regular.ErrIrregular) {
		return f, nil
	}
	if err != nil {
		return f, fmt.Errorf("read tool: %w", err)
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return f, fmt.Errorf("read tool: %w", err)
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, in); err != nil {
		return f, fmt.Errorf("read tool: %w", err)
	}
	f.Sum, f.ID = hex.EncodeToString(sum.Sum(nil)), idOf(info)
	return f, nil
}

// same reports whether the file is as it was, without reading it if nothing
// touched it.
func (f File) same() bool {
	if info, err := os.Stat(f.Path); err == nil && f.Sum != "" && idOf(info) == f.ID {
		return true
	}
	is, err := readFile(f.Path)
	return err == nil && is.Sum == f.Sum
}

func readFiles(paths []string) ([]File, error) {
	var files []File
	for _, path := range paths {
		f, err := readFile(path)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// toolConfigs are files outside HOME that can replace what a tool runs: one
// line in cargo's makes it run any wrapper in the place of rustc.
func toolConfigs(env environ) []string {
	if dir := env["CARGO_HOME"]; dir != "" {
		return []string{filepath.Join(dir, "config"), filepath.Join(dir, "config.toml")}
	}
	return nil
}

func readDirs(paths []string) ([]Dir, error) {
	dirs := make([]Dir, 0, len(paths))
	for _, path := range paths {
		d, err := readDir(path)
		if err != nil {
			return nil, err
		}
		dirs = append(dirs, d)
	}
	return dirs, nil
}

// readDir lists the programs of a directory of PATH. One that is absent, or
// that the user may not read, has none, as for a shell. The id is taken first:
// what comes in between shows as a change.
func readDir(path string) (Dir, error) {
	d := Dir{Path: path}
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return d, nil // a shell passes over it too
	}
	d.Names, err = programs(path)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	if err != nil {
		return d, fmt.Errorf("read directory of PATH: %w", err)
	}
	d.ID = idOf(info)
	return d, nil
}

// programs lists the programs of a directory, sorted. It asks by the open directory, as
// directories of PATH have thousands of files, and each run reads them at its start.
func programs(path string) ([]string, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	names = slices.DeleteFunc(names, func(name string) bool {
		err := unix.Fstatat(int(dir.Fd()), name, &st, 0)
		return err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o111 == 0
	})
	slices.Sort(names)
	return names, nil
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}

// findTools resolves the command words that are no files of the workspace.
func (p Pinned) findTools(commands []rule.Command) ([]Tool, error) {
	var words []string
	for _, c := range commands {
		words = append(words, c.Words()...)
	}
	slices.Sort(words)
	var tools []Tool
	for _, w := range slices.Compact(words) {
		if !p.isTool(w) {
			continue
		}
		t, err := p.resolve(w)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", w, err)
		}
		tools = append(tools, t)
	}
	return tools, nil
}

// isTool reports whether a word is looked up: a name, a path below HOME, or an
// absolute path outside the workspace. What is in the workspace can be built by
// the agent.
func (p Pinned) isTool(word string) bool {
	if !strings.Contains(word, "/") || strings.HasPrefix(word, "~/") {
		return true
	}
	return filepath.IsAbs(word) && !p.inWorkspace(word)
}

// inWorkspace looks behind links, so that a directory of PATH that leads into
// the workspace is in it.
func (p Pinned) inWorkspace(path string) bool {
	for _, path := range []string{path, realPath(path)} {
		rel, err := filepath.Rel(p.Workspace, path)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, "../") {
			return true
		}
	}
	return false
}

func realPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// resolve looks for a word as a shell does, and sums what it finds.
func (p Pinned) resolve(word string) (Tool, error) {
	t := Tool{Word: word}
	path := p.look(word)
	if path == "" {
		return t, nil
	}
	f, err := readFile(path)
	if errors.Is(err, fs.ErrPermission) {
		// A program can be run that cannot be read: then it is known by its
		// place and times.
		info, statErr := os.Stat(path)
		if statErr != nil {
			return t, statErr
		}
		f, err = File{Path: path, ID: idOf(info)}, nil
	}
	if err != nil {
		return t, err
	}
	t.File, t.Real = f, realPath(path)
	return t, nil
}

// look is where a word leads to now, or "".
func (p Pinned) look(word string) string {
	if below, ok := strings.CutPrefix(word, "~/"); ok {
		word = filepath.Join(p.value("HOME"), below)
	}
	if filepath.IsAbs(word) {
		if isProgram(word) {
			return word
		}
		return ""
	}
	for _, d := range p.Dirs {
		if path := filepath.Join(d.Path, word); isProgram(path) {
			return path
		}
	}
	return ""
}

// tool is the pinned tool of a word.
func (p Pinned) tool(word string) (Tool, bool) {
	for _, t := range p.Tools {
		if t.Word == word {
			return t, true
		}
	}
	return Tool{}, false
}
