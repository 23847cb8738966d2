package ctl

import (
	"context"
	"io"
	"path/filepath"
	"sync"

	"autopilot/ctl/client"
	"autopilot/ctl/render"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// FindPlaces finds where the daemon of this process's environment lives.
func FindPlaces() (place.Places, error) {
	p, err := place.Find(place.System())
	if err != nil {
		return p, &wire.Error{Code: wire.Usage, Message: err.Error()}
	}
	return p, nil
}

// Connector reaches the daemon of this process's environment, and starts it
// if it may. A difference of versions is said once, to warn, and so is a HOME
// that is not used.
func Connector(version string, warn io.Writer) func(context.Context, bool) (Daemon, error) {
	var once, home sync.Once
	opts := client.Options{Version: version, Warn: func(text string) {
		once.Do(func() { _, _ = io.WriteString(warn, render.Note(text)) })
	}}
	return func(ctx context.Context, start bool) (Daemon, error) {
		p, err := FindPlaces()
		if err != nil {
			return nil, err
		}
		home.Do(func() { _, _ = io.WriteString(warn, otherHome(place.System())) })
		reach := client.Find
		if start {
			reach = client.Ensure
		}
		c, err := reach(ctx, p, opts)
		if err != nil {
			return nil, err
		}
		return c, nil
	}
}

// otherHome says that the home directory is not where HOME says, empty if it is.
func otherHome(env place.Env) string {
	said := env.Getenv("HOME")
	if filepath.IsAbs(said) {
		return ""
	}
	home, err := env.Home()
	if err != nil {
		return "" // where it is needed the daemon says so
	}
	return render.OtherHome(said, home)
}
