package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// People answer what a run asks them.

// Bounds of an answer.
const (
	MostFindings = 50
	MaxAnswer    = 16 << 10 // bytes of a text, and of each finding
)

// QuestionRequest asks for the question that a run waits with.
type QuestionRequest struct {
	RunRef
	Whole bool   `json:"whole,omitzero"` // its text is not cut
	Gate  string `json:"gate,omitzero"`  // that was accepted by hand-off; empty is what waits, else the latest such gate
}

// QuestionView is a question that waits for a person.
type QuestionView struct {
	Number      int        `json:"number"` // 1, 2, 3 ... within the run
	Gate        string     `json:"gate"`   // empty: the agent asks
	Phase       string     `json:"phase"`
	Kind        string     `json:"kind"`           // approval, choice or text
	Text        string     `json:"text"`           // as it is asked
	Cut         int        `json:"cut,omitzero"`   // bytes of the text that are left out
	Set         string     `json:"set,omitzero"`   // SHA-256 of what is shown; an answer is bound to it
	Files       []string   `json:"files,omitzero"` // of the set, at most 200
	More        int        `json:"files_more,omitzero"`
	Options     int        `json:"options,omitzero"`     // of a choice: a, b, c, d
	Recommended int        `json:"recommended,omitzero"` // of them, from 1
	Again       bool       `json:"again,omitzero"`       // it was asked before
	Assurance   string     `json:"assurance"`            // that an answer needs at least
	PIN         bool       `json:"pin,omitzero"`         // is asked for, instead of what is shown
	Since       time.Time  `json:"since"`
	Expires     *time.Time `json:"expires,omitzero"`
	Link        string     `json:"link,omitzero"` // address of the draft pull request that shows the set
	// Opaque are files of the set that no text can show. Whoever approves it names
	// the start of each hash.
	Opaque  []OpaqueFile `json:"opaque,omitzero"`
	Handoff bool         `json:"handoff,omitzero"` // it was accepted by hand-off and waits for nobody; it can be rejected
}

// AnswerRequest answers a question.
type AnswerRequest struct {
	RunRef
	Number   int             `json:"number,omitzero"` // of the question; 0 is the one that waits
	Choice   string          `json:"choice"`          // ok, no, text, skip, or a to d
	Text     string          `json:"text,omitzero"`   // of the choice text; of skip the reason
	Findings []AnswerFinding `json:"findings,omitzero"`
	Set      string          `json:"set,omitzero"`   // that was shown
	Typed    string          `json:"typed,omitzero"` // at the terminal: the start of the set's hash, else the handle
	PIN      string          `json:"pin,omitzero"`   // instead of that, where one is set
	// Shown is the SHA-256 of the text of the question, which was shown whole: ok
	// needs it. Seen are the first characters of the hashes of Opaque.
	Shown string   `json:"shown,omitzero"`
	Seen  []string `json:"seen,omitzero"`
}

// OpaqueFile is a file that no text can show.
type OpaqueFile struct {
	Path  string     `json:"path"` // empty: all of them, in one hash
	Kind  OpaqueKind `json:"kind"`
	Bytes int64      `json:"bytes"`
	Hash  string     `json:"hash"` // SHA-256 of its content
}

// OpaqueKind says why no text can show a file.
type OpaqueKind string

// The kinds.
const (
	OpaqueBinary   OpaqueKind = "binary"
	OpaqueEncoding OpaqueKind = "not-utf-8"
	OpaqueLarge    OpaqueKind = "too-large"
	OpaqueOutside  OpaqueKind = "not-recorded"
	OpaqueFiles    OpaqueKind = "files" // many of them
)

// SeenCharacters is how much of a hash shows that a person has read it.
const SeenCharacters = 6

// mostOpaque is how many hashes are typed one by one.
const mostOpaque = 5

// ToName are the hashes that a person names to approve the files. Many files have
// one hash together, of all hashes and paths.
func ToName(files []OpaqueFile) []OpaqueFile {
	if len(files) <= mostOpaque {
		return files
	}
	all := OpaqueFile{Kind: OpaqueFiles}
	h := sha256.New()
	for _, f := range files {
		all.Bytes += f.Bytes
		fmt.Fprintf(h, "%s %q\n", f.Hash, f.Path)
	}
	all.Hash = hex.EncodeToString(h.Sum(nil))
	return []OpaqueFile{all}
}

// Unseen is the first of the files whose hash was not named.
func Unseen(files []OpaqueFile, seen []string) (OpaqueFile, bool) {
	for _, f := range ToName(files) {
		if !slices.ContainsFunc(seen, f.Named) {
			return f, true
		}
	}
	return OpaqueFile{}, false
}

// Named says that a text is the start of the file's hash.
func (f OpaqueFile) Named(start string) bool {
	return len(start) >= SeenCharacters && strings.HasPrefix(f.Hash, strings.ToLower(start))
}

// AnswerFinding is what is wrong with a section. It goes to who works on it next
// as it is.
type AnswerFinding struct {
	Section  string `json:"section"`
	Text     string `json:"text"`
	Priority int    `json:"priority,omitzero"` // 0 blocks, as does none
}
