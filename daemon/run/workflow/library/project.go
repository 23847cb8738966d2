package library

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"autopilot/daemon/run/workflow"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
)

const (
	// maxFiles bounds how many files of a project count.
	maxFiles = 200
	// maxBytes bounds all of them together.
	maxBytes = 4 << 20
)

// Dir is where the workflows of a work tree are.
func Dir(root string) string { return filepath.Join(root, ".autopilot", "workflows") }

// PromptDir is where its prompts are.
func PromptDir(root string) string { return filepath.Join(root, ".autopilot", "prompts") }

// Path is where a workflow of a work tree is.
func Path(root, name string) string { return filepath.Join(Dir(root), name+".yaml") }

// Project holds the workflows and prompts of a work tree, sorted by name. The
// zero value has none.
type Project struct {
	Workflows []File   // by the name of the workflow
	Prompts   []File   // by the name of the file
	Agents    []string // profiles that there are; nil where that is not known, so no name of one is looked at
}

// File is one file as it was read.
type File struct {
	Name   string
	Path   string // absolute
	Source []byte
	Err    error // it cannot be read
}

// Read reads the files of a work tree. A name that no workflow or prompt can
// have is none.
func Read(root string) (Project, error) {
	var p Project
	var err error
	if p.Workflows, err = files(Dir(root), ".yaml", func(name string) bool { return events.Name(name).Valid() }); err != nil {
		return Project{}, err
	}
	if p.Prompts, err = files(PromptDir(root), ".md", func(name string) bool { return name != "" }); err != nil {
		return Project{}, err
	}
	for i := range p.Prompts {
		p.Prompts[i].Name += ".md"
	}
	if n := len(p.Workflows) + len(p.Prompts); n > maxFiles {
		return Project{}, fmt.Errorf("%s has %d workflows and prompts; the limit is %d", filepath.Dir(Dir(root)), n, maxFiles)
	}
	return p, p.read(filepath.Dir(Dir(root)))
}

// read fills the files in.
func (p *Project) read(dir string) error {
	left := maxBytes
	for _, list := range [][]File{p.Workflows, p.Prompts} {
		for i := range list {
			f := &list[i]
			f.Source, f.Err = strictyaml.ReadFile(f.Path)
			if left -= len(f.Source); left < 0 {
				return fmt.Errorf("the workflows and prompts of %s have more than %d MiB, the limit", dir, maxBytes>>20)
			}
		}
	}
	return nil
}

// files lists those of a directory with an extension, by their names without it.
func files(dir, ext string, fine func(name string) bool) ([]File, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list workflows: %w", err)
	}
	var out []File
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ext); ok && fine(name) {
			out = append(out, File{Name: name, Path: filepath.Join(dir, e.Name())})
		}
	}
	return out, nil
}

func find(list []File, name string) (File, bool) {
	for _, f := range list {
		if f.Name == name {
			return f, true
		}
	}
	return File{}, false
}

// Names lists every workflow that can be named: those of the project, then the
// other ones that ship.
func (p Project) Names() []string {
	var out []string
	for _, f := range p.Workflows {
		out = append(out, f.Name)
	}
	for _, name := range workflow.Names() {
		if _, ok := find(p.Workflows, name); !ok {
			out = append(out, name)
		}
	}
	return out
}
