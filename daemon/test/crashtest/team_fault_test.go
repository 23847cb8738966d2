//go:build linux

package crashtest

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"autopilot/daemon/transport/bus/clustertest"
	"autopilot/events/wire"
)

// What docs/team.md promises, on a machine that has little else to do.
const (
	noticeWithin = 5 * time.Second  // that no majority answers
	moveWithin   = 10 * time.Second // to another server
)

// faulted is a team of three servers and three daemons, each of them a process.
type faulted struct {
	t       *testing.T
	servers *clustertest.Processes
	hosts   []member
	rows    []string
}

// TestTeamFaults breaks the servers of a team, and says how long each daemon needs to
// notice it and to go on. Meanwhile all of them race for claims.
func TestTeamFaults(t *testing.T) {
	f := &faulted{t: t, servers: clustertest.StartProcesses(t, clustertest.Size, os.Args[0], "nats")}
	key := f.servers.KeyFile(t)
	began := time.Now()
	for i := range clustertest.Size {
		f.hosts = append(f.hosts, newMember(t, f.servers.URLs(i), key))
		f.hosts[i].must("ls", "--all")
	}
	for i := range f.hosts {
		f.meets(i)
	}
	f.row("all servers and daemons start", "join", time.Since(began), 0)
	r := race(f.hosts)
	f.one("one server is killed", func(i int) { f.servers.Kill(i) }, func(i int) { f.servers.Up(t, i) }, func() int { return f.other() })
	f.one("the server that leads is killed", func(i int) { f.servers.Kill(i) }, func(i int) { f.servers.Up(t, i) }, f.leader)
	f.one("the server that leads stands still", f.servers.Stop, f.servers.Go, f.leader)
	f.one("a server that a daemon is connected to stands still", f.servers.Stop, f.servers.Go, func() int { return f.connected(0) })
	f.one("the server that leads is cut off from the others", func(i int) { f.alone(i, true) }, func(i int) { f.alone(i, false) }, f.leader)
	f.one("a daemon is cut off from its server", func(i int) { f.servers.CutClient(0, i, true) }, func(i int) { f.servers.CutClient(0, i, false) }, func() int { return f.connected(0) })
	f.none("two of three servers are killed", func() { f.servers.Kill(0); f.servers.Kill(1) }, func() { f.servers.Up(t, 0); f.servers.Up(t, 1) })
	f.none("two of three servers stand still", func() { f.servers.Stop(1); f.servers.Stop(2) }, func() { f.servers.Go(1); f.servers.Go(2) })
	f.none("every server is cut off from the others", func() { f.split(true) }, func() { f.split(false) })
	f.none("all servers are killed", func() { f.each(f.servers.Kill) }, func() { f.each(func(i int) { f.servers.Up(t, i) }) })
	f.restarts()
	r.judge(t)
	t.Logf("seconds until every daemon says so, and until every daemon can take a claim again\n%s", strings.Join(f.rows, "\n"))
	for _, m := range f.hosts {
		m.close()
	}
}

func (f *faulted) each(do func(int)) {
	for i := range clustertest.Size {
		do(i)
	}
}

func (f *faulted) alone(i int, cut bool) {
	f.each(func(j int) {
		if i != j {
			f.servers.Cut(i, j, cut)
		}
	})
}

func (f *faulted) split(cut bool) { f.each(func(i int) { f.alone(i, cut) }) }

// view is what a daemon says of the team.
func (f *faulted) view(i int) wire.TeamView {
	m := f.hosts[i]
	a := m.apctl("daemon", "status", "--json")
	v := data[wire.DaemonView](m.t, a)
	if v.Team == nil {
		f.t.Fatalf("daemon %d has no team: %v", i, a)
	}
	return *v.Team
}

// until asks until it is so, and says how long that took.
func (f *faulted) until(what string, is func() bool) time.Duration {
	f.t.Helper()
	began := time.Now()
	f.hosts[0].polls(what, is)
	return time.Since(began)
}

func (f *faulted) meets(i int) {
	f.until(fmt.Sprintf("the team of daemon %d", i), func() bool { v := f.view(i); return v.Problem == "" && !v.Reading })
}

// leader is the server that leads the log.
func (f *faulted) leader() (i int) {
	f.until("a leader", func() bool {
		_, err := fmt.Sscanf(f.view(0).Leader, "n%d", &i)
		return err == nil
	})
	return i
}

// connected is the server that a daemon is connected to.
func (f *faulted) connected(host int) int { return f.servers.Of(host, f.view(host).Server) }

// other is a server that does not lead.
func (f *faulted) other() int { return (f.leader() + 1) % clustertest.Size }

// takes says that a daemon can take a claim of its own.
func (f *faulted) takes(i int) bool {
	return f.hosts[i].here("peer", "take", fmt.Sprintf("issue:of-%d", i), "--json").code == 0
}

// gaps are the longest times in which each daemon could take no claim, until all is well
// for a while.
func (f *faulted) gaps() (longest time.Duration) {
	const watched, calm = 25 * time.Second, 6 * time.Second
	var wg sync.WaitGroup
	found := make([]time.Duration, len(f.hosts))
	for i := range f.hosts {
		wg.Go(func() {
			last, began := time.Now(), time.Now()
			for time.Since(began) < watched || time.Since(last) > calm && time.Since(began) < patience {
				if f.takes(i) {
					found[i] = max(found[i], time.Since(last))
					last = time.Now()
				}
				time.Sleep(100 * time.Millisecond) // as somebody who tries again
			}
			found[i] = max(found[i], time.Since(last))
		})
	}
	wg.Wait()
	for _, gap := range found {
		longest = max(longest, gap)
	}
	return longest
}

// one breaks one server: the team goes on with the two that are left.
func (f *faulted) one(what string, do, undo func(int), which func() int) {
	f.t.Helper()
	i := which()
	if i < 0 {
		f.t.Fatalf("%s: no server is found", what)
	}
	do(i)
	f.row(what, "go on", f.gaps(), moveWithin)
	undo(i)
	f.settle()
}

// none leaves no majority: every daemon says so, and goes on when it is back.
func (f *faulted) none(what string, do, undo func()) {
	f.t.Helper()
	do()
	began := time.Now()
	for i := range f.hosts {
		f.until(fmt.Sprintf("daemon %d to notice that %s", i, what), func() bool { return f.view(i).Problem != "" })
	}
	f.row(what, "notice", time.Since(began), noticeWithin)
	for i, m := range f.hosts {
		if a := m.here("peer", "take", "issue:none", "--json"); a.code != 1 || !strings.Contains(string(a.stdout)+a.stderr, "is unknown") {
			f.t.Errorf("%s: daemon %d answers a take with %v", what, i, a)
		}
		if a := m.apctl("doctor"); !strings.Contains(string(a.stdout), "cannot be reached") {
			f.t.Errorf("%s: doctor of daemon %d says\n%v", what, i, a)
		}
	}
	undo()
	began = time.Now()
	for i := range f.hosts {
		f.until(fmt.Sprintf("a claim for daemon %d after %s", i, what), func() bool { return f.takes(i) })
	}
	f.row("  and they are back", "go on", time.Since(began), 0)
	f.settle()
}

// settle waits until every server has all, so that the next fault finds a whole team.
func (f *faulted) settle() {
	f.t.Helper()
	for i := range f.hosts {
		f.until(fmt.Sprintf("all servers, for daemon %d", i), func() bool {
			v := f.view(i)
			current := 0
			for _, s := range v.Servers {
				if s.Current && !s.Offline {
					current++
				}
			}
			return v.Problem == "" && !v.Reading && current == clustertest.Size
		})
	}
}

// restarts has each daemon end and start: it never says that nothing is claimed.
func (f *faulted) restarts() {
	if a := f.hosts[1].here("peer", "take", "branch:kept", "--json"); a.code != 0 {
		f.t.Fatalf("%v", a)
	}
	for i, m := range f.hosts {
		m.killDaemon()
		began := time.Now()
		a := m.here("peer", "claims", "--json") // starts it
		v := data[wire.ClaimsView](f.t, a)
		kept := false
		for _, c := range v.Claims {
			kept = kept || c.Key == "branch:kept"
		}
		if !kept && !v.Unknown {
			f.t.Errorf("daemon %d, just started, knows of no claim and does not say so: %v", i, a)
		}
		f.meets(i)
		f.row(fmt.Sprintf("daemon %d is killed, and started by the next command", i), "know", time.Since(began), 0)
	}
}

// row adds to the table. A bound of 0 is none.
func (f *faulted) row(what, until string, took, bound time.Duration) {
	f.t.Helper()
	promised := ""
	if bound > 0 {
		promised = fmt.Sprintf("of %.0f", bound.Seconds())
		if took > bound { // a machine that has much else to do is no failure
			promised += ", late"
		}
	}
	row := fmt.Sprintf("%-58s %-7s %5.1f %s", what, until, took.Seconds(), promised)
	f.t.Log(row)
	f.rows = append(f.rows, row)
}
