package rule

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"autopilot/events"
)

// ChangeKind says what happened to a path.
type ChangeKind string

// The kinds of changes. Replaced is another type or mode at the same path: a
// file that became a link, a script that lost its execute bit.
const (
	Added    ChangeKind = "added"
	Changed  ChangeKind = "changed"
	Removed  ChangeKind = "removed"
	Renamed  ChangeKind = "renamed"
	Replaced ChangeKind = "replaced"
)

// Change is one difference between two trees. Paths are relative to the
// workspace, with slashes.
type Change struct {
	Path string
	Kind ChangeKind
	From string // old path of a rename

	// Old and New are the contents of a changed file for which Pins.Partial
	// holds, New that of an added one for which Pins.Looked does. Without them
	// such a change counts as one of the pinned part.
	Old, New []byte
}

// Pins says which paths a run must leave as they were.
//
// A glob without a slash matches a name in any folder, one with a slash the
// whole path; ** matches any number of folders; what matches a folder pins all
// in it.
type Pins struct {
	Globs         []string `json:"globs"`               // DefaultPins, unless the workflow says otherwise
	Paths         []string `json:"paths,omitzero"`      // exact: what gate commands name
	Absent        []string `json:"absent,omitzero"`     // exact: what a program would read instead of one of Paths
	Manifests     []string `json:"manifests,omitzero"`  // globs of files that are pinned in part
	Protect       []string `json:"protect,omitzero"`    // globs of the user
	Allow         []string `json:"allow,omitzero"`      // globs taken out again, from all of the above
	DenyAdditions bool     `json:"deny_added,omitzero"` // a new path that matches violates too

	Parts map[string]Part `json:"parts,omitzero"` // what gates reach of makefiles and their like, by file
	Why   map[string]Why  `json:"why,omitzero"`   // of Paths and Parts
}

// projectDir holds the project's configuration. It is frozen with the run, so
// editing it changes nothing; a script there that a gate runs is another thing.
const projectDir = ".autopilot/"

// CheckGlobs refuses globs that can match nothing because they are malformed.
func CheckGlobs(globs []string) error {
	for _, g := range globs {
		if strings.TrimSpace(g) == "" {
			return fmt.Errorf("glob %q: is empty", g)
		}
		if !doublestar.ValidatePattern(clean(g)) {
			return fmt.Errorf("glob %q: is malformed", g)
		}
	}
	return nil
}

// Violations are the pinned paths that the changes touch, sorted, each once. A
// pinned path that is changed, removed, renamed away or replaced violates; an
// added one does so only under DenyAdditions or if it is one of Absent. Allow
// wins over every pin.
func Violations(changes []Change, pins Pins) []string {
	var out []string
	for _, c := range changes {
		switch c.Kind {
		case Added:
			steers := pins.Looked(c.Path) && (c.New == nil || pins.partChanged(Change{Path: c.Path, Kind: Changed, Old: []byte{}, New: c.New}))
			if pins.denied(c.Path) || steers {
				out = append(out, c.Path)
			}
		case Renamed:
			if pins.pinned(c.From) || pins.Partial(c.From) {
				out = append(out, c.From)
			}
			if pins.denied(c.Path) {
				out = append(out, c.Path)
			}
		case Changed:
			if pins.pinned(c.Path) || pins.Partial(c.Path) && pins.partChanged(c) {
				out = append(out, c.Path)
			}
		case Removed, Replaced:
			if pins.pinned(c.Path) || pins.Partial(c.Path) {
				out = append(out, c.Path)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Because says why a file of the start is pinned.
func (p Pins) Because(name string) Why {
	if w, ok := p.Why[name]; ok {
		return w
	}
	for _, of := range []struct {
		globs []string
		kind  WhyKind
	}{{p.Protect, WhyProtect}, {p.Globs, WhyName}, {p.Manifests, WhyConfig}} {
		for _, g := range of.globs {
			if match(clean(g), name) {
				return Why{of.kind, g}
			}
		}
	}
	return Why{Kind: WhyGate}
}

// ProofBroken reports whether what proves the work is not as it was at the
// start: a pinned path, a tool that a gate needs, new files that it leans on, packages
// that it loads, or history that the run keeps.
func ProofBroken(results []events.GateResult) bool {
	return slices.ContainsFunc(results, Broken)
}

// Broken reports that of one result.
func Broken(r events.GateResult) bool {
	return r.Verdict == events.Fail && (r.Kind == events.GateProtected || r.Reason == events.ReasonToolChanged ||
		r.Reason == events.ReasonLeans || r.Reason == events.ReasonOutsideChanged ||
		r.Reason == events.ReasonHistory)
}

// Pinned reports whether a path that exists at the start is pinned, whole or in
// part.
func (p Pins) Pinned(name string) bool { return p.pinned(name) || p.Partial(name) }

// Partial reports whether only a part of the file is pinned, so that a Change
// of it needs both contents.
func (p Pins) Partial(name string) bool {
	_, reached := p.Parts[name]
	return !p.pinned(name) && !matchAny(p.Allow, name) &&
		(reached || !strings.HasPrefix(name, projectDir) && matchAny(p.Manifests, name))
}

// Looked reports whether a file that is new is looked at, so that a Change that
// adds it needs its content: it configures what runs the tests.
func (p Pins) Looked(name string) bool {
	return steersAnew(name) && p.Partial(name)
}

// denied reports whether a path must not come into being.
func (p Pins) denied(name string) bool {
	absent := slices.ContainsFunc(p.Absent, func(a string) bool { return name == a || strings.HasPrefix(name, a+"/") })
	return p.DenyAdditions && p.pinned(name) || absent && !p.Allowed(name)
}

// Allowed reports whether the user lets a path change, whatever pins it.
func (p Pins) Allowed(name string) bool { return matchAny(p.Allow, name) }

func (p Pins) pinned(name string) bool {
	if p.Allowed(name) {
		return false
	}
	if slices.Contains(p.Paths, name) {
		return true
	}
	return !strings.HasPrefix(name, projectDir) && (matchAny(p.Globs, name) && !matchAny(derived, name) || matchAny(p.Protect, name))
}

// derived are globs of what running a test writes beside it. It changes with the
// time of the test's file, so a gate itself would break a pin of it.
var derived = []string{"**/__pycache__/**", "*.pyc"}

func matchAny(globs []string, name string) bool {
	for _, g := range globs {
		if match(clean(g), name) {
			return true
		}
	}
	return false
}

// GlobMatch reports whether a glob matches a path or a folder that it is in, by
// the rules of Pins.
func GlobMatch(glob, name string) bool { return match(clean(glob), name) }

// clean leaves the form that match reads; a leading slash, which anchors a
// name without folders, stays.
func clean(glob string) string {
	glob = strings.TrimPrefix(glob, "./")
	return strings.TrimSuffix(glob, "/")
}

// match reports whether the glob matches the path or a folder that it is in.
func match(glob, name string) bool {
	byName := !strings.Contains(glob, "/")
	glob = strings.TrimPrefix(glob, "/")
	for ; name != "." && name != ""; name = path.Dir(name) {
		subject := name
		if byName {
			subject = path.Base(name)
		}
		if ok, err := doublestar.Match(glob, subject); err == nil && ok {
			return true
		}
	}
	return false
}
