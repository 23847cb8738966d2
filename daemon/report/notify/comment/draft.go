package comment

import (
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
)

// Draft is the body of the draft pull request that shows a set: which run asks, what
// is called out of the files, and how it is answered. The files themselves are its
// diff.
//
// Source: atdd-kit, seeds 3.7: bodies travel as the diff of a draft.
// Of a set that was accepted by hand-off nobody asks, and it can still be rejected.
func Draft(l events.Language, handle, issue, points string, files []string, handed bool) string {
	var b strings.Builder
	run, answer := code(handle, lineBytes), code("apctl answer "+handle, lineBytes)
	says := phrase.Say(l, "**autopilot** run %s asks for approval of these files, as they are on this branch:", "**autopilot** の実行 %s が、このブランチにある次のファイルの承認を求めています:", run)
	ends := phrase.Say(l, "To answer, at a terminal where it runs: %s. A review or comment here answers nothing, and nothing is merged by autopilot.",
		"回答は実行環境の端末で: %s。ここでのレビューやコメントは回答になりません。autopilot はマージしません。", answer)
	if handed {
		says = phrase.Say(l, "**autopilot** run %s goes on with these files, as they are on this branch. They were accepted by hand-off: nobody has looked at them.",
			"**autopilot** の実行 %s は、このブランチにある次のファイルで先に進みます。引き継ぎ(hand-off)による承認で、まだ誰も確認していません。", run)
		ends = phrase.Say(l, "To send them back, at a terminal where it runs: %s. A review or comment here answers nothing, and nothing is merged by autopilot.",
			"差し戻すには、実行環境の端末で: %s。ここでのレビューやコメントは回答になりません。autopilot はマージしません。", answer)
	}
	b.WriteString(says + "\n\n")
	for i, f := range files {
		if i == mostFiles {
			b.WriteString("- ...\n")
			break
		}
		b.WriteString("- " + code(f, lineBytes) + "\n")
	}
	if points = strings.TrimSpace(points); points != "" {
		b.WriteString("\n" + block("text", points, mostLines, mostDraft))
	}
	if i, err := wire.ParseIssue(issue); err == nil {
		b.WriteString(phrase.Say(l, "\nIssue: %s", "\nイシュー: %s", i) + "\n")
	}
	b.WriteString("\n" + ends + "\n")
	return b.String()
}

// mostDraft is how much of what is called out a draft has, in bytes.
const mostDraft = 3 << 10

// Final is the body of a draft pull request whose run has passed: by which gates, at
// which of them nobody has looked, and whose the merge is. The work is its diff.
//
// Source: atdd-kit, seeds 3.1: the third gate, the merge, is a person's.
func Final(l events.Language, handle, issue string, passed, handed []string) string {
	list := func(names []string) string {
		var out []string
		for _, n := range names[:min(len(names), mostFiles)] {
			out = append(out, code(n, lineBytes))
		}
		return strings.Join(out, ", ")
	}
	var b strings.Builder
	b.WriteString(phrase.Say(l, "**autopilot** run %s has come to its end with what is on this branch.", "**autopilot** の実行 %s は、このブランチの内容で最後まで進みました。", code(handle, lineBytes)) + "\n\n")
	b.WriteString(phrase.Say(l, "- passed: %s", "- 成功したゲート: %s", list(passed)) + "\n")
	if len(handed) > 0 {
		b.WriteString(phrase.Say(l, "- accepted by hand-off without a review: %s", "- 引き継ぎによる承認、確認者なし: %s", list(handed)) + "\n")
	}
	if i, err := wire.ParseIssue(issue); err == nil {
		b.WriteString(phrase.Say(l, "\nIssue: %s", "\nイシュー: %s", i) + "\n")
	}
	b.WriteString(phrase.Say(l, "\nThe review and the merge are yours: autopilot marks nothing as ready, and merges nothing.",
		"\nレビューとマージは人が行います。autopilot は Ready にも、マージもしません。") + "\n")
	return b.String()
}
