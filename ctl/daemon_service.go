package ctl

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/ctl/unit"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// manager is a service manager of the user: the file that it reads, what is to
// be written there, and the commands that make it known.
type manager struct {
	file  string
	text  string
	load  [][]string // make the manager see the file, and begin with nothing yet
	on    [][]string // start now and at each login
	off   [][]string // stop, and no more
	again [][]string // stop and start one that is on
	seen  [][]string // make the manager see that the file is gone
}

func newDaemonInstall(a *app) *cobra.Command {
	return a.service(&cobra.Command{
		Use:   "install",
		Short: "Make the daemon a service that starts with your session",
		Long: `Writes one file, a unit of systemd --user or a launchd agent, and starts it: the
daemon then starts with your session and does not end when it is idle. PATH and
all AUTOPILOT_ variables are recorded as they are now; run it again to record
them anew. Agents and gates survive a restart of the service. What live runs do
after a reboot is the setting after_reboot: resume or ask.`,
		Example: "  apctl daemon install --dry-run\n  apctl daemon install",
	}, runInstall)
}

func newDaemonUninstall(a *app) *cobra.Command {
	return a.service(&cobra.Command{
		Use:     "uninstall",
		Short:   "Stop the service and take its file away",
		Long:    "Stops the service and takes its file away. Runs, agents and gates go on; the\nnext command starts a daemon on demand, as before.",
		Example: "  apctl daemon uninstall --dry-run\n  apctl daemon uninstall",
	}, runUninstall)
}

func (a *app) service(cmd *cobra.Command, run func(context.Context, *app, manager, bool) error) *cobra.Command {
	dry := false
	cmd.Args, cmd.ValidArgsFunction = upTo(0), cobra.NoFileCompletions
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if a.getenv(place.EnvEffect) != "" {
			return render.InEffect()
		}
		m, err := a.manager()
		if err != nil {
			return err
		}
		return run(cmd.Context(), a, m, dry)
	}
	cmd.Flags().BoolVar(&dry, "dry-run", false, "say what would be done, and do nothing")
	return a.jsonFlag(cmd)
}

// manager is the one of this system.
func (a *app) manager() (manager, error) {
	p, err := a.FindPlaces()
	if err != nil {
		return manager{}, err
	}
	program, err := client.Program()
	if err != nil {
		return manager{}, err
	}
	if strings.ContainsAny(program, "\"\\\n") {
		return manager{}, render.ServiceProgram(program)
	}
	s := unit.Service{Program: program, Env: serviceEnv(a.Environ, p.State)}
	switch runtime.GOOS {
	case "linux":
		return systemd(filepath.Join(filepath.Dir(filepath.Dir(p.Config)), "systemd", "user", unit.SystemdName), unit.Systemd(s)), nil
	case "darwin":
		return launchd(filepath.Join(a.getenv("HOME"), "Library", "LaunchAgents", unit.LaunchdName+".plist"), unit.Launchd(s)), nil
	}
	return manager{}, render.NoServiceManager(runtime.GOOS)
}

func systemd(file, text string) manager {
	ctl := func(words ...string) []string { return append([]string{"systemctl", "--user"}, words...) }
	return manager{
		file: file, text: text,
		load:  [][]string{ctl("daemon-reload")},
		on:    [][]string{ctl("enable", unit.SystemdName), ctl("restart", unit.SystemdName)},
		off:   [][]string{ctl("disable", "--now", unit.SystemdName)},
		again: [][]string{ctl("restart", unit.SystemdName)},
		seen:  [][]string{ctl("daemon-reload")},
	}
}

func launchd(file, text string) manager {
	domain := fmt.Sprintf("gui/%d", os.Getuid())
	return manager{
		file: file, text: text,
		on:    [][]string{{"launchctl", "bootstrap", domain, file}},
		off:   [][]string{{"launchctl", "bootout", domain + "/" + unit.LaunchdName}},
		again: [][]string{{"launchctl", "kickstart", "-k", domain + "/" + unit.LaunchdName}},
	}
}

// serviceEnv is what the service gets of the caller: where things live, and
// where programs are found. What holds for one process or one run stays here.
func serviceEnv(environ []string, state string) [][2]string {
	own := []string{place.EnvEffect, place.EnvSocket, place.EnvReady, place.EnvService, place.EnvState}
	vars := map[string]string{place.EnvState: state}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		ours := strings.HasPrefix(name, "AUTOPILOT_") && !slices.Contains(own, name)
		if ours || name == "PATH" || name == "XDG_CONFIG_HOME" || name == "XDG_STATE_HOME" {
			vars[name] = value
		}
	}
	var env [][2]string
	for name, value := range vars {
		if value != "" {
			env = append(env, [2]string{name, value})
		}
	}
	slices.SortFunc(env, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return env
}

// found is what stands where the file belongs: its text, empty without one. A
// file of somebody else is an error.
func (m manager) found() (string, error) {
	info, err := os.Lstat(m.file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look at the service: %w", err)
	}
	if !info.Mode().IsRegular() {
		return "", render.ForeignService(m.file)
	}
	b, err := os.ReadFile(m.file)
	if err != nil {
		return "", fmt.Errorf("read the service: %w", err)
	}
	if !strings.Contains(string(b), unit.Mark) {
		return "", render.ForeignService(m.file)
	}
	return string(b), nil
}

func runInstall(ctx context.Context, a *app, m manager, dry bool) error {
	before, err := m.found()
	if err != nil {
		return err
	}
	v := wire.ServiceView{File: m.file, Text: m.text, Changed: before != m.text, DryRun: dry, Installed: true, Linger: lingers()}
	v.Commands = shown(m.load, [][]string{{"apctl", "daemon", "stop"}}, m.on)
	if dry {
		return a.serviceAnswer(v)
	}
	if v.Changed {
		if err := m.write(); err != nil {
			return err
		}
	}
	if v.Problem = a.tell(ctx, m.load); v.Problem == "" {
		v.Problem, err = a.begin(ctx, m, v.Changed)
	}
	if err != nil {
		return err
	}
	v.Active = v.Problem == ""
	if v.Active {
		v.Commands = nil
	}
	return a.serviceAnswer(v)
}

// begin hands over from a daemon that was started on demand, or that has other
// variables, to the service. One that is as it should be is left alone.
func (a *app) begin(ctx context.Context, m manager, changed bool) (problem string, err error) {
	if !changed && a.isService(ctx) {
		return "", nil
	}
	if _, err := a.stopDaemon(ctx, daemonStopOptions{}); err != nil {
		return "", err
	}
	if len(m.load) == 0 {
		_ = a.tell(ctx, m.off) // an agent of launchd that is known already is not taken anew; one that is not is no fault
	}
	return a.tell(ctx, m.on), nil
}

// isService says whether the daemon that runs was started by the service.
func (a *app) isService(ctx context.Context) bool {
	d, err := a.connect(ctx, false)
	if err != nil {
		return false
	}
	defer d.Close()
	var view wire.DaemonView
	return client.Call(ctx, d, wire.DaemonStatus, wire.None{}, &view) == nil && view.Service != ""
}

func runUninstall(ctx context.Context, a *app, m manager, dry bool) error {
	before, err := m.found()
	if err != nil {
		return err
	}
	v := wire.ServiceView{File: m.file, Changed: before != "", DryRun: dry, Linger: true}
	if dry && v.Changed {
		v.Commands = shown(m.off, m.seen)
	}
	if dry || !v.Changed {
		return a.serviceAnswer(v)
	}
	v.Problem = a.tell(ctx, m.off)
	if err := os.Remove(m.file); err != nil {
		return fmt.Errorf("take the service away: %w", err)
	}
	if v.Problem == "" {
		v.Problem = a.tell(ctx, m.seen)
	}
	return a.serviceAnswer(v)
}

func (a *app) serviceAnswer(v wire.ServiceView) error {
	return a.answer(wire.SchemaService, v, func(s render.Style) string { return s.Service(v) })
}

// write puts the file there, whole.
func (m manager) write() error {
	if err := os.MkdirAll(filepath.Dir(m.file), 0o755); err != nil {
		return fmt.Errorf("write the service: %w", err)
	}
	if err := replaceFile(m.file, m.text, 0o600); err != nil {
		return fmt.Errorf("write the service: %w", err)
	}
	return nil
}

// tell runs commands of the service manager, one after the other, until one
// fails. It returns why, empty if none did.
func (a *app) tell(ctx context.Context, commands [][]string) string {
	for _, argv := range commands {
		cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
		cmd.Env = a.Environ
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		if err := cmd.Run(); err != nil {
			if text := strings.TrimSpace(said.String()); text != "" {
				return strings.Join(argv, " ") + ": " + text
			}
			return strings.Join(argv, " ") + ": " + err.Error()
		}
	}
	return ""
}

func shown(groups ...[][]string) []string {
	var out []string
	for _, g := range groups {
		for _, argv := range g {
			out = append(out, strings.Join(argv, " "))
		}
	}
	return out
}

// lingers says whether services of this user go on without a session, where that
// can be known.
func lingers() bool {
	if runtime.GOOS != "linux" {
		return true
	}
	_, err := os.Stat(filepath.Join("/var/lib/systemd/linger", userName()))
	return err == nil
}

func userName() string {
	u, err := user.Current()
	if err != nil {
		return "-" // no user has that name
	}
	return u.Username
}
