package atdd

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// What a rail answers, beside nil: go on. Every one of them is a halt.
var (
	ErrFired   = errors.New("the rail fired")
	ErrInvalid = errors.New("invalid input")
	ErrCorrupt = errors.New("corrupt log")
)

// Placeholder is the fingerprint of the text that a skill once hashed instead of
// its findings: two of them are no repetition of anything. Lesson A10.
const Placeholder = "2aed7ea6d4c79d81da29da31fe975d762c64b1e15c211769880c3c6a92ccce2a"

// blankPrint is the fingerprint of no payload at all.
const blankPrint = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

// Fingerprint is the SHA-256 of a payload in lower-case hex, where every run of the
// six white-space bytes of ASCII counts as one space, and none at either end. All
// other bytes count as they are, NUL and invalid UTF-8 too. A payload without
// anything else is ErrInvalid.
//
// Source: atdd-kit, seeds 3.5; lessons A7, A10.
func Fingerprint(payload []byte) (string, error) {
	text := normal(payload)
	if len(text) == 0 {
		return "", invalid("the payload is blank")
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

func normal(payload []byte) []byte {
	out := make([]byte, 0, len(payload))
	gap := false
	for _, c := range payload {
		if c == ' ' || c >= '\t' && c <= '\r' {
			gap = len(out) > 0
			continue
		}
		if gap {
			out, gap = append(out, ' '), false
		}
		out = append(out, c)
	}
	return out
}

// CheckPrint says whether a text can be a fingerprint that was taken of something:
// letters, digits and ". _ : -".
func CheckPrint(what, s string) error {
	switch {
	case !isName(s):
		return invalid("invalid %s: %q", what, s)
	case s == blankPrint:
		return invalid("the %s is that of a blank payload", what)
	case s == Placeholder:
		return invalid("the %s is that of a placeholder, and not of findings", what)
	}
	return nil
}

// isName says that a text is not empty and safe in a row and in a command.
func isName[T string | []byte](s T) bool {
	for i := range len(s) {
		if !nameBytes[s[i]] {
			return false
		}
	}
	return len(s) > 0
}

var nameBytes = func() (set [256]bool) {
	for _, c := range []byte("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._:-") {
		set[c] = true
	}
	return set
}()
