//go:build linux

package crashtest

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"autopilot/daemon/exec/proc"
	"autopilot/daemon/failpoint"
)

// victim says what a kill hits.
type victim string

const (
	killDaemon victim = "daemon"
	killShim   victim = "shim"
	killAgent  victim = "agent's shim"
	killBoth   victim = "daemon and shim"
	endDaemon  victim = "daemon, asked to end"
)

// kill is one SIGKILL, two at once, or a request to end.
type kill struct {
	after time.Duration // since the one before or the start of the run; for an agent since it began to work
	what  victim
	then  []string // the apctl command that starts the daemon again; RUN is the run
}

// scheme is what is done to a run. point arms the first daemon; it kills itself
// whenever it gets there.
type scheme struct {
	point string
	kills []kill
}

func (s scheme) String() string {
	var parts []string
	if s.point != "" {
		parts = append(parts, "at "+s.point)
	}
	for _, k := range s.kills {
		parts = append(parts, fmt.Sprintf("%s after %v", k.what, k.after))
	}
	return strings.Join(parts, ", ")
}

// shimsMost bounds the supervisors that are killed in a round: three losses of
// one iteration in a row are a halt.
const shimsMost = 2

// hits are how often points are passed at least, where that is not 4 times.
// Of snapshots there is at least the one at the end of the daemon.
var hits = map[string]int{
	failpoint.BeforeAppend: 14, failpoint.AfterAppend: 14, failpoint.AfterRestore: 1, failpoint.AfterCheckout: 2,
	failpoint.AfterCheckpoint: 2, failpoint.AfterAgent: 2, failpoint.AfterAccount: 1,
	failpoint.DuringSnapshot: 1, failpoint.AfterSnapshot: 1,
}

// schemeOf is the scheme of a round: the same for the same seed.
func schemeOf(seed uint64, round int, all []plan) scheme {
	p := all[round%len(all)]
	r := rand.New(rand.NewPCG(seed, uint64(round)))
	n := 1 + r.IntN(4)
	var s scheme
	lose := p.lose
	if name := pointOf(round, all); name != "" {
		lose = lose || name == failpoint.AfterRestore
		s.point = fmt.Sprintf("%s:%d", name, 1+r.IntN(cmp.Or(hits[name], 4)))
		n--
	}
	shims := 0
	if lose {
		s.kills = append(s.kills, kill{after: time.Duration(10+r.IntN(120)) * time.Millisecond, what: killAgent})
		shims++
	}
	for len(s.kills) < n {
		k := kill{after: time.Duration(r.IntN(1500)) * time.Millisecond, what: killDaemon}
		k.then = [][]string{{"daemon", "start"}, {"ls"}, {"status", "RUN"}}[r.IntN(3)]
		switch pick := r.IntN(7); {
		case pick == 0:
			k.what = endDaemon
		case pick > 2 && shims < shimsMost:
			k.what = []victim{killShim, killBoth}[pick%2]
			shims++
		}
		s.kills = append(s.kills, k)
	}
	return s
}

// Points that only some plans come to, and others at which these are killed
// beside them.
var (
	ownPoints = []string{
		failpoint.AfterCheckpoint, failpoint.AfterAgent, failpoint.AfterForget, failpoint.AfterCheckpoint,
		failpoint.AfterAppend, failpoint.AfterLaunch,
	}
	// apart are those that tests of their own come to, and no plan does.
	apart = []string{
		failpoint.AfterAnnounce, failpoint.DuringRemoval, failpoint.AfterRemoval, failpoint.AfterFact,
		failpoint.DuringImport, failpoint.AfterImport, failpoint.BeforeClaim, failpoint.AfterClaim,
		failpoint.BeforeLand, failpoint.AfterLand,
		failpoint.BeforeTelemetry, failpoint.AfterTelemetry,
	}
	limitPoints = []string{failpoint.AfterAccount, failpoint.AfterAppend, failpoint.AfterAgent, failpoint.BeforeAppend}
)

// points are those that a daemon with this plan comes to.
func (p plan) points() []string {
	if p.own != nil {
		return p.own
	}
	rare := append([]string{failpoint.AfterCheckout, failpoint.AfterCheckpoint, failpoint.AfterAccount}, apart...)
	return slices.DeleteFunc(failpoint.Points(), func(name string) bool { return slices.Contains(rare, name) })
}

// pointOf is the named point of a round. Every other round has one; the plans
// that come to the same points take them in turn, so that some rounds hit all.
func pointOf(round int, all []plan) string {
	points := all[round%len(all)].points()
	if round%2 != 0 {
		return ""
	}
	n := 0
	for before := 0; before < round; before += 2 {
		if slices.Equal(all[before%len(all)].points(), points) {
			n++
		}
	}
	return points[n%len(points)]
}

// strike performs a kill when it is time, unless the run is over before. It
// says what was hit.
func (w *world) strike(k kill, over <-chan struct{}) (hit []victim) {
	var shims []supervisor
	if k.what == killAgent {
		shims = w.awaitAgent(over)
	}
	select {
	case <-over:
		return nil
	case <-time.After(k.after):
	}
	switch k.what {
	case killShim:
		shims = w.await(over, w.supervisors)
	case killBoth:
		// Looked for first: the daemon must not be quicker.
		shims = w.supervisors()
	case endDaemon:
		w.must("daemon", "stop")
		return []victim{endDaemon}
	case killDaemon, killAgent:
	}
	if (k.what == killDaemon || k.what == killBoth) && w.killDaemon() {
		hit = append(hit, killDaemon)
	}
	// The first that still lives.
	if slices.ContainsFunc(shims, func(s supervisor) bool { return proc.Signal(s.Process, unix.SIGKILL) == nil }) {
		hit = append(hit, killShim)
	}
	return hit
}

// awaitAgent waits for an agent that has begun to work.
func (w *world) awaitAgent(over <-chan struct{}) []supervisor {
	return w.await(over, func() []supervisor {
		begun, _ := os.ReadFile(w.path("starts")) // not there before the first
		return slices.DeleteFunc(w.supervisors(), func(s supervisor) bool {
			return !s.agent || !bytes.Contains(begun, []byte(s.effect+"\n"))
		})
	})
}

// await waits until there is one, while the run goes on.
func (w *world) await(over <-chan struct{}, find func() []supervisor) []supervisor {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if found := find(); len(found) > 0 {
			return found
		}
		select {
		case <-over:
			return nil
		case <-tick.C:
		}
	}
}
