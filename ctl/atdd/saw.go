package atdd

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/events/wire"
	"autopilot/projections/atdd"
)

// mostArgument bounds what is kept of an argument of a call.
const mostArgument = 200

// Saw is a call that atdd-kit's own function has answered with the exit code said,
// and what would have been answered here. It writes nothing to the files that the
// call is about. False where it is about none.
func Saw(ctx context.Context, c Call, said int) (wire.AtddCall, bool) {
	f, err := c.function()
	if f.Name == "" || f.file == noFile || f.file >= len(c.Args) {
		return wire.AtddCall{}, false
	}
	file, pathErr := c.path(c.Args[f.file])
	if pathErr != nil {
		return wire.AtddCall{}, false
	}
	v := wire.AtddCall{Function: f.shell(), File: realDirOf(file), Said: said, Here: said, At: c.Now.UTC().Format(time.RFC3339)}
	for _, a := range c.Args {
		v.Args = append(v.Args, shortened(a))
	}
	if f.writes && said != 0 { // it was written by neither
		return v, true
	}
	if err == nil {
		err = c.wouldAnswer(ctx, f)
	}
	if v.Here = Exit(err); err != nil {
		v.Why = shortened(atdd.Because(err))
	}
	return v, true
}

// wouldAnswer is what a function would have answered. One that writes has written
// already.
func (c Call) wouldAnswer(ctx context.Context, f Function) (err error) {
	switch f.Name {
	case "record-iteration":
		_, err = atdd.Iteration(c.Args[1], c.Args[2], c.Args[3], c.Args[4], c.Now)
	case "record-halt":
		_, err = atdd.Halt(c.Args[1], c.Args[2], c.arg(3, ""), c.Now)
	case "record-red-evidence":
		_, err = atdd.Seen(c.Args[1], c.Args[2], c.arg(3, ""), c.Now)
	case "pin-anchor":
		var pinned []byte
		if pinned, _, err = c.read(c.Args[0]); err == nil {
			err = atdd.CheckPrint("AC fingerprint", firstWord(pinned))
		}
	default:
		_, err = f.run(ctx, c)
	}
	return err
}

func shortened(s string) string {
	if len(s) <= mostArgument {
		return s
	}
	return strings.ToValidUTF8(s[:mostArgument], "") + "..."
}

// realDirOf is a file with its directory as links lead to it.
func realDirOf(file string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(file))
	if err != nil {
		return filepath.Clean(file)
	}
	return filepath.Join(dir, filepath.Base(file))
}

// CallsFile is where the calls about the files of a directory are kept, in state.
func CallsFile(state, dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	sum := sha256.Sum256([]byte(filepath.Clean(dir)))
	return filepath.Join(state, "atdd", hex.EncodeToString(sum[:8])+".jsonl")
}

// Keep adds a call to those about its directory, in one write, so that two at once
// are two lines.
func Keep(state string, v wire.AtddCall) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	path := CallsFile(state, filepath.Dir(v.File))
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		forget(filepath.Dir(path))
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// forget removes the calls about directories that are gone, as tests of a skill leave
// them by the hundred.
func forget(kept string) {
	files, err := filepath.Glob(filepath.Join(EscapeGlob(kept), "*.jsonl"))
	if err != nil {
		return
	}
	for _, file := range files {
		calls, _, err := readCalls(file, 0)
		if err != nil || len(calls) == 0 {
			continue
		}
		if _, err := os.Lstat(filepath.Dir(calls[0].File)); errors.Is(err, fs.ErrNotExist) {
			_ = os.Remove(file)
		}
	}
}

// readCalls are those behind the first so many bytes, and the bytes that were read: a
// line without an end may be half of one.
func readCalls(file string, from int64) (calls []wire.AtddCall, to int64, err error) {
	text, there, err := Call{}.read(file)
	end := int64(bytes.LastIndexByte(text, '\n') + 1)
	if err != nil || !there || end < from { // it was begun anew
		return nil, 0, err
	}
	text = text[from:end]
	for line := range atdd.Lines(text) {
		var v wire.AtddCall
		if json.Unmarshal(line, &v) == nil {
			calls = append(calls, v)
		}
	}
	return calls, from + int64(len(text)), nil
}
