package gate

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/daemon/regular"
	"autopilot/projections/regex"
	"autopilot/projections/rule"
)

// PinScripts remembers scripts of gates that the recorded tree lacks, so that
// CheckTools sees a change of them. Outside the workspace that is every one. In
// it, where git ignores them, only shell scripts: all else there can be what the
// agent has to build. Programs that are pinned as tools are passed over.
func (p *Pinned) PinScripts(scripts []rule.Script) error {
	for _, s := range scripts {
		path := p.place(s.Path)
		known := func(f File) bool { return f.Path == path }
		tool := slices.ContainsFunc(p.Tools, func(t Tool) bool { return known(t.File) })
		if tool || slices.ContainsFunc(p.Scripts, known) || p.inWorkspace(path) && !s.Shell && !isShellScript(path) {
			continue
		}
		f, err := readFile(path)
		if errors.Is(err, fs.ErrPermission) {
			continue // the gate cannot read it either
		}
		if err != nil {
			return fmt.Errorf("pin the script of a gate: %w", err)
		}
		p.Scripts = append(p.Scripts, f)
	}
	return nil
}

// PinRoles remembers programs and scripts of the agents that look at the work, so
// that ChangedRoles sees a change of them. One that cannot be read is passed over.
func (p *Pinned) PinRoles(paths []string) error {
	for _, name := range paths {
		f, err := readFile(p.place(name))
		if errors.Is(err, fs.ErrPermission) {
			continue
		}
		if err != nil {
			return fmt.Errorf("pin the program of a role: %w", err)
		}
		if f.Sum != "" {
			p.Roles = append(p.Roles, f)
		}
	}
	return nil
}

// ChangedRoles lists the programs and scripts of roles that changed since the start.
func (p Pinned) ChangedRoles() []string {
	var out []string
	for _, f := range p.Roles {
		if !f.same() {
			out = append(out, f.Path)
		}
	}
	return out
}

// IsFile reports whether a path, as gates see it, is a regular file.
func (p Pinned) IsFile(name string) bool {
	info, err := os.Stat(p.place(name))
	return err == nil && info.Mode().IsRegular()
}

// scriptBytes bounds a script that is read to see what it runs.
const scriptBytes = 1 << 20

// ReadScript reads a script as gates see it; ok is false of one that cannot be
// read, or is too large for one.
func (p Pinned) ReadScript(name string) (text []byte, ok bool) {
	if !p.IsFile(name) {
		return nil, false
	}
	text, err := regular.Read(p.place(name), scriptBytes)
	return text, err == nil && len(text) <= scriptBytes
}

// place is where a path of a gate command leads.
func (p Pinned) place(name string) string {
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		return filepath.Join(p.value("HOME"), below)
	}
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(p.Workspace, name)
}

var shellLine = regex.New(`^#![^\n]*\b(sh|bash|dash|zsh|ksh|fish)\b`)

// isShellScript reads the first line of a file.
func isShellScript(path string) bool {
	head, err := regular.Read(path, 127)
	return err == nil && shellLine.Match(head)
}
