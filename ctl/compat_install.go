package ctl

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"autopilot/ctl/atdd"
	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

type libraryOptions struct{ yes, dry bool }

func newAtddInstall(a *app) *cobra.Command {
	var observe bool
	cmd := a.libraryEdit(&cobra.Command{
		Use:   "install [DIR]",
		Short: "Put this program in the place of atdd-kit's library",
		Long: `Finds lib/autopilot_convergence.sh in DIR (a project or the directory of the plugin;
no DIR: here and above), shows what would change, asks, and writes a file in its place
whose functions call this program. The original stays beside it, and uninstall puts
it back. An update of the plugin brings its own file again. What others have written
above or below that stays.

With --observe the functions of the original answer as before, and this program records
what it would have answered: see apctl compat atdd observe.`,
		Example: "  apctl compat atdd install --dry-run\n  apctl compat atdd install --observe\n  apctl compat atdd install ~/.claude/plugins/cache/atdd-kit/atdd-kit/4.0.0",
	}, func(l library) (edit, error) {
		program, err := a.Program()
		if err != nil {
			return edit{}, err
		}
		return l.install(program, observe)
	})
	cmd.Flags().BoolVar(&observe, "observe", false, "keep atdd-kit's own functions, and record what apctl would have answered")
	return cmd
}

func newAtddUninstall(a *app) *cobra.Command {
	return a.libraryEdit(&cobra.Command{
		Use:     "uninstall [DIR]",
		Short:   "Put atdd-kit's library back",
		Long:    "Puts the original that install has kept in its place again. Shows what would change,\nand asks.",
		Example: "  apctl compat atdd uninstall",
	}, library.uninstall)
}

// libraryEdit is a command that changes atdd-kit's library.
func (a *app) libraryEdit(cmd *cobra.Command, change func(library) (edit, error)) *cobra.Command {
	var o libraryOptions
	cmd.Args = upTo(1)
	cmd.RunE = func(_ *cobra.Command, args []string) error { return a.runLibraryEdit(args, o, change) }
	f := cmd.Flags()
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.dry, "dry-run", false, "show what would change, and change nothing")
	return a.jsonFlag(cmd)
}

func (a *app) runLibraryEdit(args []string, o libraryOptions, change func(library) (edit, error)) error {
	if a.getenv(place.EnvEffect) != "" {
		return render.InEffect()
	}
	l, err := a.findLibrary(args)
	if err != nil {
		return err
	}
	e, err := change(l)
	if err != nil {
		return err
	}
	v := wire.AtddLibrary{File: l.file, Kept: l.kept, Installed: e.installed, Observed: e.observed}
	if v.Diff = string(diff.Diff(l.file, l.src, l.file, e.to)); v.Diff != "" && !o.dry {
		if o.yes && !a.json {
			a.note(a.style(a.Err).HookDiff(v.Diff))
		}
		if err := a.confirm(o.yes, func(st render.Style) string { return st.HookDiff(v.Diff) + render.Changes(l.file) }); err != nil {
			return err
		}
		if err := l.write(e); err != nil {
			return render.LibraryNotWritten(l.file, cause(err))
		}
		v.Changed = true
	}
	return a.answer(wire.SchemaAtddLibrary, v, func(st render.Style) string { return st.AtddLibrary(v, o.dry) })
}

// library is atdd-kit's library as it is found.
type library struct {
	file, kept string // kept is where the original is, or would be
	src        []byte
	mode       fs.FileMode
	original   []byte // that was kept; nil is none
}

// edit is what becomes of it.
type edit struct {
	to                  []byte
	keep                bool // the present content is the original
	drop                bool // none is kept any more
	installed, observed bool
}

// install puts the functions of program in its place, or around the original where it
// is only observed.
func (l library) install(program string, observe bool) (edit, error) {
	w, is := atdd.ReadShell(l.src)
	switch {
	case is && !w.Whole:
		return edit{}, render.LibraryEdited(l.file, l.kept)
	case is && observe && l.original == nil:
		return edit{}, render.NothingKept(l.file, l.kept)
	}
	if !is {
		more, is := atdd.Unknown(l.src)
		switch {
		case !is:
			return edit{}, render.NotTheLibrary(l.file)
		case len(more) > 0 && !observe:
			return edit{}, render.LibraryHasMore(l.file, more)
		}
	}
	to := atdd.Shell(program)
	if observe {
		to = atdd.ShellObserved(program, l.kept)
	}
	return edit{to: []byte(w.Before + to + w.After), keep: !is, installed: true, observed: observe}, nil
}

// uninstall puts the original back, with what others have written around what took
// its place.
func (l library) uninstall() (edit, error) {
	w, is := atdd.ReadShell(l.src)
	switch {
	case !is:
		return edit{to: l.src}, nil
	case !w.Whole:
		return edit{}, render.LibraryEdited(l.file, l.kept)
	case l.original == nil:
		return edit{}, render.NothingKept(l.file, l.kept)
	}
	to := l.original
	if others := w.Before + w.After; strings.TrimSpace(others) != "" {
		to = append(bytes.TrimRight(slices.Clone(to), "\n"), "\n"+others...)
	}
	return edit{to: to, drop: true}, nil
}

// write keeps the original first, so that there is one at every moment.
func (l library) write(e edit) error {
	now, err := os.ReadFile(l.file)
	if err != nil {
		return err
	}
	if string(now) != string(l.src) {
		return errors.New("it was changed meanwhile")
	}
	if e.keep {
		if err := replaceFile(l.kept, string(l.src), l.mode); err != nil {
			return err
		}
	}
	if err := replaceFile(l.file, string(e.to), l.mode); err != nil || !e.drop {
		return err
	}
	return os.Remove(l.kept)
}

const (
	libraryName = "autopilot_convergence.sh"
	keptSuffix  = ".atdd-kit"
)

// findLibrary looks for it where the arguments say, else here and above.
func (a *app) findLibrary(args []string) (library, error) {
	dir := a.Dir
	if len(args) > 0 {
		dir = a.absolute(args[0])
	}
	tried := []string{filepath.Join(dir, "lib", libraryName)}
	switch info, err := os.Stat(dir); {
	case err == nil && info.Mode().IsRegular():
		tried = []string{dir}
	case len(args) == 0:
		tried = append(tried, filepath.Join(projectOf(dir), "lib", libraryName))
	}
	for _, file := range tried {
		if _, err := os.Lstat(file); err == nil {
			return readLibrary(file)
		}
	}
	return library{}, render.NoLibrary(dir, a.plugins())
}

func readLibrary(file string) (l library, err error) {
	if l.file, err = filepath.EvalSymlinks(file); err != nil {
		return l, render.Unreadable("the library", file, cause(err))
	}
	l.kept = l.file + keptSuffix
	src, _, err := readSettings(l.file)
	if err != nil {
		return l, render.Unreadable("the library", l.file, err)
	}
	l.src = src
	info, err := os.Stat(l.file)
	if err != nil {
		return l, render.Unreadable("the library", l.file, cause(err))
	}
	l.mode = info.Mode().Perm()
	original, exists, err := readSettings(l.kept)
	if err != nil {
		return l, render.Unreadable("what was kept", l.kept, err)
	}
	if exists {
		l.original = original
	}
	return l, nil
}

// plugins are the libraries of atdd-kit among the plugins of Claude Code.
func (a *app) plugins() (found []string) {
	home := a.getenv("CLAUDE_CONFIG_DIR")
	if home == "" && a.getenv("HOME") != "" {
		home = filepath.Join(a.getenv("HOME"), ".claude")
	}
	if !filepath.IsAbs(home) {
		return nil
	}
	for _, pattern := range []string{"cache/*/atdd-kit/*", "marketplaces/*"} {
		some, err := filepath.Glob(filepath.Join(atdd.EscapeGlob(home), "plugins", pattern, "lib", libraryName))
		if err == nil {
			found = append(found, some...)
		}
	}
	slices.Sort(found)
	return found
}
