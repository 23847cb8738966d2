package render

import (
	"fmt"
	"strings"

	"autopilot/events/wire"
)

// AcceptWhat is accept without a run.
func AcceptWhat() *wire.Error {
	return usage("apctl accept RUN, as in apctl accept k3xq", "accept needs a run")
}

// DiscardWhat is discard without a run.
func DiscardWhat() *wire.Error {
	return usage("apctl discard RUN, as in apctl discard k3xq", "discard needs a run")
}

// AcceptProblem is why work in the user's own tree cannot be committed as it is.
func AcceptProblem(v wire.AcceptView) error {
	h := Line(v.Run.Handle)
	switch {
	case v.Own && v.Head != v.Judged:
		return &wire.Error{
			Code: wire.Conflict, Message: fmt.Sprintf("HEAD has moved since run %s was judged: from %s to %s", h, Hash(v.Judged), Hash(v.Head)),
			Hint: "apctl accept " + h + " --into BRANCH   judges its work again on the tip of a branch",
		}
	case v.Own && len(v.Changed) > 0:
		return &wire.Error{
			Code: wire.Conflict, Message: fmt.Sprintf("files have changed since run %s was judged: %s", h, some(v.Changed)),
			Hint: fmt.Sprintf("apctl restore %[1]s %[2]d   takes them back to what was judged\napctl accept %[1]s --into BRANCH   judges the work again on the tip of a branch", h, v.Run.Iteration),
		}
	}
	return nil
}

// Accepts says what would be taken where.
func (s Style) Accepts(v wire.AcceptView) string {
	var b strings.Builder
	if v.Own {
		fmt.Fprintf(&b, "run %s: %s would be committed in %s, as judged there\n", Line(v.Run.Handle), count(len(v.Files), "file"), Line(v.Dir))
		paths(&b, "commit", v.Files)
		return b.String()
	}
	fmt.Fprintf(&b, "run %s: %s would land on %s by %s\n", Line(v.Run.Handle), count(len(v.Files), "file"), s.paint(bold, Line(v.Target)), Line(v.How))
	paths(&b, "land", v.Files)
	b.WriteString(s.facts([][2]string{{"gates", Line(strings.Join(v.Gates, ", ")) + ", on the merged tree"}, {"pr", mark(v.As == wire.AcceptPR, "a draft, pushed by your git and opened by your gh")}}))
	return b.String()
}

// Landing says that the gates of a landing are at work.
func (s Style) Landing(v wire.AcceptView) string {
	return fmt.Sprintf("run %s judges the merged tree: %s\n", Line(v.Landing.Handle), Line(strings.Join(v.Gates, ", ")))
}

// Accepted says where the work is.
func (s Style) Accepted(v wire.AcceptView) string {
	var b strings.Builder
	fmt.Fprintf(&b, "run %s is accepted: %s on %s\n", Line(v.Run.Handle), s.paint(bold, Hash(v.Commit)), Line(v.Target))
	if v.Link != "" {
		fmt.Fprintf(&b, "  draft: %s\n", Line(v.Link))
	}
	if len(v.Changed) > 0 {
		fmt.Fprintf(&b, "%s: %s\n", s.paint(yellow, "no gate has judged these files as they are now, a hook may have changed them"), some(v.Changed))
	}
	return b.String()
}

// NotLanded says what follows after a landing that did not move its target.
func (s Style) NotLanded(v wire.AcceptView) string {
	h := Line(v.Run.Handle)
	text := fmt.Sprintf("run %s is not accepted: %s is as it was\n", h, Line(v.Target))
	if l := v.Landing.Land; l != nil && l.State == "target-moved" {
		text += fmt.Sprintf("  apctl accept %s   lands it on the new tip\n", h)
	}
	return text
}

// NotForwarded says that the work has landed, and the user's work tree could not be brought
// to it.
func NotForwarded(v wire.AcceptView, err error) *wire.Error {
	ref := Line(v.Landing.Land.Ref)
	return &wire.Error{
		Code: wire.Conflict, Message: fmt.Sprintf("all gates pass on the merged tree, and git could not bring %s to it:\n%s", Line(v.Target), Clean(err.Error())),
		Hint: "commit or stash your changes, then: git merge --ff-only " + ref,
	}
}

// NotShown says that the branch is there, and no draft.
func NotShown(v wire.AcceptView, err error) *wire.Error {
	return &wire.Error{
		Code: wire.Failed, Message: fmt.Sprintf("the work is on branch %s, and no draft could be opened: %s", Line(v.Target), Clean(err.Error())),
		Hint: "git push, then gh pr create --draft --head " + Line(v.Target),
	}
}

// NotTaken says why git made no commit.
func NotTaken(v wire.AcceptView, err error) *wire.Error {
	return &wire.Error{
		Code: wire.Conflict, Message: fmt.Sprintf("the work of run %s is not committed: %s", Line(v.Run.Handle), Clean(err.Error())),
		Hint: "git -C " + Line(v.Dir) + " status   shows the state of the files",
	}
}

// DiscardProblem is what holds a work tree that is to go.
func DiscardProblem(v wire.DiscardView) error {
	t := v.Tree
	if t == nil || t.Removed || t.Missing || t.Goes {
		return nil
	}
	return &wire.Error{
		Code: wire.Conflict, Message: fmt.Sprintf("the work tree of run %s stays: %s", Line(v.Run.Handle), treeStays(*t)),
		Hint: "end what holds it, then try again; apctl ls --worktrees   shows it",
	}
}

// Discarded says what went, or would go, and the way back.
func (s Style) Discarded(v wire.DiscardView) string {
	if v.Restore != nil {
		text := s.Restored(*v.Restore)
		if v.Run.HeadMoved != nil {
			text += "  commits stay: git log   shows them\n"
		}
		return text
	}
	var b strings.Builder
	verb := "gone"
	if v.DryRun {
		verb = "to go"
	}
	switch {
	case v.Nothing():
		fmt.Fprintf(&b, "nothing is left of the work of run %s\n", Line(v.Run.Handle))
		return b.String()
	case !v.Tree.Missing:
		fmt.Fprintf(&b, "work tree %s: %s\n", Line(v.Tree.Dir), verb)
	}
	if v.Commit != "" {
		fmt.Fprintf(&b, "branch %s at %s: %s\n", Line(v.Branch), Hash(v.Commit), verb)
	}
	for i, c := range v.Undo {
		label := "take it back:"
		if i > 0 {
			label = "             "
		}
		fmt.Fprintf(&b, "  %s %s\n", label, Line(c))
	}
	return b.String()
}

// DraftBody is the text of a draft pull request.
func DraftBody(v wire.AcceptView) string {
	return fmt.Sprintf("%s\n\nMade by run %s of autopilot. Gates that pass on the merged tree: %s.\n", Clean(v.Run.Task), Line(v.Run.Handle), Line(strings.Join(v.Gates, ", ")))
}

// landing is what a landing run brings where, and what became of that.
func (s Style) landing(l *wire.LandView) string {
	if l == nil {
		return ""
	}
	text := s.say("%s of run %s onto %s", "%s(実行 %s)を %s へ", Hash(l.Commit), Line(strings.Join(l.Of, ", ")), Line(l.Target))
	if l.State == "" {
		return text
	}
	return s.listed(nonempty(text, Line(l.State), Line(l.Said))...)
}
