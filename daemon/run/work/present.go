package work

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"autopilot/daemon/repo/commit"
	"autopilot/daemon/repo/tree"
	"autopilot/daemon/report/draft"
	"autopilot/daemon/report/notify/comment"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// presented fills in the text of a set for a person: the question, the effect of each
// answer, and all files. For a set that was shown whole before, it has the changes since.
//
// Source: atdd-kit, seeds 3.7.
func (w *Worker) presented(ctx context.Context, s run.State, p *Plan, g workflow.Gate, files []tree.Entry, before events.Tree, problem string, d *events.QuestionAsked) error {
	l := w.language(s) // the text is stored, and stays in this language
	pages, err := pagesOf(ctx, p.Repo, files)
	if err != nil {
		return err
	}
	if odd := opaque(pages); len(odd) > 0 {
		if d.Opaque, err = w.encode(ctx, odd); err != nil {
			return err
		}
	}
	text := asking(l, p.Flow, string(s.Loop.Phase), g, paths(files)) + undrafted(l, problem) + p.measured(l, s.Last.Results)
	switch before {
	case "":
		text += called(l, pages) + shownWhole(l, pages)
	default:
		since, err := w.since(ctx, s, p, g, pages, before)
		if err != nil {
			return err
		}
		if text += since; !s.ShownWhole(events.Name(g.Name)) {
			text += "\n" + phrase.Say(l, "All files, because nobody was shown all of them before:", "以前に全体が提示されていないため、現在の全体:") + "\n" + shownWhole(l, pages)
		}
	}
	d.Text, err = w.put(ctx, strings.ToValidUTF8(text, "\uFFFD"))
	return err
}

// since shows the changes of a set since an earlier tree, first at the places of the
// person's findings.
func (w *Worker) since(ctx context.Context, s run.State, p *Plan, g workflow.Gate, now []page, before events.Tree) (string, error) {
	l := w.language(s)
	then, err := entries(ctx, p.Repo, before, g.Of)
	if err != nil {
		return "", err
	}
	pages, err := pagesOf(ctx, p.Repo, then)
	if err != nil {
		return "", err
	}
	found, err := w.found(s, events.Name(g.Name))
	if err != nil {
		return "", err
	}
	var diff bytes.Buffer
	if of := readable(pages, now); len(of) > 0 { // without a path, the diff would be of everything
		err = p.Repo.Diff(ctx, before, s.Last.Tree, of, &diff)
	}
	if err != nil {
		return "", err
	}
	return became(l, found, pages, diff.String()) +
		"\n" + phrase.Say(l, "Changed since it was shown:", "前回の提示からの変更:") + "\n\n" + diff.String() + shownOpaque(l, pages, now), nil
}

// language is the language of questions.
func (w *Worker) language(s run.State) events.Language {
	if w.cfg.Language == nil {
		return s.Facts.Language
	}
	return w.cfg.Language(s)
}

// drafted shows a set as a draft pull request, if the user's settings want that: written
// first, then shown, then asked about.
//
// Source: atdd-kit, seeds 6.2 A34.
func (w *Worker) drafted(ctx context.Context, s run.State, p *Plan, g workflow.Gate, files []tree.Entry, handed bool) (draft.Shown, error) {
	if w.cfg.Draft == nil || p.Spec.Issue == "" {
		return draft.Shown{}, nil
	}
	pages, err := pagesOf(ctx, p.Repo, files)
	if err != nil {
		return draft.Shown{}, err
	}
	hide, err := w.hiddenOf(s.ID)
	if err != nil {
		return draft.Shown{}, err
	}
	for _, pg := range pages {
		if hide.Text(pg.text) != pg.text {
			return draft.Shown{Problem: pg.path + " has a secret in it, and is not pushed"}, nil
		}
	}
	l := w.language(s)
	title, _, _ := strings.Cut(strings.TrimSpace(p.Task), "\n")
	return w.cfg.Draft(ctx, draft.Set{
		Run: s.ID, Gate: g.Name, Number: s.Questions + 1, Issue: p.Spec.Issue,
		Title: hide.Text(title), Body: hide.Text(comment.Draft(l, s.Facts.Handle, p.Spec.Issue, p.measured(l, s.Last.Results)+called(l, pages), paths(files), handed)),
		Work: commit.Work{Branch: p.Spec.Branch, Start: s.Facts.Head, Repo: p.Repo, Tree: s.Last.Tree, Of: g.Of, Files: files},
	})
}

// undrafted says why a set has no draft; empty without a problem.
func undrafted(l events.Language, problem string) string {
	if problem == "" {
		return ""
	}
	return "\n" + phrase.Say(l, "No draft pull request shows it: %s", "ドラフト PR では提示できませんでした: %s", problem) + "\n"
}

// asking is the question, the effect of each answer, and the files of the set.
func asking(l events.Language, flow workflow.Workflow, phase string, g workflow.Gate, paths []string) string {
	means := g.Means.In(l)
	if means == "" {
		means = follows(l, flow, phase, g)
	}
	return headed(l, g, means, paths)
}

// headed is the question of a gate, its explanation, and the files of the set.
func headed(l events.Language, g workflow.Gate, means string, paths []string) string {
	question := g.Question.In(l)
	if question == "" {
		question = phrase.Say(l, "approve %s?", "%s を承認しますか。", strings.Join(g.Of, ", "))
	}
	text := phrase.Say(l, "Gate %s: %s", "ゲート %s: %s", g.Name, strings.TrimSpace(question)) + "\n" + strings.TrimSpace(means) + "\n"
	for i, path := range paths {
		if i == 0 {
			text += "\n"
		}
		text += "  " + pathText(path) + "\n"
	}
	return text
}

// follows explains the effect of each answer, where the workflow does not.
func follows(l events.Language, flow workflow.Workflow, phase string, g workflow.Gate) string {
	i := slices.IndexFunc(flow.Phases, func(ph workflow.Phase) bool { return ph.Name == phase })
	if i < 0 {
		return ""
	}
	ph := flow.Phases[i]
	if slices.ContainsFunc(ph.Entry, func(e workflow.Gate) bool { return e.Name == g.Name }) {
		return phrase.Say(l, "ok approves the files and starts phase %s. no rejects them and halts the run.",
			"ok: 全体を承認し、フェーズ %s を始めます。no: 全体を却下し、実行は停止します。", ph.Name)
	}
	back := ph.Name
	if ph.Unclean != "" {
		back = ph.Unclean
	}
	next := ph.Next
	if next == "" && i+1 < len(flow.Phases) {
		next = flow.Phases[i+1].Name
	}
	if next == "" {
		return phrase.Say(l, "ok approves the files of this last phase. no sends them back to phase %s.",
			"ok: 全体を承認します。この後のフェーズはありません。no: 全体をフェーズ %s に差し戻します。", back)
	}
	return phrase.Say(l, "ok approves the files and starts phase %s. no sends them back to phase %s.",
		"ok: 全体を承認し、フェーズ %s に進みます。no: 全体をフェーズ %s に差し戻します。", next, back)
}
