package installed

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Load reads a list. One that is missing or cannot be read is empty.
func Load(path string) List {
	f, err := os.Open(path)
	if err != nil {
		return List{}
	}
	defer f.Close()
	var l List
	if gob.NewDecoder(f).Decode(&l) != nil {
		return List{}
	}
	return l
}

// Save writes a list in the place of the one before, at once.
func (l List) Save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("keep what is outside of the tree: %w", err)
	}
	f, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return fmt.Errorf("keep what is outside of the tree: %w", err)
	}
	err = errors.Join(gob.NewEncoder(f).Encode(l), f.Close())
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("keep what is outside of the tree: %w", err)
	}
	return nil
}
