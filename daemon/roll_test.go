package daemon

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"autopilot/daemon/history/offline"
	"autopilot/daemon/history/roll"
	"autopilot/daemon/report/notify"
	"autopilot/daemon/run/engine"
	"autopilot/daemon/store/archive"
	"autopilot/daemon/store/disk"
	"autopilot/daemon/store/filestore"
	"autopilot/events"
	"autopilot/events/log"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// rollOf is a roll of a state directory that no daemon has open.
func rollOf(s *site, host, state string) roll.Config {
	places := s.cfg.Places
	places.State = state
	return roll.Config{
		Places: places, Boot: s.bootOf(), Host: host, Version: "test",
		Free: func() uint64 { return 1 << 40 }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	}
}

// rollIn is where a roll is prepared.
func rollIn(state, name string) string { return filepath.Join(state, "roll", name) }

// asksForARoll of a state directory as the endpoint does.
func asksForARoll(t *testing.T, state string) {
	t.Helper()
	if err := os.MkdirAll(rollIn(state, ""), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rollIn(state, "request"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

// filesOf are the files of a state directory, by their hash.
func filesOf(t *testing.T, state string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := fs.WalkDir(os.DirFS(state), ".", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !e.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(state, path))
		files[path] = fmt.Sprintf("%x", sha256.Sum256(b))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestARollIsRefusedBeforeAnythingIsChanged(t *testing.T) {
	t.Parallel()
	m := templateOf(t, false)
	for _, row := range []struct {
		name string
		do   func(x *tampered, c *roll.Config)
		want error
		says string
	}{
		{"a disk without room", func(_ *tampered, c *roll.Config) { c.Free = func() uint64 { return 4 * disk.BallastBytes } }, nil, "there is too little room to roll the log"},
		{"a bit flipped", func(x *tampered, _ *roll.Config) {
			x.edit(x.block(), func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
		}, filestore.ErrDamaged, ""},
		{"the end cut off", func(x *tampered, _ *roll.Config) {
			x.edit(x.block(), func(b []byte) []byte { return b[:len(b)-40] })
		}, filestore.ErrDamaged, ""},
		{"an event changed, with sound checksums", func(x *tampered, _ *roll.Config) {
			i := x.find(m.done, 3)
			x.records[i].message = []byte(strings.Replace(string(x.records[i].message), "daemon:", "daemom:", 1))
			x.save()
		}, filestore.ErrForeign, ""},
		{"the key of the seals lost", func(x *tampered, c *roll.Config) { x.remove(filestore.NamesIn(c.Places.State).Key) }, filestore.ErrSeals, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			x := m.tamper(t)
			x.load()
			c := rollOf(m.site, m.site.d.HostID, x.state)
			row.do(x, &c)
			before := filesOf(t, x.state)
			asksForARoll(t, x.state)
			o, err := roll.Do(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			why := o.Refused()
			if why == nil || row.want != nil && !errors.Is(why, row.want) || !strings.Contains(why.Error(), row.says) {
				t.Errorf("refused with %v, want %v %s", why, row.want, row.says)
			}
			at := log.Begin(1)
			if to, untold, err := o.Untold(at); to != at || untold != nil || err != nil {
				t.Errorf("people are told up to %q and of %v in another log: %v", to, untold, err)
			}
			if d := cmp.Diff(before, filesOf(t, x.state)); d != "" {
				t.Errorf("files have changed: %s", d)
			}
		})
	}
}

// roll asks for a roll and starts the daemon anew.
func (s *site) roll() wire.RollView {
	s.t.Helper()
	v, err := s.d.Rolls.Ask(s.t.Context(), s.request(), wire.RollRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.close()
	s.open()
	return v
}

// looksOf is what there is to know of runs.
func (s *site) looksOf(ids ...string) map[string]any {
	s.t.Helper()
	out := map[string]any{}
	for _, id := range ids {
		st, ok := s.d.Fleet.State(id)
		if !ok {
			s.t.Fatalf("run %s is not known", id)
		}
		out[id+" state"] = st
		var lines []string
		for stored, err := range s.d.Log.Read(s.t.Context(), events.Run(id), 0) {
			if err != nil {
				s.t.Fatal(err)
			}
			lines = append(lines, string(stored.Bytes))
		}
		out[id+" events"] = lines
		out[id+" why"] = s.why(id)
	}
	u, err := s.d.Usage.Show(s.t.Context(), s.request(), wire.UsageRequest{By: "run"})
	if err != nil {
		s.t.Fatal(err)
	}
	out["usage"] = u.Rows
	for _, h := range s.d.Fleet.Heads() {
		h.Hash = ""
		out[h.ID+" head"] = fmt.Sprintf("%+v", h)
	}
	return out
}

func TestRunsAreTheSameAfterARoll(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	s.trustAll()
	done := s.play(s.spec("test -f ok", "touch ok"))
	s.wants(done, "done")
	halted := s.play(s.spec("test -f never", "date +%s%N | tee changed", func(spec *wire.RunSpec) { spec.MaxIterations = 1 }))
	s.wants(halted, "halted:iterations")
	before := s.looksOf(done.ID, halted.ID)

	if v := s.roll(); v.From != 1 || v.To != 2 || v.Runs != 1 || v.Carried != 1 {
		t.Errorf("the roll %+v", v)
	}
	if d := cmp.Diff(before, s.looksOf(done.ID, halted.ID)); d != "" {
		t.Errorf("looked at after the roll (-before +after):\n%s", d)
	}
	if !s.d.Fleet.IsArchived(done.ID) || s.d.Fleet.IsArchived(halted.ID) || s.d.Fleet.IsImported(done.ID) {
		t.Error("the wrong run is archived")
	}
	if _, err := s.d.Fleet.Do(t.Context(), done.ID, engine.Resume{}, "person:x", ""); !errors.Is(err, engine.ErrOver) {
		t.Errorf("a resume of a rolled run: %v", err)
	}
	if s.stop(halted.ID, events.StopCancel).Status != run.Over {
		t.Error("the carried run cannot be cancelled")
	}
	s.allWell()

	if v := s.roll(); v.To != 3 || v.Runs != 1 {
		t.Errorf("the second roll %+v", v)
	}
	s.allWell()
	if v := s.roll(); v.To != 3 || v.Runs != 0 {
		t.Errorf("a third roll %+v, with nothing to do", v)
	}
	rolled := s.d.HostLog.State().Rolled
	if len(rolled) != 2 || rolled[0].To != 2 || rolled[1].To != 3 || len(s.d.Archive.Bundles()) != 2 {
		t.Errorf("the host knows of %+v, and there are %d bundles", rolled, len(s.d.Archive.Bundles()))
	}
}

// allWell proves all that is stored, and that nothing of a roll is left.
func (s *site) allWell() {
	s.t.Helper()
	v, err := s.d.api.Verify(s.t.Context(), s.request(), wire.VerifyRequest{Every: true})
	if err != nil || len(v.Problems) > 0 {
		s.t.Errorf("verify: %+v %v", v.Problems, err)
	}
	if _, err := os.Lstat(rollIn(s.cfg.Places.State, "")); !errors.Is(err, fs.ErrNotExist) {
		s.t.Error("something is left of a roll")
	}
}

// cutOff rolls as far as to where nothing but the move to its place is left to do,
// and reads what the roll has made.
func cutOff(t *testing.T, cfg roll.Config) (made struct {
	Cursor log.Cursor `json:"cursor"`
	Untold []string   `json:"untold"`
},
) {
	t.Helper()
	dir := archive.DirIn(cfg.Places.State)
	aside := dir + ".aside"
	if err := errors.Join(os.Rename(dir, aside), os.WriteFile(dir, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := roll.Do(t.Context(), cfg); err == nil || !strings.Contains(err.Error(), "archive the bundle") {
		t.Fatalf("a roll without an archive: %v", err)
	}
	if err := errors.Join(os.Remove(dir), os.Rename(aside, dir)); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(rollIn(cfg.Places.State, "commit"))
	if err == nil {
		err = json.Unmarshal(b, &made)
	}
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestPeopleAreToldOfWhatARollTookAway has a daemon that died before it told that
// a run is done, and whose run is in a bundle by now.
func TestPeopleAreToldOfWhatARollTookAway(t *testing.T) {
	t.Parallel()
	s := newSite(t, nil)
	done := s.play(s.spec("test -f ok", "touch ok"))
	s.wants(done, "done")
	host := s.d.HostID
	s.close()
	state := s.cfg.Places.State
	if err := os.WriteFile(filepath.Join(state, "notify", "outbox.json"), fmt.Appendf(nil, `{"v":1,"cursor":%q}`, log.Begin(1)), 0o600); err != nil {
		t.Fatal(err)
	}
	asksForARoll(t, state)
	c := cutOff(t, rollOf(s, host, state))
	if len(c.Untold) != 1 || !strings.Contains(c.Untold[0], events.TypeRunEnded) || c.Cursor != log.Begin(2) {
		t.Errorf("untold %q, told up to %q", c.Untold, c.Cursor)
	}
	if _, err := offline.Verify(t.Context(), s.cfg.Places); err == nil || !errors.Is(err, roll.Whole(state)) {
		t.Errorf("verify in the middle of a roll: %v", err)
	}
	s.open() // and finishes it
	s.allWell()
	if at := s.d.Notes.Cursor(); !strings.HasPrefix(at, "2.") {
		t.Errorf("people are told up to %q", at)
	}
	if notify.Place(filepath.Join(state, "notify")) == "" {
		t.Error("the place is not stored")
	}
}

func TestTextsOfRolledRunsAreProvenWithAllElse(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"were changed: 1": func(path string) error {
			return errors.Join(os.Chmod(path, 0o600), os.WriteFile(path, []byte("another task"), 0o600))
		},
		"are missing: 1": os.Remove,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			s.trustAll()
			st := s.play(s.spec("test -f ok", "touch ok"))
			s.wants(st, "done")
			s.roll()
			s.allWell()
			task := string(st.Facts.Task)
			if err := spoil(filepath.Join(s.cfg.Places.State, "blobs", task[:2], task)); err != nil {
				t.Fatal(err)
			}
			v, err := s.d.api.Verify(t.Context(), s.request(), wire.VerifyRequest{Every: true})
			if err != nil || len(v.Problems) != 1 {
				t.Fatalf("%+v, %v", v.Problems, err)
			}
			if p := v.Problems[0]; p.Aggregate != events.Run(st.ID).String() || p.Seq != 1 || !strings.Contains(p.What, name) {
				t.Errorf("%+v", p)
			}
		})
	}
}
