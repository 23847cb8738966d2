package hook

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"autopilot/events/wire"
)

// MaxInput bounds what is read of a hook's input: whole files are in it.
const MaxInput = 16 << 20

// Read makes a request of what a host sends of an event; dir is the directory of
// the hook. What is none, or is not of interest, is not ok.
func (h Host) Read(event string, in io.Reader, dir string) (q wire.HookRequest, ok bool) {
	e, known := h.event(event)
	if !known {
		return q, false
	}
	s, err := readSent(io.LimitReader(in, MaxInput))
	if err != nil {
		return q, false
	}
	if !filepath.IsAbs(s.cwd) {
		s.cwd = dir
	}
	q = wire.HookRequest{Workspace: s.cwd, Host: h.Name, Event: e.Is, Session: s.session, Again: s.again}
	t, writes := h.tools[s.tool]
	switch {
	case e.Is != wire.HookCalls && e.Is != wire.HookCalled, e.Is == wire.HookCalled && !writes:
		return q.Bounded(), true
	case !writes:
		return q, false // it changes nothing that is known
	}
	if f := s.input[t.file]; t.file != "" && f != "" {
		q.Files = []string{f}
	}
	q.Command = s.input[t.command]
	if at := s.input[t.dir]; at != "" && t.dir != "" {
		q.Workspace = from(s.cwd, at)
	}
	q.Files = append(q.Files, patched(s.input[t.patch])...)
	return q.Bounded(), e.Is == wire.HookCalled || len(q.Files) > 0 || q.Command != ""
}

func from(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// sent is what is read of an input.
type sent struct {
	session, cwd, tool string
	again              bool
	input              map[string]string // of the tool: members that are a text
}

// members of a tool's input that some tool tells with what it changes.
var members = []string{"file_path", "notebook_path", "command", "workdir", "dir_path"}

var errForm = errors.New("not in the form of a hook's input")

// readSent reads one object, member by member: what is not of interest is never
// held.
func readSent(in io.Reader) (s sent, err error) {
	d := jsontext.NewDecoder(in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	s.input = map[string]string{}
	err = object(d, func(name string) error {
		switch name {
		case "session_id":
			return text(d, &s.session)
		case "cwd":
			return text(d, &s.cwd)
		case "tool_name":
			return text(d, &s.tool)
		case "stop_hook_active":
			if k := d.PeekKind(); k != 't' && k != 'f' {
				return d.SkipValue()
			}
			t, err := d.ReadToken()
			s.again = err == nil && t.Bool()
			return err
		case "tool_input":
			return readInput(d, s.input)
		}
		return d.SkipValue()
	})
	return s, err
}

func readInput(d *jsontext.Decoder, into map[string]string) error {
	if d.PeekKind() != '{' {
		return d.SkipValue()
	}
	return object(d, func(name string) error {
		if !slices.Contains(members, name) {
			return d.SkipValue()
		}
		var v string
		err := text(d, &v)
		into[name] = v
		return err
	})
}

// object reads an object; each reads the value of a member.
func object(d *jsontext.Decoder, each func(name string) error) error {
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return errors.Join(err, errForm)
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		if err := each(name.String()); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

// text reads a value into v if it is a text.
func text(d *jsontext.Decoder, v *string) error {
	if d.PeekKind() != '"' {
		return d.SkipValue()
	}
	t, err := d.ReadToken()
	if err == nil {
		*v = t.String()
	}
	return err
}

// patched are the files that a patch of Codex names.
func patched(patch string) []string {
	var files []string
	for line := range strings.Lines(patch) {
		for _, head := range []string{"*** Update File: ", "*** Delete File: ", "*** Add File: ", "*** Move to: "} {
			if name, ok := strings.CutPrefix(line, head); ok {
				files = append(files, strings.TrimSpace(name))
			}
		}
	}
	return files
}
