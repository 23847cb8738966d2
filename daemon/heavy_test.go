package daemon

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/run"
)

// heavySite is a repository that takes so much of a machine, and a person in front
// of it.
func heavySite(t *testing.T, resources string) *site {
	t.Helper()
	s := trustSite(t, "setup: 'true'\nresources: "+resources+"\n")
	s.trust()
	s.committed()
	return s
}

// besides is a run in a work tree that was made from the site's.
func (s *site) besides(name, agent string) wire.StartRequest {
	s.t.Helper()
	dir := filepath.Join(s.t.TempDir(), name)
	s.git("worktree", "add", "-q", "-b", name, dir)
	return s.spec("test -e done", agent, func(spec *wire.RunSpec) { spec.Workspace, spec.From, spec.Branch = dir, s.work, name })
}

// TestWithThePolicyOffTheBoundsThatPeopleSetHold: that of the user and that of the
// project, for agents and for those whom an agent leads; the machine bounds nobody.
func TestWithThePolicyOffTheBoundsThatPeopleSetHold(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, project, user, by string }{
		{"of the user", "{project: {agents: 9}}", "{policy: off, agents: 1}", "max"},
		{"of the project", "{project: {agents: 1}}", "{policy: off}", "project"},
		{"of the user for projects", "{project: {agents: 9}}", "{policy: off, project: {agents: 1}}", "project"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := heavySite(t, c.project)
			s.configure("resources: " + c.user + "\n")
			onMachine(s, 1) // it is critical, and nobody looks
			stays := "while ! test -e " + s.cfg.Home + "/go; do sleep 0.05; done; touch done"
			first := s.start(s.besides("one", stays))
			s.until(first.ID, func(st run.State) bool { return st.AtWork() })
			second := s.start(s.besides("two", stays))
			st := s.until(second.ID, func(st run.State) bool { return settled(st) || st.AtWork() || st.WaitsForLimit() })
			if w := st.Waiting; w == nil || string(w.By) != c.by || w.Limit != 1 || w.Used != 1 {
				t.Fatalf("%s, it waits %+v", st.Status, st.Waiting)
			}
			s.wantsOffWithin(c.by)
			if err := os.WriteFile(filepath.Join(s.cfg.Home, "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, id := range []string{first.ID, second.ID} {
				s.wants(s.until(id, settled), "done")
			}
		})
	}
}

// wantsOffWithin says what is shown where nobody looks, and one run waits by a bound.
func (s *site) wantsOffWithin(by string) {
	s.t.Helper()
	p, err := s.d.Machine.Show(s.t.Context(), s.request(), wire.ProbeRequest{})
	if err != nil {
		s.t.Fatal(err)
	}
	if !p.Off || p.Running != 1 || len(p.Projects) != 1 || len(p.Waiting) != 1 || p.Waiting[0].By != by {
		s.t.Errorf("shown: %d at work, projects %+v, waiting %+v", p.Running, p.Projects, p.Waiting)
	}
	slots, bound := -1, ""
	if by == "max" {
		slots, bound = 1, "max"
	}
	for _, v := range p.Policies {
		if v.Slots != slots || v.By != bound {
			s.t.Errorf("%s: %d slots, by %q", v.Policy, v.Slots, v.By)
		}
	}
}

// TestSeeds224AHeavyRepositoryBoundsItsRuns: whatever the machine has left; runs of
// other repositories begin, and an agent that leads others is told no more.
func TestSeeds224AHeavyRepositoryBoundsItsRuns(t *testing.T) {
	t.Parallel()
	s := heavySite(t, "{project: {agents: 1}}")
	onMachine(s, 64)
	stays := "echo \"cap $AUTOPILOT_AGENT_CAP\" >cap; while ! test -e " + s.cfg.Home + "/go; do sleep 0.05; done; touch done"
	first := s.start(s.besides("one", stays))
	s.until(first.ID, func(st run.State) bool { return st.AtWork() })
	second := s.start(s.besides("two", stays))
	st := s.until(second.ID, func(st run.State) bool { return settled(st) || st.WaitsForLimit() })
	if w := st.Waiting; settled(st) || w.By != "project" || w.Limit != 1 || w.Used != 1 || w.Place != 1 {
		t.Fatalf("%s, it waits %+v", st.Status, st.Waiting)
	}
	if why := s.why(second.ID).Because; !strings.Contains(why, "the project's limit of agents is reached (1 of 1 agents of its project are at work, as resources.project.agents says)") {
		t.Errorf("why: %s", why)
	}
	p, err := s.d.Machine.Show(t.Context(), s.request(), wire.ProbeRequest{Workspace: s.work, Wave: 6})
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Projects) != 1 || p.Projects[0].Agents != 1 || p.Projects[0].Running != 1 || len(p.Projects[0].Runs) != 2 {
		t.Errorf("projects: %+v", p.Projects)
	}
	if len(p.Waiting) != 1 || p.Waiting[0].By != "project" || p.Waiting[0].Run != second.Handle {
		t.Errorf("waiting: %+v", p.Waiting)
	}
	if want := (wire.ProbeWave{Planned: 6, Agents: 1, Decision: "reduce", By: "project", Policy: "signals"}); p.Wave == nil || *p.Wave != want {
		t.Errorf("wave: %+v", p.Wave)
	}
	work := s.work
	s.elsewhere()
	s.wants(s.play(s.spec("test -e done", "touch done")), "done") // by another repository
	s.work = work
	if err := os.WriteFile(filepath.Join(s.cfg.Home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{first.ID, second.ID} {
		st := s.until(id, settled)
		s.wants(st, "done")
		b, err := os.ReadFile(filepath.Join(s.d.api.Text(st.Facts.Workspace), "cap"))
		if err != nil || string(b) != "cap 1\n" {
			t.Errorf("an agent was told %q: %v", b, err)
		}
	}
}

// TestAHeavyRepositoryNeedsTheMemoryThatItSays: where that is not left above what
// stays free, one works alone, and light ones begin beside it.
func TestAHeavyRepositoryNeedsTheMemoryThatItSays(t *testing.T) {
	t.Parallel()
	s := heavySite(t, "{ram_per_agent: 6GiB}")
	onMachine(s, 7) // 5 GiB of it may be used
	stays := "while ! test -e " + s.cfg.Home + "/go; do sleep 0.05; done; touch done"
	first := s.start(s.besides("one", stays))
	s.until(first.ID, func(st run.State) bool { return st.AtWork() })
	second := s.start(s.besides("two", stays))
	st := s.until(second.ID, func(st run.State) bool { return settled(st) || st.WaitsForLimit() })
	want := events.Pressure{Of: "memory_available_bytes", Value: 7 << 30, Limit: 6 << 30}
	if w := st.Waiting; settled(st) || w.By != "memory" || w.Limit != 1 || w.Signal != want {
		t.Fatalf("%s, it waits %+v", st.Status, st.Waiting)
	}
	v := s.d.api.View(st)
	if v.Waiting == nil || v.Waiting.By != "memory" || v.Waiting.Signal == nil || v.Waiting.Signal.Limit != 6<<30 {
		t.Errorf("shown as %+v", v.Waiting)
	}
	work := s.work
	s.elsewhere()
	s.wants(s.play(s.spec("test -e done", "touch done")), "done")
	s.work = work
	if err := os.WriteFile(filepath.Join(s.cfg.Home, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{first.ID, second.ID} {
		s.wants(s.until(id, settled), "done")
	}
}

// TestS16ABoundThatCannotBeReadRefusesTheRun: it never vanishes.
func TestS16ABoundThatCannotBeReadRefusesTheRun(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"4 (deep: 18)", "{default: 4, deep: 18}", "-1", "0", "many", "[4]", "true"} {
		s := trustSite(t, "setup: 'true'\nresources:\n  project:\n    agents: "+text+"\n")
		_, err := s.d.api.RunStart(t.Context(), s.seated(), s.spec("test -e done", "touch done"))
		refusedAs(t, text, err, wire.Usage, "config.yaml: line 4, column ")
	}
}
