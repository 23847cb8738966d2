//go:build linux

package crashtest

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"autopilot/events/wire"
)

// writers is how many sessions write at once.
const writers = 30

// writer is a session of its own: a shell that takes one command a line, so each
// apctl below it is a program of its own.
type writer struct {
	in  io.WriteCloser
	out *bufio.Reader
	cmd *exec.Cmd
	id  string // on the bus
}

// newWriter starts one and puts it on the bus.
func (w *world) newWriter(dir string) *writer {
	w.t.Helper()
	x := &writer{cmd: exec.Command("/bin/sh")}
	x.cmd.Dir, x.cmd.Env = dir, w.env
	in, err := x.cmd.StdinPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	out, err := x.cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	x.in, x.out = in, bufio.NewReaderSize(out, 1<<20)
	if err := x.cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	x.id = answered[wire.PeerCheckView](w, x, "apctl peer join --mode plan --json").You
	return x
}

// answered is the answer of one command of a writer.
func answered[T any](w *world, x *writer, command string) (v T) {
	w.t.Helper()
	if _, err := io.WriteString(x.in, command+"\n"); err != nil {
		w.t.Error(err)
		return v
	}
	line, err := x.out.ReadBytes('\n')
	var e struct {
		Data  T           `json:"data"`
		Error *wire.Error `json:"error"`
	}
	if err == nil {
		err = json.Unmarshal(line, &e)
	}
	if err != nil || e.Error != nil {
		w.t.Errorf("%s: %v\n%s", command, err, line)
	}
	return e.Data
}

// stored is how many events there are, all of which are proven: each log has them
// in its order, and without a gap.
func (w *world) stored() int {
	w.t.Helper()
	v := data[wire.VerifyReply](w.t, w.must("verify", "--all", "--json"))
	if len(v.Problems) > 0 {
		w.t.Errorf("the record is not whole: %v", v.Problems)
	}
	return v.Events
}

// TestWritersAtOnceStoreEachOfTheirEventsOnce: a message that is sent is one event
// with its session, and all write to the mailboxes of all.
func TestWritersAtOnceStoreEachOfTheirEventsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.repo(w.path("ws"), map[string]string{"n": "0\n"})
	all := make([]*writer, writers)
	for i := range all {
		all[i] = w.newWriter(w.path("ws"))
	}
	before := w.stored()
	var wg sync.WaitGroup
	for i, x := range all {
		wg.Go(func() {
			for k := range *written {
				to := all[(i+1+k%(writers-1))%writers] // each gets as many as it sends, and never its own
				answered[wire.PeerSentView](w, x, fmt.Sprintf("apctl peer send %s 'from %d: %d' --json", to.id, i, k))
			}
		})
	}
	wg.Wait()
	if n := w.stored() - before; n != writers**written {
		t.Errorf("%d commands have stored %d events", writers**written, n)
	}
	w.delivered(all)
	w.close()
}

// delivered makes sure that each text has arrived once, under numbers without a
// gap, and ends the writers.
func (w *world) delivered(all []*writer) {
	w.t.Helper()
	texts := map[string]bool{}
	for _, x := range all {
		mail := answered[wire.PeerMailView](w, x, "apctl peer read --json").Messages
		if len(mail) != *written {
			w.t.Errorf("%s got %d messages, not %d", x.id, len(mail), *written)
		}
		for i, m := range mail {
			texts[strings.TrimSpace(m.Text)] = true
			if m.No != i+1 {
				w.t.Errorf("message %d of %s is number %d", i+1, x.id, m.No)
			}
		}
		_ = x.in.Close()
		if err := x.cmd.Wait(); err != nil {
			w.t.Error(err)
		}
	}
	if len(texts) != writers**written {
		w.t.Errorf("%d texts have arrived, %d were sent", len(texts), writers**written)
	}
}
