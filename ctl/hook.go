package ctl

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/rogpeppe/go-internal/diff"
	"github.com/spf13/cobra"

	"autopilot/ctl/hook"
	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

func newHook(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "hook HOST EVENT",
		Short: "Answer the hooks of a chat's host, and install them",
		Long: `Hooks of a host program (claude, codex, gemini) tell the daemon what its chat
does. A chat that drives a run is told of it when it begins, is kept from changing
pinned files, is held at its end while work is due, and leaves the run when it
ends. A chat that drives nothing notices nothing.

The host itself calls "apctl hook HOST EVENT" with the event as JSON on standard
input. That ends with exit code 0 whatever happens, and says nothing where no
daemon answers in time.`,
		Example: "  apctl hook show\n  apctl hook install claude\n  apctl hook uninstall claude",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				if _, ok := hook.Find(args[0]); ok {
					return render.NoEvent(args[0])
				}
			}
			return group(cmd, args)
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newHookInstall(a), newHookUninstall(a), newHookShow(a))
	return cmd
}

type hookOptions struct {
	user, project, yes, dry bool
	dir                     string
}

func newHookInstall(a *app) *cobra.Command {
	return a.hookEdit(&cobra.Command{
		Use:   "install HOST",
		Short: "Put the hooks into the settings of a host",
		Long: `Shows what would change in the settings of HOST, asks, and writes it. All else in
the file stays as it is, comments too; what is installed already is not installed
twice. --user is for all your chats, --project for those of this project on this
machine: the file names this program by its path.`,
		Example: "  apctl hook install claude --dry-run\n  apctl hook install claude\n  apctl hook install codex --project --yes",
	}, func(h hook.Host, src []byte) ([]byte, error) {
		program, err := a.Program()
		if err != nil {
			return nil, err
		}
		return h.Install(src, program)
	})
}

func newHookUninstall(a *app) *cobra.Command {
	return a.hookEdit(&cobra.Command{
		Use:     "uninstall HOST",
		Short:   "Take the hooks out of the settings of a host",
		Long:    "Takes exactly those hooks out that install puts in, and what holds nothing else\nthen. Shows what would change, and asks.",
		Example: "  apctl hook uninstall claude",
	}, hook.Host.Uninstall)
}

// hookEdit is a command that changes the settings of a host.
func (a *app) hookEdit(cmd *cobra.Command, change func(hook.Host, []byte) ([]byte, error)) *cobra.Command {
	cmd.Args = oneHost
	cmd.ValidArgsFunction = completeHosts
	return a.settingsEdit(cmd, func(args []string) (hook.Host, error) {
		h, _ := hook.Find(args[0])
		return h, nil
	}, change)
}

// settingsEdit is a command that changes the settings of a host that its arguments name.
func (a *app) settingsEdit(cmd *cobra.Command, host func(args []string) (hook.Host, error), change func(hook.Host, []byte) ([]byte, error)) *cobra.Command {
	var o hookOptions
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		h, err := host(args)
		if err != nil {
			return err
		}
		return a.runHookEdit(h, o, change)
	}
	f := cmd.Flags()
	f.BoolVar(&o.user, "user", false, "in your settings (default)")
	f.BoolVar(&o.project, "project", false, "in the settings of this project")
	f.BoolVarP(&o.yes, "yes", "y", false, "do not ask")
	f.BoolVar(&o.dry, "dry-run", false, "show what would change, and change nothing")
	return a.jsonFlag(directoryFlag(cmd, &o.dir))
}

func oneHost(cmd *cobra.Command, args []string) error {
	var names []string
	for _, h := range hook.Hosts() {
		names = append(names, h.Name)
	}
	if len(args) != 1 {
		return render.OneHost(cmd.CommandPath(), names)
	}
	if !slices.Contains(names, args[0]) {
		return render.NoHost(args[0], names)
	}
	return nil
}

func completeHosts(_ *cobra.Command, args []string, _ string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var out []cobra.Completion
	for _, h := range hook.Hosts() {
		if len(args) == 0 {
			out = append(out, cobra.CompletionWithDesc(h.Name, h.Title))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

func (a *app) runHookEdit(h hook.Host, o hookOptions, change func(hook.Host, []byte) ([]byte, error)) error {
	if a.getenv(place.EnvEffect) != "" {
		return render.InEffect()
	}
	if o.user && o.project {
		return render.Exclusive("--user", "--project")
	}
	s, err := a.settingsOf(h, o.project, o.dir)
	if err != nil {
		return err
	}
	if s.err != nil {
		return render.NoSettings(s.file, s.err)
	}
	to, err := change(h, s.src)
	if err != nil {
		return render.NoSettings(s.file, err)
	}
	text := diffOf(s, to)
	changes := text != ""
	if changes && !o.dry {
		if o.yes && !a.json {
			a.note(a.style(a.Err).HookDiff(text))
		}
		if err := a.confirm(o.yes, func(st render.Style) string { return st.HookDiff(text) + render.Changes(s.file) }); err != nil {
			return err
		}
		if err := s.write(to); err != nil {
			return render.SettingsNotWritten(s.file, cause(err))
		}
	}
	s.src, s.exists = to, true
	v := a.hookFile(s)
	v.Diff, v.Changed = text, changes && !o.dry
	return a.answer(wire.SchemaHooks, wire.HooksView{Files: []wire.HookFile{v}}, func(st render.Style) string { return st.HookEdited(v, h.After, o.dry) })
}

// settings is a settings file of a host.
type settings struct {
	host    hook.Host
	project bool
	file    string
	src     []byte
	exists  bool
	err     error // why it cannot be read
}

// maxSettings bounds a settings file.
const maxSettings = 4 << 20

// settingsOf reads the settings of a host. The error is of a place that is not
// known.
func (a *app) settingsOf(h hook.Host, project bool, dir string) (settings, error) {
	s := settings{host: h, project: project}
	if project {
		top, err := a.workspace(dir)
		if err != nil {
			return s, err
		}
		s.file = h.File(projectOf(top), a.getenv)
	} else if s.file = h.File("", a.getenv); s.file == "" {
		return s, render.NoHome(h.Name)
	}
	s.src, s.exists, s.err = readSettings(s.file)
	return s, nil
}

// readSettings reads a file that need not be there.
func readSettings(file string) (src []byte, exists bool, err error) {
	info, err := os.Stat(file)
	switch _, link := os.Lstat(file); {
	case errors.Is(link, fs.ErrNotExist):
		return nil, false, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, errors.New("it is a link that leads nowhere")
	case err != nil:
		return nil, false, cause(err)
	case !info.Mode().IsRegular():
		return nil, false, errors.New("it is not a regular file")
	case info.Size() > maxSettings:
		return nil, false, fmt.Errorf("it has %d bytes; the limit is %d", info.Size(), maxSettings)
	}
	src, err = os.ReadFile(file)
	if err != nil {
		return nil, false, cause(err)
	}
	return src, true, nil
}

// projectOf is the top of the work tree that a directory is in, else itself.
func projectOf(dir string) string {
	for top := dir; ; top = filepath.Dir(top) {
		if _, err := os.Lstat(filepath.Join(top, ".git")); err == nil {
			return top
		}
		if top == filepath.Dir(top) {
			return dir
		}
	}
}

// write replaces the file, if it is still what was read. What a link leads to is
// replaced, not the link.
func (s settings) write(to []byte) error {
	now, err := os.ReadFile(s.file)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !s.exists:
	case err != nil:
		return err
	case string(now) != string(s.src):
		return errors.New("it was changed meanwhile")
	}
	path, mode, dir := s.file, fs.FileMode(0o600), fs.FileMode(0o700)
	if s.project {
		mode, dir = 0o644, 0o755
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(path), dir); err != nil {
		return err
	}
	return replaceFile(path, string(to), mode)
}

func diffOf(s settings, to []byte) string {
	from := s.file
	if !s.exists {
		from = os.DevNull
	}
	return string(diff.Diff(from, s.src, s.file, to))
}

// hookFile says what is installed in settings.
func (a *app) hookFile(s settings) wire.HookFile {
	v := wire.HookFile{
		Host: s.host.Name, Scope: "user", File: s.file, State: wire.HooksNone,
		Events: []string{}, Missing: []string{}, Calls: []string{}, Gone: []string{},
	}
	if s.project {
		v.Scope = "project"
	}
	in, err := s.host.Look(s.src)
	if err = errors.Join(s.err, err); err != nil {
		v.State, v.Problem = wire.HooksUnreadable, err.Error()
		return v
	}
	for _, e := range s.host.Events {
		if slices.Contains(in.Events, e.Name) {
			v.Events = append(v.Events, e.Name)
		} else {
			v.Missing = append(v.Missing, e.Name)
		}
	}
	v.Calls = append(v.Calls, in.Calls...)
	for _, c := range v.Calls {
		if info, err := os.Stat(c); filepath.IsAbs(c) && (err != nil || info.IsDir() || info.Mode().Perm()&0o111 == 0) {
			v.Gone = append(v.Gone, c)
		}
	}
	switch {
	case len(v.Missing) == 0:
		v.State = wire.HooksInstalled
	case len(v.Events) > 0:
		v.State = wire.HooksPartly
	}
	return v
}
