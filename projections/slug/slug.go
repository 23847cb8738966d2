// Package slug makes names of files and branches out of texts. It is pure.
package slug

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// Lengths of slugs, in bytes.
//
// Source: oh-my-codex 0.21.6, names of context snapshots.
const (
	File   = 48
	Branch = 32
)

// Of is a text of at most so many bytes as a part of a name of files or branches:
// letters a-z, digits, and dashes between words. A text without any of them is named by
// its hash, a blank one "task".
func Of(text string, most int) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	out := strings.Join(words, "-")
	if out == "" && strings.TrimSpace(text) != "" {
		sum := sha256.Sum256([]byte(text))
		return "task-" + hex.EncodeToString(sum[:4])
	}
	if len(out) <= most {
		return cmp.Or(out, "task")
	}
	whole := strings.LastIndexByte(out[:most+1], '-')
	if whole <= 0 {
		whole = most
	}
	return out[:whole]
}
