package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// Hooks is hook show. With one host it also shows what install would change.
func (s Style) Hooks(v wire.HooksView, diffs bool) string {
	rows := [][]string{{"HOST", "FOR", "STATE", "FILE"}}
	for _, f := range v.Files {
		rows = append(rows, []string{Line(f.Host), Line(f.Scope), s.hookState(f), Line(f.File)})
	}
	text := table(rows)
	for _, f := range v.Files {
		text += s.hookProblem(f)
	}
	if !diffs {
		return text
	}
	for _, f := range v.Files {
		if f.Diff != "" && (f.Scope == "user" || f.State != wire.HooksNone) {
			text += "\n" + hookInstall(f) + "   would change:\n" + s.HookDiff(f.Diff)
		}
	}
	return text
}

// hookInstall is the command that installs the hooks in such a file.
func hookInstall(f wire.HookFile) string {
	if f.Scope == "project" {
		return "apctl hook install " + Line(f.Host) + " --project"
	}
	return "apctl hook install " + Line(f.Host)
}

func (s Style) hookState(f wire.HookFile) string {
	switch f.State {
	case wire.HooksInstalled:
		return s.paint(green, "installed")
	case wire.HooksPartly:
		return s.paint(yellow, "partly")
	case wire.HooksUnreadable:
		return s.paint(red, "cannot be read")
	}
	return "not installed"
}

// hookProblem says what keeps hooks from working.
func (s Style) hookProblem(f wire.HookFile) string {
	var b strings.Builder
	say := func(format string, args ...any) { b.WriteString(s.wrap(fmt.Sprintf(format, args...), "  ")) }
	if f.State == wire.HooksPartly {
		say("%s, %s: %s missing: %s", Line(f.Host), Line(f.Scope), be(len(f.Missing)), Line(strings.Join(f.Missing, ", ")))
	}
	if f.Problem != "" {
		say("%s: %s", Line(f.File), Line(f.Problem))
	}
	for _, p := range f.Gone {
		say("%s, %s: %s is called, and there is no such program", Line(f.Host), Line(f.Scope), Line(p))
	}
	if len(f.Calls) > 1 {
		say("%s, %s: several programs are called: %s", Line(f.Host), Line(f.Scope), Line(strings.Join(f.Calls, ", ")))
	}
	if b.Len() > 0 && f.Problem == "" {
		b.WriteString("  " + hookInstall(f) + "   corrects it\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "\n" + b.String()
}

func be(n int) string {
	if n == 1 {
		return "one is"
	}
	return fmt.Sprintf("%d are", n)
}

// HookDiff is a change of settings.
func (s Style) HookDiff(text string) string {
	var b strings.Builder
	for l := range strings.Lines(Clean(text)) {
		if strings.HasPrefix(l, "diff ") {
			continue // the next lines name the files
		}
		b.WriteString(s.DiffLine(strings.TrimSuffix(l, "\n")) + "\n")
	}
	return b.String()
}

// Changes names the file that is about to be changed.
func Changes(file string) string { return "this changes " + Line(file) + "\n" }

// HookEdited says what install or uninstall has done.
func (s Style) HookEdited(f wire.HookFile, after string, dry bool) string {
	at := "in " + Line(f.File) + "\n"
	is := f.State != wire.HooksNone
	switch {
	case dry && f.Diff != "":
		return s.HookDiff(f.Diff) + "nothing was changed\n"
	case f.Diff == "" && is:
		return "the hooks are installed already, " + at
	case f.Diff == "":
		return "these hooks are not " + at
	case is:
		return s.paint(green, "installed") + ": " + count(len(f.Events), "hook") + " of " + Line(f.Host) + " " + at + "  " + after + "\n"
	}
	return s.paint(green, "uninstalled") + ": these hooks are not " + at
}

// NoEvent is a host without an event.
func NoEvent(host string) *wire.Error {
	return usage("apctl hook install "+host+"   puts the hooks into its settings", "apctl hook %s EVENT is called by %s itself, and no event is given", host, host)
}

// OneHost is a command that wants one host.
func OneHost(command string, hosts []string) *wire.Error {
	return usage(command+" "+hosts[0], "give one HOST: %s", strings.Join(hosts, ", "))
}

// NoHost is a host that is not known.
func NoHost(name string, hosts []string) *wire.Error {
	return usage("one of "+strings.Join(hosts, ", "), "no host %q is known", name)
}

// NoHome says that the settings of a host have no place.
func NoHome(host string) *wire.Error {
	return usage("set HOME, or use --project", "the place of the settings of %s is not known: HOME is not an absolute path", host)
}

// NoSettings says why settings are not touched.
func NoSettings(file string, err error) *wire.Error {
	return usage("correct the file; nothing was changed", "%s: %v", file, err)
}

// SettingsNotWritten says why settings were not written.
func SettingsNotWritten(file string, err error) *wire.Error {
	return wire.Errorf(wire.Failed, "cannot write %s: %v", file, err).WithHint("nothing was changed; look at it, then try again")
}
