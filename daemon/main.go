package daemon

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"autopilot/daemon/config"
	"autopilot/daemon/host/sdnotify"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/transport/bus"
	"autopilot/events/log"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// closeWithin bounds the end of the daemon.
const closeWithin = 10 * time.Second

// memoryLimit keeps the heap of a daemon that replays a large log in bounds.
const memoryLimit = 512 << 20

// Main serves until ctx ends, the daemon is told to stop, or it has nothing to
// do. It returns the exit code of the program.
func Main(ctx context.Context, version string, args []string, stderr io.Writer) int {
	err := serve(ctx, version, args, stderr)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errFlags):
		return 2
	}
	fmt.Fprintln(stderr, "autopilotd:", err)
	return 1
}

// errFlags is the error of flags whose mistake was said already.
var errFlags = errors.New("flags")

func serve(ctx context.Context, version string, args []string, stderr io.Writer) (err error) {
	ready, manager := readiness(), sdnotify.Find()
	defer func() { ready(err) }()
	// A terminal that is closed is no reason to end.
	signal.Ignore(syscall.SIGHUP)
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
	places, err := place.Find(place.System())
	if err != nil {
		return &unlogged{err, ""}
	}
	set := config.ReadUser(places.Config)
	if err := set.Err(); err != nil {
		return &unlogged{err, "correct the file, or move it away: every setting has a default"}
	}
	settings, err := settingFlags(set.Daemon(), args, stderr)
	if err != nil {
		return &unlogged{err, "autopilotd --help"}
	}
	cfg, err := daemonConfig(places, settings, version)
	if err != nil {
		return &unlogged{err, ""}
	}
	file, err := openLog(cfg.LogFile, logBytes)
	if err != nil {
		return &unlogged{err, "check its owner, mode and room, or set AUTOPILOT_STATE to another directory"}
	}
	defer file.Close()
	cfg.Log = slog.New(slog.NewTextHandler(file, nil))
	d, err := Open(ctx, cfg)
	if err != nil {
		cfg.Log.Error("start", "error", err)
		return err
	}
	cfg.Log.Info("serving", "version", version, "pid", os.Getpid(), "socket", places.Socket)
	ready(nil)
	d.report(manager)
	select {
	case <-ctx.Done():
	case <-d.Done():
	}
	cfg.Log.Info("ending")
	d.say(manager, sdnotify.Stopping)
	cctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeWithin)
	defer cancel()
	return d.Close(cctx)
}

func settingFlags(s config.User, args []string, stderr io.Writer) (config.User, error) {
	f := flag.NewFlagSet("autopilotd", flag.ContinueOnError)
	f.SetOutput(stderr)
	durability := f.String("durability", string(s.Durability), "what an acknowledged event survives: power or process")
	f.StringVar(&s.Quota, "quota", s.Quota, "of the event store")
	f.DurationVar(&s.Idle, "idle", s.Idle, "end after so long without work, 0 never")
	if err := f.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return s, err
		}
		return s, fmt.Errorf("%w: %w", errFlags, err)
	}
	s.Durability = bus.Durability(*durability)
	if f.NArg() > 0 {
		fmt.Fprintf(stderr, "autopilotd: unexpected argument %q\n", f.Arg(0))
		return s, errFlags
	}
	return s, s.CheckDaemon()
}

func daemonConfig(places place.Places, s config.User, version string) (Config, error) {
	program, err := os.Executable()
	if err != nil {
		return Config{}, fmt.Errorf("find the own program: %w", err)
	}
	shim, err := findShim(program)
	if err != nil {
		return Config{}, err
	}
	home, err := homeDir()
	if err != nil {
		return Config{}, err
	}
	quota, err := config.ParseBytes(s.Quota)
	if err != nil {
		return Config{}, err
	}
	return Config{
		Places: places, Home: home, Program: program, Shim: shim, Orphans: true, Version: version,
		Durability: s.Durability, Quota: quota, IdleAfter: s.Idle, LogFile: places.LogFile(),
		Service: service(), Listen: s.Bus.Listening(home), Team: s.Team.Sharing(home), AskAfterReboot: s.AfterReboot == config.AskAfterReboot,
	}, nil
}

// findShim finds the supervisor beside the daemon.
func findShim(program string) (string, error) {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		real = program
	}
	path := filepath.Join(filepath.Dir(real), "apshim")
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("find apshim beside %s: %w; install all three programs together", program, err)
	}
	return path, nil
}

func homeDir() (string, error) {
	if home := os.Getenv("HOME"); home != "" {
		return home, nil
	}
	u, err := user.Current()
	if err != nil {
		return "", fmt.Errorf("HOME is not set, and the user's entry cannot be read: %w", err)
	}
	return u.HomeDir, nil
}

// readiness answers who started the daemon, once: ready, or why it is not.
func readiness() func(error) {
	fd, err := strconv.Atoi(os.Getenv(place.EnvReady))
	if err != nil || fd < 3 {
		return func(error) {}
	}
	os.Unsetenv(place.EnvReady)
	syscall.CloseOnExec(fd)
	pipe := os.NewFile(uintptr(fd), "ready")
	return func(err error) {
		if pipe == nil {
			return
		}
		answer := wire.Error{Code: wire.OK}
		if err != nil {
			answer = startError(err)
		}
		if b, err := json.Marshal(answer); err == nil {
			_, _ = pipe.Write(b) // nobody may be there any more
		}
		_ = pipe.Close()
		pipe = nil
	}
}

// service names the service manager that has started the daemon, if one did.
// Children are no service.
func service() string {
	name := os.Getenv(place.EnvService)
	os.Unsetenv(place.EnvService)
	return name
}

// unlogged is an error from before there is a log to look into.
type unlogged struct {
	error
	hint string
}

func (u *unlogged) Unwrap() error { return u.error }

// startError says what a client can do about a daemon that does not start.
func startError(err error) wire.Error {
	e := wire.Error{Code: wire.Failed, Message: err.Error(), Hint: "apctl daemon logs"}
	var early *unlogged
	var file *config.Error
	if errors.As(err, &file) {
		e.Problems = file.Problems
	}
	switch {
	case errors.As(err, &early):
		e.Hint = early.hint
	case errors.Is(err, bus.ErrLocked):
		e.Code, e.Hint = wire.Conflict, "another daemon is starting or stopping; try again in a moment"
	case errors.Is(err, log.ErrNewer):
		e.Code, e.Hint = wire.Newer, "install the newer autopilot again, or use another AUTOPILOT_STATE"
	case errors.Is(err, log.ErrOlder):
		e.Hint = "autopilotd export --offline -o history.zip   writes the runs that it holds into a file; then move the state directory away"
	case errors.Is(err, errInside):
		e.Code, e.Hint = wire.Denied, ""
	case errors.Is(err, filestore.ErrDamaged):
		e.Hint = "nothing was changed; autopilotd verify --offline   says more. To begin anew, move the state directory away"
	case errors.Is(err, filestore.ErrMark), errors.Is(err, filestore.ErrSeals):
		e.Hint = "autopilotd verify --offline   says what the event store holds; with --reseal it is taken as it is from now on"
	case errors.Is(err, errHost):
		e.Hint = "move that file away: the daemon makes another name, and asks anew what is trusted"
	case errors.Is(err, log.ErrUnavailable):
		e.Hint = "autopilotd verify --offline   says what is damaged"
	}
	return e
}
