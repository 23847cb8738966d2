package effect

import (
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/exec/shim"
)

// huntMost is how long the hunt goes on before what lives is counted as left.
const huntMost = 5 * time.Second

// hunt ends the processes of an effect that has no supervisor any more, and
// verifies that none is left. There is no polite signal: nobody waits for what
// they would still do.
func (r *Runner) hunt(id string, c shim.Claim) (killed int, left []int) {
	type identity struct {
		pid   int
		start uint64
	}
	hit := map[identity]bool{}
	deadline := time.Now().Add(huntMost)
	// A process shows no environment for a moment while it starts another
	// program, so once is not enough to say that there is none.
	for quiet := 0; quiet < 2; quiet++ {
		// Orphans have dropped both: some supervisor is dead, so nobody else can
		// be their owner.
		found := merge(survivors(id, c), r.orphans())
		for _, p := range found {
			// One that cannot be signalled is found again, and left in the end.
			if err := proc.Signal(p, unix.SIGKILL); err == nil {
				hit[identity{p.PID, p.Start}] = true
			}
		}
		c.Cgroup.Kill(c.Start) // and whoever was born meanwhile
		for h := range hit {
			p := proc.Process{PID: h.pid, Start: h.start}
			if proc.Lives(p) && !slices.ContainsFunc(found, p.Same) {
				found = append(found, p) // it has lost its environment, not its files
			}
		}
		if len(found) > 0 {
			quiet = -1
			if time.Now().After(deadline) {
				return len(hit), pidsOf(found)
			}
		}
		time.Sleep(2 * time.Millisecond)
	}
	c.Cgroup.Remove()
	return len(hit), nil
}

func pidsOf(list []proc.Process) []int {
	pids := make([]int, 0, len(list))
	for _, p := range list {
		pids = append(pids, p.PID)
	}
	return pids
}

// survivors lists the live processes of an effect: those that carry its
// marker, and those that dropped it and are in the session of its supervisor
// or in its control group.
func survivors(id string, c shim.Claim) []proc.Process {
	found := proc.Marked(func(effect string) bool { return effect == id }, 0)[id]
	return merge(merge(found, session(c)), c.Cgroup.Members(c.Start))
}

func merge(a, b []proc.Process) []proc.Process {
	for _, p := range b {
		if !slices.ContainsFunc(a, p.Same) {
			a = append(a, p)
		}
	}
	return a
}

// session lists the live processes of a supervisor's session. If the number of
// the session has gone to another process since, it lists none: that one may
// lead a session of its own.
func session(c shim.Claim) []proc.Process {
	if c.PID == 0 {
		return nil
	}
	if leader, err := proc.Read(c.PID); err == nil && leader.Start != c.Start {
		return nil
	}
	return slices.DeleteFunc(proc.Session(c.PID), func(p proc.Process) bool { return p.Start < c.Start })
}
