// Package land brings finished work onto the newest tip of a branch, as commits that
// nobody has yet, and moves the branch to them once somebody else has judged them.
//
// A Scratch is a repository of the daemon's own that borrows the objects of the user's.
// Merges, rebases and checkouts happen there. So until a move the user's repository gets
// neither a ref nor an object, and no file of a work tree is touched.
//
// Promises:
//
//   - Nothing is forced. A branch moves from the tip that was judged to the commit that
//     was judged, by compare-and-swap, or stays.
//   - A move can be repeated after the end of a daemon in its midst: a branch that has the
//     commit already has been moved.
//   - A branch that is checked out in a work tree stays, as that would look changed. The
//     commit then waits below refs/autopilot/land/.
//   - No program that a repository names is run: no hook, filter, merge driver or signer.
//
// It judges nothing: gates do.
package land
