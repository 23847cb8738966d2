package agent

import (
	"slices"
	"strconv"
	"strings"

	"autopilot/daemon/agent/stream"
)

// Words that stand for what is known only when a call is made. They count only
// as whole words.
const (
	SessionWord    = "{session}"
	TurnsWord      = "{turns}"
	USDWord        = "{usd}"
	SchemaWord     = "{schema}"      // the text of a JSON schema
	SchemaFileWord = "{schema_file}" // the path of one
	// PromptWord is the path of the prompt's file, filled in by Invoke.
	PromptWord = "{prompt}"
)

// Shape says how the calls of one run differ from each other. It is stored with
// the run, so a new version of a profile changes nothing for it. A program
// without words for something cannot do it.
type Shape struct {
	At         int           `json:"at,omitzero"`          // how many words of the argv stand before those below
	NewSession []string      `json:"new_session,omitzero"` // fix the id of a session before launch
	Resume     []string      `json:"resume,omitzero"`      // go on in a session
	MaxTurns   []string      `json:"max_turns,omitzero"`
	MaxUSD     []string      `json:"max_usd,omitzero"`
	Schema     []string      `json:"schema,omitzero"` // of the result
	Stream     stream.Format `json:"stream,omitzero"`
	Reports    Reports       `json:"reports,omitzero"`
}

// Reports says what a program tells of its usage.
type Reports struct {
	Tokens bool `json:"tokens,omitzero"`
	Cost   bool `json:"cost,omitzero"`
	Live   bool `json:"live,omitzero"` // while it works, not only at its end
}

// Turn is one call of a run. Zero fields ask for nothing.
type Turn struct {
	Session    string // the id to begin with, or of the session to resume
	Resume     bool
	Turns      int
	MicroUSD   int64
	Schema     string // JSON
	SchemaFile string // absolute
	Box        string // absolute folder of the iteration; empty leaves BoxWord as it is
}

// PicksSession says that the id of a session can be fixed before launch.
// Otherwise the program says it in its stream.
func (s Shape) PicksSession() bool { return len(s.NewSession) > 0 }

// Resumes says that the program can go on in a session.
func (s Shape) Resumes() bool { return len(s.Resume) > 0 }

// Argv is the argv of one call: base, which is that of the Call, with the words
// for what the turn asks. What the program has no words for is left out, and so
// is a session whose id is not ValidSession.
func (s Shape) Argv(base []string, t Turn) []string {
	var words []string
	add := func(asked bool, shape []string, word, value string) {
		if asked {
			words = append(words, fill(shape, word, value)...)
		}
	}
	add(t.Turns > 0, s.MaxTurns, TurnsWord, strconv.Itoa(t.Turns))
	add(t.MicroUSD > 0, s.MaxUSD, USDWord, usd(t.MicroUSD))
	add(t.Schema != "" && slices.Contains(s.Schema, SchemaWord), s.Schema, SchemaWord, t.Schema)
	add(t.SchemaFile != "" && slices.Contains(s.Schema, SchemaFileWord), s.Schema, SchemaFileWord, t.SchemaFile)
	session := s.NewSession
	if t.Resume {
		session = s.Resume
	}
	add(ValidSession(t.Session), session, SessionWord, t.Session)
	at := min(max(s.At, 0), len(base))
	argv := slices.Concat(base[:at], words, base[at:])
	if t.Box != "" {
		argv = fill(argv, BoxWord, t.Box)
	}
	return argv
}

// fill puts a value in the place of a word.
func fill(words []string, word, value string) []string {
	out := slices.Clone(words)
	for i, w := range out {
		if w == word {
			out[i] = value
		}
	}
	return out
}

// usd writes millionths of a dollar as dollars.
func usd(micro int64) string {
	t := strconv.FormatInt(micro%1e6+1e6, 10)[1:]
	t = strings.TrimRight(strconv.FormatInt(micro/1e6, 10)+"."+t, "0")
	return strings.TrimSuffix(t, ".")
}

// maxSession bounds the id of a session, in bytes.
const maxSession = 128

// ValidSession says whether an id can be an argument. Some are read from what a
// program prints, which could otherwise add an option to the next call.
func ValidSession(id string) bool {
	if id == "" || len(id) > maxSession {
		return false
	}
	for i := range len(id) {
		switch c := id[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && strings.IndexByte("-_.:", c) >= 0:
		default:
			return false
		}
	}
	return true
}
