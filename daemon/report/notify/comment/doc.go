// Package comment writes what is told of a run at an issue, as markdown of
// GitHub: the request that a terminal shows, or what came of the run with its
// evidence.
//
// Promises:
//   - Nothing that agents or people wrote is markdown there: it stands as code, in
//     which GitHub sees no mention, no link, no reference, no closing keyword and
//     no HTML, and whatever cannot be seen is written out.
//   - Bodies stay where they are. Of a set there are names, places and hashes, and
//     of what has changed in it the first hunks.
//   - No path of the machine and no name of a user is in it.
//
// It is pure.
package comment
