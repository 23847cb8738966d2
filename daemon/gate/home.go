package gate

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// copyLimit bounds a configuration file that is copied.
const copyLimit = 1 << 20

// Copy is a configuration file of the user in the gates' HOME. A file that the
// user did not have is absent there too.
type Copy struct {
	Name   string `json:"name"` // below the gates' HOME
	Absent bool   `json:"absent,omitzero"`
	Data   []byte `json:"data,omitzero"` // can hold secrets
}

// Sum is the SHA-256 of the contents, empty for an absent file.
func (c Copy) Sum() string {
	if c.Absent {
		return ""
	}
	return hash(c.Data)
}

func hash(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

const goEnvName = ".config/go/env"

// goEnvPath is the file that "go env -w" writes.
func goEnvPath(client environ, home string) string {
	if file := client["GOENV"]; file != "" && file != "off" {
		return file
	}
	config := client["XDG_CONFIG_HOME"]
	if !filepath.IsAbs(config) {
		config = filepath.Join(home, ".config")
		if runtime.GOOS == "darwin" {
			config = filepath.Join(home, "Library", "Application Support")
		}
	}
	return filepath.Join(config, "go", "env")
}

// readCopies reads the user's files as they are now.
func readCopies(client environ, home string) ([]Copy, error) {
	npmrc := client["NPM_CONFIG_USERCONFIG"]
	if !filepath.IsAbs(npmrc) {
		npmrc = filepath.Join(home, ".npmrc")
	}
	goenv := goEnvPath(client, home)
	if client["GOENV"] == "off" {
		goenv = ""
	}
	var copies []Copy
	for _, c := range []struct{ name, from string }{
		{goEnvName, goenv},
		{".npmrc", npmrc},
		{".netrc", filepath.Join(home, ".netrc")},
	} {
		data, err := readSmall(c.from)
		switch {
		case c.from == "", errors.Is(err, fs.ErrNotExist):
			copies = append(copies, Copy{Name: c.name, Absent: true})
		case err != nil:
			return nil, fmt.Errorf("copy %s for the gates: %w", c.from, err)
		default:
			copies = append(copies, Copy{Name: c.name, Data: data})
		}
	}
	return copies, nil
}

func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > copyLimit {
		return nil, fmt.Errorf("is no file of up to %d bytes", copyLimit)
	}
	return os.ReadFile(path)
}

// lay writes a copy into the gates' HOME, or removes what is in its place.
func (c Copy) lay(home string) error {
	path := filepath.Join(home, filepath.FromSlash(c.Name))
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("clear %s: %w", path, err)
	}
	if c.Absent {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("lay %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("lay %s: %w", path, err)
	}
	_, err = f.Write(c.Data)
	if err := errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("lay %s: %w", path, err)
	}
	return nil
}

// intact reports whether the copy is still what was laid. A link in its place
// is not.
func (c Copy) intact(home string) bool {
	path := filepath.Join(home, filepath.FromSlash(c.Name))
	info, err := os.Lstat(path)
	if err != nil {
		return c.Absent && errors.Is(err, fs.ErrNotExist)
	}
	if c.Absent || !info.Mode().IsRegular() || info.Size() != int64(len(c.Data)) {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && bytes.Equal(data, c.Data)
}
