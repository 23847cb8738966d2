package rule

import (
	"maps"
	"slices"
	"strconv"
	"strings"
)

// GitKind is a kind of fact about the repository of a work tree.
type GitKind string

// The kinds of facts. Name and value of each are in the comment.
const (
	GitHead      GitKind = "head"      // commit: its id, empty before the first; branch: its full name, empty off a branch
	GitRef       GitKind = "ref"       // full name: object id, or what a symbolic ref names
	GitRefs      GitKind = "refs"      // prefix: a sum of refs that are too many to be listed
	GitStash     GitKind = "stash"     // commit: its message
	GitRemote    GitKind = "remote"    // name: a sum of its addresses, and host and path of the first
	GitConfig    GitKind = "config"    // key: a sum of its values
	GitHook      GitKind = "hook"      // name: a sum of the program
	GitIndex     GitKind = "index"     // locked; assume-unchanged, skip-worktree, intent-to-add: how many files
	GitOperation GitKind = "operation" // rebase, merge, ...: nothing
	GitWorktree  GitKind = "worktree"  // name: nothing
	GitOverlay   GitKind = "overlay"   // shallow, grafts, alternates: a sum
	GitPlace     GitKind = "place"     // nothing: which directory of the file system it is
	GitFar       GitKind = "far"       // remote that is a directory of this machine, a blank, full name of a ref: object id
)

// These kinds say what became of commits since the start of the run.
const (
	GitCommits GitKind = "commits" // full name of a branch, or HEAD: how many new commits, and the first ids of them
	GitLost    GitKind = "lost"    // full name of a ref of the start: its commit, which no ref holds now, and how many with it
	GitLoose   GitKind = "loose"   // HEAD: the commit of a detached HEAD, and how many commits only it holds
	GitPushed  GitKind = "pushed"  // full name of a remote branch, or remote, a blank and full name there: object ids before and after
	GitRewound GitKind = "rewound" // full name of a branch of the start: its commit, and how many with it the branch has not any more
)

// gitDerived are the kinds that compare a state with the start.
var gitDerived = map[GitKind]bool{GitCommits: true, GitLost: true, GitLoose: true, GitPushed: true, GitRewound: true}

// GitFact names one fact.
type GitFact struct {
	Kind GitKind
	Name string
}

// GitState is what is known of a repository. It is read as data: nothing in it holds
// a value of a configuration.
type GitState map[GitFact]string

// Commit is the commit of HEAD; empty before the first.
func (g GitState) Commit() string { return g[GitFact{GitHead, "commit"}] }

// Branch is the full name of the branch that is checked out; empty off a branch.
func (g GitState) Branch() string { return g[GitFact{GitHead, "branch"}] }

// Of lists the names of a kind, sorted.
func (g GitState) Of(kind GitKind) []string {
	var out []string
	for f := range g {
		if f.Kind == kind {
			out = append(out, f.Name)
		}
	}
	slices.Sort(out)
	return out
}

// Refs are the listed refs whose names begin with a prefix.
func (g GitState) Refs(prefix string) map[string]string {
	out := map[string]string{}
	for f, value := range g {
		if f.Kind == GitRef && strings.HasPrefix(f.Name, prefix) {
			out[f.Name] = value
		}
	}
	return out
}

// Same says that nothing of two repositories differs, but for where they are and what
// compares them with a start.
func (g GitState) Same(other GitState) bool {
	return maps.Equal(g.plain(), other.plain())
}

func (g GitState) plain() GitState {
	out := maps.Clone(g)
	maps.DeleteFunc(out, func(f GitFact, _ string) bool { return gitDerived[f.Kind] || f.Kind == GitPlace })
	return out
}

// Text writes a state with one fact a line, sorted: kind, name and value between
// tabs.
func (g GitState) Text() string {
	lines := make([]string, 0, len(g))
	for f, value := range g {
		lines = append(lines, string(f.Kind)+"\t"+quoteFact(f.Name)+"\t"+quoteFact(value)+"\n")
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// ParseGitState reads what Text has written. Lines that it does not know are left out.
func ParseGitState(text string) GitState {
	g := GitState{}
	for line := range strings.Lines(text) {
		kind, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		name, value, also := strings.Cut(rest, "\t")
		if ok && also && kind != "" {
			g[GitFact{GitKind(kind), unquoteFact(name)}] = unquoteFact(value)
		}
	}
	return g
}

// quoteFact keeps a text in one field of a line. Names of git may hold any byte.
func quoteFact(text string) string {
	if strings.ContainsAny(text, "\t\n\r") || strings.HasPrefix(text, `"`) {
		return strconv.Quote(text)
	}
	return text
}

func unquoteFact(text string) string {
	if strings.HasPrefix(text, `"`) {
		if plain, err := strconv.Unquote(text); err == nil {
			return plain
		}
	}
	return text
}
