package benchtest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"autopilot/daemon/history/offline"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/snapshot"
	"autopilot/daemon/transport/bus"
	"autopilot/events"
	"autopilot/events/place"
	"autopilot/events/wire"
)

// What is measured in a process of its own is this program once more, told by
// the environment what to do.
const (
	childWork = "BENCH_CHILD"
	childFrom = "BENCH_FROM" // runs that are in the store

	// childMemory is what a daemon gives itself.
	childMemory = "GOMEMLIMIT=512MiB"
)

// said is what a child answers.
type said struct {
	Took   time.Duration
	Events int
	Peak   int // KiB of memory, at most
}

// children are what a process may be told to do.
func children() map[string]func(place.Places) (said, error) {
	return map[string]func(place.Places) (said, error){
		"consume": consume(""), "consume-long": consume(events.Run(runID(lookRuns)).Subject()), "fold": fold, "verify": verify, "serve": serve, "extend": extend,
	}
}

// child does its work if this process is one.
func child() (done bool, err error) {
	work := children()[os.Getenv(childWork)]
	if work == nil {
		return false, nil
	}
	p, err := place.Find(place.System())
	if err != nil {
		return true, err
	}
	s, err := work(p)
	if err != nil {
		return true, err
	}
	s.Peak, err = memory(os.Getpid(), "VmHWM")
	return true, errors.Join(err, json.NewEncoder(os.Stdout).Encode(s))
}

// spawn is a child for a state directory.
func (b *bench) spawn(work, state string, env ...string) *exec.Cmd {
	cmd := b.command(b.dir, os.Args[0])
	cmd.Env = append(append(cmd.Env, childWork+"="+work, place.EnvState+"="+state, childMemory), env...)
	return cmd
}

func (b *bench) ask(work, state string) (s said, err error) {
	out, err := output(b.spawn(work, state))
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(out, &s)
}

// consume reads every event of a subject, or of all, with an ordered consumer and
// does nothing with it.
func consume(subject string) func(place.Places) (said, error) {
	cfg := jetstream.OrderedConsumerConfig{}
	if subject != "" {
		cfg.FilterSubjects = []string{subject}
	}
	return func(p place.Places) (s said, err error) {
		err = withServer(p, bus.Process, func(nc *nats.Conn) error {
			s.Took, err = took(func() (err error) {
				s.Events, err = drain(nc, cfg)
				return err
			})
			return err
		})
		return s, err
	}
}

// drain takes all that a consumer has.
func drain(nc *nats.Conn, cfg jetstream.OrderedConsumerConfig) (n int, err error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return 0, err
	}
	c, err := js.OrderedConsumer(context.Background(), "AP_EVENTS_1", cfg)
	if err != nil {
		return 0, err
	}
	it, err := c.Messages(jetstream.PullMaxMessages(5000))
	if err != nil {
		return 0, err
	}
	defer it.Stop()
	for left := c.CachedInfo().NumPending; left > 0; left-- {
		if _, err := it.Next(); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// fold folds every event, as a daemon does that has no snapshot.
func fold(p place.Places) (s said, err error) {
	f := snapshot.NewFold(nil)
	if err := f.SpillTo(p.State); err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	s.Took, err = took(func() error { return f.AddFiles(filestore.StreamsIn(p.State), p.MarkFile(), "bench") })
	s.Events = f.Added()
	return s, err
}

// verify proves every event, as autopilotd verify --offline does.
func verify(p place.Places) (s said, err error) {
	var proof wire.VerifyReply
	s.Took, err = took(func() error {
		proof, err = offline.Verify(context.Background(), p)
		return err
	})
	if s.Events = proof.Events; len(proof.Problems) > 0 || proof.Sealed != proof.Events {
		err = errors.Join(err, fmt.Errorf("of %d events %d are sealed: %v", proof.Events, proof.Sealed, proof.Problems))
	}
	return s, err
}

// serve opens the server, says so, and waits to be killed.
func serve(p place.Places) (s said, err error) {
	return s, withServer(p, bus.Power, func(*nats.Conn) error {
		fmt.Println(place.EnvReady)
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
}

// extend adds some runs and dies as a killed daemon does.
func extend(p place.Places) (s said, err error) {
	from, err := strconv.Atoi(os.Getenv(childFrom))
	if err != nil {
		return s, err
	}
	return s, withServer(p, bus.Process, func(nc *nats.Conn) error {
		f := filler{runs: from}
		return errors.Join(f.fill(nc, 5, 40), syscall.Kill(os.Getpid(), syscall.SIGKILL))
	})
}

// extended runs extend.
func (b *bench) extended(state string, from int) error {
	cmd := b.spawn("extend", state, fmt.Sprintf("%s=%d", childFrom, from))
	out, err := cmd.CombinedOutput()
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signal() == syscall.SIGKILL {
		return nil
	}
	return fmt.Errorf("add to the store %s: %w\n%s", state, err, out)
}

// served measures from the start of a server until it serves, and kills it.
func (b *bench) served(state string) (d time.Duration, err error) {
	cmd := b.spawn("serve", state)
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	cmd.Stderr = os.Stderr
	d, err = took(func() error {
		if err := cmd.Start(); err != nil {
			return err
		}
		_, err := bufio.NewReader(out).ReadString('\n')
		return err
	})
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // killed
	return d, err
}

// memory is a figure of /proc/PID/status in KiB, 0 where the system does not
// tell.
func memory(pid int, name string) (kib int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			return strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return 0, err
}
