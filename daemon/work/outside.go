package work

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/gate"
	"autopilot/daemon/installed"
	"autopilot/daemon/tree"
	"autopilot/events"
)

// What gates load from beyond the recorded tree is listed when the gates of the baseline
// have run, and compared when all gates of an iteration pass, see package installed. The
// list belongs to the work tree:
//
//	<state>/outside/<work tree>
//
// Packages that say another version of themselves are told, where the work tree changed
// a file that says which packages it wants. So are those in the work tree of a run whose
// gates pass in a clean checkout that its set-up filled. All else fails the iteration.

const (
	outsideName = "outside"
	outsideKept = 30 * 24 * time.Hour // a list that no run has made anew
)

func (w *Worker) outsideFile(p *Plan) string {
	return filepath.Join(w.cfg.State, outsideName, p.Repo.Workspace().ID)
}

// sealOutside lists what is there before any agent has worked.
func (g *judging) sealOutside(ctx context.Context) error {
	if !g.untouched() || g.p.Spec.NoControls {
		return nil
	}
	files, err := g.p.Repo.Files(ctx, g.s.Facts.Tree)
	if err != nil {
		return err
	}
	of, err := g.loads(ctx, files)
	if err != nil {
		return err
	}
	file := g.w.outsideFile(g.p)
	l, err := installed.Take(ctx, g.p.Gates.OutsideRoots(of), installed.Load(file), g.recorded(files))
	if err != nil {
		return fmt.Errorf("list what gates load from outside of the tree: %w", err)
	}
	return l.Save(file)
}

// loads reads from the files of the start what gates load.
func (g *judging) loads(ctx context.Context, files []string) (of gate.Loads, err error) {
	if of.Go, err = g.p.usesGo(ctx, g.s.Facts.Tree); err != nil {
		return of, err
	}
	of.Dirs = []string{"."}
	seen := map[string]bool{".": true}
	for _, f := range files {
		for dir := path.Dir(f); !seen[dir]; dir = path.Dir(dir) {
			seen[dir], of.Dirs = true, append(of.Dirs, dir)
		}
		of.Node = of.Node || path.Base(f) == "package.json"
		of.Python = of.Python || path.Ext(f) == ".py"
		if path.Base(f) != "go.sum" {
			continue
		}
		// What cannot be read, as it is a link, names no modules.
		if text, mode, err := g.p.Repo.File(ctx, g.s.Facts.Tree, f); err == nil && mode.IsRegular() {
			of.GoSums = append(of.GoSums, text)
		}
	}
	return of, nil
}

// recorded says of a path that it is one of the recorded files, which are compared
// otherwise.
func (g *judging) recorded(files []string) func(string) bool {
	top := g.p.Repo.Workspace().Path + "/"
	return func(file string) bool {
		rel, inside := strings.CutPrefix(file, top)
		if !inside {
			return false
		}
		_, found := slices.BinarySearch(files, rel)
		return found
	}
}

// outsideSame compares what is there now, and adds the result if anything changed.
func (g *judging) outsideSame(ctx context.Context, results []events.GateResult, on tree.Snapshot) ([]events.GateResult, error) {
	if !g.worthControls(results) {
		return results, nil
	}
	files, err := g.p.Repo.Files(ctx, on.Tree)
	if err != nil {
		return nil, err
	}
	changes, err := installed.Load(g.w.outsideFile(g.p)).Compare(ctx, g.recorded(files))
	if err != nil || len(changes) == 0 {
		return results, err
	}
	wanted, err := g.packagesWanted(ctx, on.Tree)
	if err != nil {
		return nil, err
	}
	var bad, told []string
	for _, c := range changes {
		list := &bad
		if c.Renewed && wanted || g.confirmedClean(c.Path) {
			list = &told
		}
		*list = append(*list, g.shownOutside(c.Path))
	}
	r := controlResult(gate.Outside, events.Pass, events.ReasonRenewed)
	shown, text := told, "These files of installed packages are not those of the start. Another version was wanted, or a fresh set-up passes:\n"
	if len(bad) > 0 {
		r = controlResult(gate.Outside, events.Fail, events.ReasonOutsideChanged)
		shown, text = bad, "The gates load these files from outside of the recorded tree, and they are not what they were at the start:\n"
	}
	text += gate.NamedList(shown)
	if len(bad) > 0 {
		text += "Install the packages again as they were.\n"
	}
	r, err = g.settle(ctx, r, shown, text)
	return append(results, r), err
}

func (g *judging) shownOutside(file string) string {
	rel, _ := strings.CutPrefix(file, g.p.Repo.Workspace().Path+"/")
	return strings.NewReplacer("\n", "?", "\r", "?").Replace(rel)
}

// confirmedClean says that the gates have passed without a file: in a clean checkout
// with packages that the set-up installed there.
func (g *judging) confirmedClean(file string) bool {
	return g.p.Spec.Checkout == events.CheckoutClean && g.p.Spec.Setup != "" && strings.HasPrefix(file, g.p.Repo.Workspace().Path+"/")
}

// wantFiles are the files that say which packages are installed.
var wantFiles = regexp.MustCompile(`^(package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|` +
	`.*requirements.*\.(txt|in)|constraints.*\.txt|pyproject\.toml|setup\.(py|cfg)|(poetry|uv|pdm|Pipfile|Gemfile|Cargo|composer)\.lock|Pipfile|Gemfile|` +
	`.*\.gemspec|Cargo\.toml|composer\.json|go\.(mod|sum|work)|environment\.ya?ml)$`)

// packagesWanted says that the work changed one of them.
func (g *judging) packagesWanted(ctx context.Context, now events.Tree) (bool, error) {
	changes, err := g.reads.changes(ctx, g.s.Facts.Tree, now)
	return slices.ContainsFunc(changes, func(c tree.Change) bool { return wantFiles.MatchString(path.Base(c.Path)) }), err
}
