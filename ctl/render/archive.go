package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// Archive shows where history is, and what it takes.
func (s Style) Archive(v wire.ArchiveView) string {
	rows := [][]string{
		{"log", fmt.Sprintf("generation %d", v.Generation), count(int(v.Events), "event"), Size(v.StoreBytes) + " of " + Size(v.StoreQuota)},
		{"runs in it", count(v.Over, "run") + " over", fmt.Sprintf("%d not over", v.Carried)},
		{"texts", count(v.Texts.Files, "file"), Size(v.Texts.Bytes)},
		{"outputs", count(v.Outputs.Files, "file"), Size(v.Outputs.Bytes)},
		{"recorded trees", count(v.Trees.Files, "file"), Size(v.Trees.Bytes)},
	}
	if !v.Pruned.IsZero() {
		rows = append(rows, []string{"pruned", "runs that were over before " + s.Clock(v.Pruned)})
	}
	var b strings.Builder
	b.WriteString(table(rows))
	fmt.Fprintf(&b, "bundles in %s\n", Line(v.Dir))
	if len(v.Bundles) == 0 {
		b.WriteString("  none\n")
	}
	rows = nil
	for _, f := range v.Bundles {
		rows = append(rows, []string{Line(f.File), s.Clock(f.At), bundleOrigin(f), count(f.Runs, "run"), count(f.Events, "event"), Size(f.Bytes)})
	}
	b.WriteString(table(rows))
	for _, f := range v.Bundles {
		if f.Problem != "" {
			b.WriteString(Note(f.File + " cannot be read: " + f.Problem))
		}
	}
	if v.Over > 0 {
		b.WriteString("  apctl archive roll   moves what is over out of the log\n")
	}
	return b.String()
}

func bundleOrigin(f wire.BundleView) string {
	if f.Imported {
		return "imported"
	}
	return "rolled"
}
