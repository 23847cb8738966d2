package gate

import (
	"fmt"
	"slices"
	"strings"

	"autopilot/events"
	"autopilot/projections/rule"
)

// Artifact is a gate that passes when each of its globs matches a file, and
// every file that they match holds more than white space and was written since
// the phase began (omx, planning artifacts: `facts/seeds.md`, section 4).
type Artifact struct {
	Name  events.Name
	Role  events.GateRole
	Globs []string
}

// ArtifactFile is a file that a glob matches.
type ArtifactFile struct {
	Path  string
	Bytes int64
	Sum   string // SHA-256 of its content
	Blank bool   // it holds white space only
	Stale bool   // it was not written since the phase began
}

// NoArtifact is a path that a glob matches and that is no file to be judged.
type NoArtifact struct {
	Path string
	Why  string // "a link", "a directory" ...
}

// Judge is the verdict on the files. The first reason of missing, blank and
// stale is the one that is named; the finding has all of them. A pass lists
// each file with its sum.
func (a Artifact) Judge(files []ArtifactFile, others []NoArtifact) (events.GateResult, Texts) {
	r := events.GateResult{
		Gate: a.Name, Kind: events.GateArtifact, Role: a.Role, Verdict: events.Fail, Reason: events.ReasonMissing, Exit: -1,
	}
	missing := slices.DeleteFunc(slices.Clone(a.Globs), func(glob string) bool {
		return slices.ContainsFunc(files, func(f ArtifactFile) bool { return rule.GlobMatch(glob, f.Path) })
	})
	blank := pathsOf(files, func(f ArtifactFile) bool { return f.Blank })
	stale := pathsOf(files, func(f ArtifactFile) bool { return !f.Blank && f.Stale })
	var named []string
	switch {
	case len(missing) > 0:
		named = missing
	case len(blank) > 0:
		r.Reason, named = events.ReasonBlank, blank
	case len(stale) > 0:
		r.Reason, named = events.ReasonStale, stale
	default:
		r.Verdict, r.Reason = events.Pass, events.ReasonWritten
		named = pathsOf(files, func(ArtifactFile) bool { return true })
	}
	text := artifactProof(files)
	if r.Verdict != events.Pass {
		text = artifactFinding(missing, blank, stale, others)
	}
	r.OutputSum = rule.OutputSum([]byte(text))
	return r, Texts{Files: linesOf(named), Excerpt: Excerpt([]byte(text), ExcerptBytes, 0, "")}
}

func pathsOf(files []ArtifactFile, is func(ArtifactFile) bool) []string {
	var paths []string
	for _, f := range files {
		if is(f) {
			paths = append(paths, f.Path)
		}
	}
	slices.Sort(paths)
	return paths
}

func linesOf(paths []string) string {
	var b strings.Builder
	for _, p := range paths {
		b.WriteString(oneLine(p) + "\n")
	}
	return b.String()
}

func artifactProof(files []ArtifactFile) string {
	var b strings.Builder
	b.WriteString("Written since the phase began:\n")
	for _, f := range files {
		fmt.Fprintf(&b, "  %s  %d bytes  %s\n", f.Sum, f.Bytes, oneLine(f.Path))
	}
	return b.String()
}

func artifactFinding(missing, blank, stale []string, others []NoArtifact) string {
	var b strings.Builder
	b.WriteString("These files have to be written:\n")
	section := func(paths []string, what string) {
		for i, p := range paths {
			if i == namedPaths {
				fmt.Fprintf(&b, "  and %d more: %s\n", len(paths)-namedPaths, what)
				return
			}
			fmt.Fprintf(&b, "  %s: %s\n", oneLine(p), what)
		}
	}
	section(missing, "there is no such file")
	section(blank, "holds white space only")
	section(stale, "was not written since the work began")
	for i, o := range others {
		if i == namedPaths {
			fmt.Fprintf(&b, "  and %d more that are no files\n", len(others)-namedPaths)
			break
		}
		fmt.Fprintf(&b, "  %s does not count, because it is %s\n", oneLine(o.Path), o.Why)
	}
	return b.String()
}
