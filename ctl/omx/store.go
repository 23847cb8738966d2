package omx

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Options say where a call comes from.
type Options struct {
	Dir     string // of the caller, absolute
	Of      string // the working directory that the call names, "" for Dir
	Environ []string
	Now     time.Time
}

// Store is the state of one workspace.
type Store struct {
	Dir  string // the working directory
	Base string // the directory of the states, .omx/state in most

	environ []string
	now     time.Time
}

// Open finds the states of a working directory. It writes nothing.
//
// Source: oh-my-codex 0.21.6, state root: the first of OMX_TEAM_STATE_ROOT, OMX_ROOT,
// OMX_STATE_ROOT, a directory above whose session is that of OMX_SESSION_ID, and the
// working directory itself.
func Open(o Options) (*Store, error) {
	s := &Store{environ: o.Environ, now: o.Now}
	dir, err := directory(o.Dir, o.Of)
	if err != nil {
		return nil, err
	}
	s.Dir = dir
	roots, err := s.allowed()
	if err != nil {
		return nil, err
	}
	if err := within(roots, dir, "the working directory"); err != nil {
		return nil, err
	}
	if s.Base, err = s.base(o.Dir, roots); err != nil {
		return nil, err
	}
	return s, within(roots, s.Base, "the state directory")
}

// directory is the working directory that a call means (lessons O6 and O7).
func directory(from, named string) (string, error) {
	named = strings.TrimSpace(named)
	switch {
	case strings.ContainsRune(named, 0):
		return "", errors.New("the working directory has a NUL byte in it")
	case len(named) > 2 && named[1] == ':' && (named[2] == '\\' || named[2] == '/'):
		return "", fmt.Errorf("the working directory %q is a path of Windows, and not of this host", named)
	case named == "":
		return filepath.Clean(from), nil
	case !filepath.IsAbs(named):
		named = filepath.Join(from, named)
	}
	st, err := os.Stat(named)
	switch {
	case err != nil:
		return "", fmt.Errorf("the working directory cannot be used: %w", err)
	case !st.IsDir():
		return "", fmt.Errorf("the working directory %s is no directory", named)
	}
	return filepath.Clean(named), nil
}

const variableOfRoots = "OMX_MCP_WORKDIR_ROOTS"

// allowed are the directories that states may be in; none means all of them.
func (s *Store) allowed() ([]string, error) {
	var roots []string
	for _, r := range filepath.SplitList(s.getenv(variableOfRoots)) {
		if r = strings.TrimSpace(r); r == "" {
			continue
		}
		abs := r
		if !filepath.IsAbs(r) {
			abs = filepath.Join(s.Dir, r)
		}
		if abs = filepath.Clean(abs); canonical(abs) != abs {
			return nil, fmt.Errorf("%s names %s, which is a link to %s: name that", variableOfRoots, abs, canonical(abs))
		}
		roots = append(roots, abs)
	}
	return roots, nil
}

func within(roots []string, path, what string) error {
	if len(roots) == 0 {
		return nil
	}
	path = canonical(path)
	for _, r := range roots {
		if below(r, path) {
			return nil
		}
	}
	return fmt.Errorf("%s %s is outside of the roots that %s allows", what, path, variableOfRoots)
}

// base is the directory of the states.
func (s *Store) base(from string, roots []string) (string, error) {
	for _, v := range []struct{ name, below string }{
		{"OMX_TEAM_STATE_ROOT", ""}, {"OMX_ROOT", ".omx/state"}, {"OMX_STATE_ROOT", ".omx/state"},
	} {
		root := strings.TrimSpace(s.getenv(v.name))
		if root == "" {
			continue
		}
		if !filepath.IsAbs(root) {
			root = filepath.Join(from, root)
		}
		return filepath.Join(root, v.below), nil
	}
	found, err := s.above(roots)
	if err != nil || found != "" {
		return found, err
	}
	return filepath.Join(s.Dir, ".omx", "state"), nil
}

// above is the state directory above the working directory whose session is that of
// the caller.
func (s *Store) above(roots []string) (string, error) {
	id := s.sessionOf("OMX_SESSION_ID")
	if id == "" {
		return "", nil
	}
	found := ""
	for dir := s.Dir; ; dir = filepath.Dir(dir) {
		base := canonical(filepath.Join(dir, ".omx", "state"))
		if within(roots, base, "") == nil {
			p := readPointer(base, s.Dir)
			if p.class == usable && p.is(id) && base != found {
				if found != "" {
					return "", fmt.Errorf("two state directories have the session %s: %s and %s", id, found, base)
				}
				found = base
			}
		}
		if dir == filepath.Dir(dir) {
			return found, nil
		}
	}
}

func (s *Store) getenv(name string) string {
	for i := len(s.environ) - 1; i >= 0; i-- {
		if k, v, _ := strings.Cut(s.environ[i], "="); k == name {
			return v
		}
	}
	return ""
}

// canonical is a path without links; what is not there yet keeps its names.
func canonical(path string) string {
	rest := ""
	for at := path; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return path
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// below says that a path is a directory or something in it.
func below(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
