package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"autopilot/daemon/strictyaml"
	"autopilot/events/wire"
)

// ProjectPath is where the project's file of a work tree is.
func ProjectPath(root string) string { return filepath.Join(root, ".autopilot", "config.yaml") }

// File is a file as it was read.
type File struct {
	Path     string
	Exists   bool
	Source   []byte
	Problems []wire.ConfigProblem // in the order of the file
	doc      *strictyaml.Doc
}

// ProjectFile is the file of a project.
type ProjectFile struct {
	File
	Project
}

// UserFile is the file of a user.
type UserFile struct {
	File
	User
}

// ReadProject reads the file of a project. Without one nothing is set.
func ReadProject(path string) ProjectFile {
	f := ProjectFile{File: read(path)}
	f.parseProject()
	return f
}

// ParseProject is ReadProject of a file that holds src.
func ParseProject(path string, src []byte) ProjectFile {
	f := ProjectFile{File: File{Path: path, Exists: true, Source: src}}
	f.parseProject()
	return f
}

// ReadUser reads the file of a user over the defaults.
func ReadUser(path string) UserFile {
	f := UserFile{File: read(path), User: DefaultUser()}
	f.parseUser()
	return f
}

// ParseUser is ReadUser of a file that holds src.
func ParseUser(path string, src []byte) UserFile {
	f := UserFile{File: File{Path: path, Exists: true, Source: src}, User: DefaultUser()}
	f.parseUser()
	return f
}

func (f *ProjectFile) parseProject() {
	f.decode(&f.Project)
	if f.usable() {
		f.judge(f.check)
	}
	if !f.usable() {
		f.Project = Project{}
	}
}

func (f *UserFile) parseUser() {
	f.decode(&f.User)
	if f.usable() {
		f.judge(f.check)
	}
	if !f.usable() {
		f.User = DefaultUser()
	}
}

// Hash is the SHA-256 of the content, in lower-case hex.
func (f File) Hash() string {
	sum := sha256.Sum256(f.Source)
	return hex.EncodeToString(sum[:])
}

// Err is what is wrong with the file, an *Error, or nil.
func (f File) Err() error {
	if f.usable() {
		return nil
	}
	return &Error{f.Problems}
}

// Line is the line at which a key stands that the file sets.
func (f File) Line(key string) (int, bool) {
	if f.doc == nil {
		return 0, false
	}
	line, _, ok := f.doc.Place(key)
	return line, ok
}

// Empty says that the file sets nothing, so there is nothing to agree to.
func (f File) Empty() bool {
	if f.doc == nil {
		return !f.Exists
	}
	v, _ := f.doc.Lookup()
	entries, ok := v.(strictyaml.Map[any])
	return v == nil || ok && len(entries) == 0
}

func (f File) usable() bool { return len(f.Problems) == 0 }

func (f File) sets(key string) bool {
	_, ok := f.Line(key)
	return ok
}

// decode fills dst with what the file says.
func (f *File) decode(dst any) {
	if !f.Exists || !f.usable() {
		return
	}
	var err error
	if f.doc, err = strictyaml.ParseOptional(f.Source); err != nil {
		f.note(err)
		return
	}
	for _, e := range f.doc.DecodeAll(dst) {
		f.note(explain(e, dst))
	}
}

// note adds a problem.
func (f *File) note(err error) {
	p := wire.ConfigProblem{File: f.Path, Message: err.Error()}
	var e *strictyaml.Error
	if errors.As(err, &e) {
		p.Line, p.Column, p.Message, p.Fix, p.Excerpt = e.Line, e.Column, e.Msg, e.Fix, e.Excerpt
	}
	f.Problems = append(f.Problems, p)
}

// read reads a regular file, or finds that there is none. A link that leads
// nowhere is a file that cannot be read.
func read(path string) File {
	f := File{Path: path}
	if path == "" {
		return f
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return f
	}
	f.Exists = true
	src, err := strictyaml.ReadFile(path)
	if err != nil {
		f.Problems = []wire.ConfigProblem{unreadable(path, err)}
	}
	f.Source = src
	return f
}

func unreadable(path string, err error) wire.ConfigProblem {
	return wire.ConfigProblem{File: path, Message: "cannot be read: " + err.Error(), Fix: "correct it, or move it away"}
}

// Error is what is wrong with a file: at least one problem.
type Error struct{ Problems []wire.ConfigProblem }

// Error is the first problem with its excerpt, and how many there are more.
func (e *Error) Error() string {
	s := problemText(e.Problems[0])
	if more := len(e.Problems) - 1; more > 0 {
		s += fmt.Sprintf("\nand %d more: apctl config check   shows all", more)
	}
	return s
}

// Hint says what helps against the problems of a file.
func Hint(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && strings.HasSuffix(e.Problems[0].Message, notRead) {
		return "look at the folder first"
	}
	return "correct the file; apctl config check   shows what is wrong"
}

// Unusable refuses a request for the problems of a file.
func Unusable(err error) *wire.Error {
	return wire.Errorf(wire.Usage, "%v", err).WithHint("%s", Hint(err))
}

func problemText(p wire.ConfigProblem) string {
	s := p.File + ": "
	if p.Line > 0 {
		e := strictyaml.Error{Line: p.Line, Column: p.Column, Msg: p.Message, Fix: p.Fix, Excerpt: p.Excerpt}
		return s + e.Error()
	}
	s += p.Message
	if p.Fix != "" {
		s += ": " + p.Fix
	}
	return s
}
