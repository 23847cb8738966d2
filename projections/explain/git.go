package explain

import (
	"strings"

	"autopilot/events"
	"autopilot/events/wire"
	"autopilot/projections/phrase"
	"autopilot/projections/rule"
)

// Git says what became of the repository of a run since its start, and which commands
// keep what could be lost. dir is its work tree. Nothing is said of one that was not
// looked at.
func Git(l events.Language, dir string, start, now rule.GitState) *wire.GitView {
	if len(now) == 0 {
		return nil
	}
	v := &wire.GitView{Commit: now.Commit(), Branch: strings.TrimPrefix(now.Branch(), "refs/heads/"), Changes: []wire.GitChange{}}
	for _, c := range rule.GitChanges(start, now) {
		v.Changes = append(v.Changes, wire.GitChange{
			Kind: string(c.Kind), Name: c.Name, From: c.From, To: c.To, Count: c.Count, Commits: c.Commits, Line: GitChange(l, c),
		})
		v.Next = append(v.Next, keeps(l, dir, c)...)
	}
	return v
}

// keeps are the commands that keep what a change could lose. None of them moves HEAD
// or a branch, so each is safe in any state.
func keeps(l events.Language, dir string, c rule.GitChange) []wire.NextCommand {
	git := "git -C " + phrase.Quote(dir) + " "
	switch c.Kind {
	case rule.GitLostCommits:
		return commands(git+"branch "+phrase.Quote(keptName(c.Name, c.From))+" "+c.From,
			say(l, "keeps %s from before the start that are on no branch any more", "どのブランチにもなくなった、開始前の %sを残す", phrase.Counted(l, c.Count, "commit", "コミット")))
	case rule.GitRewoundBranch:
		return commands(git+"branch "+phrase.Quote(keptName(c.Name, c.From))+" "+c.From,
			say(l, "names the commit that branch %s had at the start", "開始時のブランチ %s に名前を付ける", c.Name))
	case rule.GitLooseCommits:
		return commands(git+"branch "+phrase.Quote(keptName("HEAD", c.To))+" "+c.To,
			say(l, "keeps %s that are on no branch", "どのブランチにもない %sを残す", phrase.Counted(l, c.Count, "commit", "コミット")))
	case rule.GitUnfinished:
		return commands(git+"status", say(l, "a %s is in progress: says how to finish it", "%s が途中。終わらせる方法を表示", c.Name))
	case rule.GitRemovedBranch, rule.GitRemovedTag:
		if c.From == "" || strings.HasPrefix(c.From, "ref:") {
			return nil
		}
		verb, what := "branch ", say(l, "brings branch %s back", "ブランチ %s を戻す", c.Name)
		if c.Kind == rule.GitRemovedTag {
			verb, what = "tag ", say(l, "brings tag %s back", "タグ %s を戻す", c.Name)
		}
		return commands(git+verb+phrase.Quote(c.Name)+" "+c.From, what)
	case rule.GitNewStash:
		return commands(git+"stash show -p "+c.To, say(l, "shows the stash, which is in no branch", "どのブランチにもないスタッシュを表示"))
	case rule.GitRemovedStash:
		return commands(git+"stash store "+c.From, say(l, "brings the stash back", "スタッシュを戻す"))
	default:
		return nil
	}
}

// keptName is the name of a branch that keeps commits.
func keptName(of, commit string) string { return strings.ToLower(of) + "-" + Short(commit) }

// GitChange is one change in a sentence.
func GitChange(l events.Language, c rule.GitChange) string {
	switch c.Kind {
	case rule.GitLostCommits:
		return say(l, "%s from before the start (up to %s of %s) are on no branch any more", "開始前の %s(%s まで、%s)がどのブランチにもない",
			phrase.Counted(l, c.Count, "commit", "コミット"), Short(c.From), c.Name)
	case rule.GitRewoundBranch:
		return say(l, "branch %s lost %s from the start (up to %s)", "ブランチ %s は開始時の %s(%s まで)を含まなくなった",
			c.Name, phrase.Counted(l, c.Count, "commit", "コミット"), Short(c.From))
	case rule.GitLooseCommits:
		return say(l, "HEAD is on no branch, and only HEAD has %s (up to %s)", "HEAD はどのブランチ上にもなく、%s(%s まで)は HEAD だけが持つ",
			phrase.Counted(l, c.Count, "commit", "コミット"), Short(c.To))
	case rule.GitUnfinished:
		return say(l, "a %s is in progress", "%s が途中", c.Name)
	case rule.GitSwitched:
		return say(l, "HEAD was switched from %s to %s", "HEAD は %s から %s へ切り替え", gitPlace(l, c.From), gitPlace(l, c.To))
	case rule.GitNewCommits:
		return say(l, "%s on %s: %s", "%s(%s): %s", phrase.Counted(l, c.Count, "new commit", "新しいコミット"), c.Name, gitCommits(l, c))
	case rule.GitPush:
		return say(l, "%s was pushed (%s)", "%s へプッシュ(%s)", c.Name, gitSpan(l, c))
	case rule.GitMovedBranch:
		return say(l, "branch %s was moved, without a new commit (%s)", "ブランチ %s を移動、新しいコミットなし(%s)", c.Name, gitSpan(l, c))
	case rule.GitMovedTag:
		return say(l, "tag %s was moved (%s)", "タグ %s を移動(%s)", c.Name, gitSpan(l, c))
	case rule.GitMovedRemote:
		return say(l, "%s was moved, by a fetch or a push (%s)", "%s が移動、フェッチかプッシュ(%s)", c.Name, gitSpan(l, c))
	case rule.GitChangedRef:
		return say(l, "refs %s were changed", "参照 %s を変更", c.Name)
	case rule.GitNewBranch, rule.GitRemovedBranch, rule.GitNewTag, rule.GitRemovedTag:
		return gitNamed(l, c)
	default:
		return gitSetting(l, c)
	}
}

// gitNamed is a branch or a tag that is new, or gone.
func gitNamed(l events.Language, c rule.GitChange) string {
	switch c.Kind {
	case rule.GitNewBranch:
		return say(l, "branch %s was created at %s", "ブランチ %s を %s に作成", c.Name, Short(c.To))
	case rule.GitRemovedBranch:
		return say(l, "branch %s was removed (it was at %s)", "ブランチ %s を削除(%s にあった)", c.Name, Short(c.From))
	case rule.GitNewTag:
		return say(l, "tag %s was created at %s", "タグ %s を %s に作成", c.Name, Short(c.To))
	default:
		return say(l, "tag %s was removed (it was at %s)", "タグ %s を削除(%s にあった)", c.Name, Short(c.From))
	}
}

// gitSetting is a change of what git does, and not of commits.
func gitSetting(l events.Language, c rule.GitChange) string {
	switch c.Kind {
	case rule.GitNewStash:
		return say(l, "a stash was made: %s", "スタッシュを作成: %s", c.Name)
	case rule.GitRemovedStash:
		return say(l, "a stash was removed: %s", "スタッシュを削除: %s", c.Name)
	case rule.GitNewRemote:
		return say(l, "remote %s was added", "リモート %s を追加", c.Name) + gitAddress(l, c.To)
	case rule.GitChangedRemote:
		return say(l, "the address of remote %s was changed", "リモート %s のアドレスを変更", c.Name) + gitAddress(l, c.To)
	case rule.GitRemovedRemote:
		return say(l, "remote %s was removed", "リモート %s を削除", c.Name)
	case rule.GitNewHook:
		return say(l, "hook %s was added: git runs it", "フック %s を追加。git が実行する", c.Name)
	case rule.GitChangedHook:
		return say(l, "hook %s was changed: git runs it", "フック %s を変更。git が実行する", c.Name)
	case rule.GitRemovedHook:
		return say(l, "hook %s was removed", "フック %s を削除", c.Name)
	case rule.GitChangedConfig:
		return say(l, "the configuration of %s was changed", "設定 %s を変更", c.Name)
	case rule.GitNewTree:
		return say(l, "work tree %s was added", "作業ツリー %s を追加", c.Name)
	case rule.GitRemovedTree:
		return say(l, "work tree %s was removed", "作業ツリー %s を削除", c.Name)
	case rule.GitChangedOverlay:
		return say(l, "%s was changed: git shows another history than the commits", "%s を変更。履歴の見え方が変わる", c.Name)
	case rule.GitChangedIndex:
		if c.Name == "locked" {
			return say(l, "the lock on the index was made or removed", "インデックスのロックが変化")
		}
		return say(l, "the index marks %s as %s", "インデックスの印: %s、%s", phrase.Counted(l, c.Count, "file", "ファイル"), c.Name)
	default:
		return string(c.Kind) + " " + c.Name
	}
}

func gitPlace(l events.Language, branch string) string {
	if branch == "" {
		return say(l, "no branch", "ブランチなし")
	}
	return branch
}

func gitAddress(l events.Language, place string) string {
	if place == "" {
		return ""
	}
	return say(l, ": it is %s", ": %s", place)
}

func gitCommits(l events.Language, c rule.GitChange) string {
	var ids []string
	for _, id := range c.Commits {
		ids = append(ids, Short(id))
	}
	text := strings.Join(ids, ", ")
	if c.Count > len(ids) {
		text += say(l, " and %d more", " ほか %d 件", c.Count-len(ids))
	}
	return text
}

// gitSpan is from where to where a ref was moved.
func gitSpan(l events.Language, c rule.GitChange) string {
	from, to := Short(c.From), Short(c.To)
	if strings.Trim(from, "0") == "" {
		from = say(l, "new", "新規")
	}
	if to == "" {
		to = say(l, "removed", "削除")
	}
	return from + ".." + to
}

// GitLines are the changes in sentences, at most so many.
func GitLines(l events.Language, v *wire.GitView, most int) []string {
	if v == nil {
		return nil
	}
	var out []string
	for i, c := range v.Changes {
		if i == most {
			return append(out, say(l, "and %d more changes of git", "ほか %d 件の git の変更", len(v.Changes)-most))
		}
		out = append(out, c.Line)
	}
	return out
}
