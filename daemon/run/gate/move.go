package gate

import (
	"path/filepath"
	"slices"
	"strings"
)

// In is what the gates work with in another directory than the workspace, with
// a HOME of their own: the environment names neither the workspace nor the HOME
// of the gates in it, so that nothing there is found by accident. Programs,
// configuration and caches are the same.
func (p Pinned) In(dir, home string) Pinned {
	in := p
	in.Workspace, in.Home = dir, home
	in.Env = make([]string, 0, len(p.Env))
	for _, kv := range p.Env {
		name, value, _ := strings.Cut(kv, "=")
		value = moveDir(value, p.Home, home)
		value = moveDir(value, p.Workspace, dir)
		in.Env = append(in.Env, name+"="+value)
	}
	// No repository around the directory is taken for one of it.
	in.Env = append(in.Env, "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	slices.Sort(in.Env)
	return in
}

// LayHome makes the HOME of the gates with the copies that belong there.
func (p Pinned) LayHome() error { return layCopies(p.Home, p.Copies) }

// moveDir replaces a path, and what is below it, wherever a text names it.
func moveDir(text, from, to string) string {
	var b strings.Builder
	for {
		i := strings.Index(text, from)
		if i < 0 || from == "" || from == "/" {
			b.WriteString(text)
			return b.String()
		}
		end := i + len(from)
		whole := beginsPath(text[:i]) && (end == len(text) || !nameByte(text[end]))
		b.WriteString(text[:i])
		if whole {
			b.WriteString(to)
		} else {
			b.WriteString(from)
		}
		text = text[end:]
	}
}

// beginsPath says whether an absolute path begins behind a text, or is the end of
// a longer one: behind -I, PATH= and file:// it begins.
func beginsPath(before string) bool {
	word := before[strings.LastIndexAny(before, " \t:=,;\"'")+1:]
	return word == "//" || !strings.Contains(word, "/")
}

// nameByte says whether a byte goes on with the name before it.
func nameByte(c byte) bool {
	return c == '.' || c == '-' || c == '_' || c >= 0x80 ||
		c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}
