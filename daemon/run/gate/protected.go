package gate

import (
	"strings"

	"autopilot/events"
	"autopilot/projections/rule"
)

// ProtectedName is the gate that every run has.
const ProtectedName events.Name = "protected"

// Protected is the verdict on the pinned paths: changes are those since the
// tree at the start of the run. diff shows the paths as they differ, for the
// finding; it is asked only for the first violations and may be nil. The files are the
// violations, sorted.
func Protected(changes []rule.Change, pins rule.Pins, diff func(paths []string) string) (events.GateResult, Texts) {
	r := events.GateResult{
		Gate: ProtectedName, Kind: events.GateProtected, Role: events.RoleInvariant,
		Verdict: events.Pass, Reason: events.ReasonUnchanged, Exit: -1,
	}
	paths := rule.Violations(changes, pins)
	if len(paths) == 0 {
		return r, Texts{}
	}
	r.Verdict, r.Reason = events.Fail, events.ReasonPinChanged
	var files strings.Builder
	for _, p := range paths {
		files.WriteString(oneLine(p) + "\n")
	}
	// What the files are, not what is in them: a second way to break the same
	// test is the same failure.
	r.OutputSum = hash([]byte(files.String()))
	return r, Texts{Files: files.String(), Excerpt: pinFinding(paths, diff)}
}

// namedPaths bounds the list in the finding; all are in the files.
const namedPaths = 40

func pinFinding(paths []string, diff func([]string) string) string {
	var b strings.Builder
	b.WriteString("These files prove the work and must stay as they were at the start of the run. Put them back:\n")
	b.WriteString(NamedList(paths))
	if diff != nil {
		// Not of all: a whole folder of tests may be gone, and a command line has
		// its bounds.
		if text := diff(paths[:min(len(paths), namedPaths)]); text != "" {
			b.WriteString("\nWhat changed in them:\n" + text)
		}
	}
	return Excerpt([]byte(b.String()), ExcerptBytes, 0, "")
}
