package client

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/events/place"
	"autopilot/events/wire"
)

// Bounds of waiting for a daemon.
const (
	handoverTimeout = 15 * time.Second // for one that is starting or stopping under another hand
	firstPause      = time.Millisecond
	longestPause    = 50 * time.Millisecond
	firstRestart    = 50 * time.Millisecond // from one start that met a holder to the next
	longestRestart  = time.Second
)

// Ensure connects to the daemon, and starts it when none runs. Of many calls
// at once, in one process or in many, one starts it and the others wait.
// Inside an effect nothing is started.
func Ensure(ctx context.Context, p place.Places, opts Options) (*Client, error) {
	c, err := Find(ctx, p, opts)
	if !errors.Is(err, ErrNoDaemon) {
		return c, err
	}
	if os.Getenv(place.EnvEffect) != "" {
		return nil, wire.Errorf(wire.Denied, "no daemon is running, and the daemon is not started from inside an agent")
	}
	if err := p.MakeRuntime(); err != nil {
		return nil, fmt.Errorf("start the daemon: %w", err)
	}
	start := opts.Start
	if start == nil {
		start = Start
	}
	f, err := os.OpenFile(p.StartLock(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open start lock: %w", err)
	}
	defer f.Close() // which lets go of the lock; so does the kernel when the process dies
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); {
		case err == nil:
			return startOnce(ctx, p, opts, start)
		case !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR):
			return nil, fmt.Errorf("take start lock: %w", err)
		}
		// Another one is starting it: wait for the daemon, not for the lock.
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if c, err := Find(ctx, p, opts); !errors.Is(err, ErrNoDaemon) {
			return c, err
		}
	}
}

// Find connects to the daemon without starting one. When nobody listens where
// this environment says, it tries where the lock of the state directory says:
// the daemon may have been started with another XDG_RUNTIME_DIR.
func Find(ctx context.Context, p place.Places, opts Options) (*Client, error) {
	c, err := Dial(ctx, p.Dial, opts)
	if !errors.Is(err, ErrNoDaemon) {
		return c, err
	}
	info, lockErr := place.ReadLock(p.LockFile())
	if lockErr != nil || info.Socket == "" || info.Socket == p.Dial {
		return nil, err
	}
	if c, otherErr := Dial(ctx, info.Socket, opts); !errors.Is(otherErr, ErrNoDaemon) {
		return c, otherErr
	}
	return nil, err
}

// startOnce runs under the start lock.
func startOnce(ctx context.Context, p place.Places, opts Options, start func(context.Context, place.Places) error) (*Client, error) {
	waiting, cancel := context.WithTimeout(ctx, handoverTimeout)
	defer cancel()
	// Whoever held the start lock before may have started it.
	c, err := Find(ctx, p, opts)
	for again := firstRestart; errors.Is(err, ErrNoDaemon); again = min(2*again, longestRestart) {
		startErr := start(ctx, p)
		if startErr == nil {
			return Find(ctx, p, opts)
		}
		// A conflict is a daemon that holds the state and does not listen: it is
		// on its way up or down, or about to bind a socket that was removed.
		if e, ok := errors.AsType[*wire.Error](startErr); !ok || e.Code != wire.Conflict {
			return nil, startErr
		}
		c, err = appear(waiting, p, opts, again)
		if errors.Is(err, ErrNoDaemon) && waiting.Err() != nil {
			return nil, startErr
		}
	}
	return c, err
}

// appear waits for a daemon that another hand started, for a while.
func appear(ctx context.Context, p place.Places, opts Options, within time.Duration) (*Client, error) {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, longestPause) {
		c, err := Find(context.WithoutCancel(ctx), p, opts)
		if !errors.Is(err, ErrNoDaemon) {
			return c, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, err
		}
	}
}
