package tree

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
)

// Repository is the id of the repository that a work tree belongs to, the first
// 16 hex digits of the SHA-256 of the real path of its common git directory:
// linked work trees have the one of their repository.
func (w Workspace) Repository() (string, error) {
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
	sum := sha256.Sum256([]byte(real))
	return hex.EncodeToString(sum[:8]), nil
}
