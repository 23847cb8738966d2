package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// Worktrees lists the work trees of a repository: who uses each, and what is in it
// that is nowhere else.
func (s Style) Worktrees(v wire.WorktreesView) string {
	var b strings.Builder
	for _, t := range v.Worktrees {
		b.WriteString(s.worktree(t))
	}
	b.WriteString(s.merged(v))
	b.WriteString(s.removedTrees(v.Removed))
	if n := v.Goes(); n > 0 {
		fmt.Fprintf(&b, "\n%s to prune: apctl archive prune --worktrees\n", count(n, "work tree"))
	}
	return b.String()
}

// worktree is one of them: its place, then what there is to know of it.
func (s Style) worktree(t wire.TreeView) string {
	class := s.paint(classColour(t), string(t.Class))
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", Line(t.Dir), class)
	if t.Here {
		b.WriteString(", here")
	}
	if t.Missing {
		b.WriteString(", its directory is gone")
	}
	b.WriteString("\n")
	b.WriteString(s.facts([][2]string{
		{"at", treeAt(t)},
		{"run", treeRun(t)},
		{"claim", s.treeClaim(t)},
		{"used", s.treeUsed(t)},
		{"has", treeHas(t)},
		{"stays", treeStays(t)},
	}))
	return b.String()
}

func classColour(t wire.TreeView) string {
	switch {
	case t.Goes:
		return yellow
	case t.Class == wire.TreeInUse:
		return green
	}
	return bold
}

func treeAt(t wire.TreeView) string {
	switch {
	case t.Commit == "" && t.Branch == "":
		return ""
	case t.Branch == "":
		return "detached, " + Hash(t.Commit)
	}
	return strings.TrimSpace(Line(t.Branch) + ", " + Hash(t.Commit))
}

func treeRun(t wire.TreeView) string {
	if t.Run == "" {
		return ""
	}
	return Line(t.Run) + ", " + Line(t.State)
}

func (s Style) treeClaim(t wire.TreeView) string {
	if t.Claim == nil {
		return ""
	}
	return s.holder(*t.Claim) + ", " + s.until(*t.Claim)
}

func (s Style) treeUsed(t wire.TreeView) string {
	if t.Main {
		return ""
	}
	if t.Used == nil {
		return "unknown when last"
	}
	return Age(s.since(*t.Used)) + " ago"
}

// treeHas is what is in it that is nowhere else, by name.
func treeHas(t wire.TreeView) string {
	var lines []string
	for _, l := range []struct {
		what  string
		names []string
		why   wire.TreeHold
	}{
		{"changed", t.Changed, wire.HoldChanged},
		{"staged", t.Staged, wire.HoldStaged},
		{"untracked", t.Untracked, wire.HoldUntracked},
		{"ignored", t.Ignored, ""},
	} {
		if len(l.names) > 0 {
			lines = append(lines, l.what+": "+fewNames(l.names, heldCount(t, l.why, len(l.names))))
		}
	}
	if t.Alone > 0 {
		lines = append(lines, count(t.Alone, "commit")+" in no other branch, remote branch or tag")
	}
	if t.Unpushed > 0 && t.Unpushed != t.Alone {
		lines = append(lines, count(t.Unpushed, "commit")+" not pushed")
	}
	if t.Stashes > 0 {
		lines = append(lines, count(t.Stashes, "stash entry")+" made on its branch")
	}
	return strings.Join(lines, "\n")
}

func heldCount(t wire.TreeView, why wire.TreeHold, least int) int {
	for _, h := range t.Held {
		if h.Why == why {
			return h.N
		}
	}
	return least
}

// mostTreeNames bounds the names on one line.
const mostTreeNames = 4

func fewNames(names []string, all int) string {
	shown := make([]string, 0, mostTreeNames)
	for _, n := range names[:min(len(names), mostTreeNames)] {
		shown = append(shown, Line(n))
	}
	text := strings.Join(shown, ", ")
	if more := all - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// treeStays are the reasons for which it is not removed. For the main work tree
// there is nothing to say.
func treeStays(t wire.TreeView) string {
	if t.Main {
		return ""
	}
	var lines []string
	for _, h := range t.Held {
		lines = append(lines, stayFor(h))
	}
	return strings.Join(lines, "\n")
}

// heldSays are the reasons that need no more than a sentence.
var heldSays = map[wire.TreeHold]string{
	wire.HoldMain:       "it is the main work tree",
	wire.HoldYoung:      "used not long ago",
	wire.HoldSubmodules: "it has submodules; git worktree remove wants to be forced, too",
	wire.HoldNotOurs:    "no run or session made it; --all takes those too",
	wire.HoldUnknown:    "git does not list it, so what is in it cannot be told; git worktree repair DIR may help",
	wire.HoldBytes:      "files of it have other bytes than its commit, as after a filter or line endings: look, then git worktree remove",
	wire.HoldUnshown:    "it was not among those that were shown; ask again",
}

// heldBefore are those that end with what it is.
var heldBefore = map[wire.TreeHold]string{
	wire.HoldGitAtWork:  "a git command is at work in it, or has died and left ",
	wire.HoldClaim:      "claimed, ",
	wire.HoldOther:      "held by ",
	wire.HoldNested:     "a repository of its own in it: ",
	wire.HoldMount:      "something is mounted in it: ",
	wire.HoldStrange:    "a pipe, socket or device in it: ",
	wire.HoldStuck:      "nothing can be removed from a folder in it: ",
	wire.HoldUnreadable: "cannot be told: ",
	wire.HoldMoved:      "something has changed in it meanwhile: ",
	wire.HoldFailed:     "could not be removed: ",
}

// heldCounts are those that say how many there are.
var heldCounts = map[wire.TreeHold]struct{ noun, rest string }{
	wire.HoldChanged:   {"file", " changed and not committed"},
	wire.HoldStaged:    {"file", " staged and not committed"},
	wire.HoldUntracked: {"file or folder", " untracked"},
	wire.HoldAlone:     {"commit", " of it in no other branch, remote branch or tag"},
	wire.HoldUnpushed:  {"commit", " of it not pushed to any remote"},
}

// stayFor is one reason for which a work tree stays.
func stayFor(h wire.TreeHeld) string {
	what := Line(h.What)
	if text, ok := heldSays[h.Why]; ok {
		return text
	}
	if text, ok := heldBefore[h.Why]; ok {
		return text + what
	}
	if c, ok := heldCounts[h.Why]; ok {
		return count(h.N, c.noun) + c.rest
	}
	switch h.Why { //nolint:exhaustive // the others are above
	case wire.HoldLocked:
		if what == "" {
			what = "without a reason"
		}
		return "locked by git worktree lock: " + what
	case wire.HoldProcess:
		return fmt.Sprintf("process %d (%s) works in it", h.N, what)
	case wire.HoldRun:
		return fmt.Sprintf("run %s is not over: apctl resume %s, or apctl cancel %s", what, what, what)
	case wire.HoldSession:
		return "session " + what + " works in it, or has left its lock"
	case wire.HoldRecord:
		return what + " worked in it not long ago"
	case wire.HoldHalfway:
		return "a " + what + " has not ended"
	case wire.HoldContains:
		return what + " is in it"
	}
	return Line(string(h.Why)) + " " + what
}

// merged says which branches of runs nothing is lost with.
func (s Style) merged(v wire.WorktreesView) string {
	if len(v.Merged) == 0 {
		return ""
	}
	var b strings.Builder
	names := make([]string, 0, len(v.Merged))
	for _, m := range v.Merged {
		fmt.Fprintf(&b, "  %s  all in %s\n", Line(m.Name), Line(m.In))
		names = append(names, Word(Line(m.Name)))
	}
	return s.section("branches of runs that are merged", b.String()) + "  git branch -d " + strings.Join(names, " ") + "   deletes them\n"
}

// mostRemoved bounds the removed work trees that are shown.
const mostRemoved = 5

func (s Style) removedTrees(list []wire.RemovedTree) string {
	var b strings.Builder
	for i, r := range list {
		if i == mostRemoved {
			fmt.Fprintf(&b, "  and %d more: --json has them\n", len(list)-i)
			break
		}
		fmt.Fprintf(&b, "  %s, %s\n%s", Line(r.Dir), s.Clock(r.At), backLines(r.Back))
	}
	return s.section("removed", b.String())
}

func backLines(commands []string) string {
	var b strings.Builder
	for _, c := range commands {
		b.WriteString("    " + Line(c) + "\n")
	}
	return b.String()
}

// PrunedWorktrees says which work trees were removed, or would be, and why others
// stay.
func (s Style) PrunedWorktrees(v wire.WorktreesView) string {
	var goes, stays, gone strings.Builder
	left := 0
	for _, t := range v.Worktrees {
		switch {
		case t.Goes || t.Removed:
			goes.WriteString(s.goingTree(t))
		case t.Gone:
			fmt.Fprintf(&gone, "  %s\n", Line(t.Dir))
		case !t.Main:
			left++
			fmt.Fprintf(&stays, "  %s  %s\n%s", Line(t.Dir), s.paint(bold, string(t.Class)), indent("    ", treeStays(t)))
		}
	}
	head := "no work tree to prune\n"
	if n := v.Goes(); n > 0 {
		verb := "pruned"
		if v.DryRun {
			verb = "would prune"
		}
		head = verb + " " + s.paint(bold, count(n, "work tree")) + "\n"
	}
	out := head + goes.String()
	if left > 0 {
		verb := "stays"
		if left > 1 {
			verb = "stay"
		}
		out += s.section(fmt.Sprintf("%d %s", left, verb), stays.String())
	}
	return out + s.section("removed by somebody else meanwhile", gone.String()) + s.merged(v)
}

// goingTree is one that goes, with what goes with it and what brings it back.
func (s Style) goingTree(t wire.TreeView) string {
	var b strings.Builder
	fmt.Fprintf(&b, "  %s\n", Line(t.Dir))
	what := count(t.Files, "file") + ", " + Size(t.Bytes)
	if t.Missing {
		what = "its directory is gone already; what git knows of it goes"
	}
	b.WriteString(indent("    ", treeAt(t)+"; "+what))
	if len(t.Kept) > 0 {
		fmt.Fprintf(&b, "    ignored, and recorded: %s\n", fewNames(t.Kept, len(t.Kept)))
	}
	if len(t.Lost) > 0 {
		fmt.Fprintf(&b, "    ignored, and not recorded: %s\n", fewNames(t.Lost, len(t.Lost)))
	}
	if len(t.Back) > 0 {
		b.WriteString("    bring it back:\n" + indent("      ", Line(t.Back[0])))
		for _, c := range t.Back[1:] {
			b.WriteString(indent("      ", Line(c)))
		}
	}
	return b.String()
}

// WorktreesAlone is a list of work trees with a choice of runs.
func WorktreesAlone() *wire.Error {
	return usage("apctl ls --worktrees   lists all work trees of this repository", "--all, --here and --limit choose runs, and --worktrees lists none")
}

// PruneAllWhat is --all without work trees.
func PruneAllWhat() *wire.Error {
	return usage("apctl archive prune --worktrees --all", "--all is for work trees")
}

// PrunesYoungTrees refuses an age that may be a slip.
func PrunesYoungTrees(age string) *wire.Error {
	return usage("apctl archive prune --worktrees --older-than "+Word(Line(age))+" --yes   if that is meant",
		"--older-than %s is less than an hour: work trees would go that were used just now", Line(age))
}

// PrunesUsedTrees says that a short age was meant.
func PrunesUsedTrees(age string) string {
	return Note("work trees go that were used only " + age + " ago")
}
