package render

import (
	"strings"

	"autopilot/events/wire"
)

// AtddLibrary says what install or uninstall has done.
func (s Style) AtddLibrary(v wire.AtddLibrary, dry bool) string {
	file := Line(v.File) + "\n"
	switch {
	case dry && v.Diff != "":
		return s.HookDiff(v.Diff) + "nothing was changed\n"
	case v.Diff == "" && v.Observed:
		return "this program watches it already: " + file
	case v.Diff == "" && v.Installed:
		return "it calls this program already: " + file
	case v.Diff == "":
		return "it is atdd-kit's own already: " + file
	case v.Observed:
		return s.paint(green, "observed") + ": " + file +
			"  the original answers as before: " + Line(v.Kept) + "\n  apctl compat atdd observe DIR   shows, for the directory of an issue, what would have been refused\n" +
			"  apctl compat atdd uninstall " + file[:len(file)-1] + "   ends that\n"
	case v.Installed:
		return s.paint(green, "installed") + ": " + file +
			"  the original is kept: " + Line(v.Kept) + "\n  apctl compat atdd uninstall " + file[:len(file)-1] + "   puts it back\n"
	}
	return s.paint(green, "uninstalled") + ": atdd-kit's own is back: " + file
}

// NoLibrary says that a directory has no library of atdd-kit.
func NoLibrary(dir string, found []string) *wire.Error {
	e := wire.Errorf(wire.NotFound, "%s has no lib/autopilot_convergence.sh", dir)
	if len(found) == 0 {
		return e.WithHint("name the directory of the project or of the plugin that has it")
	}
	return e.WithHint("apctl compat atdd install %s", strings.Join(found, "\nor "))
}

// NotTheLibrary is a file that is something else.
func NotTheLibrary(file string) *wire.Error {
	return usage("nothing was changed; look at the file", "%s is not the library of atdd-kit: it has no record_iteration or no check_sameness", file)
}

// LibraryHasMore is a library with functions that are not known.
func LibraryHasMore(file string, names []string) *wire.Error {
	return usage("nothing was changed: a skill that calls them would find nothing; this atdd-kit may be newer than apctl",
		"%s has functions that apctl does not have: %s", file, strings.Join(names, ", "))
}

// LibraryEdited is one in which the lines that install has written were changed.
func LibraryEdited(file, kept string) *wire.Error {
	return wire.Errorf(wire.Conflict, "%s was changed by somebody else within what apctl has written there", file).
		WithHint("nothing was changed; move those changes above or below it, or put the original back: mv %s %s", Word(kept), Word(file))
}

// ShellTakesNoDir says what a directory is for.
func ShellTakesNoDir() *wire.Error {
	return usage("apctl compat atdd shell --observe DIR", "a directory goes with --observe: without it nothing of atdd-kit is needed")
}

// NothingKept says that there is no original.
func NothingKept(file, kept string) *wire.Error {
	return wire.Errorf(wire.NotFound, "%s calls apctl, and its original is not there: %s", file, kept).
		WithHint("install the plugin anew, or take the file from your repository")
}

// LibraryNotWritten says why it was not written.
func LibraryNotWritten(file string, err error) *wire.Error {
	return wire.Errorf(wire.Failed, "cannot write %s: %v", file, err).WithHint("look at it, then try again")
}
