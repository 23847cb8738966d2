package work

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
	"autopilot/projections/visible"
)

// set lists the files of a set: object id and path.
func (w *Worker) set(ctx context.Context, p *Plan, t events.Tree, globs []string) ([]tree.Entry, error) {
	return entries(ctx, p.Repo, t, globs)
}

func entries(ctx context.Context, repo *tree.Repo, t events.Tree, globs []string) ([]tree.Entry, error) {
	list, err := repo.Entries(ctx, t)
	return among(list, globs), err
}

// among selects the files that globs match, as a new list.
func among(list []tree.Entry, globs []string) (set []tree.Entry) {
	for _, e := range list {
		if slices.ContainsFunc(globs, func(glob string) bool { return rule.GlobMatch(glob, e.Path) }) {
			set = append(set, e)
		}
	}
	return set
}

// set lists the files of a set, for a gate.
func (g *judgement) set(ctx context.Context, t events.Tree, globs []string) ([]tree.Entry, error) {
	list, err := g.reads.list(ctx, t)
	return among(list, globs), err
}

// noFiles lists entries of a set that prove nothing about the content that is read. They
// are other repositories, files too large to record, and links out of the set: that
// content can change without a trace.
func (w *Worker) noFiles(ctx context.Context, p *Plan, t events.Tree, set []tree.Entry) (odd []string, err error) {
	for _, e := range set {
		switch e.Kind {
		case tree.Outside:
			odd = append(odd, e.Path)
		case tree.Link:
			target, _, err := p.Repo.File(ctx, t, e.Path)
			if err != nil {
				return nil, fmt.Errorf("read the link %q: %w", e.Path, err)
			}
			if !leadsInto(set, e.Path, string(target)) {
				odd = append(odd, e.Path)
			}
		case tree.Regular:
		}
	}
	return odd, nil
}

// leadsInto says that a link names a file of a set. A target in a longer form could lead
// elsewhere through a folder that is a link.
func leadsInto(set []tree.Entry, link, target string) bool {
	if path.IsAbs(target) || path.Clean(target) != target {
		return false
	}
	file := path.Join(path.Dir(link), target)
	return slices.ContainsFunc(set, func(e tree.Entry) bool { return e.Path == file && e.Kind == tree.Regular })
}

// SetOf is the present hash of the set of a workflow's gate.
func (w *Worker) SetOf(ctx context.Context, s run.State, gate string) (string, error) {
	flow, err := w.Flow(ctx, s)
	if err != nil {
		return "", err
	}
	repo, err := w.Repo(ctx, s)
	if err != nil {
		return "", err
	}
	for _, ph := range flow.Phases {
		for _, g := range slices.Concat(ph.Entry, ph.Gates) {
			if g.Name == gate {
				set, err := entries(ctx, repo, s.Last.Tree, g.Of)
				return hashSet(set), err
			}
		}
	}
	return "", fmt.Errorf("find gate %s in the workflow", gate)
}

// paths lists the paths of a set.
func paths(set []tree.Entry) []string {
	var out []string
	for _, e := range set {
		out = append(out, e.Path)
	}
	return out
}

// pathText quotes a path with invisible or ambiguous characters.
func pathText(path string) string {
	if strings.HasPrefix(path, `"`) || visible.Line(path) != path {
		return strconv.QuoteToASCII(path)
	}
	return path
}

func setText(set []tree.Entry) string {
	var b strings.Builder
	for _, e := range set {
		fmt.Fprintf(&b, "%s %s\n", e.ID, pathText(e.Path))
	}
	return b.String()
}

// hashSet hashes a set. A link differs from a file with the same content.
func hashSet(set []tree.Entry) string {
	text := setText(set)
	for _, e := range set {
		if e.Kind != tree.Regular {
			text += "\x00" + e.Path
		}
	}
	return sum(text)
}

// ids maps each path of a set to its object.
func ids(set []tree.Entry) map[string]string {
	out := map[string]string{}
	for _, e := range set {
		out[e.Path] = fmt.Sprint(e.ID, " ", int(e.Kind))
	}
	return out
}
