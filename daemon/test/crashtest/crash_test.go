//go:build linux

package crashtest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"autopilot/events/wire"
)

// end is what must be the same however often something was killed.
type end struct {
	State, Reason string
	Exit          int
	Iteration     int
	Tree          string
	Files         map[string]string // what is on disk, by path
}

func TestCrash(t *testing.T) {
	t.Parallel()
	if *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	t.Logf("%d rounds, repeat with -crash.rounds=%d -crash.seed=%d", *rounds, *rounds, *seed)
	all := plans()
	want := map[string]func() end{}
	for _, p := range all {
		want[p.name] = sync.OnceValue(func() end { return undisturbed(t, p) })
	}
	c := &tally{hits: map[string]int{}}
	t.Run("rounds", func(t *testing.T) {
		for i := range *rounds {
			p := all[i%len(all)]
			t.Run(fmt.Sprintf("%02d-%s", i, p.name), func(t *testing.T) {
				t.Parallel()
				(&round{world: newWorld(t), plan: p, scheme: schemeOf(*seed, i, all), tally: c}).proves(want[p.name]())
			})
		}
	})
	if *rounds >= roundsForAll {
		c.reach(wanted(), func(what string, try int) {
			p, s := schemeFor(what, try, all)
			t.Run(fmt.Sprintf("again-%s-%d", strings.ReplaceAll(what, " ", "-"), try), func(t *testing.T) {
				(&round{world: newWorld(t), plan: p, scheme: s, tally: c}).proves(want[p.name]())
			})
		})
	}
	c.report(t)
}

// proves plays the round, which has to end as without the kills.
func (r *round) proves(want end) {
	r.t.Logf("-crash.seed=%d: %v", *seed, r.scheme)
	if d := cmp.Diff(want, r.play()); d != "" {
		r.t.Errorf("it did not end as without the kills (-want +got):\n%s\n%s", d, r.story)
	}
}

// undisturbed plays a plan without a kill.
func undisturbed(t *testing.T, p plan) (got end) {
	t.Run("undisturbed-"+p.name, func(t *testing.T) {
		got = (&round{world: newWorld(t), plan: p, tally: &tally{hits: map[string]int{}}}).play()
	})
	return got
}

// round is one run and what is done to it.
type round struct {
	*world
	plan   plan
	scheme scheme
	tally  *tally

	id   string
	seen uint64 // the latest event that a reply spoke of

	story []byte // its events, for people
}

func (r *round) play() end {
	r.repo(r.path("ws"), r.plan.files())
	r.plan.prepare(r.world)
	var a *armed
	if r.scheme.point != "" {
		a = r.arm(r.scheme.point)
	}
	r.begin()
	f := r.follow(r.id)
	over := make(chan struct{})
	go func() {
		defer close(over)
		r.drive()
	}()
	for _, k := range r.scheme.kills {
		if a != nil && k.what != killAgent {
			// Its own point comes first.
			select {
			case <-over:
			case <-a.ended:
			}
		}
		for _, v := range r.strike(k, over) {
			r.tally.add(string(v))
		}
		if len(k.then) > 0 {
			r.must(strings.Split(strings.ReplaceAll(strings.Join(k.then, " "), "RUN", r.id), " ")...)
		}
	}
	<-over
	r.disarm(a)
	return r.check(f)
}

// begin starts the run. A point may end the daemon before it answers; then the
// run is there or it is not, and never twice.
func (r *round) begin() {
	for range 5 {
		a := r.apctl(r.plan.args(r.world)...)
		if a.code == 0 {
			v := data[wire.RunView](r.t, a)
			r.id, r.seen = v.ID, v.Seq
			return
		}
		list := data[wire.ListReply](r.t, r.must("ls", "--all", "--json"))
		if len(list.Runs) > 0 {
			r.id = list.Runs[0].ID
			return
		}
		r.t.Logf("not started: %v", a)
	}
	r.t.Fatal("the run cannot be started")
}

// drive waits for the end of the run and answers its question.
func (r *round) drive() {
	for range 20 {
		a := r.apctl("wait", r.id, "--json", "--timeout", "60s")
		switch {
		case a.code == exitPerson && r.plan.name == "person":
			if b := r.apctl("resume", r.id, "-m", "take the third", "-d", "--json"); b.code == 0 {
				r.seen = max(r.seen, data[wire.RunView](r.t, b).Seq)
			}
		case strings.Contains(string(a.stdout), wire.SchemaRun):
			return
		default:
			r.t.Logf("the wait was cut: %v", a)
		}
	}
	r.t.Error("the run does not end")
}

// disarm ends a daemon that has not reached its point, so that it does not
// while the run is checked.
func (r *round) disarm(a *armed) {
	if a == nil {
		return
	}
	if p, ok := r.daemon(); ok && p.PID == a.cmd.Process.Pid {
		r.must("daemon", "stop")
	}
	if a.killed() {
		name, _, _ := strings.Cut(r.scheme.point, ":")
		r.tally.add(atPoint + name)
	}
}

// check proves the record and that nothing was left, and returns the end of
// the run.
func (r *round) check(f *follower) end {
	v := data[wire.RunView](r.t, r.must("status", r.id, "--json"))
	r.seen = max(r.seen, v.Seq)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := f.await(ctx, r.seen); err != nil {
		r.t.Error(err)
	}
	got := f.end(r.t)
	log := r.history(r.id)
	if uint64(len(log)) != v.Seq {
		r.t.Errorf("the log has %d events, the status says %d", len(log), v.Seq)
	}
	if d := cmp.Diff(bytesOf(log), bytesOf(got)); d != "" {
		r.t.Errorf("a follower got other events than the log has (-log +follower):\n%s", d)
	}
	if r.plan.claude != "" {
		r.agents(log, v)
	}
	// A limit is forgotten with the agent that met it, if that was killed.
	if n := waits(log); n > 0 != r.plan.waits && (n > 0 || r.scheme.kills == nil && r.scheme.point == "") {
		r.t.Errorf("the run has waited %d times for a limit", n)
	}
	if runs := data[wire.ListReply](r.t, r.must("ls", "--all", "--json")).Runs; len(runs) != 1 {
		r.t.Errorf("there are %d runs, one was started", len(runs))
	}
	r.story = r.must("events", r.id).stdout
	r.close()
	r.onceEach()
	return end{State: v.State, Reason: v.Reason, Exit: v.Exit, Iteration: v.Iteration, Tree: v.Tree, Files: r.onDisk()}
}

func bytesOf(list []stored) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.bytes)
	}
	return out
}

// onceEach proves that no effect was started twice.
func (r *round) onceEach() {
	b, err := os.ReadFile(r.path("starts"))
	if err != nil {
		r.t.Error(err)
	}
	ids := strings.Fields(string(b))
	slices.Sort(ids)
	if once := slices.Compact(slices.Clone(ids)); len(once) != len(ids) {
		r.t.Errorf("effects were started twice: %q", ids)
	}
}

// onDisk is the workspace as it was left, without git's own files.
func (r *round) onDisk() map[string]string {
	files := map[string]string{}
	root := os.DirFS(r.path("ws"))
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		b, err := fs.ReadFile(root, path)
		files[path] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		r.t.Error(err)
	}
	return files
}
