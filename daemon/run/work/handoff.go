package work

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"autopilot/daemon/repo/tree"
	"autopilot/daemon/run/workflow"
	"autopilot/events"
	"autopilot/projections/phrase"
	"autopilot/projections/run"
)

// accepted shows a set that was accepted by hand-off: its files, the size of the changes,
// and the beginning of each hunk. It waits for nobody, so it asks nothing; a reader can
// still reject the set.
//
// Source: atdd-kit, seeds 3.7: diff stat plus key hunks.
func (w *Worker) accepted(ctx context.Context, s run.State, p *Plan, g workflow.Gate, files []tree.Entry, before events.Tree, problem string) (events.Ref, error) {
	l := w.language(s)
	pages, err := pagesOf(ctx, p.Repo, files)
	if err != nil {
		return "", err
	}
	since, title := before, phrase.Say(l, "Changed since it was shown:", "前回の提示からの変更:")
	if before == "" {
		since, title = s.Facts.Tree, phrase.Say(l, "Changed since the run began:", "実行開始からの変更:")
	}
	then, err := entries(ctx, p.Repo, since, g.Of)
	if err != nil {
		return "", err
	}
	touched := paths(files)
	for _, f := range then {
		touched = append(touched, f.Path)
	}
	var diff bytes.Buffer
	if err := p.Repo.Diff(ctx, since, s.Last.Tree, slices.Compact(slices.Sorted(slices.Values(touched))), &diff); err != nil {
		return "", err
	}
	means := phrase.Say(l, "Accepted by hand-off (FA_HANDOFF=1 at the start of the run): nobody has reviewed it.\nTo send it back: apctl answer %[1]s no --gate %[2]s -m 'FILE:LINE: TEXT'",
		"引き継ぎ(FA_HANDOFF=1)により承認済みです。まだ誰も確認していません。\n差し戻すには: apctl answer %[1]s no --gate %[2]s -m 'FILE:LINE: TEXT'", s.Facts.Handle, g.Name)
	return w.put(ctx, headed(l, g, means, paths(files))+undrafted(l, problem)+p.measured(l, s.Last.Results)+"\n"+title+"\n"+stat(l, hunksOf(diff.String()))+
		called(l, pages)+keyHunks(l, hunksOf(diff.String())))
}

// stat counts the added and removed lines of each file.
func stat(l events.Language, hunks []hunk) string {
	if len(hunks) == 0 {
		return "\n  " + phrase.Say(l, "nothing", "なし") + "\n"
	}
	var files []string
	added, removed := map[string]int{}, map[string]int{}
	for _, h := range hunks {
		if !slices.Contains(files, h.file) {
			files = append(files, h.file)
		}
		for _, line := range h.lines[1:] {
			switch line[0] {
			case '+':
				added[h.file]++
			case '-':
				removed[h.file]++
			}
		}
	}
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "\n  %s  +%d -%d", f, added[f], removed[f])
	}
	return b.String() + "\n"
}

// The bounds of changes on show without a question.
const (
	mostHunks = 20
	hunkLines = 12 // of one hunk
)

// keyHunks shows the beginnings of hunks, each below its place.
func keyHunks(l events.Language, hunks []hunk) string {
	if len(hunks) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("\n" + phrase.Say(l, "Key hunks:", "主な変更箇所:") + "\n")
	for i, h := range hunks {
		if i == mostHunks {
			b.WriteString("\n" + phrase.Say(l, "  and %d more hunks", "  ほか %d か所", len(hunks)-i) + "\n")
			break
		}
		left := len(h.lines) - 1 - hunkLines
		if left > 0 {
			h.lines = h.lines[:hunkLines+1]
		}
		b.WriteString("\n" + h.marked(spot{}))
		if left > 0 {
			b.WriteString(phrase.Say(l, "  and %d more lines", "  ほか %d 行", left) + "\n")
		}
	}
	return b.String()
}

// RejectionPhase is the phase that works on a person's findings in a set accepted before.
// It is the phase that the gate sends the run to, or the phase with the gate at its
// entry. It is empty for phases behind the present one.
func (w *Worker) RejectionPhase(ctx context.Context, s run.State, gate events.Name) (events.Name, error) {
	p, err := w.plan(ctx, s)
	if err != nil {
		return "", err
	}
	is := func(g workflow.Gate) bool { return g.Name == string(gate) }
	place := func(name string) int {
		return slices.IndexFunc(p.Flow.Phases, func(ph workflow.Phase) bool { return ph.Name == name })
	}
	for _, ph := range p.Flow.Phases {
		to := ph.Name
		switch {
		case slices.ContainsFunc(ph.Entry, is):
		case !slices.ContainsFunc(ph.Gates, is):
			continue
		case ph.Unclean != "":
			to = ph.Unclean
		}
		if now := string(s.Loop.Phase); place(to) > place(now) {
			to = now
		}
		return events.Name(to), nil
	}
	return "", fmt.Errorf("find gate %s in the workflow", gate)
}
