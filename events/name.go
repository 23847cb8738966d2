package events

import "strings"

// Ref names a blob by the SHA-256 of its bytes in lower-case hex; empty is no
// blob.
type Ref string

// Tree names a recorded tree in the workspace's own repository by its git
// object id; empty is none.
type Tree string

// Digest is the SHA-256 of a file that is no blob, in lower-case hex.
type Digest string

// Name is a gate, phase or role: [a-z0-9][a-z0-9_-]{0,63}.
type Name string

// maxName is the longest Name.
const maxName = 64

// Valid says whether n has the form of a name.
func (n Name) Valid() bool {
	if n == "" || len(n) > maxName || n[0] == '-' || n[0] == '_' {
		return false
	}
	return strings.Trim(string(n), "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
