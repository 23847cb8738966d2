package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"autopilot/daemon/test/proctest"
	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// elsewhere gives the site another work tree for its next run.
func (s *site) elsewhere() {
	s.t.Helper()
	s.work = s.t.TempDir()
	proctest.Repository(s.t, s.work)
	s.write(map[string]string{"a": "x"})
}

func holdsPriority(name string) func(*wire.RunSpec) {
	return func(spec *wire.RunSpec) { spec.Priority = name }
}

// TestOfThoseThatWaitWhoHasPriorityGoesFirst: and its number is in the record.
func TestOfThoseThatWaitWhoHasPriorityGoesFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	s.d.Consent.People = proctest.Seat{}
	s.configure("resources: {agents: 1}\n")
	onMachine(s, 64)
	at := t.TempDir()
	agent := func(name string) string {
		return "echo " + name + " >>" + at + "/order; while ! test -e " + at + "/go; do sleep 0.05; done; touch done"
	}
	ids := []string{s.start(s.spec("test -e done", agent("first"))).ID}
	s.until(ids[0], func(st run.State) bool { return st.AtWork() })
	for _, name := range []string{"low", "normal", "high"} {
		s.elsewhere()
		v, err := s.d.api.RunStart(t.Context(), s.seated(), s.spec("test -e done", agent(name), holdsPriority(name)))
		if err != nil {
			t.Fatal(err)
		}
		st := s.until(v.ID, func(st run.State) bool { return settled(st) || st.WaitsForLimit() })
		if settled(st) || st.Facts.Priority.String() != name {
			t.Fatalf("%s: %s, priority %v", name, st.Status, st.Facts.Priority)
		}
		ids = append(ids, v.ID)
	}
	if err := os.WriteFile(filepath.Join(at, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range ids {
		s.wants(s.until(id, settled), "done")
	}
	b, err := os.ReadFile(filepath.Join(at, "order"))
	if want := "first\nhigh\nnormal\nlow\n"; err != nil || string(b) != want {
		t.Errorf("they began as %q: %v", b, err)
	}
	if v := s.d.api.View(s.state(ids[1])); v.Priority != "low" {
		t.Errorf("shown as %q", v.Priority)
	}
}

// TestAChatStartsNoRunThatGoesFirst: what it asks for is refused, and settings
// that let runs go first are about those of people.
func TestAChatStartsNoRunThatGoesFirst(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"a": "x"})
	c := s.chat()
	spec := func(name string) wire.StartRequest {
		return s.spec("test -e done", "touch done", holdsPriority(name))
	}
	_, err := s.d.api.RunStart(t.Context(), c.request(), spec("high"))
	refusedAs(t, "a chat that wants to go first", err, wire.Denied, "a run that a chat starts has normal priority, or low")
	_, err = s.d.api.RunPreview(t.Context(), c.request(), spec("high"))
	refusedAs(t, "and its preview", err, wire.Denied, "normal priority")
	_, err = s.d.api.RunStart(t.Context(), c.request(), spec("first"))
	refusedAs(t, "a priority that is none", err, wire.Usage, `priority "first" is not known`)

	s.configure("priority: high\n")
	for _, tt := range []struct {
		asks, want string
		person     bool
	}{{"", "normal", false}, {"low", "low", false}, {"", "high", true}, {"normal", "normal", true}} {
		q := c.request()
		if tt.person {
			q = s.seated()
		}
		s.elsewhere()
		people := s.d.Consent.People
		if tt.person {
			s.d.Consent.People = proctest.Seat{}
		}
		p, err := s.d.api.RunPreview(t.Context(), q, spec(tt.asks))
		if err != nil {
			t.Fatal(err)
		}
		told := slices.ContainsFunc(p.Settings, func(v wire.ConfigValue) bool { return v.Key == "priority" })
		v, err := s.d.api.RunStart(t.Context(), q, spec(tt.asks))
		s.d.Consent.People = people
		if err != nil {
			t.Fatal(err)
		}
		if got := s.state(v.ID).Facts.Priority; got.String() != tt.want || told != (tt.want == "high") {
			t.Errorf("asked for %q, by a person %v: it has %s, told as a setting: %v", tt.asks, tt.person, got, told)
		}
		s.wants(s.until(v.ID, settled), "done")
	}
}

func TestPrioritiesHaveNames(t *testing.T) {
	t.Parallel()
	for i, name := range events.Priorities() {
		if p, ok := events.ParsePriority(name); !ok || int(p) != i-1 || p.String() != name {
			t.Errorf("%s is %d, %v", name, p, ok)
		}
	}
	for _, bad := range []string{"", "High", "1", "urgent"} {
		if p, ok := events.ParsePriority(bad); ok {
			t.Errorf("%q is %v", bad, p)
		}
	}
	if s := events.Priority(7).String(); s != "high" {
		t.Errorf("one of a newer version is %s", s)
	}
}
