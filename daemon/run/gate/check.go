package gate

import (
	"fmt"
	"path/filepath"
	"slices"
)

// ToolChange is a program or a configuration of the gates that is not what it
// was at the start of the run.
type ToolChange struct {
	Word   string // the command word, or the name of what is shadowed; empty for configuration
	Was    string // where it was; empty if it was absent
	Is     string // where it is now; empty if it is gone
	Config bool   // a configuration file, at Was
	Script bool   // a script that a gate names, at Was
}

// String says what happened, for a person and for the agent.
func (c ToolChange) String() string {
	switch {
	case c.Config:
		return fmt.Sprintf("%s changed: it configures the programs that gates run", c.Was)
	case c.Script:
		return fmt.Sprintf("%s changed: it is a script that a gate runs", c.Was)
	case c.Is == "":
		return fmt.Sprintf("%s is gone: at the start of the run it was %s", c.Word, c.Was)
	case c.Is == c.Was:
		return fmt.Sprintf("%s changed: %s is not the program that it was at the start of the run", c.Word, c.Is)
	}
	return fmt.Sprintf("%s is now %s: at the start of the run it was %s", c.Word, c.Is, c.Was)
}

// Path is the file that the change is about.
func (c ToolChange) Path() string {
	if c.Is != "" {
		return c.Is
	}
	return c.Was
}

// CheckTools compares programs and configuration of the gates with what was
// pinned, and lists what differs, each once:
//
//   - a command word that leads to another file or other contents;
//   - a new program in a directory of PATH, outside the workspace, with the name
//     of one that a later directory had: it runs in that one's place;
//   - a changed configuration file of a toolchain;
//   - a changed script that PinScripts was told of.
//
// The copies in the gates' HOME are no finding, as gates may write there: they
// are laid anew, so that no gate sees what another one or an agent left in
// them. Directories and files that nothing touched are not read again.
func (p Pinned) CheckTools() ([]ToolChange, error) {
	var changes []ToolChange
	for _, t := range p.Tools {
		if c, changed := p.checkTool(t); changed {
			changes = append(changes, c)
		}
	}
	shadows, err := p.shadows()
	if err != nil {
		return nil, err
	}
	for _, c := range shadows {
		if !slices.Contains(changes, c) {
			changes = append(changes, c)
		}
	}
	for _, f := range p.Configs {
		if !f.same() {
			changes = append(changes, ToolChange{Was: f.Path, Config: true})
		}
	}
	for _, f := range p.Scripts {
		if !f.same() {
			changes = append(changes, ToolChange{Was: f.Path, Script: true})
		}
	}
	return changes, layCopies(p.Home, p.Copies)
}

// checkTool compares a tool that was found at the start. One that was not, an
// agent may have to install.
func (p Pinned) checkTool(t Tool) (ToolChange, bool) {
	if t.Path == "" {
		return ToolChange{}, false
	}
	is := p.look(t.Word)
	c := ToolChange{Word: t.Word, Was: t.Path, Is: is}
	if is != t.Path {
		return c, true
	}
	if t.Sum == "" {
		now, err := p.resolve(t.Word)
		return c, err != nil || now.ID != t.ID
	}
	return c, !t.same()
}

// Came lists the command words that lead to a program now, and led to none when the
// run began, each with its path. What was seen without them may be otherwise.
func (p Pinned) Came() (words []string) {
	for _, t := range p.Tools {
		if path := p.look(t.Word); t.Path == "" && path != "" {
			words = append(words, t.Word+"="+path)
		}
	}
	return words
}

// shadows finds programs that came into a directory before another that had
// one of that name.
func (p Pinned) shadows() ([]ToolChange, error) {
	var found []ToolChange
	for i, was := range p.Dirs {
		if currentID(was.Path) == was.ID || p.inWorkspace(was.Path) {
			continue
		}
		is, err := readDir(was.Path)
		if err != nil {
			return nil, err
		}
		for _, name := range is.Names {
			if slices.Contains(was.Names, name) {
				continue
			}
			if later := p.later(i, name); later != "" {
				found = append(found, ToolChange{Word: name, Was: later, Is: filepath.Join(was.Path, name)})
			}
		}
	}
	return found, nil
}

// later is where a directory behind the i-th had a program of that name, unless
// one before it had too: then nothing changes.
func (p Pinned) later(i int, name string) string {
	for _, d := range p.Dirs[:i] {
		if slices.Contains(d.Names, name) {
			return ""
		}
	}
	for _, d := range p.Dirs[i+1:] {
		if slices.Contains(d.Names, name) && realPath(d.Path) != realPath(p.Dirs[i].Path) {
			return filepath.Join(d.Path, name)
		}
	}
	return ""
}
