//go:build linux

package crashtest

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"autopilot/daemon/test/proctest"
	"autopilot/daemon/transport/bus/clustertest"
)

var (
	rounds   = flag.Int("crash.rounds", 4, "how many `rounds` TestCrash plays")
	seed     = flag.Uint64("crash.seed", 0, "`seed` of the kills of TestCrash, 0 chooses one and prints it")
	soaks    = flag.Int("crash.soak", 0, "how many `runs` TestSoak plays, at least 60; 0 leaves it out")
	written  = flag.Int("crash.writes", 3, "how many `commands` each of many writers at once has, 100 at most")
	cuts     = flag.Int("crash.power", 0, "how many power `cuts` TestPowerCut plays; 0 leaves out the tests that mount file systems")
	verdicts = flag.Bool("crash.verdicts", false, "play every agent of TestTricks and TestHonest, not one of each language")
	queued   = flag.Int("crash.items", 5, "how many `items` the queue of TestQueue has, and how many kills at most")
	teams    = flag.Bool("crash.team", false, "play TestTeamFaults, which breaks the servers of a team one after the other")
	herds    = flag.Bool("crash.herd", false, "play TestHerd, with agents that take gigabytes")
)

// bin holds the programs under test, as they are installed.
var bin string

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "hoard" {
		if err := hoard(os.Args[2:]); err != nil {
			panic(err)
		}
		return
	}
	if len(os.Args) == 3 && os.Args[1] == "nats" {
		panic(clustertest.Serve(os.Args[2]))
	}
	flag.Parse()
	proctest.Scrub()
	if err := flag.Set("test.skip", without()); err != nil {
		panic(err)
	}
	os.Exit(build(m))
}

// without names the tests that nobody has asked for.
func without() string {
	var names []string
	if *cuts == 0 {
		names = append(names, rooted) // they need root: make powercut, make diskfull
	}
	if *soaks == 0 {
		names = append(names, "^TestSoak$") // it takes minutes: make soak
	}
	if !*teams {
		names = append(names, "^TestTeamFaults$") // it takes minutes: make team
	}
	if !*herds {
		names = append(names, "^TestHerd$") // it takes most of the memory of the machine: make herd
	}
	if dir, _ := memoryGroup(); !*herds || dir == "" || os.Geteuid() != 0 {
		names = append(names, "^TestHerdInAGroup$") // it makes a control group
	}
	return strings.Join(names, "|")
}

func build(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ap-crash-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	cmd := exec.Command("go", "build", "-trimpath", "-o", dir+"/",
		"autopilot/cmd/apctl", "autopilot/cmd/autopilotd", "autopilot/cmd/apshim")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the programs: %v\n%s", err, out)
		return 1
	}
	bin = dir
	return m.Run()
}
