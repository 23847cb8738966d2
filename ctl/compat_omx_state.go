package ctl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"autopilot/ctl/omx"
	"autopilot/ctl/render"
	rules "autopilot/projections/omx"
)

// omxArgs are the values of options of a call, by their names, and the other words.
type omxArgs struct {
	values map[string]string
	json   bool
	words  []string
}

// omxParse reads "--name value" and "--name=value". A word that is no option is an
// error unless words are allowed; a value never becomes a word (lesson O42).
func omxParse(verb string, args []string, words bool, names ...string) (omxArgs, error) {
	p := omxArgs{values: map[string]string{}}
	for i := 0; i < len(args); i++ {
		name, value, is := strings.Cut(args[i], "=")
		name = strings.TrimPrefix(name, "--")
		switch {
		case args[i] == "--json":
			p.json = true
			continue
		case !strings.HasPrefix(args[i], "--") && words:
			p.words = append(p.words, args[i])
			continue
		case !strings.HasPrefix(args[i], "--") || !slices.Contains(names, name):
			return p, render.OmxUsage(verb, "unknown argument %q", args[i])
		case !is:
			if i++; i < len(args) {
				value = args[i]
			}
		}
		if value == "" {
			return p, render.OmxUsage(verb, "--%s lacks its value", name)
		}
		p.values[name] = value
	}
	return p, nil
}

func (p omxArgs) profile() (rules.Profile, error) {
	switch v := p.values["profile"]; v {
	case "", "strict":
		return rules.Strict, nil
	case "advisory":
		return rules.Advisory, nil
	default:
		return rules.Strict, fmt.Errorf("--profile is strict or advisory, and not %q", v)
	}
}

// omxState is a call of omx state.
func (a *app) omxState(args []string) error {
	verb := args[0]
	names := []string{"input", "input-file", "mode"}
	switch verb {
	case "write":
		names = append(names, "profile")
	case "read", "clear", "list-active", "get-status":
	default:
		return render.OmxUsage("state", "unknown subcommand %q", verb)
	}
	p, err := omxParse("state", args[1:], false, names...)
	if err != nil {
		return err
	}
	input, err := a.omxInput(p)
	if err != nil {
		return err
	}
	profile, err := p.profile()
	if err != nil {
		return err
	}
	payload, err := a.omxAnswer(verb, input, profile)
	if err != nil {
		return answered(err, p.json)
	}
	return a.say(string(printed(payload, p.json)) + "\n")
}

// omxInput is the object of a call.
func (a *app) omxInput(p omxArgs) (rules.Object, error) {
	text, inline := p.values["input"]
	file, named := p.values["input-file"]
	o := rules.Object{}
	switch {
	case inline && named:
		return nil, errors.New("--input and --input-file do not go together: give one")
	case inline:
		var err error
		if o, err = rules.Parse([]byte(text)); err != nil {
			return nil, fmt.Errorf("--input has to be one JSON object: %w", err)
		}
	case named:
		b, err := a.omxFile(file)
		if err != nil {
			return nil, fmt.Errorf("--input-file cannot be read: %w", err)
		}
		if o, err = rules.Parse(bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))); err != nil {
			return nil, fmt.Errorf("--input-file has to be one JSON object: %w", err)
		}
	}
	if mode := p.values["mode"]; mode != "" {
		o = o.Set("mode", strings.ToValidUTF8(mode, "?"))
	}
	return o, nil
}

const mostOmxInput = 16 << 20

// omxFile reads a file of a caller: a regular one, or one that its shell has opened.
func (a *app) omxFile(path string) ([]byte, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.Dir, path)
	}
	st, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !st.Mode().IsRegular() && !strings.HasPrefix(path, "/dev/fd/") && !strings.HasPrefix(path, "/proc/self/fd/") {
		return nil, fmt.Errorf("%s is not a regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	b, err := io.ReadAll(io.LimitReader(f, mostOmxInput+1))
	if err == nil && len(b) > mostOmxInput {
		err = fmt.Errorf("%s has more than %d bytes", path, mostOmxInput)
	}
	return b, err
}

// omxAnswer is the answer to a call of omx state.
func (a *app) omxAnswer(verb string, in rules.Object, p rules.Profile) (rules.Object, error) {
	for _, name := range []string{"mode", "session_id", "workingDirectory"} {
		if v := in.Raw(name); v.Kind() != '"' && v.Kind() != 'n' {
			return nil, fmt.Errorf("%s has to be a text", name)
		}
	}
	mode, session := in.Text("mode"), in.Text("session_id")
	if !in.Null("session_id") {
		if err := rules.CheckID(session); err != nil {
			return nil, err
		}
	}
	s, err := a.openOmx(in.Text("workingDirectory"))
	if err != nil {
		return nil, err
	}
	switch verb {
	case "read":
		o, there, err := s.Read(mode, session)
		if err == nil && !there {
			o = rules.Object{}.Set("exists", false).Set("mode", mode)
		}
		return o, err
	case "write":
		v, err := s.Write(in, p)
		return writtenOmx(v), err
	case "clear":
		return clearOmx(s, mode, session, in.True("all_sessions"))
	case "list-active":
		modes, err := s.Active(session)
		return rules.Object{}.Set("active_modes", modes), err
	}
	all, err := s.Statuses(session, mode)
	return rules.Object{}.Set("statuses", all), err
}

func writtenOmx(v omx.Written) rules.Object {
	o := rules.Object{}.Set("success", true).Set("mode", v.Mode).Set("path", v.Path)
	if v.Transition != "" {
		o = o.Set("transition", v.Transition)
	}
	if v.Advisory != nil {
		o = o.Set("advisory", v.Advisory)
	}
	if v.Stop != nil {
		o = o.Set("stop", v.Stop)
	}
	return o
}

func clearOmx(s *omx.Store, mode, session string, all bool) (rules.Object, error) {
	if all {
		v, err := s.ClearAll(mode)
		return rules.Object{}.Set("cleared", true).Set("mode", mode).Set("all_sessions", true).
			Set("removed", len(v.Paths)).Set("paths", v.Paths).
			Set("warning", "all_sessions removes the state of the root and of every session"), err
	}
	v, err := s.Clear(mode, session)
	return rules.Object{}.Set("cleared", true).Set("mode", mode).Set("path", v.Path), err
}
