package claim

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"autopilot/events"
)

// Key is a thing that is claimed.
type Key struct {
	Kind  events.ClaimKind `json:"kind"`
	Scope string           `json:"scope"` // real path of the work tree; of all else the identity of the repository, see tree.Identities
	Name  string           `json:"name"`  // of the branch, the issue or the branch that is merged into; of a work tree empty
}

// maxName is the longest name, in bytes.
const maxName = 200

// KeyError says why a text is no key.
type KeyError struct{ Text, What string }

func (e *KeyError) Error() string {
	return fmt.Sprintf("%.60q is nothing to claim: %s", e.Text, e.What)
}

// Parse reads "workspace", "branch:NAME", "issue:NAME" or "merge:NAME". The scope
// is for the caller to set.
//
// Source: atdd-kit, seeds 8, Q32: an empty name could be had.
func Parse(text string) (Key, error) {
	kind, name, named := strings.Cut(text, ":")
	k := Key{Kind: events.ClaimKind(kind), Name: name}
	if k.Kind == events.ClaimBranch || k.Kind == events.ClaimMerge {
		k.Name = strings.TrimPrefix(name, "refs/heads/")
	}
	what := ""
	switch {
	case !slices.Contains(events.ClaimKinds(), k.Kind):
		what = "it is workspace, branch:NAME, issue:NAME or merge:NAME"
	case k.Kind == events.ClaimWorkspace && named:
		what = "workspace is the work tree here, and has no name"
	case k.Kind != events.ClaimWorkspace && strings.TrimSpace(k.Name) == "":
		what = kind + ": needs a name"
	case strings.HasPrefix(k.Name, "refs/") && (k.Kind == events.ClaimBranch || k.Kind == events.ClaimMerge):
		what = "a branch is named as git branch lists it"
	case len(k.Name) > maxName:
		what = fmt.Sprintf("its name has more than %d bytes", maxName)
	case !utf8.ValidString(k.Name) || strings.ContainsFunc(k.Name, unseen):
		what = "its name has characters that cannot be seen"
	case strings.Join(strings.Fields(k.Name), " ") != k.Name:
		what = "its name has spaces at an end or in a row"
	}
	if what != "" {
		return Key{}, &KeyError{text, what}
	}
	return k, nil
}

// unseen says that a character shows nothing of its own: with it two names would look
// like one.
func unseen(r rune) bool {
	return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) || r != ' ' && unicode.IsSpace(r)
}

// String is the key as it is typed, without its scope.
func (k Key) String() string {
	if k.Kind == events.ClaimWorkspace {
		return string(k.Kind)
	}
	return string(k.Kind) + ":" + k.Name
}

// Text is the key as it is stored.
func (k Key) Text() ([]byte, error) {
	b, err := json.Marshal(k, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write a key: %w", err)
	}
	return b, nil
}

// readKey is the inverse of Text.
func readKey(text []byte) (Key, error) {
	var k Key
	if err := json.Unmarshal(text, &k); err != nil {
		return k, fmt.Errorf("read a key: %w", err)
	}
	return k, nil
}

// ID is the id of the claim's aggregate: each key has its own, as its parts are
// counted and not joined.
//
// Source: atdd-kit, seeds 3.9.3 and 8, Q32: a/b and a_b shared a lock.
func (k Key) ID() string {
	h := sha256.New()
	for _, part := range []string{string(k.Kind), k.Scope, k.Name} {
		fmt.Fprintf(h, "%d:%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}
