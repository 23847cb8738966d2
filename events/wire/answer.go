package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Runs ask questions, and people answer them.

// Bounds of an answer.
const (
	MostFindings = 50
	MaxAnswer    = 16 << 10 // bytes of a text, and of each finding
)

// QuestionRequest asks for the question that a run waits with.
type QuestionRequest struct {
	RunRef
	Whole bool   `json:"whole,omitzero"` // its text is not cut
	Gate  string `json:"gate,omitzero"`  // accepted by hand-off; empty: the waiting question, else the latest such gate
}

// QuestionView is a question that waits for a person.
type QuestionView struct {
	Number      int        `json:"number"` // 1, 2, 3 ... within the run
	Gate        string     `json:"gate"`   // empty: the agent asks
	Phase       string     `json:"phase"`
	Kind        string     `json:"kind"`           // approval, choice or text
	Text        string     `json:"text"`           // as the run asks it
	Cut         int        `json:"cut,omitzero"`   // bytes left out of the text
	Set         string     `json:"set,omitzero"`   // SHA-256 of what is shown; an answer is bound to it
	Files       []string   `json:"files,omitzero"` // of the set, at most 200
	More        int        `json:"files_more,omitzero"`
	Options     int        `json:"options,omitzero"`     // of a choice: a, b, c, d
	Recommended int        `json:"recommended,omitzero"` // number of the recommended option, from 1
	Again       bool       `json:"again,omitzero"`       // the run asked it before
	Assurance   string     `json:"assurance"`            // least assurance of an answer
	PIN         bool       `json:"pin,omitzero"`         // needs the PIN, not the hash
	Since       time.Time  `json:"since"`
	Expires     *time.Time `json:"expires,omitzero"`
	Link        string     `json:"link,omitzero"` // address of the draft pull request that shows the set
	// Opaque are files of the set that no text can show. A person who approves the set
	// names the start of each hash.
	Opaque  []OpaqueFile `json:"opaque,omitzero"`
	Handoff bool         `json:"handoff,omitzero"` // accepted by hand-off: waits for nobody; a person can reject it
}

// WrongPIN begins the message of a refused PIN that can be typed again at once.
const WrongPIN = "the PIN is wrong"

// AnswerRequest answers a question.
type AnswerRequest struct {
	RunRef
	Number   int             `json:"number,omitzero"` // of the question; 0 is the one that waits
	Choice   string          `json:"choice"`          // ok, no, text, skip, or a to d
	Text     string          `json:"text,omitzero"`   // of the choice text; for skip the reason
	Findings []AnswerFinding `json:"findings,omitzero"`
	Set      string          `json:"set,omitzero"`   // the set that the person saw
	Typed    string          `json:"typed,omitzero"` // at the terminal: the start of the set's hash, else the handle
	PIN      string          `json:"pin,omitzero"`   // in place of typed, where a PIN is set
	// Shown is the SHA-256 of the question's text, if the person saw all of it: ok needs
	// it. Seen are the first characters of the hashes of Opaque.
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
	OpaqueFiles    OpaqueKind = "files" // many files together
)

// SeenCharacters is how much of a hash proves that a person has read it.
const SeenCharacters = 6

// mostOpaque bounds the hashes that a person types one by one.
const mostOpaque = 5

// ToName lists the hashes that a person names to approve the files. Many files have one
// hash together, over all hashes and paths.
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

// Unseen finds the first file whose hash the person did not name.
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

// AnswerFinding is a fault in a section. The next agent reads it verbatim.
type AnswerFinding struct {
	Section  string `json:"section"`
	Text     string `json:"text"`
	Priority int    `json:"priority,omitzero"` // 0 blocks, as does an absent one
}
