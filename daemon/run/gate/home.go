package gate

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"

	"autopilot/daemon/regular"
)

// copyLimit bounds a configuration file that is copied.
const copyLimit = 1 << 20

// Copy is a configuration file of the user in the gates' HOME. A file that the
// user did not have is absent there too.
type Copy struct {
	Name   string `json:"name"` // below the gates' HOME
	Absent bool   `json:"absent,omitzero"`
	Link   string `json:"link,omitzero"` // a folder of the caches in its place
	Data   []byte `json:"data,omitzero"` // can hold secrets
}

// Sum is the SHA-256 of the contents, empty for an absent file.
func (c Copy) Sum() string {
	if c.Absent {
		return ""
	}
	if c.Link != "" {
		return hash([]byte(c.Link))
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
	text, err := regular.Read(path, copyLimit)
	if err == nil && len(text) > copyLimit {
		err = fmt.Errorf("it has more than %d bytes", copyLimit)
	}
	return text, err
}

// layCopies makes the gates' HOME what it was. Gates run the agent's code and
// can write there, so nothing in it is followed: a link could lead into the
// user's own files.
func layCopies(home string, copies []Copy) error {
	if info, err := os.Lstat(home); err == nil && !info.IsDir() {
		if err := os.Remove(home); err != nil {
			return fmt.Errorf("clear the home of the gates: %w", err)
		}
	}
	if err := os.MkdirAll(home, 0o700); err != nil {
		return fmt.Errorf("make the home of the gates: %w", err)
	}
	root, err := os.OpenRoot(home)
	if err != nil {
		return fmt.Errorf("open the home of the gates: %w", err)
	}
	defer root.Close()
	for _, c := range copies {
		if err := c.lay(root); err != nil {
			return fmt.Errorf("lay %s in %s: %w", c.Name, home, err)
		}
	}
	return nil
}

// lay puts a copy in its place, or removes what is there. A gate that runs
// meanwhile sees the old file or the new one.
func (c Copy) lay(root *os.Root) error {
	if err := c.clearParents(root); err != nil {
		return err
	}
	if c.intact(root) {
		return nil
	}
	if info, err := root.Lstat(c.Name); c.Absent || err == nil && info.IsDir() {
		if err := root.RemoveAll(c.Name); err != nil {
			return err
		}
	}
	switch {
	case c.Absent:
		return nil
	case c.Link != "":
		return c.link(root)
	}
	return c.write(root)
}

// clearParents removes what is no folder where one must be.
func (c Copy) clearParents(root *os.Root) error {
	for i, r := range c.Name {
		if r != '/' {
			continue
		}
		if info, err := root.Lstat(c.Name[:i]); err == nil && !info.IsDir() {
			if err := root.Remove(c.Name[:i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// link leads to a folder that tools fill.
func (c Copy) link(root *os.Root) error {
	if err := os.MkdirAll(c.Link, 0o700); err != nil {
		return err
	}
	if err := root.MkdirAll(path.Dir(c.Name), 0o700); err != nil {
		return err
	}
	if err := root.Remove(c.Name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return root.Symlink(c.Link, c.Name)
}

func (c Copy) write(root *os.Root) error {
	if err := root.MkdirAll(path.Dir(c.Name), 0o700); err != nil {
		return err
	}
	temp := c.Name + ".lay-" + rand.Text()
	f, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(c.Data)
	if err = errors.Join(err, f.Close()); err == nil {
		err = root.Rename(temp, c.Name)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return nil
}

// intact reports whether the copy is still what was laid. A link in its place
// is not.
func (c Copy) intact(root *os.Root) bool {
	info, err := root.Lstat(c.Name)
	if err != nil {
		return c.Absent && errors.Is(err, fs.ErrNotExist)
	}
	if c.Link != "" {
		to, err := root.Readlink(c.Name)
		return err == nil && to == c.Link && isDir(c.Link)
	}
	if c.Absent || info.Mode() != 0o600 || info.Size() != int64(len(c.Data)) {
		return false
	}
	data, err := root.ReadFile(c.Name)
	return err == nil && bytes.Equal(data, c.Data)
}
