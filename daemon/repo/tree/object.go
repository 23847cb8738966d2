package tree

import (
	"bytes"
	"context"
	"crypto/sha1" //nolint:gosec // the hash of git's object names
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"autopilot/events"
)

// Commits of trees are made without a process for them, in git's form of a loose object:
// a header of kind and length, and the lines that git cat-file -p shows of a commit.

// hash makes the hash by which the repository names objects.
func (r *Repo) hash() hash.Hash {
	if r.idLen == sha256.Size*2 {
		return sha256.New()
	}
	return sha1.New() //nolint:gosec // the hash of git's object names
}

func header(kind string, size int64) []byte {
	return []byte(kind + " " + strconv.FormatInt(size, 10) + "\x00")
}

// named is an object with its header, and its id.
func (r *Repo) named(kind string, body []byte) (id string, whole []byte) {
	whole = append(header(kind, int64(len(body))), body...)
	if r.idLen == sha256.Size*2 {
		sum := sha256.Sum256(whole)
		return hex.EncodeToString(sum[:]), whole
	}
	sum := sha1.Sum(whole) //nolint:gosec // the hash of git's object names
	return hex.EncodeToString(sum[:]), whole
}

func (r *Repo) loose(id string) string { return filepath.Join(r.dir, "objects", id[:2], id[2:]) }

// commit makes a commit of a tree; parent may be empty. A tree that is no loose object of
// ours is left to git, which finds it in a pack or says that it is missing.
func (r *Repo) commit(ctx context.Context, t events.Tree, parent, message string) (string, error) {
	if _, err := os.Lstat(r.loose(string(t))); err != nil {
		args := []string{"commit-tree"}
		if parent != "" {
			args = append(args, "-p", parent)
		}
		return r.oid(ctx, call{args: append(args, string(t)), stdin: strings.NewReader(message)})
	}
	who := author + " <" + authorMail + "> " + strconv.FormatInt(time.Now().Unix(), 10) + " +0000\n"
	text := "tree " + string(t) + "\n"
	if parent != "" {
		text += "parent " + parent + "\n"
	}
	text += "author " + who + "committer " + who + "\n" + message
	id, whole := r.named("commit", []byte(text))
	if err := r.writeLoose(id, whole); err != nil {
		return "", fmt.Errorf("write commit: %w", err)
	}
	return id, nil
}

// writeLoose stores an object under its id, at once and as durably as git would.
func (r *Repo) writeLoose(id string, whole []byte) error {
	path := r.loose(id)
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	var b bytes.Buffer
	if err := deflateLoose(&b, whole); err != nil {
		return err
	}
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return replace(path, b.Bytes(), 0o400, r.durable)
}
