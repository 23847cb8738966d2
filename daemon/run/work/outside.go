package work

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/gate"
	"autopilot/daemon/run/installed"
	"autopilot/events"
	"autopilot/projections/regex"
)

// After the gates of the baseline, the daemon lists what gates load from outside of the
// recorded tree. It compares when all gates of an iteration pass, see package installed.
// The list belongs to the work tree:
//
//	<state>/outside/<work tree>
//
// Three differences are reported and do not fail: packages with another version, where
// the work changed a file that says which packages it wants; packages in a run whose
// gates pass in a clean checkout that its set-up filled; Go modules that already differed
// from go.sum at the start. Every other difference fails the iteration.

const (
	outsideName = "outside"
	outsideKept = 30 * 24 * time.Hour // of a list that no run renewed
)

func (w *Worker) outsideFile(p *Plan) string {
	return filepath.Join(w.cfg.State, outsideName, p.Repo.Workspace().ID)
}

// sealOutside makes the list before any agent has worked.
func (g *judgement) sealOutside(ctx context.Context) error {
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

// loads finds from the files of the start what gates load.
func (g *judgement) loads(ctx context.Context, files []string) (of gate.Loads, err error) {
	if of.Go, err = g.p.usesGo(ctx, g.s.Facts.Tree); err != nil {
		return of, err
	}
	of.Dirs = []string{"."}
	seen := map[string]bool{".": true}
	for _, f := range files {
		for dir := path.Dir(f); !seen[dir]; dir = path.Dir(dir) {
			seen[dir], of.Dirs = true, append(of.Dirs, dir)
		}
		base, ext := path.Base(f), path.Ext(f)
		of.Node = of.Node || base == "package.json"
		of.Python = of.Python || ext == ".py"
		of.Ruby = of.Ruby || ext == ".rb" || base == "Gemfile"
		of.Rust = of.Rust || base == "Cargo.toml"
	}
	of.GoSums = g.goSums(ctx, g.s.Facts.Tree, files)
	return of, nil
}

// goSums reads the go.sum files of a tree. An unreadable one, such as a link, names no
// modules.
func (g *judgement) goSums(ctx context.Context, t events.Tree, files []string) (texts [][]byte) {
	for _, f := range files {
		if base := path.Base(f); base != "go.sum" && base != "go.work.sum" {
			continue
		}
		if text, mode, err := g.p.Repo.File(ctx, t, f); err == nil && mode.IsRegular() {
			texts = append(texts, text)
		}
	}
	return texts
}

// recorded says that a path is a recorded file; those have their own comparison.
func (g *judgement) recorded(files []string) func(string) bool {
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

// outsideSame compares the present state, and adds the result if there is any difference.
func (g *judgement) outsideSame(ctx context.Context, results []events.GateResult, on tree.Snapshot) ([]events.GateResult, error) {
	if !g.worthControls(results) {
		return results, nil
	}
	files, err := g.p.Repo.Files(ctx, on.Tree)
	if err != nil {
		return nil, err
	}
	list := installed.Load(g.w.outsideFile(g.p))
	changes, err := list.Compare(ctx, g.recorded(files))
	if err != nil {
		return nil, err
	}
	wanted, err := g.packagesWanted(ctx, on.Tree)
	if err != nil {
		return nil, err
	}
	f := outsideFound{large: list.Large}
	for _, c := range changes {
		to := &f.bad
		if c.Renewed && wanted || g.confirmedClean(c.Path) {
			to = &f.renewed
		}
		*to = append(*to, g.shownOutside(c.Path))
	}
	if err := g.otherSums(ctx, list, on.Tree, files, &f); err != nil {
		return nil, err
	}
	if f.empty() {
		return results, nil
	}
	r, shown, text := f.result()
	r, err = g.settle(ctx, r, shown, text)
	return append(results, r), err
}

// otherSums finds the Go modules that differ from go.sum, whoever changed them and when.
// New ones fail; unchanged ones from the start are reported. The go.sum of the start
// counts first.
func (g *judgement) otherSums(ctx context.Context, list installed.List, now events.Tree, files []string, f *outsideFound) error {
	start, err := g.p.Repo.Files(ctx, g.s.Facts.Tree)
	if err != nil {
		return err
	}
	modules := g.p.Gates.Modules(slices.Concat(g.goSums(ctx, g.s.Facts.Tree, start), g.goSums(ctx, now, files)))
	roots, names := []installed.Root{}, map[string]string{}
	for dir, m := range modules {
		roots, names[dir] = append(roots, installed.Root{Dir: dir, Kind: installed.Module}), m.Name
	}
	is, err := installed.Take(ctx, roots, list, func(string) bool { return false })
	if err != nil {
		return fmt.Errorf("sum the modules of Go: %w", err)
	}
	was := list.GoSums(names)
	for dir, sum := range is.GoSums(names) {
		switch {
		case sum == modules[dir].Sum, slices.ContainsFunc(f.bad, func(file string) bool { return strings.HasPrefix(file, dir+"/") }):
		case sum == was[dir]:
			f.otherSum = append(f.otherSum, g.shownOutside(dir))
		default:
			f.bad = append(f.bad, g.shownOutside(dir))
		}
	}
	slices.Sort(f.otherSum)
	slices.Sort(f.bad)
	return nil
}

// outsideFound holds the differences in files outside of the recorded tree.
type outsideFound struct {
	bad      []string
	renewed  []string // packages that the work wants, or that a fresh set-up installs
	otherSum []string // modules that differed from go.sum at the start, and are unchanged
	large    []string // folders too large to compare
}

func (f outsideFound) empty() bool {
	return len(f.bad)+len(f.renewed)+len(f.otherSum)+len(f.large) == 0
}

// result is the verdict, with its files and its text.
func (f outsideFound) result() (r events.GateResult, shown []string, text string) {
	if len(f.bad) > 0 {
		return controlResult(gate.Outside, events.Fail, events.ReasonOutsideChanged), f.bad,
			"The gates load these files from outside of the recorded tree. They differ from the start of the run, or from go.sum:\n" +
				gate.NamedList(f.bad) + "Reinstall the packages in their earlier state.\n"
	}
	r = controlResult(gate.Outside, events.Pass, events.ReasonUnsure)
	if len(f.renewed) > 0 {
		r.Reason = events.ReasonRenewed
	}
	for _, part := range []struct {
		files []string
		head  string
	}{
		{f.renewed, "These files of installed packages differ from the start. The task wanted another version, or a fresh set-up passes:\n"},
		{f.otherSum, "These modules already differed from go.sum at the start:\n"},
		{f.large, "These folders have too many files for a comparison:\n"},
	} {
		if len(part.files) > 0 {
			shown, text = append(shown, part.files...), text+part.head+gate.NamedList(part.files)
		}
	}
	return r, shown, text
}

func (g *judgement) shownOutside(file string) string {
	rel, _ := strings.CutPrefix(file, g.p.Repo.Workspace().Path+"/")
	return strings.NewReplacer("\n", "?", "\r", "?").Replace(rel)
}

// confirmedClean says that the gates have passed without a file: in a clean checkout with
// packages from the set-up there.
func (g *judgement) confirmedClean(file string) bool {
	return g.p.Spec.Checkout == events.CheckoutClean && g.p.Spec.Setup != "" && strings.HasPrefix(file, g.p.Repo.Workspace().Path+"/")
}

// wantFiles are the files that say which packages to install.
var wantFiles = regex.New(`^(package\.json|package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|` +
	`.*requirements.*\.(txt|in)|constraints.*\.txt|pyproject\.toml|setup\.(py|cfg)|(poetry|uv|pdm|Pipfile|Gemfile|Cargo|composer)\.lock|Pipfile|Gemfile|` +
	`.*\.gemspec|Cargo\.toml|composer\.json|go\.(mod|sum|work)|environment\.ya?ml)$`)

// packagesWanted says that the work changed one of the wantFiles.
func (g *judgement) packagesWanted(ctx context.Context, now events.Tree) (bool, error) {
	changes, err := g.reads.changes(ctx, g.s.Facts.Tree, now)
	return slices.ContainsFunc(changes, func(c tree.Change) bool { return wantFiles.MatchString(path.Base(c.Path)) }), err
}
