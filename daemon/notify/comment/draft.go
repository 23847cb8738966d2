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
func Draft(l events.Language, handle, issue, points string, files []string) string {
	var b strings.Builder
	b.WriteString(phrase.Say(l, "**autopilot** run %s asks for approval of these files, as they are on this branch:", "**autopilot** の実行 %s が、このブランチにある次のファイルの承認を求めています:", code(handle, lineBytes)) + "\n\n")
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
	answer := "apctl answer " + handle
	b.WriteString(phrase.Say(l, "\nTo answer, at a terminal where it runs: %s. A review or comment here answers nothing, and nothing is merged by autopilot.",
		"\n回答は実行環境の端末で: %s。ここでのレビューやコメントは回答になりません。autopilot はマージしません。", code(answer, lineBytes)) + "\n")
	return b.String()
}

// mostDraft is how much of what is called out a draft has, in bytes.
const mostDraft = 3 << 10
