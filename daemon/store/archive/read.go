package archive

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events"
)

// readManifest reads the manifest and proves that it speaks of the entries that
// are there, and of no other.
func readManifest(entries map[string]*zip.File) (Manifest, error) {
	e := entries[manifestEntry]
	if e == nil {
		return Manifest{}, &DamagedError{Entry: manifestEntry, What: "it is missing"}
	}
	m, err := decodeManifest(e)
	switch {
	case m.Schema == Schema && m.Format > Format:
		return m, fmt.Errorf("%w: its format is %d, this version knows %d", ErrNewer, m.Format, Format)
	case errors.Is(err, ErrDamaged):
		return m, err
	case err != nil:
		return m, &DamagedError{Entry: manifestEntry, What: events.JSONMistake(err)}
	case m.Schema != Schema || m.Format != Format:
		return m, &DamagedError{Entry: manifestEntry, What: fmt.Sprintf("its schema is %.80q and its format %d", m.Schema, m.Format)}
	}
	return m, m.fits(entries)
}

func decodeManifest(e *zip.File) (m Manifest, err error) {
	u, err := unpack(e, maxManifest, "")
	if err != nil {
		return m, err
	}
	defer u.Close()
	return m, json.UnmarshalRead(&short{r: u}, &m, json.WithUnmarshalers(json.JoinUnmarshalers(
		atMost[Run](maxRuns), atMost[Text](maxTexts), atMost[events.Ref](maxTexts),
	)), jsontext.AllowDuplicateNames(true)) // to remember all names takes memory without a bound
}

// atMost bounds how many of something a manifest may have.
func atMost[T any](n int) *json.Unmarshalers {
	return json.UnmarshalFromFunc(func(*jsontext.Decoder, *T) error {
		if n--; n < 0 {
			return errors.New("a list has more entries than a bundle may hold")
		}
		return errors.ErrUnsupported // to be read as usual
	})
}

// short refuses JSON with a string over maxString: a decoder keeps one as a whole.
type short struct {
	r     io.Reader
	since int
}

const maxString = 64 << 10

func (s *short) Read(b []byte) (int, error) {
	n, err := s.r.Read(b[:min(len(b), maxString)])
	switch i := bytes.LastIndexByte(b[:n], '"'); {
	case i >= 0:
		s.since = n - i - 1
	default:
		s.since += n
	}
	if s.since > maxString {
		return 0, errors.New("a text in it is too long")
	}
	return n, err
}

// fits proves the form of all names.
func (m Manifest) fits(entries map[string]*zip.File) error {
	if !plain(m.Version) || !plain(m.Host) || m.Generation < 0 {
		return listed("version, host or generation is impossible")
	}
	seen := map[string]bool{manifestEntry: true}
	for i, r := range m.Runs {
		name := runEntry(r.ID)
		switch {
		case !validRun(r.ID) || i > 0 && r.ID <= m.Runs[i-1].ID:
			return listed("run %.80q is not a valid id, or not in its order", r.ID)
		case entries[name] == nil:
			return &DamagedError{Entry: name, What: "it is missing"}
		case !validHash(string(r.SHA256)) || r.Bytes < 0:
			return listed("run %s has an impossible hash or length", r.ID)
		case r.odd() != "":
			return listed("run %s has an impossible %s", r.ID, r.odd())
		}
		seen[name] = true
	}
	for i, t := range m.Texts {
		name := textEntry(t.content())
		switch {
		case !validHash(string(t.Ref)) || i > 0 && t.Ref <= m.Texts[i-1].Ref:
			return listed("text %.80q is not a hash, or not in its order", string(t.Ref))
		case entries[name] == nil:
			return &DamagedError{Entry: name, What: "it is missing"}
		case t.Bytes < 0 || t.Bytes > maxText:
			return listed("text %s has an impossible length", t.Ref)
		}
		seen[name] = true
	}
	if i := slices.IndexFunc(m.Missing, func(r events.Ref) bool { return !validHash(string(r)) }); i >= 0 {
		return listed("missing text %.80q is not a hash", string(m.Missing[i]))
	}
	return strange(entries, seen)
}

// odd names what is not as it can be, so that a list may show the rest.
func (r Run) odd() string {
	switch {
	case r.Handle != "" && !validRun(r.Handle):
		return "handle"
	case r.State != "" && !events.Name(r.State).Valid():
		return "state"
	case r.Reason != "" && !events.Name(r.Reason).Valid():
		return "reason"
	}
	return ""
}

// plain says that a word can be shown as it is.
func plain(s string) bool {
	return len(s) <= 128 && !strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' })
}

func listed(format string, a ...any) error {
	return &DamagedError{Entry: manifestEntry, What: fmt.Sprintf(format, a...)}
}

// strange names the first entry that a manifest does not have.
func strange(entries map[string]*zip.File, seen map[string]bool) error {
	if len(entries) == len(seen) {
		return nil
	}
	var first string
	for name := range entries {
		if !seen[name] && (first == "" || name < first) {
			first = name
		}
	}
	return &DamagedError{Entry: first, What: "the manifest does not have it"}
}

// content is the hash of what is in the bundle.
func (t Text) content() string {
	if t.SHA256 != "" {
		return string(t.SHA256)
	}
	return string(t.Ref)
}
