package shim

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
)

// Claim says who decided over a control directory. Of the two kinds, started
// and abandoned, only the first names a supervisor.
type Claim struct {
	Abandoned bool
	PID       int
	Start     uint64 // as proc.Process has it
	Boot      string
	Cgroup    proc.Cgroup // the control group that the effect is in; it may not exist
}

// ErrTaken means that the claim exists already.
var ErrTaken = errors.New("claim is taken")

// ErrUnclear means that a claim exists and says nothing that can be read: its
// writer died between making and filling it, or is about to fill it.
var ErrUnclear = errors.New("claim cannot be read")

const abandoned = "abandoned\n"

// Take makes the claim, or returns ErrTaken. The name alone decides; the
// content is information about the winner.
func (c Claim) Take(dir string) error {
	text := abandoned
	if !c.Abandoned {
		text = fmt.Sprintf("started %d %d %s\n", c.PID, c.Start, strings.TrimSuffix(c.Boot+" "+string(c.Cgroup), " "))
	}
	f, err := os.OpenFile(filepath.Join(dir, claimFile), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return ErrTaken
	}
	if err != nil {
		return fmt.Errorf("take claim: %w", err)
	}
	_, err = f.WriteString(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("take claim: %w", err)
	}
	return nil
}

// ReadClaim reads the claim. A missing one is fs.ErrNotExist.
func ReadClaim(dir string) (Claim, error) {
	b, err := os.ReadFile(filepath.Join(dir, claimFile))
	if err != nil {
		return Claim{}, fmt.Errorf("read claim: %w", err)
	}
	text := string(b)
	if text == abandoned {
		return Claim{Abandoned: true}, nil
	}
	c, ok := parseClaim(text)
	if !ok {
		return Claim{}, ErrUnclear
	}
	return c, nil
}

func parseClaim(text string) (c Claim, ok bool) {
	// The line end is part of the format: it tells a whole line from the
	// beginning of one.
	line, ok := strings.CutSuffix(text, "\n")
	if !ok {
		return Claim{}, false
	}
	f := strings.SplitN(line, " ", 5)
	if len(f) < 4 || f[0] != "started" || f[3] == "" {
		return Claim{}, false
	}
	var errs [2]error
	c.PID, errs[0] = strconv.Atoi(f[1])
	c.Start, errs[1] = strconv.ParseUint(f[2], 10, 64)
	c.Boot = f[3]
	// A path may hold spaces, so it is the rest. One that is not named for its
	// supervisor is not of our making.
	if group := proc.Cgroup(f[len(f)-1]); len(f) == 5 {
		if maker, ok := group.Maker(); ok && maker.PID == c.PID && maker.Start == c.Start {
			c.Cgroup = group
		}
	}
	return c, errs == [2]error{} && c.PID > 0
}

// lock takes the lock of a control directory for the life of the process, or
// returns false.
func lock(dir string) (*os.File, bool, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, false, fmt.Errorf("lock: %w", err)
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if err == nil {
		return f, true, nil
	}
	f.Close()
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil, false, nil
	}
	return nil, false, fmt.Errorf("lock: %w", err)
}

// Held says whether a supervisor holds the lock. It must be asked only once
// the claim exists: the question itself takes the lock for a moment, and a
// supervisor that is about to start would take that for another one.
func Held(dir string) (bool, error) {
	f, err := os.Open(filepath.Join(dir, lockFile))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("test lock: %w", err)
	}
	defer f.Close()
	err = unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("test lock: %w", err)
	}
	return false, nil
}
