package render

import (
	"strings"
	"testing"
	"time"

	"autopilot/events"
	"autopilot/events/wire"
)

func TestTextsOfTheArchive(t *testing.T) {
	t.Parallel()
	sum := wire.BundleSum{SHA256: events.Digest(strings.Repeat("ab", 32)), Bytes: 14321, Runs: 3, Events: 120, Texts: 44}
	dirty := sum
	dirty.Missing, dirty.Live, dirty.Redacted = 2, 1, 3
	dirty.Found = []wire.TextFound{
		{Run: "k3xq", Seq: 7, Ref: events.Ref(strings.Repeat("c", 64)), Kinds: []string{"value of API_KEY" + steering, "github token"}},
		{Run: "a2b3", Seq: 1, Ref: "x", Kinds: []string{"private key"}},
	}
	runs := []wire.BundleRun{
		{ID: "1", Handle: "k3xq", State: "done", Events: 42},
		{ID: "2", Handle: "evil" + steering, State: "refused" + steering, Reason: "no-red", Events: 1, Known: true},
	}
	many := make([]wire.BundleRun, 25)
	for i := range many {
		many[i] = wire.BundleRun{Handle: "many", State: "done", Events: 9}
	}
	texts := map[string]func(Style) string{
		"export": func(s Style) string {
			return s.Exported(wire.ExportView{File: "/home/me/autopilot-k3xq.zip", BundleSum: sum}) +
				s.SecretsFound(sum) + s.SecretsFound(dirty) + s.Exported(wire.ExportView{File: "-", BundleSum: dirty}) + Exporting()
		},
		"import": func(s Style) string {
			return s.Imported(wire.ImportView{Bundle: dirty, Runs: runs, Known: 1, Version: "1.2.3" + steering}) +
				s.Imported(wire.ImportView{Bundle: sum, Runs: many, DryRun: true, Version: "1.2.3"}) +
				s.Imported(wire.ImportView{Bundle: sum, Runs: runs[1:], Known: 1}) + Importing()
		},
		"archive": func(s Style) string {
			v := wire.ArchiveView{
				Dir: "/state/archive" + steering, Generation: 2, Events: 1, StoreBytes: 1 << 20, StoreQuota: 4 << 30, Over: 1, Carried: 2,
				Texts: wire.Room{Files: 812, Bytes: 3 << 20}, Pruned: s.Now.Add(-24 * time.Hour),
				Bundles: []wire.BundleView{
					{File: "a.zip", At: s.Now.Add(-time.Hour), Runs: 1, Events: 40, Bytes: 9000},
					{File: "b.zip", At: s.Now, Imported: true, Problem: "the bundle is damaged" + steering},
				},
			}
			return s.Archive(v) + s.Archive(wire.ArchiveView{Dir: "/state/archive"})
		},
		"archive-faults": func(s Style) string { return s.Error(BundleOnTerminal()) + s.Error(ImportWhat()) },
	}
	for name, text := range texts {
		for style, s := range styles {
			got := text(s)
			golden(t, name+"."+style, got)
			if strings.Contains(got, "\x1b[2J") || strings.Contains(got, "\u202e") {
				t.Errorf("%s lets controls through: %q", name, got)
			}
		}
	}
}
