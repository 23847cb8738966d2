package agent

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"autopilot/daemon/agent/stream"
	"autopilot/daemon/strictyaml"
	"autopilot/events"
	"autopilot/projections/rule"
)

// PermitFull is the word for an agent that may do anything unasked. It is only
// ever what somebody has written.
const PermitFull = "full"

// OriginShipped is the origin of a profile that comes with autopilot.
const OriginShipped = "shipped"

// Overrides are what a configuration says of agents, by the name of the
// profile: a shipped one is changed, another name is an own profile.
type Overrides map[string]Override

// Override is what a configuration says of one profile. Zero fields leave the
// profile as it is.
type Override struct {
	Origin      string            // project or user: whose file says so
	Command     rule.Command      // of an own profile: Text for /bin/sh -c, or Argv
	Prompt      PromptMode        // of an own profile; empty is stdin
	Model       string            // empty is the program's own choice
	Permissions string            // PermitFull, or empty for the profile's own
	Args        []string          // further arguments, after those of the profile
	Env         map[string]string // variables that it gets beside the run's; they win
	Stream      stream.Format     // of an own profile: what it prints; empty is text
	Reports     []string          // of an own profile that prints text: what it says of its usage, of ReportWords
	Account     string            // whose limits it shares, named by hand; empty is found out
}

// Words of Override.Reports.
const (
	reportTokens = "tokens"
	reportCost   = "cost"
)

// ReportWords are the words of Override.Reports.
func ReportWords() []string { return []string{reportTokens, reportCost} }

// shape is that of an own profile: only how it prints, as its arguments are its
// own.
func (o Override) shape() Shape {
	s := Shape{Stream: o.Stream}
	if s.Stream == "" {
		s.Stream = stream.Text
	}
	if p, ok := findProgram(string(s.Stream)); ok {
		s.Reports = p.shape.Reports
		return s
	}
	s.Reports.Tokens = slices.Contains(o.Reports, reportTokens)
	s.Reports.Cost = slices.Contains(o.Reports, reportCost)
	s.Reports.Live = len(o.Reports) > 0
	return s
}

// ProfileError is a profile that cannot be used: what is wrong, and what to do.
type ProfileError struct{ Msg, Fix string }

func (e *ProfileError) Error() string { return e.Msg }

func refuse(fix, format string, args ...any) *ProfileError {
	return &ProfileError{Msg: fmt.Sprintf(format, args...), Fix: fix}
}

// Check says what is wrong with an override of that name, as a *ProfileError.
func (o Override) Check(name string) error {
	p, shipped := findProgram(name)
	own := o.Command.Text != "" || len(o.Command.Argv) > 0
	switch {
	case !events.Name(name).Valid():
		return refuse("use letters a-z, digits, - and _", "the agent name %q cannot be used", name)
	case shipped && own:
		return refuse("give it another name", "agent %s is shipped: its command cannot be changed", name)
	case shipped && o.Prompt != "":
		return refuse("leave prompt out", "agent %s is shipped: it gets its prompt %s", name, p.prompt.where())
	case shipped && (o.Stream != "" || len(o.Reports) > 0):
		return refuse("leave stream and reports out", "agent %s is shipped: what it prints is known", name)
	case !shipped && !own:
		return unknown(name, shippedNames())
	case o.Permissions != "" && o.Permissions != PermitFull:
		return badPermissions(o.Permissions)
	}
	if err := o.checkStream(name); err != nil {
		return err
	}
	for _, word := range append(slices.Collect(maps.Keys(o.Env)), slices.Concat(slices.Collect(maps.Values(o.Env)), o.Args, []string{o.Model})...) {
		if strings.ContainsRune(word, 0) {
			return refuse("remove it", "agent %s holds a NUL byte", name)
		}
	}
	for variable := range o.Env {
		if variable == "" || strings.Contains(variable, "=") || strings.HasPrefix(variable, "AUTOPILOT_") {
			return refuse("give it another name", "agent %s: the variable %q cannot be set", name, variable)
		}
	}
	if shipped {
		return p.checkArgs(o.Args)
	}
	_, err := ownCall(Profile{Name: name, change: o}, Choice{Model: o.Model, Permissions: o.Permissions, Args: o.Args})
	return err
}

// checkStream looks at what an own profile says of its output.
func (o Override) checkStream(name string) error {
	if o.Stream != "" && !slices.Contains(stream.Formats(), o.Stream) {
		var known []string
		for _, f := range stream.Formats() {
			known = append(known, string(f))
		}
		return refuse("write one of "+strings.Join(known, ", "), "agent %s: the stream %q is not known", name, o.Stream)
	}
	for _, word := range o.Reports {
		if !slices.Contains(ReportWords(), word) {
			return refuse("write tokens, cost, or both", "agent %s: %q cannot be reported", name, word)
		}
	}
	if len(o.Reports) > 0 && o.Stream != "" && o.Stream != stream.Text {
		return refuse("leave reports out", "agent %s: what a stream of %s reports is known", name, o.Stream)
	}
	return nil
}

// Profile is one agent by name, with what a configuration says of it.
type Profile struct {
	Name     string
	Origin   string // shipped, project or user
	Verified string // the version of the program that it was tried with; empty for own ones
	program  program
	change   Override
}

// Find is the profile of that name. The error is a *ProfileError.
func (o Overrides) Find(name string) (Profile, error) {
	p, shipped := findProgram(name)
	change, changed := o[name]
	if !shipped && !changed {
		return Profile{}, unknown(name, o.Names())
	}
	if err := change.Check(name); changed && err != nil {
		return Profile{}, err
	}
	origin := change.Origin
	if origin == "" {
		origin = OriginShipped
	}
	return Profile{Name: name, Origin: origin, Verified: p.verified, program: p, change: change}, nil
}

// Names lists the profiles: the shipped ones, then the own ones by name.
func (o Overrides) Names() []string {
	names := shippedNames()
	for _, name := range slices.Sorted(maps.Keys(o)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func shippedNames() []string {
	var names []string
	for _, p := range programs() {
		names = append(names, p.name)
	}
	return names
}

// IsShipped reports whether autopilot has a profile of its own for a program.
func IsShipped(name string) bool {
	return slices.ContainsFunc(programs(), func(p program) bool { return p.name == name })
}

func findProgram(name string) (program, bool) {
	for _, p := range programs() {
		if p.name == name {
			return p, true
		}
	}
	return program{}, false
}

func unknown(name string, known []string) *ProfileError {
	fix := "apctl agent ls   lists them; an own one needs a command in the configuration"
	if near := strictyaml.Nearest(name, known); near != "" {
		fix = "did you mean " + near + "? " + fix
	}
	return refuse(fix, "there is no agent %q", name)
}

func badPermissions(value string) *ProfileError {
	return refuse("write full, or leave it out", "permissions %q are not known", value)
}

// Has says whether there is a profile of that name.
func (o Overrides) Has(name string) bool { return slices.Contains(o.Names(), name) }
