package daemon

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
)

// quiet are gates for which no command runs, one of each kind that reads files.
var quiet = []string{
	"{name: written, kind: artifact, files: [docs/plan.md]}",
	"{name: within, kind: scope, files: ['**']}",
	"{name: kept, kind: anchor, of: [a.txt]}",
	"protected",
}

// BenchmarkQuietGates is what each gate adds for which no command runs, in iterations
// of a run that has all of them beside a command, over one that has the command alone.
func BenchmarkQuietGates(b *testing.B) {
	const flow = "name: %s\nversion: 1\nphases: [{name: work, prompt: converge.md, gates: [%s]}]\nlimits: {iterations: 60}\nrails: {sameness: halt}\nfingerprint: [gates, tests, tree]\n"
	never := "{name: never, kind: command, run: cat docs/plan.md; exit 1}"
	s := trustSite(b, "setup: 'true'\n")
	gates := never
	for _, g := range quiet {
		gates += ", " + g
	}
	files := map[string]string{
		".autopilot/workflows/bare.yaml": fmt.Sprintf(flow, "bare", never), ".autopilot/workflows/quiet.yaml": fmt.Sprintf(flow, "quiet", gates), "a.txt": "a\n",
	}
	for i := range 200 {
		files[fmt.Sprintf("pkg%d/file%d.go", i%20, i)] = fmt.Sprintf("package p // %d\n", i)
	}
	s.write(files)
	s.trust()
	s.committed()
	var floor, ours []time.Duration
	for b.Loop() {
		floor = append(floor, s.judged(b, "bare")...)
		ours = append(ours, s.judged(b, "quiet")...)
	}
	slices.Sort(floor)
	slices.Sort(ours)
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	bare, all := floor[len(floor)/2], ours[len(ours)/2]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ms(bare), "ms-floor")
	b.ReportMetric(ms(all-bare)/float64(len(quiet)), "ms/gate")
}

// judged is how long the gates of each iteration of a run took, from the event that
// announces them to the one that has their results.
func (s *site) judged(b *testing.B, flow string) (all []time.Duration) {
	st := s.play(s.flowSpec(flow, "mkdir -p docs; date +%N > docs/plan.md", func(r *wire.RunSpec) { r.MaxIterations = 12 }))
	var began time.Time
	for stored, err := range s.d.Log.Read(b.Context(), events.Run(st.ID), 0) {
		if err != nil {
			b.Fatal(err)
		}
		switch stored.Event.Data.(type) {
		case events.GatesStarted:
			began = stored.Event.Time
		case events.GatesJudged:
			all = append(all, stored.Event.Time.Sub(began))
		}
	}
	if len(all) < 12 {
		b.Fatalf("%d iterations were judged, %s", len(all), st.Status)
	}
	return all[2:]
}
