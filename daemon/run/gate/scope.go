package gate

import (
	"fmt"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Scope is the verdict on the paths that were changed since a phase began: each
// has to match a glob. None may be changed where there is no glob.
func Scope(name events.Name, globs, changed []string) (events.GateResult, Texts) {
	r := events.GateResult{
		Gate: name, Kind: events.GateScope, Role: events.RoleCheck, Verdict: events.Pass, Reason: events.ReasonInside, Exit: -1,
	}
	var outside []string
	for _, p := range changed {
		if !slices.ContainsFunc(globs, func(glob string) bool { return rule.GlobMatch(glob, p) }) {
			outside = append(outside, p)
		}
	}
	if len(outside) == 0 {
		return r, Texts{}
	}
	r.Verdict, r.Reason = events.Fail, events.ReasonOutside
	may := "Nothing may be changed in this phase."
	if len(globs) > 0 {
		may = "Only these may be changed in this phase: " + strings.Join(globs, ", ")
	}
	text := may + " Put these back as they were:\n" + NamedList(outside)
	r.OutputSum = rule.OutputSum([]byte(text))
	return r, Texts{Files: linesOf(outside), Excerpt: Excerpt([]byte(text), ExcerptBytes, 0, "")}
}

// NoFiles fails a gate about files of which some are none: what is read there can
// be changed without a trace.
func NoFiles(r events.GateResult, paths []string) (events.GateResult, Texts) {
	r.Verdict, r.Reason, r.Set = events.Fail, events.ReasonNoFile, ""
	text := "These are links, repositories or files over 50 MiB, which the gate cannot judge. Replace them by plain files:\n" + NamedList(paths)
	r.OutputSum = rule.OutputSum([]byte(text))
	return r, Texts{Files: linesOf(paths), Excerpt: Excerpt([]byte(text), ExcerptBytes, 0, "")}
}

// NamedList is the first paths, one a line.
func NamedList(paths []string) string {
	var b strings.Builder
	for i, p := range paths {
		if i == namedPaths {
			fmt.Fprintf(&b, "  and %d more\n", len(paths)-namedPaths)
			break
		}
		fmt.Fprintf(&b, "  %s\n", oneLine(p))
	}
	return b.String()
}
