package project

import (
	"bufio"
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"

	"autopilot/projections/phrase"
)

// maxFile bounds what is read of a file.
const maxFile = 1 << 20

// tree is one directory of a file system.
type tree struct {
	fsys fs.FS
	dir  string // "." is the root
}

// read is the beginning of a regular file; false if there is none.
func (t tree) read(name string) ([]byte, bool) {
	full := path.Join(t.dir, name)
	// Asked before it is opened: to open a pipe waits for its other end.
	info, err := fs.Stat(t.fsys, full)
	if err != nil || !info.Mode().IsRegular() {
		return nil, false
	}
	f, err := t.fsys.Open(full)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxFile))
	return b, err == nil
}

// has says whether there is a regular file of that name.
func (t tree) has(name string) bool {
	info, err := fs.Stat(t.fsys, path.Join(t.dir, name))
	return err == nil && info.Mode().IsRegular()
}

// first is the first of the names that is there, or empty.
func (t tree) first(names ...string) string {
	for _, n := range names {
		if t.has(n) {
			return n
		}
	}
	return ""
}

// parent is the directory above; false at the root.
func (t tree) parent() (tree, bool) {
	if t.dir == "." {
		return t, false
	}
	return tree{t.fsys, path.Dir(t.dir)}, true
}

// above finds the first directory from this one upwards that has one of the files. up
// leads there: empty, or ../ once or more.
func (t tree) above(names ...string) (at tree, name, up string) {
	for at, ok := t, true; ok; at, ok = at.parent() {
		if name := at.first(names...); name != "" {
			return at, name, up
		}
		up += "../"
	}
	return t, "", ""
}

// list is the names of the regular files of a directory, at most maxList.
func (t tree) list(dir string) []string {
	entries, err := fs.ReadDir(t.fsys, path.Join(t.dir, dir))
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries[:min(len(entries), maxList)] {
		if e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	return out
}

const maxList = 512

// file is the path of a file relative to the root.
func (t tree) file(name string) string { return path.Join(t.dir, name) }

// in is a command that is run in this directory from the root.
func (t tree) in(command string) string {
	if t.dir == "." {
		return command
	}
	return "cd " + quote(t.dir) + " && " + command
}

// quote makes one word of the shell of a path, and never an option.
func quote(word string) string {
	if strings.HasPrefix(word, "-") {
		word = "./" + word
	}
	return phrase.Quote(word)
}

// lines are those of a text, without what ends them. An endless one is cut off.
func lines(b []byte) []string {
	var out []string
	s := bufio.NewScanner(bytes.NewReader(bytes.TrimPrefix(b, []byte("\ufeff"))))
	s.Buffer(nil, maxFile)
	for s.Scan() {
		out = append(out, strings.TrimSuffix(s.Text(), "\r"))
	}
	return out
}

// sections are the lines of a TOML or INI file by the name of their table. It
// reads no values: it only looks whether a tool is configured.
func sections(b []byte) map[string][]string {
	out := map[string][]string{}
	name := ""
	for _, line := range lines(b) {
		line = strings.TrimSpace(line)
		if inner, ok := strings.CutPrefix(line, "["); ok {
			if head, _, ok := strings.Cut(strings.TrimLeft(inner, "["), "]"); ok && !strings.ContainsAny(head, `,"'`) {
				name = strings.TrimSpace(head)
				out[name] = append(out[name], "")
				continue
			}
		}
		if line != "" && line[0] != '#' && line[0] != ';' {
			out[name] = append(out[name], line)
		}
	}
	return out
}
