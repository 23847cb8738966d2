package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// Repository is the id of the repository that a work tree belongs to, the first
// 16 hex digits of the SHA-256 of the real path of its common git directory:
// linked work trees have the one of their repository.
func (w Workspace) Repository() (string, error) {
	real, err := w.Common()
	if err != nil {
		return "", err
	}
	return IDOf(real), nil
}

// IDOf is the id of a work tree or repository by its real path.
func IDOf(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:8])
}

// Common is the real path of the git directory that all work trees of the
// repository share.
func (w Workspace) Common() (string, error) {
	gd, err := gitDirOf(w.Path)
	if err != nil {
		return "", fmt.Errorf("find the repository of %s: %w", w.Path, err)
	}
	real, err := filepath.EvalSymlinks(gd.common)
	if err == nil {
		real, err = filepath.Abs(real)
	}
	if err != nil {
		return "", fmt.Errorf("find the repository of %s: %w", w.Path, err)
	}
	return real, nil
}

// Branch is the branch that is checked out in the work tree; empty is none.
func (w Workspace) Branch() (string, error) {
	gd, err := gitDirOf(w.Path)
	if err != nil {
		return "", fmt.Errorf("find the branch of %s: %w", w.Path, err)
	}
	_, ref, err := gd.head()
	if err != nil {
		return "", fmt.Errorf("find the branch of %s: %w", w.Path, err)
	}
	name, _ := strings.CutPrefix(ref, "refs/heads/")
	return name, nil
}
