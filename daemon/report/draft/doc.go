// Package draft shows what a run asks approval for as a draft pull request: it
// commits the files of the set on the branch of the run, pushes that, and opens the
// draft by the user's own gh. Who is asked reads the bodies there, and the comment
// at the issue has a link and the points to decide. What a run has passed with is
// shown in the same way, as its final work, and the draft says so.
//
// It does so where a rule of the user's settings says draft: true for the repository
// of the issue that a run is about, and nowhere else. Promises:
//
//   - Nothing is merged, and nothing is pushed by force, to the default branch, or
//     to another branch than the one that was made for the run with its work tree.
//   - What is in a work tree or its repository is never a program: hooks, filters
//     and configuration of it are not used where git runs, and the push is made from
//     an empty repository of the daemon's own that only borrows the objects.
//   - What cannot be done is said, and holds up nothing: a run asks all the same,
//     after a bounded time.
//   - All of it can be done again, after the end of a daemon in its midst: an
//     unchanged set makes no further commit, and an open pull request is taken.
//
// Source: atdd-kit, seeds 3.7, 6.2 A34, A56, A60.
package draft
