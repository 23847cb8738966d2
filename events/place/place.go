package place

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
)

// Variables that the places depend on.
const (
	EnvState  = "AUTOPILOT_STATE"  // the state directory
	EnvSocket = "AUTOPILOT_SOCKET" // inside an effect: the socket whose every connection is that effect
	EnvEffect = "AUTOPILOT_EFFECT" // inside an effect: its id
)

// ErrSocketPath is wrapped when a socket path is longer than the system takes.
var ErrSocketPath = errors.New("socket path too long")

// Env is the environment that places depend on.
type Env struct {
	Getenv func(string) string
	UID    int
	GOOS   string
	Home   func() (string, error)   // home directory by the passwd entry; asked only when HOME is missing
	Real   func(path string) string // path without symbolic links, as far as it exists; nil keeps it
}

// Places are absolute paths.
type Places struct {
	State   string // the log, blobs, repositories, the lock
	Runtime string // sockets and the start lock; private to the user and the state directory
	Socket  string // the daemon's
	Dial    string // where a client connects: the effect's own socket inside an effect, else Socket
	Config  string // the user's configuration file

	uid  int
	goos string
}

// System is the environment of this process.
func System() Env {
	return Env{Getenv: os.Getenv, UID: os.Getuid(), GOOS: runtime.GOOS, Home: passwdHome, Real: realPath}
}

// Find computes the places. Its errors say which variable to set.
func Find(env Env) (Places, error) {
	state, err := stateDir(env)
	if err != nil {
		return Places{}, err
	}
	if env.Real != nil {
		state = env.Real(state)
	}
	config, err := configFile(env)
	if err != nil {
		return Places{}, err
	}
	p := Places{State: state, Config: config, Runtime: runtimeDir(env, state), uid: env.UID, goos: env.GOOS}
	if p.Socket, err = p.socket("d"); err != nil {
		return Places{}, err
	}
	p.Dial = p.Socket
	if s := env.Getenv(EnvSocket); s != "" {
		p.Dial = s
	}
	return p, nil
}

// EffectSocket is the socket whose every connection is the effect. Its
// directory holds nothing else.
func (p Places) EffectSocket(effect string) (string, error) { return p.socket(short(effect, 6) + "/a") }

// MarkFile marks the last event that was acknowledged. It is there once there is
// anything to look at.
func (p Places) MarkFile() string { return filepath.Join(p.State, "mark") }

// LineFile holds what a status line said last. It is beside the socket: both are
// gone when the user has logged out.
func (p Places) LineFile() string { return filepath.Join(p.Runtime, "line.json") }

// LogFile is the daemon's own log.
func (p Places) LogFile() string { return filepath.Join(p.State, "daemon.log") }

// StartLock is the file that lets only one process start the daemon.
func (p Places) StartLock() string { return filepath.Join(p.Runtime, "start.lock") }

func (p Places) socket(name string) (string, error) {
	path := filepath.Join(p.Runtime, name+".sock")
	most := 107
	if p.goos == "darwin" {
		most = 103 // 104 with the byte that ends it
	}
	if len(path) > most {
		return "", fmt.Errorf("%w: %s has %d bytes, the system takes %d; set XDG_RUNTIME_DIR to a shorter directory", ErrSocketPath, path, len(path), most)
	}
	return path, nil
}

func stateDir(env Env) (string, error) {
	if s := env.Getenv(EnvState); s != "" {
		if !filepath.IsAbs(s) {
			return "", fmt.Errorf("%s is %q: it has to be an absolute path", EnvState, s)
		}
		return filepath.Clean(s), nil
	}
	// A relative XDG path is to be ignored (XDG base directory specification).
	if s := env.Getenv("XDG_STATE_HOME"); filepath.IsAbs(s) {
		return filepath.Join(s, "autopilot"), nil
	}
	home, err := homeDir(env)
	if err != nil {
		return "", fmt.Errorf("find the state directory: %w; set HOME or %s", err, EnvState)
	}
	return filepath.Join(home, ".local", "state", "autopilot"), nil
}

func configFile(env Env) (string, error) {
	dir := env.Getenv("XDG_CONFIG_HOME")
	if !filepath.IsAbs(dir) {
		home, err := homeDir(env)
		if err != nil {
			if env.Getenv(EnvState) != "" {
				return "", nil // a state directory is enough to work: there is just no file
			}
			return "", fmt.Errorf("find the configuration: %w; set HOME or XDG_CONFIG_HOME", err)
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "autopilot", "config.yaml"), nil
}

func homeDir(env Env) (string, error) {
	if h := env.Getenv("HOME"); filepath.IsAbs(h) {
		return filepath.Clean(h), nil
	}
	if env.Home == nil {
		return "", errors.New("HOME is not set")
	}
	h, err := env.Home()
	if err != nil {
		return "", fmt.Errorf("HOME is not set and the user %d has no home directory: %w", env.UID, err)
	}
	if !filepath.IsAbs(h) {
		return "", fmt.Errorf("HOME is not set and the user %d has no home directory", env.UID)
	}
	return filepath.Clean(h), nil
}

func runtimeDir(env Env, state string) string {
	base := env.Getenv("XDG_RUNTIME_DIR")
	if filepath.IsAbs(base) {
		base = filepath.Join(base, "autopilot")
	} else {
		base = "/tmp/autopilot-" + strconv.Itoa(env.UID)
	}
	return filepath.Join(base, short(state, 4))
}

// short is a name of 2n hexadecimal digits for s.
func short(s string, n int) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:n])
}

func passwdHome() (string, error) {
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return "", err
	}
	return u.HomeDir, nil
}

// realPath resolves the longest part of path that exists, so that two
// spellings of one directory give one socket.
func realPath(path string) string {
	rest := ""
	for dir := path; ; dir = filepath.Dir(dir) {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			return filepath.Join(real, rest)
		}
		if dir == filepath.Dir(dir) {
			return path
		}
		rest = filepath.Join(filepath.Base(dir), rest)
	}
}
