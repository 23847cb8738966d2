// Package commit makes commits of recorded work in the repository of a user: on the branch
// that was made for a run, or as objects alone.
//
// A commit has the recorded bytes of the work, and nothing else of the work tree. Git runs
// without hooks, filters and the configuration of the user. The branch moves by
// compare-and-swap, after the index. The same work makes no second commit.
package commit
