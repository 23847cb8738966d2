package effect

import (
	"errors"
	"io/fs"

	"autopilot/daemon/exec/shim"
)

// phase is what the files of a control directory say.
type phase int

const (
	unclaimed phase = iota // nobody has decided: a supervisor may be about to
	abandoned              // no program was or will be started here
	held                   // a supervisor lives
	finished               // there is an exit record
	dead                   // a supervisor had it and is gone without a record
)

type state struct {
	phase    phase
	exit     shim.Exit  // finished
	claim    shim.Claim // held, dead; empty if it could not be read
	sameBoot bool       // dead: its processes can still be there
	why      string     // dead
}

// look reads a control directory. The order matters: the record is looked at
// again after the lock was found free, as a supervisor writes it while it
// holds the lock.
func look(ctl, boot string) (state, error) {
	if at, ok, err := lookExit(ctl); ok || err != nil {
		return at, err
	}
	claim, err := shim.ReadClaim(ctl)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return lookUnclaimed(ctl, boot), nil
	case errors.Is(err, shim.ErrUnclear):
		// Made and not filled: its supervisor is either at it, with the lock in
		// hand, or dead.
		claim = shim.Claim{Boot: boot}
	case err != nil:
		return state{}, err
	case claim.Abandoned:
		return state{phase: abandoned}, nil
	}
	lives, err := shim.Held(ctl)
	if err != nil {
		return state{}, err
	}
	if lives {
		return state{phase: held, claim: claim}, nil
	}
	if at, ok, err := lookExit(ctl); ok || err != nil {
		return at, err
	}
	at := state{phase: dead, claim: claim, sameBoot: claim.Boot == boot, why: "the supervisor ended without a record"}
	if !at.sameBoot {
		at.why = "the host was started again"
	}
	return at, nil
}

// lookUnclaimed tells a fresh intent from one of an earlier boot. There the
// claim may have existed and not reached the disk, so the effect may have run.
func lookUnclaimed(ctl, boot string) state {
	spec, err := shim.ReadSpec(ctl)
	if err != nil {
		// Missing or cut short. The supervisor starts only after the spec is
		// whole, so there has been none.
		return state{phase: unclaimed}
	}
	if spec.Boot != boot {
		return state{phase: dead, why: "the host was started again"}
	}
	return state{phase: unclaimed}
}

func lookExit(ctl string) (state, bool, error) {
	exit, err := shim.ReadExit(ctl)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, false, nil
	}
	return state{phase: finished, exit: exit}, err == nil, err
}
