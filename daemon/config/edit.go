package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"autopilot/daemon/strictyaml"
	"autopilot/events/wire"
)

// Edit changes one setting in a file.
type Edit struct {
	Path  string
	User  bool // it is the user's file, else a project's
	Key   string
	Value string
	Unset bool // take it out
}

// BelongsToUser says that only the user's file can hold a key.
func BelongsToUser(key string) bool {
	project, user := holds(key)
	return user && !project
}

// holds says which files can hold a key: a setting, or a group of them.
func holds(key string) (project, user bool) {
	if s, ok := Find(key); ok {
		return s.Project, s.User
	}
	for _, s := range Settings() {
		if key != "" && strings.HasPrefix(s.Key, key+".") {
			project, user = project || s.Project, user || s.User
		}
	}
	return project, user
}

// Write checks the edit and carries it out. A file that is not there is made. The
// error is a *wire.Error.
func (e Edit) Write() error {
	if err := e.check(); err != nil {
		return err
	}
	f := e.read(nil)
	if err := f.Err(); err != nil {
		return wire.Errorf(wire.Usage, "%v", err).WithHint("nothing was changed; correct the file first")
	}
	if e.Unset && !f.Exists {
		return nil
	}
	src, err := e.change(f.Source, literal(e.Value))
	if err != nil {
		return err
	}
	made := e.read(src)
	if made.Err() != nil && !e.Unset && isScalar(e.Value) { // true can be a command, and 1.5 a model
		if text, err := e.change(f.Source, strictyaml.Flow(e.Value)); err == nil && e.read(text).Err() == nil {
			src, made = text, e.read(text)
		}
	}
	if made.Err() != nil {
		p := made.Problems[0]
		return wire.Errorf(wire.Usage, "%s", strings.TrimSuffix(p.Message+": "+p.Fix, ": ")).
			WithHint("nothing was changed in %s", e.Path)
	}
	return e.replace(src)
}

// read reads the file, or what it shall hold.
func (e Edit) read(src []byte) File {
	switch {
	case e.User && src == nil:
		return ReadUser(e.Path).File
	case e.User:
		return ParseUser(e.Path, src).File
	case src == nil:
		return ReadProject(e.Path).File
	}
	return ParseProject(e.Path, src).File
}

// check refuses a key that the file has no setting for.
func (e Edit) check() error {
	if e.Path == "" {
		return wire.Errorf(wire.Usage, "the user's file has no place").WithHint("set HOME or XDG_CONFIG_HOME")
	}
	s, ok := Find(e.Key)
	mine, other := holds(e.Key)
	if !ok && (mine || other) {
		ok = strings.HasPrefix(strings.TrimSpace(e.Value), "{") // members that need one another are set at once
	}
	if e.User {
		mine, other = other, mine
	}
	switch {
	case !ok:
		return e.unknown()
	case mine:
		return nil
	case !other:
		return wire.Errorf(wire.Usage, "%s is set by %s or %s, in no file", e.Key, s.Flag, s.Variable)
	case e.User:
		return wire.Errorf(wire.Usage, "%s belongs in the project's file", e.Key).WithHint("apctl config set %s VALUE   without --user", e.Key)
	}
	return wire.Errorf(wire.Usage, "%s belongs in the user's file", e.Key).WithHint("apctl config set --user %s VALUE", e.Key)
}

func (e Edit) unknown() error {
	var keys []string
	for _, s := range Settings() {
		keys = append(keys, named(s.Key, e.Key))
		if strings.HasPrefix(s.Key+".", e.Key+".") || strings.HasPrefix(s.Key, e.Key+".") {
			return wire.Errorf(wire.Usage, "%s is a group of settings", e.Key).WithHint("set one of it, as %s, or several at once, as '{%s: VALUE}'", s.Key, memberOf(s.Key, e.Key))
		}
	}
	err := wire.Errorf(wire.Usage, "no setting %q", e.Key)
	if near := strictyaml.Nearest(e.Key, keys); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("apctl config show   lists them")
}

// named is the key of a setting with the names that another key has in their places.
func named(setting, key string) string {
	parts, names := strings.Split(setting, "."), strings.Split(key, ".")
	for i, p := range parts {
		if p == "NAME" && i < len(names) && names[i] != "" {
			parts[i] = names[i]
		}
	}
	return strings.Join(parts, ".")
}

// memberOf is the name of a setting within its group.
func memberOf(key, group string) string {
	name, _, _ := strings.Cut(strings.TrimPrefix(key, group+"."), ".")
	return name
}

// change is the new content with a value, as YAML.
func (e Edit) change(src []byte, value string) ([]byte, error) {
	path := strings.Split(e.Key, ".")
	var out []byte
	var err error
	if e.Unset {
		out, err = strictyaml.Unset(src, path)
	} else {
		out, err = strictyaml.Set(src, path, value)
	}
	var bad *strictyaml.Error
	switch {
	case errors.Is(err, strictyaml.ErrLayout):
		return nil, wire.Errorf(wire.Usage, "%s: %v", e.Path, err).WithHint("change %s there with an editor", e.Key)
	case errors.As(err, &bad):
		return nil, wire.Errorf(wire.Usage, "the value of %s cannot be read: %s", e.Key, bad.Msg).WithHint("%s", bad.Fix)
	case err != nil:
		return nil, wire.Errorf(wire.Usage, "%s: %v", e.Key, err)
	}
	return out, nil
}

// literal is a value as it was typed, as YAML: a list, a mapping, a number, true,
// false and text in quotes are taken as they are, anything else is text.
func literal(typed string) string {
	text := strings.TrimSpace(typed)
	if text != "" && strings.ContainsRune(`[{"'`, rune(text[0])) {
		return text
	}
	if isScalar(text) {
		return text
	}
	return strictyaml.Flow(typed)
}

// isScalar says that a text is a number, true or false.
func isScalar(text string) bool {
	doc, err := strictyaml.ParseOptional([]byte("v: " + strings.TrimSpace(text) + "\n"))
	if err != nil {
		return false
	}
	switch v, _ := doc.Lookup("v"); v.(type) {
	case bool, int64, uint64, float64:
		return true
	}
	return false
}

// replace puts the content into the place of the file, in one step. What a link
// leads to is replaced, not the link.
func (e Edit) replace(src []byte) (err error) {
	defer func() {
		if err != nil {
			err = wire.Errorf(wire.Failed, "cannot write %s: %v", e.Path, strictyaml.Cause(err)).WithHint("nothing was changed; check owner and mode")
		}
	}()
	path := e.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	mode, dirMode := fs.FileMode(0o644), fs.FileMode(0o755)
	if e.User {
		mode, dirMode = 0o600, 0o700
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), dirMode); err != nil {
		return err
	}
	return writeFile(path, src, mode)
}

// writeFile writes a file of another name, synced, and renames it.
func writeFile(path string, src []byte, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".config-*.yaml")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	_, err = f.Write(src)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err != nil {
		return fmt.Errorf("write %s: %w", f.Name(), err)
	}
	return os.Rename(f.Name(), path)
}
