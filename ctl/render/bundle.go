package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// Exporting says what takes long.
func Exporting() string { return "writing the bundle ...\n" }

// Importing says what takes long.
func Importing() string { return "proving the bundle ...\n" }

// Exported says what was written.
func (s Style) Exported(v wire.ExportView) string {
	var b strings.Builder
	file := Line(v.File)
	if v.File == "-" {
		file = "the bundle"
	}
	fmt.Fprintf(&b, "wrote %s (%s): %s\n", s.paint(bold, file), Size(v.Bytes), bundleSum(v.BundleSum))
	fmt.Fprintf(&b, "  sha256: %s\n", Line(string(v.SHA256)))
	if v.Missing > 0 {
		fmt.Fprintf(&b, "  %s\n", count(v.Missing, "text")+" that events name are gone")
	}
	if v.Live > 0 {
		fmt.Fprintf(&b, "  left out: %s\n", count(v.Live, "run")+" not over")
	}
	if v.File != "-" {
		fmt.Fprintf(&b, "  take it in elsewhere: apctl archive import %s\n", Word(Line(v.File)))
	}
	return b.String()
}

// bundleSum is "3 runs, 120 events, 44 texts".
func bundleSum(v wire.BundleSum) string {
	return count(v.Runs, "run") + ", " + count(v.Events, "event") + ", " + count(v.Texts, "text")
}

// SecretsFound names the texts from which secrets were taken out, empty if there
// are none. They are where they were, too.
func (s Style) SecretsFound(v wire.BundleSum) string {
	if v.Redacted == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(Note("secrets were found in " + count(v.Redacted, "text") + ", and taken out of the bundle; here they still are"))
	for _, f := range v.Found {
		fmt.Fprintf(&b, "  %s event %d, text %s: %s\n", Line(f.Run), f.Seq, Hash(string(f.Ref)), Line(strings.Join(f.Kinds, ", ")))
	}
	if more := v.Redacted - len(v.Found); more > 0 {
		fmt.Fprintf(&b, "  and %d more\n", more)
	}
	return b.String()
}

// mostImported is how many runs of a bundle are named.
const mostImported = 20

// Imported says what came in, or would.
func (s Style) Imported(v wire.ImportView) string {
	var b strings.Builder
	verb := "took in"
	if v.DryRun {
		verb = "would take in"
	}
	if fresh := len(v.Runs) - v.Known; fresh == 0 {
		b.WriteString("nothing to take in: every run of the bundle is here already\n")
	} else {
		fmt.Fprintf(&b, "%s %s: %s\n", verb, s.paint(bold, count(fresh, "run")), bundleSum(v.Bundle)+" in the bundle, made by autopilot "+Line(v.Version))
	}
	var rows [][]string
	for i, r := range v.Runs {
		if i == mostImported {
			rows = append(rows, []string{"", fmt.Sprintf("and %d more", len(v.Runs)-i)})
			break
		}
		note := ""
		if r.Known {
			note = "here already"
		}
		state := Line(r.State)
		if r.Reason != "" {
			state += " (" + Line(r.Reason) + ")"
		}
		rows = append(rows, []string{Line(r.Handle), state, count(r.Events, "event"), note})
	}
	b.WriteString(table(rows))
	if v.Bundle.Missing > 0 {
		fmt.Fprintf(&b, "  %s\n", count(v.Bundle.Missing, "text")+" that events name are not in it")
	}
	return b.String()
}

// BundleOnTerminal refuses to write a file to a terminal.
func BundleOnTerminal() *wire.Error {
	return usage("apctl archive export -o FILE, or send it on: apctl archive export -o - | COMMAND", "a bundle is not for a terminal")
}

// ImportWhat is an import without a file.
func ImportWhat() *wire.Error {
	return usage("apctl archive import FILE", "an import needs a file that apctl archive export has written")
}
