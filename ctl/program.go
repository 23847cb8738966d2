package ctl

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Program is the path of this program as others should call it: the one on PATH
// if that is it, as it stays when another version is installed behind it.
func Program() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	named, err := exec.LookPath(filepath.Base(self))
	if err != nil || !filepath.IsAbs(named) {
		return self, nil
	}
	a, errA := os.Stat(self)
	b, errB := os.Stat(named)
	if errA == nil && errB == nil && os.SameFile(a, b) {
		return named, nil
	}
	return self, nil
}
