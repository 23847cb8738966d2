package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"autopilot/daemon/history/offline"
	"autopilot/daemon/store/filestore"
	"autopilot/daemon/store/journal"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// template is the state directory of a daemon that was killed: a run that is
// over, one that is halted and could go on, and facts of the host.
type template struct {
	state        string
	site         *site
	done, halted events.Aggregate
	old          string // the same directory, before the halted run had begun
}

// templateOf makes one. kept says that a snapshot has all of it.
func templateOf(t *testing.T, kept bool) template {
	t.Helper()
	s := newSite(t, nil)
	s.trustAll()
	done := s.play(s.spec("test -f ok", "touch ok"))
	s.wants(done, "done")
	s.givenBack()
	old := copyOf(t, s.cfg.Places.State)
	s.close()
	s.open()
	halted := s.play(s.spec("test -f never", "date +%s%N | tee changed", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	s.wants(halted, "halted:iterations")
	s.givenBack()
	if kept {
		s.close()
		s.open()
	}
	return template{copyOf(t, s.cfg.Places.State), s, events.Run(done.ID), events.Run(halted.ID), old}
}

func (s *site) trustAll() {
	s.t.Helper()
	e := events.ConfigTrusted{Repository: strings.Repeat("0", 16), Config: "", File: "", Assurance: events.AssuredTTY}
	if _, err := s.d.HostLog.Append(s.t.Context(), e, "person:1@test/x", ""); err != nil {
		s.t.Fatal(err)
	}
}

// What a daemon does that is started on a store.
const (
	refuses = "refuses" // to start
	breaks  = "breaks"  // the halted run: it is halted again at once
	goesOn  = "goes on" // the halted run: what is wrong is elsewhere
)

// tampering is a row of the matrix.
type tampering struct {
	name string
	do   func(x *tampered, m template)
	// first is the aggregate and sequence that verify names first.
	agg   func(m template) string
	seq   func(x *tampered, m template) uint64
	what  string
	start string
}

// Lessons A15 and A20: what is recorded is not changed by who works.
func TestTamperMatrix(t *testing.T) {
	t.Parallel()
	for _, kept := range []bool{false, true} {
		m := templateOf(t, kept)
		for _, row := range tamperings() {
			t.Run(fmt.Sprintf("%s, snapshot %v", row.name, kept), func(t *testing.T) {
				t.Parallel()
				x := m.tamper(t)
				x.load()
				row.do(x, m)
				places := m.site.cfg.Places
				places.State = x.state
				proof, err := offline.Verify(t.Context(), places)
				if err != nil || len(proof.Problems) == 0 {
					t.Fatalf("verify: %+v %v", proof, err)
				}
				first := proof.Problems[0]
				if first.Aggregate != row.agg(m) || first.Seq != row.seq(x, m) || !strings.Contains(first.What, row.what) {
					t.Errorf("the first problem is %+v, want %s event %d: %s", first, row.agg(m), row.seq(x, m), row.what)
				}
				if got := x.start(m); got != row.start {
					t.Errorf("a daemon %s, want that it %s", got, row.start)
				}
			})
		}
	}
}

// tamper is a copy to be changed.
func (m template) tamper(t *testing.T) *tampered {
	t.Helper()
	return &tampered{t: t, state: copyOf(t, m.state)}
}

// start starts a daemon on the copy, and says what it does with the halted run.
func (x *tampered) start(m template) string {
	x.t.Helper()
	s := *m.site
	s.t, s.cfg.Places.State, s.d = x.t, x.state, nil
	s.host = &fakeMachine{} // rows run side by side
	s.cfg.machine = s.host.stands
	s.cfg.Places.Runtime = shortDir(x.t)
	s.cfg.Places.Socket = s.cfg.Places.Runtime + "/d.sock"
	d, err := Open(context.Background(), s.cfg)
	if err != nil {
		if !errors.Is(err, filestore.ErrDamaged) && !errors.Is(err, filestore.ErrSeals) && !errors.Is(err, filestore.ErrMark) {
			x.t.Errorf("start: %v", err)
		}
		return refuses
	}
	s.d = d
	defer s.close()
	s.quiet(m.done.ID) // without its end it is halted, too
	before, ok := s.quiet(m.halted.ID)
	if !ok {
		return "does not know the run"
	}
	if err = s.resumed(m.halted.ID); err != nil {
		// What the snapshot has of it is read anew when something is to be added.
		s.until(m.halted.ID, func(st run.State) bool { return s.d.api.View(st).Reason == string(events.HaltLogIntegrity) })
		return breaks
	}
	after := s.until(m.halted.ID, func(st run.State) bool {
		return st.Log.Seq > before.Log.Seq+1 && st.Status != run.Live || st.Log.Broken > 0 && s.d.api.View(st).Reason == string(events.HaltLogIntegrity)
	})
	switch v := d.api.View(after); {
	case v.Reason == string(events.HaltLogIntegrity) && after.Loop.Iteration == before.Loop.Iteration:
		return breaks
	case after.Loop.Iteration > before.Loop.Iteration:
		return goesOn
	default:
		return "leaves it " + v.State + ":" + v.Reason
	}
}

// resumed resumes a run once no other is live in its work tree any more, of this daemon or
// of one of another row.
func (s *site) resumed(id string) error {
	s.t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := s.d.api.RunResume(s.t.Context(), s.request(), wire.ResumeRequest{RunRef: wire.RunRef{Run: id}, Note: "try this"})
		if codeOf(err) != wire.Conflict {
			return err
		}
		select {
		case <-tick.C:
		case <-s.t.Context().Done():
			s.t.Fatalf("the work tree does not get free: %v", err)
		}
	}
}

// quiet is a run once nothing is about to be begun for it.
func (s *site) quiet(id string) (run.State, bool) {
	s.t.Helper()
	if st, ok := s.d.Fleet.State(id); !ok || st.Status != run.Live {
		return st, ok
	}
	return s.until(id, settled), true
}

func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ap")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func haltedRun(m template) string { return m.halted.String() }
func doneRun(m template) string   { return m.done.String() }
func inLog(template) string       { return "log" }

func seq(n uint64) func(*tampered, template) uint64 {
	return func(*tampered, template) uint64 { return n }
}

// lastOf is the last sequence of an aggregate in the untouched store.
func lastOf(agg func(template) events.Aggregate) func(*tampered, template) uint64 {
	return func(x *tampered, m template) uint64 {
		y := &tampered{t: x.t, state: m.state}
		y.load()
		return y.event(y.find(agg(m), 0)).Seq
	}
}

func theDone(m template) events.Aggregate   { return m.done }
func theHalted(m template) events.Aggregate { return m.halted }

// positionOf is the position of an event in the untouched store.
func positionOf(agg func(template) events.Aggregate, seq uint64) func(*tampered, template) uint64 {
	return func(x *tampered, m template) uint64 {
		y := &tampered{t: x.t, state: m.state}
		y.load()
		return uint64(y.find(agg(m), seq)) + 1
	}
}

// howMany is how many events the untouched store has.
func howMany(x *tampered, m template) uint64 {
	y := &tampered{t: x.t, state: m.state}
	y.load()
	return uint64(len(y.records))
}

func tamperings() []tampering {
	return slices.Concat(changedEvents(), missingEvents(), addedEvents(), lostFiles())
}

func changedEvents() []tampering {
	return []tampering{
		{"a flipped bit", func(x *tampered, _ template) {
			x.edit(x.block(), func(b []byte) []byte {
				b[bytes.Index(b, x.records[5].message)+9] ^= 1
				return b
			})
		}, inLog, seq(6), "another checksum", refuses},
		{"an event in the middle of its run is changed", func(x *tampered, m template) {
			x.change(x.find(m.halted, 3))
			x.save()
		}, haltedRun, seq(3), "not the event that was acknowledged", breaks},
		{"and the chain behind it is made right", func(x *tampered, m template) {
			x.change(x.find(m.halted, 3))
			x.chain(m.halted)
			x.save()
		}, haltedRun, seq(3), "not the event that was acknowledged", breaks},
		{"the last event of a run is changed", func(x *tampered, m template) {
			x.change(x.find(m.halted, 0))
			x.save()
		}, haltedRun, lastOf(theHalted), "not the event that was acknowledged", breaks},
		{"the last event of a run that is over is changed", func(x *tampered, m template) {
			x.change(x.find(m.done, 0))
			x.save()
		}, doneRun, lastOf(theDone), "not the event that was acknowledged", goesOn},
		{"two events of one run are swapped", func(x *tampered, m template) {
			x.swap(x.find(m.halted, 3), x.find(m.halted, 4))
		}, inLog, positionOf(theHalted, 3), "event 4 of run.", refuses},
		{"two events of two runs are swapped", func(x *tampered, m template) {
			x.swap(x.find(m.done, 0), x.find(m.halted, 1))
		}, inLog, positionOf(theDone, 0), "event 1 of run.", refuses},
	}
}

func (x *tampered) swap(i, j int) {
	x.records[i], x.records[j] = x.records[j], x.records[i]
	x.save()
}

func missingEvents() []tampering {
	return []tampering{
		{"an event in the middle of its run is removed", func(x *tampered, m template) {
			x.drop(x.find(m.halted, 3))
		}, inLog, positionOf(theHalted, 3), "event 4 of run.", refuses},
		{"the last event of a run is removed, and those behind it move up", func(x *tampered, m template) {
			x.drop(x.find(m.done, 0))
		}, inLog, positionOf(theDone, 0), "event 2 of claim.", refuses},
		{"the last event of the log is removed", func(x *tampered, _ template) {
			x.drop(len(x.records) - 1)
		}, inLog, howMany, "its end is missing", refuses},
		{"the store is cut off", func(x *tampered, _ template) {
			x.edit(x.block(), func(b []byte) []byte { return b[:len(b)-3] })
		}, inLog, howMany, "a record is cut off", refuses},
		{"a block is removed", func(x *tampered, _ template) { x.remove(x.block()) }, inLog, seq(1), "its end is missing", refuses},
		{"an older copy of the store is put back", func(x *tampered, m template) {
			x.restore(m, "store")
		}, inLog, func(x *tampered, m template) uint64 {
			y := &tampered{t: x.t, state: m.old}
			y.load()
			return uint64(len(y.records)) + 1
		}, "its end is missing", refuses},
		{"and the mark with it", func(x *tampered, m template) {
			x.restore(m, "store", "mark")
		}, inLog, func(x *tampered, m template) uint64 {
			y := &tampered{t: x.t, state: m.old}
			y.load()
			return uint64(len(y.records)) + 1
		}, "its end is missing", refuses},
	}
}

func (x *tampered) drop(i int) {
	x.records = slices.Delete(x.records, i, i+1)
	x.save()
}

// restore puts parts of the older state directory back.
func (x *tampered) restore(m template, names ...string) {
	x.t.Helper()
	old := copyOf(x.t, m.old)
	for _, name := range names {
		x.remove(x.path(name))
		if err := os.Rename(old+"/"+name, x.path(name)); err != nil {
			x.t.Fatal(err)
		}
	}
}

// forged is an event that continues a run.
func (x *tampered) forged(agg events.Aggregate, data events.Data) storedRecord {
	x.t.Helper()
	last := x.event(x.find(agg, 0))
	e := events.Event{
		ID: journal.NewID(last.Time), Source: last.Source, Aggregate: agg, Seq: last.Seq + 1, Time: last.Time,
		PrevHash: events.Hash(x.records[x.find(agg, 0)].message), Actor: last.Actor, Data: data,
	}
	b, err := events.Encode(e)
	if err != nil {
		x.t.Fatal(err)
	}
	return storedRecord{x.records[0].time, agg.Subject(), nil, b}
}

func addedEvents() []tampering {
	after := func(agg func(template) events.Aggregate) func(*tampered, template) uint64 {
		return func(x *tampered, m template) uint64 { return lastOf(agg)(x, m) + 1 }
	}
	return []tampering{
		{"an event is forged at the end, with a right chain", func(x *tampered, m template) {
			x.records = append(x.records, x.forged(m.halted, events.RunEnded{State: events.EndDone}))
			x.save()
		}, haltedRun, after(theHalted), "never acknowledged", breaks},
		{"an event is forged in the middle", func(x *tampered, m template) {
			i := x.find(m.halted, 1)
			x.records = slices.Insert(x.records, i, x.forged(m.done, events.RunEnded{State: events.EndDone}))
			x.save()
		}, doneRun, after(theDone), "between two events that were", refuses},
		{"an event is forged in the middle of its run, and the chain made right", func(x *tampered, m template) {
			i := x.find(m.halted, 3)
			x.records = slices.Insert(x.records, i, x.records[i])
			x.chain(m.halted)
			x.save()
		}, haltedRun, seq(4), "between two events that were", breaks},
	}
}

func lostFiles() []tampering {
	bad := func(what string, do func(x *tampered, _ template)) tampering {
		return tampering{what, do, inLog, seq(0), "", refuses}
	}
	return []tampering{
		{"a text is changed", func(x *tampered, m template) {
			x.edit(x.text(m), func(b []byte) []byte { b[0] ^= 1; return b })
		}, haltedRun, answered, "were changed: 1", goesOn},
		{"a text is gone", func(x *tampered, m template) {
			x.remove(x.text(m))
		}, haltedRun, answered, "are missing: 1", goesOn},
		{"a seal is changed", func(x *tampered, m template) {
			x.edit(x.path("seals"), func(b []byte) []byte { b[16*x.find(m.halted, 3)] ^= 1; return b })
		}, haltedRun, seq(3), "not the event that was acknowledged", breaks},
		bad("seals are cut off", func(x *tampered, _ template) {
			x.edit(x.path("seals"), func(b []byte) []byte { return b[:32] })
		}),
		bad("seals are removed", func(x *tampered, _ template) { x.remove(x.path("seals")) }),
		bad("their key is removed", func(x *tampered, _ template) { x.remove(x.path("seal.key")) }),
		bad("their key is changed", func(x *tampered, _ template) {
			x.write(x.path("seal.key"), bytes.Repeat([]byte{7}, 32))
		}),
		bad("the checkpoint is removed", func(x *tampered, _ template) { x.remove(x.path("sealed")) }),
		bad("the checkpoint is changed", func(x *tampered, _ template) {
			x.edit(x.path("sealed"), func(b []byte) []byte { return bytes.Replace(b, []byte("false"), []byte("true"), 1) })
		}),
		bad("the mark is removed", func(x *tampered, _ template) { x.remove(x.path("mark")) }),
	}
}

// answered is the sequence of the event that names what the agent of the halted
// run printed.
func answered(x *tampered, m template) uint64 {
	for i, r := range x.records {
		if _, ok := x.event(i).Data.(events.AgentEnded); ok && r.subject == m.halted.Subject() {
			return x.event(i).Seq
		}
	}
	x.t.Fatal("no agent has ended")
	return 0
}

// text is the file of that text.
func (x *tampered) text(m template) string {
	x.t.Helper()
	ref := string(x.event(x.find(m.halted, answered(x, m))).Data.(events.AgentEnded).Excerpt)
	return x.path("blobs/" + ref[:2] + "/" + ref)
}

func TestWhatAKilledDaemonLeavesPasses(t *testing.T) {
	t.Parallel()
	m := templateOf(t, false)
	for name, do := range map[string]func(x *tampered){
		"as it is": func(*tampered) {},
		// Between the store and the acknowledgement: no seal yet, and pending.
		"a pending event": func(x *tampered) {
			x.pend(m)
		},
		"a power cut that took seals": func(x *tampered) {
			x.edit(x.path("seals"), func(b []byte) []byte { return b[:16*x.find(m.halted, 1)] })
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := m.tamper(t)
			x.load()
			do(x)
			site := *m.site
			if strings.HasPrefix(name, "a power cut") {
				site.cfg.Boot = "another"
			}
			n := m
			n.site = &site
			if got := x.start(n); got != goesOn {
				t.Fatalf("a daemon %s", got)
			}
			places := m.site.cfg.Places
			places.State = x.state
			proof, err := offline.Verify(t.Context(), places)
			if err != nil || len(proof.Problems) > 0 || proof.Sealed != proof.Events {
				t.Errorf("verify: %+v %v", proof, err)
			}
		})
	}
}

// pend makes the last event one that was stored and not acknowledged.
func (x *tampered) pend(m template) {
	x.t.Helper()
	seals, err := filestore.OpenSeals(filestore.NamesIn(x.state), filestore.StreamsIn(x.state), m.site.bootOf())
	if err != nil {
		x.t.Fatal(err)
	}
	last := len(x.records) - 1
	r := filestore.Record{Position: uint64(last) + 1, Subject: x.records[last].subject, Message: x.records[last].message}
	seals.Appending(r.Receipt("AP_EVENTS_1"))
	if err := seals.Close(0); err != nil {
		x.t.Fatal(err)
	}
	x.edit(x.path("seals"), func(b []byte) []byte { return b[:16*last] })
}

func (s *site) bootOf() string {
	s.t.Helper()
	boot, err := s.cfg.boot()
	if err != nil {
		s.t.Fatal(err)
	}
	return boot
}
