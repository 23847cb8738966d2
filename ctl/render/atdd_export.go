package render

import (
	"path/filepath"
	"strings"

	"autopilot/events/wire"
)

// AtddFiles are the files of a run, each below its path.
func (s Style) AtddFiles(of wire.AtddPiece, names []string, text func(name string) string) string {
	dir := of.Dir
	if of.Workspace != "" && dir != "" {
		dir = filepath.Join(of.Workspace, dir)
	}
	var b strings.Builder
	for _, name := range names {
		b.WriteString("==> " + Line(filepath.Join(dir, name)) + " <==\n" + Clean(text(name)) + "\n")
	}
	if len(names) == 0 {
		return "run " + Line(of.Handle) + " has recorded nothing that atdd-kit keeps\n"
	}
	if dir == "" {
		dir = "DIR"
	}
	return b.String() + "nothing was written; apctl compat atdd export " + Line(of.Handle) + " --dir " + Line(dir) + "   writes it\n"
}

// AtddExport says what was written.
func (s Style) AtddExport(v wire.AtddExport) string {
	if len(v.Written) == 0 {
		return "all is there already: " + Line(v.Dir) + "\n"
	}
	return s.paint(green, "written") + ": " + strings.Join(v.Written, ", ") + " in " + Line(v.Dir) + "\n"
}

// AtddPiece is a row or a pin that was just written.
func (s Style) AtddPiece(p wire.AtddPiece) string {
	return Line(p.File) + "  " + Line(strings.TrimSuffix(p.Text, "\n")) + "\n"
}

// NeedsDir says that a live copy has to be somewhere.
func NeedsDir() *wire.Error {
	return usage("--dir DIR, in another work tree than the one that the run works in", "--follow and --no-commit go with --dir")
}

// WorksThere refuses to write where a run works.
func WorksThere(run, workspace string) *wire.Error {
	return wire.Errorf(wire.Conflict, "run %s works in %s: a file that is written there now would be somebody else's change", run, workspace).
		WithHint("give a directory in another work tree, or wait: apctl wait %s", run)
}

// OtherContent is a file that is left as it is.
func OtherContent(file, what string) *wire.Error {
	return wire.Errorf(wire.Conflict, "%s %s", file, what).WithHint("it was left as it is; move it away, or give another --dir")
}

// NotCommitted says why a row was not committed.
func NotCommitted(why string) *wire.Error {
	return wire.Errorf(wire.Conflict, "cannot commit a row alone: %s", why).
		WithHint("finish that first, or use --no-commit; rows that are written are not written again")
}

// NotExported says why a file was not written.
func NotExported(err error) *wire.Error {
	return wire.Errorf(wire.Failed, "cannot write the files: %v", err).WithHint("look at it, then try again: rows that are written are not written again")
}
