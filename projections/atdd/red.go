package atdd

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Red is a row of a test that was seen red.
type Red struct {
	Commit string `json:"commit"`
	Impl   string `json:"impl_sha"`
	File   string `json:"at_file"`
}

// ReadRed is one row of a test that was seen red.
func ReadRed(line []byte) (Red, error) {
	var r struct {
		Red
		Step string         `json:"step"`
		Rest jsontext.Value `json:",unknown"`
	}
	if err := json.Unmarshal(line, &r, jsontext.AllowInvalidUTF8(true)); err != nil || r.Step != "red" {
		return r.Red, fmt.Errorf("%w: the newest row is none of a test that was seen red", ErrFired)
	}
	return r.Red, nil
}

// FindRed is the most recent row for the commit of tests. Rows that cannot be read
// are none.
//
// Source: atdd-kit, seeds 3.5, Q34; lesson A30.
func FindRed(log []byte, commit string) (Red, error) {
	var last Red
	found := false
	for line := range Lines(log) {
		if r, err := ReadRed(line); err == nil && r.Commit == commit {
			last, found = r, true
		}
	}
	if !found {
		return last, fmt.Errorf("%w: no row says that commit %s was seen red", ErrFired, commit)
	}
	return last, nil
}

// CheckCommits says whether two texts can be commits, and of two.
//
// Source: atdd-kit, seeds 3.5, Q22.
func CheckCommits(test, impl string) error {
	for _, sha := range []string{test, impl} {
		if !isName(sha) {
			return invalid("invalid commit sha: %q", sha)
		}
	}
	return nil
}

// Pin compares what is pinned, the content of a pin file, with the present
// fingerprint, byte by byte: only line ends at its end count for nothing. A line end of
// Windows, a mark of the byte order or a blank is another pin. A pin that has no
// fingerprint is not equal to anything.
//
// Source: atdd-kit, seeds 3.5, check_pin; lesson A9.
func Pin(pinned []byte, current string) error {
	if err := CheckPrint("current fingerprint", current); err != nil {
		return err
	}
	was := string(bytes.TrimRight(pinned, "\n"))
	if !isName(was) {
		return fmt.Errorf("%w: the pin is not a fingerprint: %q", ErrFired, was)
	}
	if was != current {
		return fmt.Errorf("%w: the anchor has changed: pinned %s, now %s", ErrFired, was, current)
	}
	return nil
}
