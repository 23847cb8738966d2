package work

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"autopilot/daemon/repo/commit"
	"autopilot/daemon/repo/tree"
	"autopilot/events"
	"autopilot/projections/rule"
	"autopilot/projections/run"
)

// Final is the work of a run as last judged: every changed file since its start. The run
// may be over.
func (w *Worker) Final(ctx context.Context, s run.State) (commit.Work, error) {
	p := &Plan{}
	var err error
	if p.Repo, err = w.Repo(ctx, s); err != nil {
		return commit.Work{}, err
	}
	if p.Spec, err = w.Spec(s); err != nil {
		return commit.Work{}, err
	}
	if p.Flow, err = w.Flow(ctx, s); err != nil {
		return commit.Work{}, err
	}
	if p.Task, err = w.text(s.Facts.Task); err != nil {
		return commit.Work{}, err
	}
	return w.final(ctx, s, p)
}

func (w *Worker) final(ctx context.Context, s run.State, p *Plan) (commit.Work, error) {
	hide, err := w.hiddenOf(s.ID)
	if err != nil {
		return commit.Work{}, err
	}
	out := commit.Work{
		Branch: p.Spec.Branch, Start: s.Facts.Head, Final: true, Hide: hide.Text, Judged: s.Last.Head.Commit, Repo: p.Repo, Tree: s.Last.Tree,
		Mark: "Run " + s.ID + " of autopilot has passed with it.",
	}
	changes, err := p.Repo.Changes(ctx, s.Facts.Tree, s.Last.Tree)
	if err != nil {
		return out, err
	}
	all, err := p.Repo.Entries(ctx, s.Last.Tree)
	if err != nil {
		return out, err
	}
	out.Of, out.Files = changed(changes, all, p.Flow.Notes)
	others, err := w.others(s)
	out.Message = cmp.Or(begin(hide.Text(firstLine(p.Task)), subjectRunes), "Work of run "+s.Facts.Handle) + "\n\n" + out.Mark + "\n" + byOthers(out.Of, others)
	return out, err
}

// byOthers names the final files that others changed too, as a person let them be.
func byOthers(files []string, others map[string]bool) string {
	var b strings.Builder
	for _, path := range files {
		if !others[path] {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\nOther sessions changed these files too:\n")
		}
		b.WriteString("  " + strconv.Quote(path) + "\n")
	}
	return b.String()
}

// Differs lists the files, without notes, that a tree has otherwise than the run left them.
func (w *Worker) Differs(ctx context.Context, s run.State, now events.Tree) ([]string, error) {
	repo, err := w.Repo(ctx, s)
	if err != nil {
		return nil, err
	}
	flow, err := w.Flow(ctx, s)
	if err != nil {
		return nil, err
	}
	changes, err := repo.Changes(ctx, s.Last.Tree, now)
	if err != nil {
		return nil, err
	}
	paths, _ := changed(changes, nil, flow.Notes)
	return paths, nil
}

// subjectRunes bounds the first line of a commit's message.
const subjectRunes = 72

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(line)
}

func begin(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return strings.TrimSpace(string(r[:most-1])) + "…"
	}
	return text
}

// changed lists the paths that a run changed, without notes, and the files that still
// exist. The content of Outside entries is not recorded, so they keep the state of their
// branch: without a file, git would count them as removed.
func changed(changes []tree.Change, all []tree.Entry, notes []string) (paths []string, files []tree.Entry) {
	there := map[string]tree.Entry{}
	for _, e := range all {
		there[e.Path] = e
	}
	for _, c := range changes {
		e, is := there[c.Path]
		note := func(glob string) bool { return rule.GlobMatch(glob, c.Path) }
		if strings.HasPrefix(c.Path, ".autopilot/") || slices.ContainsFunc(notes, note) || is && e.Kind == tree.Outside {
			continue
		}
		if paths = append(paths, c.Path); is {
			files = append(files, e)
		}
	}
	return paths, files
}
