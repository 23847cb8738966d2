package rule

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// GitChangeKind says what differs between two states of a repository.
type GitChangeKind string

// The changes, in the order in which they are told.
const (
	GitLostCommits    GitChangeKind = "commits-lost"     // Count commits up to From of Name, which no ref holds now
	GitRewoundBranch  GitChangeKind = "branch-rewound"   // Name has Count commits of the start not any more, up to From; another ref holds them
	GitLooseCommits   GitChangeKind = "commits-loose"    // Count commits up to To, which HEAD alone holds
	GitUnfinished     GitChangeKind = "operation"        // Name is in progress
	GitSwitched       GitChangeKind = "switched"         // HEAD, from branch From to branch To; empty is off a branch
	GitNewCommits     GitChangeKind = "commits"          // Count on Name; Commits are the first of them
	GitMovedBranch    GitChangeKind = "branch-moved"     // Name, without a new commit
	GitNewBranch      GitChangeKind = "branch-added"     // Name
	GitRemovedBranch  GitChangeKind = "branch-removed"   // Name, which was at From
	GitNewTag         GitChangeKind = "tag-added"        // Name
	GitMovedTag       GitChangeKind = "tag-moved"        // Name
	GitRemovedTag     GitChangeKind = "tag-removed"      // Name, which was at From
	GitPush           GitChangeKind = "pushed"           // Name, a branch of a remote
	GitMovedRemote    GitChangeKind = "remote-moved"     // Name: a branch of a remote, by a fetch or by a push
	GitNewStash       GitChangeKind = "stash-added"      // Name is its message
	GitRemovedStash   GitChangeKind = "stash-removed"    // Name is its message, From its commit
	GitNewRemote      GitChangeKind = "remote-added"     // Name, at To as far as that is known
	GitChangedRemote  GitChangeKind = "remote-changed"   // Name, at To as far as that is known
	GitRemovedRemote  GitChangeKind = "remote-removed"   // Name
	GitNewHook        GitChangeKind = "hook-added"       // Name
	GitChangedHook    GitChangeKind = "hook-changed"     // Name
	GitRemovedHook    GitChangeKind = "hook-removed"     // Name
	GitChangedConfig  GitChangeKind = "config"           // Name, a key
	GitChangedIndex   GitChangeKind = "index"            // Name: locked, assume-unchanged ...; Count files
	GitNewTree        GitChangeKind = "worktree-added"   // Name
	GitRemovedTree    GitChangeKind = "worktree-removed" // Name
	GitChangedOverlay GitChangeKind = "overlay"          // Name: shallow, grafts, alternates
	GitChangedRef     GitChangeKind = "ref"              // Name: of another kind, or a prefix of many
)

// GitChange is one difference.
type GitChange struct {
	Kind    GitChangeKind
	Name    string // without refs/heads/ and the like
	From    string // object id, or name
	To      string
	Count   int
	Commits []string // ids, the newest first
}

var gitOrder = func() map[GitChangeKind]int {
	order := map[GitChangeKind]int{}
	for i, k := range []GitChangeKind{
		GitLostCommits, GitRewoundBranch, GitLooseCommits, GitUnfinished, GitSwitched, GitNewCommits, GitMovedBranch, GitNewBranch, GitRemovedBranch,
		GitNewTag, GitMovedTag, GitRemovedTag, GitPush, GitMovedRemote, GitNewStash, GitRemovedStash, GitNewRemote, GitChangedRemote,
		GitRemovedRemote, GitNewHook, GitChangedHook, GitRemovedHook, GitChangedConfig, GitChangedIndex, GitNewTree, GitRemovedTree,
		GitChangedOverlay, GitChangedRef,
	} {
		order[k] = i
	}
	return order
}()

// GitChanges lists what differs between the state at the start of a run and a later
// one. What was so at the start is no change.
func GitChanges(start, now GitState) []GitChange {
	var out []GitChange
	told := tellCommits(now, &out)
	if from, to := start.Branch(), now.Branch(); from != to {
		out = append(out, GitChange{Kind: GitSwitched, Name: "HEAD", From: branchName(from), To: branchName(to)})
	}
	for fact := range both(start, now) {
		from, was := start[fact]
		to, is := now[fact]
		if was && is && from == to || told[fact] {
			continue
		}
		if c, ok := changeOf(fact, from, to, was, is); ok {
			out = append(out, c)
		}
	}
	out = slices.DeleteFunc(out, func(c GitChange) bool { return explained(c, start, now, told) })
	slices.SortFunc(out, func(a, b GitChange) int {
		return cmp.Or(cmp.Compare(gitOrder[a.Kind], gitOrder[b.Kind]), strings.Compare(a.Name, b.Name), strings.Compare(a.To, b.To))
	})
	return out
}

// both yields the facts of either state.
func both(a, b GitState) map[GitFact]bool {
	all := map[GitFact]bool{}
	for f := range a {
		all[f] = true
	}
	for f := range b {
		all[f] = true
	}
	return all
}

// tellCommits adds what became of commits, and says which facts that tells already.
func tellCommits(now GitState, out *[]GitChange) map[GitFact]bool {
	told := map[GitFact]bool{}
	for fact, value := range now {
		if !gitDerived[fact.Kind] {
			continue
		}
		told[fact] = true
		words := strings.Fields(value)
		if len(words) < 2 {
			continue
		}
		c := GitChange{Name: branchName(fact.Name)}
		switch fact.Kind {
		case GitCommits:
			c.Kind, c.Count, c.Commits, c.To = GitNewCommits, number(words[0]), words[1:], words[1]
			told[GitFact{GitRef, fact.Name}] = true
		case GitLost:
			c.Kind, c.From, c.Count = GitLostCommits, words[0], number(words[1])
		case GitLoose:
			c.Kind, c.To, c.Count = GitLooseCommits, words[0], number(words[1])
		case GitRewound:
			c.Kind, c.From, c.Count = GitRewoundBranch, words[0], number(words[1])
			told[GitFact{GitRef, fact.Name}] = true
		case GitPushed:
			c.Kind, c.From, c.To = GitPush, words[0], words[1]
			told[GitFact{GitRef, fact.Name}], told[GitFact{GitFar, fact.Name}] = true, true
		default:
			continue
		}
		*out = append(*out, c)
	}
	return told
}

func number(word string) int {
	n, _ := strconv.Atoi(word)
	return n
}

// explained says that another change tells the same: the settings of a remote come
// with the remote, and a remote's own refs with the push that moved them.
func explained(c GitChange, start, now GitState, told map[GitFact]bool) bool {
	switch c.Kind {
	case GitChangedConfig:
		rest, ok := strings.CutPrefix(c.Name, "remote.")
		if !ok {
			return false
		}
		name := rest[:max(0, strings.LastIndexByte(rest, '.'))]
		fact := GitFact{GitRemote, name}
		return start[fact] != now[fact]
	case GitMovedRemote:
		remote, ref, far := strings.Cut(c.Name, " ")
		branch, ok := strings.CutPrefix(ref, "refs/heads/")
		return far && ok && told[GitFact{GitRef, "refs/remotes/" + remote + "/" + branch}]
	default:
		return false
	}
}

// changeOf is the change of one fact.
func changeOf(fact GitFact, from, to string, was, is bool) (GitChange, bool) {
	c := GitChange{Name: fact.Name, From: from, To: to}
	pick := func(added, changed, removed GitChangeKind) (GitChange, bool) {
		switch {
		case !was:
			c.Kind = added
		case !is:
			c.Kind = removed
		default:
			c.Kind = changed
		}
		return c, c.Kind != ""
	}
	switch fact.Kind {
	case GitRef:
		c.Name = branchName(fact.Name)
		switch {
		case strings.HasPrefix(fact.Name, "refs/heads/"):
			return pick(GitNewBranch, GitMovedBranch, GitRemovedBranch)
		case strings.HasPrefix(fact.Name, "refs/tags/"):
			return pick(GitNewTag, GitMovedTag, GitRemovedTag)
		case strings.HasPrefix(fact.Name, "refs/remotes/"):
			return pick(GitMovedRemote, GitMovedRemote, GitMovedRemote)
		}
		return pick(GitChangedRef, GitChangedRef, GitChangedRef)
	case GitRefs:
		return pick(GitChangedRef, GitChangedRef, GitChangedRef)
	case GitStash:
		if c.Name, c.To = cmp.Or(to, from), fact.Name; was {
			c.From, c.To = fact.Name, ""
		}
		return pick(GitNewStash, "", GitRemovedStash)
	case GitRemote:
		_, c.From, _ = strings.Cut(from, " ")
		_, c.To, _ = strings.Cut(to, " ")
		return pick(GitNewRemote, GitChangedRemote, GitRemovedRemote)
	case GitConfig:
		return pick(GitChangedConfig, GitChangedConfig, GitChangedConfig)
	case GitHook:
		return pick(GitNewHook, GitChangedHook, GitRemovedHook)
	case GitIndex:
		c.Count = number(to)
		return pick(GitChangedIndex, GitChangedIndex, GitChangedIndex)
	case GitOperation:
		return pick(GitUnfinished, "", "")
	case GitWorktree:
		return pick(GitNewTree, "", GitRemovedTree)
	case GitOverlay:
		return pick(GitChangedOverlay, GitChangedOverlay, GitChangedOverlay)
	case GitFar:
		return pick(GitMovedRemote, GitMovedRemote, GitMovedRemote)
	case GitHead, GitCommits, GitLost, GitLoose, GitPushed, GitRewound, GitPlace:
	}
	return c, false
}

// branchName is the short name of a ref.
func branchName(ref string) string {
	for _, prefix := range []string{"refs/heads/", "refs/tags/", "refs/remotes/"} {
		if name, ok := strings.CutPrefix(ref, prefix); ok {
			return name
		}
	}
	return ref
}
