package work

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/events"
)

// madeFile is a file as a gate made it. A run keeps the list as a text, one line for
// each: the SHA-256 of its content, a space, and its path.
type madeFile struct{ sum, path string }

func (w *Worker) madeFiles(ref events.Ref) ([]madeFile, error) {
	lines, err := w.lines(ref)
	if err != nil {
		return nil, err
	}
	var out []madeFile
	for _, line := range lines {
		sum, path, _ := strings.Cut(line, " ")
		out = append(out, madeFile{sum, path})
	}
	return out, nil
}

// MadePaths lists the files that gates of a run made.
func (w *Worker) MadePaths(ref events.Ref) ([]string, error) {
	files, err := w.madeFiles(ref)
	var out []string
	for _, f := range files {
		out = append(out, f.path)
	}
	return out, err
}

// leaveOut adds to the files that gates made. A path with a line break has no line: the
// record has it like any other file.
func (g *judgement) leaveOut(ctx context.Context, paths []string) error {
	before, err := g.w.madeFiles(g.made)
	if err != nil {
		return err
	}
	sums := map[string]string{}
	for _, f := range before {
		sums[f.path] = f.sum
	}
	for _, path := range paths {
		if strings.ContainsAny(path, "\n\r") {
			continue
		}
		sum, err := fileSum(filepath.Join(g.p.Repo.Workspace().Path, path))
		if err != nil {
			continue // already removed, or without content
		}
		sums[path] = sum
	}
	files := make([]madeFile, 0, len(sums))
	for path, sum := range sums {
		files = append(files, madeFile{sum, path})
	}
	slices.SortFunc(files, func(a, b madeFile) int { return cmp.Compare(a.path, b.path) })
	var text strings.Builder
	for _, f := range files {
		text.WriteString(f.sum + " " + f.path + "\n")
	}
	g.made, err = g.w.putExact(ctx, text.String())
	return err
}

// fileSum is the SHA-256 of a file's content, or of a link's target.
func fileSum(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return "", err
	}
	if info.Mode()&os.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		sum := sha256.Sum256([]byte(target))
		return hex.EncodeToString(sum[:]), nil
	}
	if !info.Mode().IsRegular() {
		return "", os.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
