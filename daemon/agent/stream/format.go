package stream

import "cmp"

// Format is how a program prints.
type Format string

// Text is any program that prints what it likes.
const Text Format = "text"

// form is what is known of a format. Each has one in the file of its program.
type form struct {
	format     Format
	line       func(*Reader, object) // reads a line of the stream; nil is text in lines
	cumulative bool                  // its usage has what it was in the calls before
	model      bool                  // it names its model
	totals     bool                  // the usage that it told last is a total of the call
	atEnd      bool                  // only its last event has that total
	steps      bool                  // its cost is that of each step
	like       bool                  // its lines are those of another program; only its marks tell it apart
	types      string                // of its lines, with spaces between; one with a dot at its end begins a type
	marks      string                // members that only its lines have, of those that are taken for another's
}

// forms are all of them.
func forms() []form {
	return []form{
		claudeForm, codexForm, geminiForm, opencodeForm, cursorForm, gooseForm, copilotForm, qwenForm, piForm, kiloForm, clineForm, ampForm,
		droidForm, auggieForm, aiderForm,
		{format: Text, totals: true},
	}
}

// form finds a form; the zero one where it is not known.
func (f Format) form() form {
	for _, known := range forms() {
		if known.format == f {
			return known
		}
	}
	return form{}
}

// Formats lists the formats once.
func Formats() []Format {
	var out []Format
	for _, f := range forms() {
		out = append(out, f.format)
	}
	return out
}

// Lined says that the program prints text, and no stream of objects.
func (f Format) Lined() bool {
	known := f.form()
	return known.format != "" && known.line == nil
}

// Steps says that the cost that the program tells is of each step, to be added.
func (f Format) Steps() bool { return f.form().steps }

// NamesModel says that the program names its model in what it prints.
func (f Format) NamesModel() bool { return f.form().model }

// Of is the format of an agent profile: Text where it is not known.
func Of(profile string) Format { return cmp.Or(Format(profile).form().format, Text) }

// Totals says that the last usage of a summary is a total of the program, which
// also has what was not read.
func (s Summary) Totals() bool {
	f := s.Format.form()
	return f.totals && s.UsageFrom == Reported && (s.Ended || !f.atEnd)
}
