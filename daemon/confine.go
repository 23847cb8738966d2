package daemon

import (
	"os"
	"path/filepath"

	"autopilot/daemon/config"
	"autopilot/daemon/sandbox"
	"autopilot/events"
)

// sandbox is what effects are confined from.
func (c Config) sandbox() sandbox.Host {
	return sandbox.Host{
		State: c.Places.State, Runtime: c.Places.Runtime, Config: c.Places.Config, Home: c.Home, Temp: "/tmp", UID: os.Getuid(),
		Programs: []string{c.Program, c.Shim, filepath.Join(filepath.Dir(c.Program), "apctl")}, Getenv: os.Getenv,
	}
}

// confined is what the user's file says of gates that belong to no run.
func (d *Daemon) confined() (events.Sandbox, []string, error) {
	user := config.ReadUser(d.cfg.Places.Config)
	if err := user.Err(); err != nil {
		return "", nil, err
	}
	return config.Layers{User: &user}.Sandbox()
}
